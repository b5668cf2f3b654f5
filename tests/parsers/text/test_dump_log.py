"""Lines of kafka-dump-log in order: files, batches, records, and ids that pretend to be lines."""

from __future__ import annotations

import io
import lzma
from pathlib import Path
from typing import Any, Final

import pytest

from parsers.text.dump_log import entries
from parsers.text.lines import batch_line_of, fields_of, read_batch_line, record_line
from parsers.text.pieces import LINES, cut_pieces
from parsers.text.rows import Unreadable
from parsers.text.texts import read_text

RECORDED: Final = Path(__file__).parents[2] / "bytes" / "text" / "recorded"
FILE: Final = "Dumping d/__consumer_offsets-1/00000000000000000000.log\nLog starting offset: 0\n"


def batch(base: int, count: int, position: int, is_valid: str = "true") -> str:
    """Write the line of a batch of 100 bytes."""
    return (
        f"baseOffset: {base} lastOffset: {base + count - 1} count: {count} baseSequence: 0 lastSequence: 0 "
        f"producerId: -1 producerEpoch: -1 partitionLeaderEpoch: 0 isTransactional: false isControl: false "
        f"position: {position} CreateTime: 1 size: 100 magic: 2 compresscodec: NONE crc: 1 isvalid: {is_valid}\n"
    )


def commit(offset: int, group: str, key_bytes: int | None = None) -> str:
    """Write the line of a commit."""
    key_bytes = 11 + len(group.encode()) if key_bytes is None else key_bytes
    return (
        f"| offset: {offset} CreateTime: 1 keySize: {key_bytes} valueSize: 24 sequence: 0 headerKeys: [] "
        f"key: offset_commit::group={group},partition=t-0 payload: offset=5\n"
    )


def read(text: str) -> tuple[list[dict[str, Any]], list[tuple[str, int]]]:
    """Read a dump: its records, and reason and position of its troubles."""
    slices = list(read_text(io.BytesIO(text.encode())))
    rows = [row for piece in slices for row in piece.records.to_pylist()]
    return rows, [(each.reason, each.position) for piece in slices for each in piece.troubles]


def groups(text: str) -> list[tuple[int | None, str]]:
    """Give offset and group of every record."""
    return [(row["log_offset"], row["group_id"]) for row in read(text)[0]]


def test_a_group_that_pretends_to_be_a_record_is_told_by_its_size() -> None:
    """A line break in an id, with what looks like a record behind it, gives neither record and nothing of its batch."""
    forged = f"x,partition=t-0 payload: offset=5\n{commit(1, 'victim')[:-1]}"
    text = FILE + batch(0, 3, 0) + commit(0, forged) + commit(2, "late") + batch(3, 1, 100) + commit(3, "next")
    assert groups(text) == [(3, "next")]
    assert [reason for reason, _ in read(text)[1]] == ["unknown line", *["line after a broken one"] * 2]


def test_a_group_that_pretends_to_be_a_batch_is_told_by_its_position() -> None:
    """Behind a record that broke off, only the batch that stands where it must is believed."""
    forged = "x,partition=t-0 payload: offset=5\n" + batch(1, 1, 4000) + commit(1, "victim")[:-1]
    text = FILE + batch(0, 1, 0) + commit(0, forged) + batch(1, 1, 100) + commit(1, "next")
    assert groups(text) == [(1, "next")]


def test_a_batch_without_a_position_ends_no_doubt() -> None:
    """A line that only begins like a batch's is no reason to believe the lines behind it."""
    head = "offset: 0 position: 0 isvalid: true keysize: 99 valuesize: 28 magic: 2 compresscodec: NONE headerKeys: [] "
    forged = "baseOffset: 5 \noffset: 5 key: offset::victim:t:0 payload: 7\n"
    rows, troubles = read(f"{FILE}{head}key: offset::x\n{forged}")
    assert (rows, len(troubles)) == ([], 3)


def test_a_line_break_in_a_group_is_part_of_it() -> None:
    """A record whose size says that the next line belongs to it is read over both."""
    text = FILE + batch(0, 2, 0) + commit(0, "two\nlines") + commit(1, "one")
    assert groups(text) == [(0, "two\nlines"), (1, "one")]


def test_metadata_that_fits_two_sizes_is_set_aside() -> None:
    """Which version a value has is not printed, so metadata with a line break may fit with and without its end."""
    line = commit(0, "a").replace("valueSize: 24", "valueSize: 29").replace("offset=5\n", "offset=5,metadata=a\naaa\n")
    assert groups(FILE + batch(0, 2, 0) + line + commit(1, "b")) == []
    assert [reason for reason, _ in read(FILE + line)[1]] == ["ambiguous line"]


def test_a_stray_line_costs_no_record() -> None:
    """What stands behind a record that fits its size is a trouble of its own."""
    text = FILE + batch(0, 2, 0) + commit(0, "a") + "WARN something\n" + commit(1, "b")
    rows, troubles = read(text)
    assert [row["group_id"] for row in rows] == ["a", "b"]
    assert troubles == [("unknown line", text.index("WARN"))]


def test_records_of_a_batch_with_a_wrong_checksum_are_set_aside() -> None:
    """The tool says which batch is not valid, and its records are not taken."""
    text = FILE + batch(0, 1, 0, "false") + commit(0, "a") + batch(1, 1, 100) + commit(1, "b")
    assert groups(text) == [(1, "b")]
    assert read(text)[1][0][0] == "checksum"


def test_records_without_the_line_of_their_batch_say_nothing_of_it() -> None:
    """A dump that was filtered gives its records, with no batch or with the one they stand in, never with another."""
    lines = read(commit(7, "a") + batch(8, 1, 0) + commit(8, "b") + commit(9, "c"))[0]
    assert [(row["group_id"], row["batch_base_offset"]) for row in lines] == [("a", None), ("b", 8), ("c", None)]
    assert {row["log_partition"] for row in lines} == {None}


def test_other_files_of_the_same_dump_are_passed_over() -> None:
    """Entries of indexes and snapshots are no records, and say nothing of the files behind them."""
    text = (
        "Dumping d/__consumer_offsets-1/00000000000000000000.index\noffset: 5 position: 9\nwhatever\n"
        "Dumping d/__consumer_offsets-1/00000000000000000005.snapshot\nproducerId: 1 producerEpoch: 0\n"
        "Dumping d\\__consumer_offsets-2\\00000000000000000000.log\r\n" + commit(0, "a")[:-1] + "\r\n"
    )
    rows, troubles = read(text)
    assert [(row["log_partition"], row["group_id"]) for row in rows] == [(2, "a")]
    assert troubles == []


def test_a_line_without_key_and_sizes_is_no_record() -> None:
    """A beginning of a line that somebody wrote into an id makes no row of an offset alone."""
    for line in ("| offset: 5\n", "offset: 5\n", "| \n", "offset: 5 position: 7 isvalid: true\n"):
        rows, troubles = read(FILE + line)
        assert (rows, [reason for reason, _ in troubles]) == ([], ["unknown line"])


def test_a_file_of_no_offsets_partition_leaves_the_partition_open() -> None:
    """A segment that was copied away from its directory has no partition."""
    assert read("Dumping 00000000000000000000.log\n" + commit(0, "a"))[0][0]["log_partition"] is None


def test_lines_of_today_are_read_the_same_word_by_word() -> None:
    """The step that reads a whole line at once agrees with the words of the line, over a recorded dump."""
    text = lzma.decompress((RECORDED / "features-4.1" / "dump-log.txt.xz").read_bytes())
    lines = text.splitlines()
    batches = [line for line in lines if line.startswith(b"baseOffset: ")]
    records = [line[1:] for line in lines if line.startswith(b"| ") and b" key: " in line]
    assert [read_batch_line(line) for line in batches] == [batch_line_of(fields_of(line)) for line in batches]
    for line in records:
        longer = record_line(1, line.replace(b" key: ", b" isValid: true key: ", 1))
        assert record_line(1, line)[:3] == longer[:3]
        assert longer.fields["isValid:"] == "true"


@pytest.mark.parametrize(
    "head",
    [
        b" offset: 1 colour: red",
        b" offset: 1 offset: 2",
        b" offset:",
        b" offset: \xff",
        b" offset: 1_0",
        b" offset: +1",
    ],
)
def test_a_line_with_other_words_is_refused(head: bytes) -> None:
    """Unknown names, names said twice and what only looks like a number are troubles."""
    with pytest.raises(Unreadable):
        record_line(None, head + b" key: offset::g:t:0 payload: 5")


@pytest.mark.parametrize("number", ["9" * 19, "-9" + "9" * 19, "x", ""])
def test_a_number_that_does_not_fit_is_refused(number: str) -> None:
    """An offset has 64 bits."""
    rows, troubles = read(FILE + commit(0, "a").replace("offset: 0", f"offset: {number}", 1))
    assert rows == []
    assert len(troubles) == 1


def test_lines_wait_in_bounded_number() -> None:
    """Lines that go on with a record forever are let go in stretches."""
    chunks = iter([b"| offset: 0\n" + b"x\n" * 100_000])
    stretches = [1 + len(more) for _, more in entries(cut_pieces(chunks, LINES))]
    assert sum(stretches) == 100_001
    assert max(stretches) < 40_000
