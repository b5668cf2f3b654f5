"""The records of a range: committed ones alone, each offset once, and what is missing is said."""

from __future__ import annotations

import re
import struct
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.extraction.log_ranges import NO_END
from tests.assets.extraction.logs import (
    ABORT,
    COMMIT,
    data,
    extract,
    extraction_of,
    in_epoch,
    marker,
    segments_in,
    write,
)
from tests.parsers.log_writer import TIME_MS, read_all, simple_log

if TYPE_CHECKING:
    from collections.abc import Sequence

LARGE = 3_000


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """A folder for the log directory of a broker."""
    return tmp_path / "logs"


def test_a_range_cuts_through_batches_and_segments(logs: Path) -> None:
    """Of the batches at both ends only the records of the range count."""
    write(logs, {0: [data(0, 10)], 10: [data(10, 10), data(20, 10)]})
    offsets, tally = extract(logs, begin=7, end=23)
    assert offsets == list(range(7, 23))
    assert (tally.records, tally.is_whole, tally.cleaned) == (16, True, 0)


@pytest.mark.parametrize("position", [0, 1, LARGE, 2 * LARGE - 1])
def test_a_range_deep_in_a_large_file_is_read_whole(logs: Path, position: int) -> None:
    """Where no index leads to it, the headers do."""
    wanted = (position, min(position + 3, 2 * LARGE))
    rows, tally = extraction_of(segments_in(write(logs, {0: simple_log(LARGE)})), *wanted)
    assert [row["offset"] for row in rows] == list(range(*wanted))
    assert tally.is_whole


def test_aborted_records_and_markers_are_left_out(logs: Path) -> None:
    """Of two transactions of one producer the one that committed counts."""
    write(logs, {0: [data(0, 2, 7), marker(2, 7, ABORT), data(3, 2, 7), marker(5, 7, COMMIT), data(6)]})
    offsets, tally = extract(logs)
    assert offsets == [3, 4, 6]
    assert (tally.aborted, tally.markers, tally.undecided, tally.is_whole) == (2, 2, 0, True)


def test_the_marker_may_lie_behind_the_range_and_in_another_segment(logs: Path) -> None:
    """A transaction that begins in the range ends where it ends."""
    write(logs, {0: [data(0, 2, 7), data(2, 2, 8)], 4: [data(4), marker(5, 7, ABORT), marker(6, 8, COMMIT)]})
    offsets, tally = extract(logs, end=4)
    assert offsets == [2, 3]
    assert (tally.aborted, tally.is_whole) == (2, True)


def test_a_transaction_without_a_marker_is_undecided(logs: Path) -> None:
    """Nobody knows yet how it ends: its records are left out, and the range is not whole."""
    write(logs, {0: [data(0, 2, 7), data(2)]})
    offsets, tally = extract(logs, end=3)
    assert offsets == [2]
    assert (tally.undecided, tally.missing, tally.is_whole) == (2, [], False)


def test_a_marker_behind_a_gap_decides_nothing(logs: Path) -> None:
    """The unread segment may have another marker of the producer."""
    write(logs, {0: [data(0, 2, 7)], 10: [marker(10, 7, COMMIT), data(11, 1, 7), marker(12, 7, COMMIT)]})
    offsets, tally = extract(logs, end=13)
    assert offsets == [11]
    assert (tally.undecided, tally.missing) == (2, [(2, 10)])


def test_what_the_cleaner_took_is_counted_and_not_missing(logs: Path) -> None:
    """Offsets between the batches of a file have no record."""
    write(logs, {0: [data(3), data(9, 2)]})
    offsets, tally = extract(logs, end=11)
    assert offsets == [3, 9, 10]
    assert (tally.cleaned, tally.missing, tally.is_whole) == (8, [], True)


def test_a_segment_that_is_gone_is_missing_with_its_offsets(logs: Path) -> None:
    """Before the first segment, between two, and behind the last one."""
    write(logs, {5: [data(5, 3)], 20: [data(20, 5)]})
    offsets, tally = extract(logs, begin=2, end=30)
    assert offsets == [5, 6, 7, *range(20, 25)]
    assert tally.missing == [(2, 5), (8, 20), (25, 30)]


def test_a_damaged_batch_is_missing_and_the_others_are_there(logs: Path) -> None:
    """A flipped bit costs its batch."""
    batches = [data(0, 3), data(3, 3), data(6, 3)]
    broken = bytearray(batches[1])
    broken[-1] ^= 1
    write(logs, {0: [batches[0], bytes(broken), batches[2]]})
    offsets, tally = extract(logs)
    assert offsets == [0, 1, 2, 6, 7, 8]
    assert tally.missing == [(3, 6)]


def test_what_one_copy_lost_another_has(logs: Path, tmp_path: Path) -> None:
    """Two brokers' copies, one damaged and one without the first segment, make the log whole."""
    broken = bytearray(data(3, 3))
    broken[-1] ^= 1
    write(logs, {0: [data(0, 3), bytes(broken)], 6: [data(6, 3)]})
    second = write(tmp_path / "second", {3: [data(3, 3), data(6, 3)]})
    offsets, tally = extract(logs, second, end=9)
    assert offsets == list(range(9))
    assert (tally.records, tally.is_whole, tally.diverged) == (9, True, 0)


def other(content: bytes) -> bytes:
    """A batch of the same offsets that another leader wrote: a second later."""
    (offset,) = struct.unpack_from(">q", content)
    return data(offset, len(read_all(content).records), times=(TIME_MS + 1_000, TIME_MS + 1_000))


def test_of_copies_that_contradict_each_other_the_later_leader_counts(logs: Path, tmp_path: Path) -> None:
    """The other copy was cut off there, and what it has behind is lost, however long it was."""
    write(logs, {0: [in_epoch(data(0, 2), 1), in_epoch(data(2, 2), 1), in_epoch(data(4, 200), 1)]})
    later = [in_epoch(data(0, 2), 1), in_epoch(other(data(2, 2)), 2), in_epoch(data(204), 3)]
    offsets, tally = extract(logs, write(tmp_path / "second", {0: later}), end=205)
    assert offsets == [0, 1, 2, 3, 204]
    assert (tally.diverged, tally.lost, tally.records, tally.is_whole) == (2, 200, 5, True)


def test_an_epoch_that_is_damaged_in_one_copy_loses_nothing(logs: Path, tmp_path: Path) -> None:
    """No checksum covers it."""
    write(logs, {0: [in_epoch(data(0, 2), 1), in_epoch(data(2, 2), 1), in_epoch(data(4, 2), 1)]})
    damaged = [in_epoch(data(0, 2), 1), in_epoch(data(2, 2), 1 << 20), in_epoch(data(4, 2), 1)]
    offsets, tally = extract(logs, write(tmp_path / "second", {0: damaged}), end=6)
    assert offsets == list(range(6))
    assert (tally.diverged, tally.lost, tally.is_whole) == (0, 0, True)


def test_transactions_are_found_in_all_copies_side_by_side(logs: Path, tmp_path: Path) -> None:
    """A marker that both copies have ends one transaction, and the next one is its own."""
    batches = [data(0, 1, 7), marker(1, 7, ABORT), data(2, 1, 7), marker(3, 7, COMMIT)]
    write(logs, {0: batches})
    offsets, tally = extract(logs, write(tmp_path / "second", {0: batches}), end=4)
    assert offsets == [2]
    assert (tally.aborted, tally.markers, tally.is_whole) == (1, 2, True)


def test_a_file_that_is_gone_is_named(logs: Path) -> None:
    """Its offsets are missing, and the other files are read."""
    write(logs, {0: [data(0, 2)], 2: [data(2, 2)]})
    segments, complaints = segments_in(logs), list[str]()
    Path(segments[0].path).unlink()
    rows, tally = extraction_of(segments, 0, 4, complaints)
    assert [row["offset"] for row in rows] == [2, 3]
    assert tally.missing == [(0, 2)]
    assert segments[0].path in complaints[0]


RECORDED = Path(__file__).parents[2] / "bytes" / "batches" / "kafka-4.1"


@pytest.mark.parametrize("codec", ["gzip", "lz4", "snappy", "zstd"])
def test_records_of_real_brokers_are_read_in_every_codec(codec: str) -> None:
    """A stretch in the middle of the log has a record at each offset, as the producer numbered them."""
    rows, tally = extraction_of(segments_in(RECORDED / f"data-{codec}-0"), 100, 900)
    assert [row["offset"] for row in rows] == list(range(100, 900))
    assert all(row["value"] for row in rows)
    assert tally.is_whole


def test_transactions_of_a_real_broker_count_as_its_index_of_aborted_ones_says() -> None:
    """The offsets that are left out are those between first and last offset of the entries of the .txnindex."""
    folder = RECORDED / "txn-out-0"
    rows, tally = extraction_of(segments_in(folder))
    index = (folder / "00000000000000000000.txnindex").read_bytes()
    aborted = [struct.unpack_from(">hqqqq", index, at) for at in range(0, len(index), 34)]
    offsets = {row["offset"] for row in rows}
    assert len(aborted) > 3
    assert tally.aborted > 10
    for _version, producer, first, last, _stable in aborted:
        own = _offsets_of_producer(folder, producer, first, last)
        assert own
        assert not own & offsets
    assert tally.records + tally.aborted + tally.markers == tally.coverage.within(0, NO_END)[0][1]


def test_after_an_unclean_election_the_records_are_those_of_the_later_leader(tmp_path: Path) -> None:
    """Two brokers' copies of a log that went different ways: both together say what the one that went on says."""
    archive = RECORDED.parents[1] / "recorded" / "4.3.1.tar.xz"
    with tarfile.open(archive) as packed:
        wanted = re.compile(r"brokers-three/before-cleaner/[12]/data/unclean-election-0/.*")
        packed.extractall(tmp_path, [one for one in packed if wanted.fullmatch(one.name)], filter="data")
    copies = [tmp_path / "brokers-three" / "before-cleaner" / number / "data" for number in "12"]
    both, tally = extraction_of(segments_in(*copies))
    later, _tally = extraction_of(segments_in(copies[1]))
    assert both == later
    assert tally.diverged > 0


def _offsets_of_producer(folder: Path, producer: int, first: int, last: int) -> set[int]:
    """The offsets of the data of a producer from a first offset to its marker at the last one."""
    content = (folder / "00000000000000000000.log").read_bytes()
    batches = [row for row in read_all(content).batches if row["producer_id"] == producer and not row["is_control"]]
    return {
        offset
        for row in batches
        for offset in range(row["base_offset"], row["last_offset"] + 1)
        if first <= offset < last
    }


STEPS = st.lists(st.tuples(st.sampled_from(["data", "plain", "abort", "commit"]), st.integers(1, 3)), max_size=25)


@given(STEPS, st.integers(0, 20), st.integers(1, 20), st.integers(1, 4))
def test_the_outcome_of_a_transaction_is_the_next_marker_of_its_producer(
    tmp_path_factory: pytest.TempPathFactory, steps: Sequence[tuple[str, int]], begin: int, length: int, cut: int
) -> None:
    """For any log of three producers and any range, as somebody finds out who looks at every batch."""
    batches = [
        {"data": data(offset, 1, producer), "plain": data(offset)}.get(kind)
        or marker(offset, producer, ABORT if kind == "abort" else COMMIT)
        for offset, (kind, producer) in enumerate(steps)
    ]
    edges = range(0, len(batches), cut)
    folder = write(tmp_path_factory.mktemp("log"), {first: batches[first : first + cut] for first in edges} or {0: []})
    offsets, tally = extract(folder, begin=begin, end=begin + length)
    wanted = range(begin, min(begin + length, len(steps)))
    outcomes = {offset: _outcome(steps, offset) for offset in wanted}
    assert offsets == [offset for offset, outcome in outcomes.items() if outcome == "commit"]
    assert tally.aborted == sum(outcome == "abort" for outcome in outcomes.values())
    assert tally.undecided == sum(outcome == "open" for outcome in outcomes.values())


def _outcome(steps: Sequence[tuple[str, int]], offset: int) -> str:
    kind, producer = steps[offset]
    if kind != "data":
        return "commit" if kind == "plain" else "marker"
    following = (later for later, other in steps[offset:] if other == producer and later in {"abort", "commit"})
    return next(following, "open")


def test_a_range_without_an_end_goes_to_the_end_of_the_log(logs: Path) -> None:
    """Nothing is missing behind it."""
    write(logs, {0: [data(0, 4)]})
    offsets, tally = extract(logs, begin=1, end=NO_END)
    assert (offsets, tally.missing) == ([1, 2, 3], [])
