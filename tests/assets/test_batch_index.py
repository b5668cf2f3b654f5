"""How far logs reached is told topic by topic, or of all at once, and is the same."""

from __future__ import annotations

from assets.catalog.internal.batch_index import BATCH_INDEX
from assets.materialize import model_reads
from tests.assets.rows import Answer, Book, second

AT_MS = 1_767_268_800_000


def tables() -> Book:
    """Batches of three topics, and what a broker said of one of them and of a fourth."""
    book = Book(model_reads(BATCH_INDEX))
    for topic, first in (("a", 0), ("a", 10), ("b", 0), ("c", 5)):
        place = {"cluster": "c", "topic": topic, "partition": 0, "base_offset": first, "last_offset": first + 9}
        kind = dict.fromkeys(("is_transactional", "is_control", "is_log_append_time"), False)
        sizes = {"record_count": 10, "size_bytes": 100, "segment_base_offset": 0}
        times = {"base_timestamp_ms": AT_MS, "max_timestamp_ms": AT_MS}
        book.insert("raw.batches", **place, **kind, **sizes, **times)
    for topic in ("a", "d"):
        end = {"log_end_offset": 30, "reached_at": second(60), "source": "live"}
        book.insert("core.log_ends", cluster="c", topic=topic, partition=0, **end)
    return book


def reach(book: Book) -> Answer:
    """Every row of internal.batch_index."""
    book.make("internal.batch_index")
    return book.ask("FROM internal.batch_index")


def test_pieces_say_what_the_whole_says() -> None:
    """Topics of which only a broker told are among them."""
    book = tables()
    whole = reach(book)
    assert {row[1] for row in whole} == {"a", "b", "c", "d"}
    assert book.ask(BATCH_INDEX.pieces) == [("a", "d")]
    pieces = []
    for first, last in (("a", "a"), ("b", "c"), ("d", "d")):
        book.ask("SET VARIABLE from_topic = ?", first)
        book.ask("SET VARIABLE to_topic = ?", last)
        pieces += reach(book)
    assert pieces == whole
