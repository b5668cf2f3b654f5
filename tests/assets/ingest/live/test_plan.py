"""Where a read of a running cluster begins and ends, whatever the archive has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from assets.ingest.live.access import Access
from assets.ingest.live.cluster import Bounds, Partition, Topic
from assets.ingest.live.plan import TopicState, archived_to, is_another

if TYPE_CHECKING:
    from collections.abc import Sequence

LOG = "__consumer_offsets"
PARTITION = Partition(LOG, 3, 1, 5)


def standing(bounds: Bounds | None, *stretches: tuple[int, int]) -> TopicState:
    """One partition with these bounds, of which the archive has these stretches."""
    log = Topic(LOG, "some-id", is_internal=True, partitions=(PARTITION,))
    said = {} if bounds is None else {(LOG, 3): bounds}
    return TopicState(Access("b:9092"), "c", log, said, {3: list(stretches)})


@pytest.mark.parametrize(
    ("stretches", "log_start", "reached"),
    [
        ([], 0, 0),
        ([], 7, 7),
        ([(0, 10)], 0, 10),
        ([(0, 10), (10, 20)], 0, 20),
        ([(10, 20), (0, 10)], 0, 20),
        ([(0, 10), (5, 30), (8, 12)], 0, 30),
        ([(0, 10), (11, 20)], 0, 10),
        ([(5, 10)], 0, 0),
        ([(0, 10)], 4, 10),
        ([(0, 10), (12, 20)], 15, 20),
        ([(0, 10)], 50, 50),
    ],
)
def test_the_archive_reaches_as_far_as_it_has_everything(
    stretches: Sequence[tuple[int, int]], log_start: int, reached: int
) -> None:
    """From the log's start on, over stretches that touch or overlap; behind a hole nothing counts."""
    assert archived_to(stretches, log_start) == reached


@pytest.mark.parametrize(
    ("bounds", "stretches", "expected"),
    [
        (Bounds(0, 100, 90), [], (0, 100)),
        (Bounds(0, 100, 90), [(0, 40)], (40, 100)),
        (Bounds(60, 100, 100), [(0, 40)], (60, 100)),
        (Bounds(0, 100, 100), [(0, 100)], None),
        (Bounds(0, 0, 0), [], None),
        (Bounds(70, 70, 70), [(0, 40)], None),
        (Bounds(0, 80, 80), [(0, 100)], None),
        (None, [], None),
        (Bounds(0, None, None), [], None),
    ],
)
def test_what_is_read_is_what_is_not_archived(
    bounds: Bounds | None, stretches: Sequence[tuple[int, int]], expected: tuple[int, int] | None
) -> None:
    """Up to what is replicated, and not up to the open transaction: what is pending is kept as pending."""
    reads = list(standing(bounds, *stretches).reads())
    assert [(read.segment.base_offset, read.end_offset) for read in reads] == ([expected] if expected else [])


def test_a_read_says_where_it_is_from() -> None:
    """Leader, topic id and bounds stand in raw.segments as they do for a file."""
    (read,) = standing(Bounds(2, 100, 90), (0, 40)).reads()
    segment = read.segment
    assert segment.path == "kafka://b:9092/__consumer_offsets-3"
    assert (segment.broker_id, segment.topic_id, segment.modified_ms) == (1, "some-id", None)
    assert (segment.log_start_offset, segment.high_watermark) == (2, 100)


@pytest.mark.parametrize(
    ("bounds", "said"),
    [
        (None, "has no leader that answers"),
        (Bounds(0, None, None), "has no leader that answers"),
        (Bounds(0, 80, 80), "ends at offset 80, and the archive has it up to 100: the log was truncated"),
    ],
)
def test_what_keeps_a_partition_from_being_read_is_said(bounds: Bounds | None, said: str) -> None:
    """One sentence with its name; a partition that went on as it was has none."""
    (sentence,) = standing(bounds, (0, 100)).complaints()
    assert sentence.startswith("kafka://b:9092: __consumer_offsets-3")
    assert said in sentence
    assert not list(standing(Bounds(0, 100, 100), (0, 100)).complaints())


@pytest.mark.parametrize(
    ("topic_id", "archived", "expected"),
    [
        ("new", {"old"}, True),
        ("new", {"new", "old"}, True),
        ("new", {"new"}, False),
        ("new", set(), False),
        (None, {"old"}, False),
    ],
)
def test_a_topic_that_was_made_anew_is_another(topic_id: str | None, archived: set[str], *, expected: bool) -> None:
    """Where either side has no id nothing can be told, and the ends have to do."""
    assert is_another(Topic(LOG, topic_id, is_internal=True, partitions=()), archived) is expected
