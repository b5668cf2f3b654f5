"""The segment files of a recorder: whole after any crash, rolled like a broker's, and never cut without a copy."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, Final

import numpy as np
import pytest

from assets.recorder.scanning import LogCut
from assets.recorder.segments import AppendResult, PartitionLog, Rolling
from parsers.log.batches import sound_chain
from tests.parsers.log_writer import batch, entry, record, simple_batch, simple_log

if TYPE_CHECKING:
    from pathlib import Path

LARGE: Final = Rolling(1 << 30, 1e9)
BATCHES: Final = 5
PER_BATCH: Final = 2


def opened(folder: Path, rolling: Rolling = LARGE, at: int = 0) -> PartitionLog:
    """The log of a partition, begun if there is none."""
    log = PartitionLog(folder / "topic-0", rolling)
    if not log.is_begun:
        log.begin(at)
    return log


def append(log: PartitionLog, content: bytes) -> AppendResult:
    """Append what a broker gave."""
    buffer = np.frombuffer(content, np.uint8)
    return log.append(buffer, sound_chain(buffer, len(buffer), len(buffer)))


def of_epoch(epoch: int, content: bytes) -> bytes:
    """A batch as the leader of another epoch wrote it; no checksum covers the epoch."""
    return content[:12] + epoch.to_bytes(4, "big") + content[16:]


def files(folder: Path) -> dict[str, bytes]:
    """The segments by their names."""
    return {path.name: path.read_bytes() for path in sorted((folder / "topic-0").glob("*.log"))}


def test_a_segment_that_is_torn_at_any_byte_becomes_whole_again(tmp_path: Path) -> None:
    """Cut at every byte, the log goes on behind its last whole batch; nothing of it is set aside."""
    small = simple_log(3, size=1)
    whole = b"".join(small)
    log = opened(tmp_path)
    append(log, whole)
    log.close()
    (path,) = (tmp_path / "topic-0").iterdir()
    sizes = np.cumsum([0, *map(len, small)])
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        log = opened(tmp_path)
        assert log.size_bytes == max(size for size in sizes if size <= cut)
        assert log.end_offset == PER_BATCH * int(np.searchsorted(sizes, cut, side="right") - 1)
        append(log, whole)
        log.close()
        assert path.read_bytes() == whole
    assert not list(tmp_path.glob("set-aside-*"))


def test_zeros_behind_the_last_batch_are_room_that_was_not_filled(tmp_path: Path) -> None:
    """A file system may leave them after a loss of power."""
    whole = b"".join(simple_log(BATCHES))
    log = opened(tmp_path)
    append(log, whole)
    log.close()
    (path,) = (tmp_path / "topic-0").iterdir()
    path.write_bytes(whole + bytes(5000))
    assert opened(tmp_path).end_offset == PER_BATCH * BATCHES
    assert path.read_bytes() == whole
    assert not list(tmp_path.glob("set-aside-*"))


def test_damage_is_copied_before_it_is_cut_off(tmp_path: Path) -> None:
    """A bit that flipped in the middle: what stands behind it may be in no other place."""
    whole = b"".join(simple_log(BATCHES))
    log = opened(tmp_path)
    append(log, whole)
    log.close()
    (path,) = (tmp_path / "topic-0").iterdir()
    second = len(simple_log(BATCHES)[0])
    damaged = whole[: second + 70] + bytes([whole[second + 70] ^ 1]) + whole[second + 71 :]
    path.write_bytes(damaged)
    assert opened(tmp_path).end_offset == PER_BATCH
    (copy,) = tmp_path.glob("set-aside-*/topic-0/*.log")
    assert copy.read_bytes() == damaged


def test_segments_are_rolled_by_size_and_named_by_their_first_offset(tmp_path: Path) -> None:
    """No batch is split, and together they are what came."""
    size = len(simple_batch(0))
    log = opened(tmp_path, Rolling(2 * size, 1e9))
    for one in simple_log(BATCHES):
        append(log, one)
    assert list(files(tmp_path)) == [f"{base:020d}.log" for base in (0, 4, 8)]
    assert b"".join(files(tmp_path).values()) == b"".join(simple_log(BATCHES))
    assert opened(tmp_path).end_offset == PER_BATCH * BATCHES
    assert [segment.size_bytes for segment in log.closed_segments()] == [2 * size, 2 * size]


def test_an_old_segment_is_closed_by_the_next_record(tmp_path: Path) -> None:
    """Its age counts from its first append, over restarts."""
    log = opened(tmp_path)
    append(log, simple_batch(0))
    log.close()
    append(opened(tmp_path, Rolling(1 << 30, 3600)), simple_batch(PER_BATCH))
    assert len(files(tmp_path)) == 2


def test_what_is_recorded_already_is_left_out(tmp_path: Path) -> None:
    """A broker gives whole batches, also those that begin before the offset that is asked for."""
    log = opened(tmp_path)
    append(log, simple_batch(0))
    assert append(log, b"".join(simple_log(2))).records == PER_BATCH
    assert append(log, simple_batch(0)) == AppendResult(0, 0)
    assert b"".join(files(tmp_path).values()) == b"".join(simple_log(2))


def test_a_log_that_begins_inside_a_batch_is_named_by_the_batch(tmp_path: Path) -> None:
    """After DeleteRecords the log start may lie in the middle of one."""
    log = opened(tmp_path, at=1)
    append(log, simple_batch(0))
    assert list(files(tmp_path)) == [f"{0:020d}.log"]
    assert opened(tmp_path).end_offset == PER_BATCH


def test_offsets_that_were_gone_are_counted(tmp_path: Path) -> None:
    """Between batches and inside them: the cleaner was there before."""
    log = opened(tmp_path)
    append(log, simple_batch(0))
    thin = batch(10, [record(0, b"k", b"v"), record(4, b"k", b"v")], last_delta=4)
    done = append(log, simple_batch(4) + thin)
    assert (done.gap_from, done.gap_to, done.gap_offsets) == (2, 15, 2 + 4 + 3)
    assert append(log, simple_batch(15)).gap_offsets == 0


def test_a_log_is_cut_at_a_batch_and_all_that_goes_is_kept_as_a_copy(tmp_path: Path) -> None:
    """Whole segments and the one in which the cut lies; afterwards it goes on there."""
    size = len(simple_batch(0))
    log = opened(tmp_path, Rolling(2 * size, 1e9))
    append(log, b"".join(simple_log(2)))
    for one in simple_log(BATCHES)[2:]:
        append(log, one)
    before = files(tmp_path)
    assert log.cut(LogCut(7)) == PER_BATCH * BATCHES - 6
    assert log.end_offset == 6
    copies = {path.name: path.read_bytes() for path in tmp_path.glob("set-aside-*/topic-0/*.log")}
    assert copies == {name: content for name, content in before.items() if int(name[:20]) >= 4}
    other = of_epoch(9, batch(6, [record(0, b"other", b"life")]))
    append(log, other)
    assert log.last_epoch == 9
    assert b"".join(files(tmp_path).values()) == b"".join(simple_log(3)) + other
    assert opened(tmp_path).last_epoch == 9


def test_a_log_is_cut_where_an_epoch_begins_that_the_leader_does_not_know(tmp_path: Path) -> None:
    """The leader's log of the epoch before may be longer than what was recorded of it."""
    log = opened(tmp_path)
    first, second, third = simple_log(3)
    append(log, of_epoch(4, first) + of_epoch(5, second) + of_epoch(5, third))
    assert log.cut(LogCut(200, epoch=4)) == 2 * PER_BATCH
    assert (log.end_offset, log.last_epoch) == (PER_BATCH, 4)
    (copy,) = tmp_path.glob("set-aside-*/topic-0/*.log")
    assert copy.read_bytes() == of_epoch(4, first) + of_epoch(5, second) + of_epoch(5, third)


def test_a_log_can_be_cut_to_nothing(tmp_path: Path) -> None:
    """It begins anew where it was cut."""
    log = opened(tmp_path, at=4)
    append(log, simple_batch(4))
    assert log.cut(LogCut(2)) == 4
    assert (log.end_offset, list(files(tmp_path))) == (2, [f"{2:020d}.log"])


def test_a_later_beginning_is_a_segment_of_its_own(tmp_path: Path) -> None:
    """Where retention took what comes next: no record is in between, and the file's name says so."""
    log = opened(tmp_path)
    append(log, simple_batch(0))
    log.begin(100)
    log.close()
    log = opened(tmp_path)
    assert (log.end_offset, log.start_offset) == (100, 0)
    done = append(log, simple_batch(104))
    assert (done.gap_from, done.gap_to, done.gap_offsets) == (2, 104, 102)
    assert list(files(tmp_path)) == [f"{0:020d}.log", f"{100:020d}.log"]


def test_a_later_beginning_inside_a_batch_loses_no_more_than_was_not_given(tmp_path: Path) -> None:
    """A leader gives the whole batch in which its log begins now."""
    log = opened(tmp_path)
    append(log, simple_batch(0))
    log.begin(9)
    done = append(log, simple_batch(8))
    assert (done.gap_from, done.gap_to, done.gap_offsets) == (2, 8, 6)
    assert list(files(tmp_path)) == [f"{0:020d}.log", f"{8:020d}.log"]


def test_batches_of_old_formats_are_recorded_as_they_come(tmp_path: Path) -> None:
    """Magic 0 and 1 have no epoch, and no count to compare with."""
    content = entry(0, b"k", b"v", magic=0) + entry(1, b"k", b"v", magic=1)
    log = opened(tmp_path)
    assert append(log, content).records == 2
    log.close()
    log = opened(tmp_path)
    assert (log.end_offset, log.last_epoch) == (2, None)
    assert b"".join(files(tmp_path).values()) == content


def test_a_full_disk_leaves_a_whole_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was written by half is taken back, and the next attempt writes it."""
    log = opened(tmp_path)
    append(log, simple_batch(0))
    write, calls = os.pwrite, []

    def full(descriptor: int, content: memoryview, position: int) -> int:
        """Take ten bytes, then no more."""
        calls.append(position)
        if len(calls) > 1:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(descriptor, content[:10], position)

    monkeypatch.setattr("os.pwrite", full)
    with pytest.raises(OSError, match="No space left"):
        append(log, simple_batch(PER_BATCH))
    monkeypatch.undo()
    assert b"".join(files(tmp_path).values()) == simple_batch(0)
    append(log, simple_batch(PER_BATCH))
    assert b"".join(files(tmp_path).values()) == b"".join(simple_log(2))
