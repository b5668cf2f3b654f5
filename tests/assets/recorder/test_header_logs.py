"""Recorded headers: a run reads of them what it reads of the broker's own segment, and the rest takes no room."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest

from assets.ingest.comparison.gaps import unsound_beside_gaps
from assets.recorder.header_logs import HeaderLog
from assets.recorder.scanning import LogCut
from assets.recorder.segments import Rolling, closed_segment
from parsers.log.batches import chain
from parsers.log.segments import walk
from tests.assets.recorder.test_segments import append, of_epoch
from tests.parsers.log_writer import Bytes, batch, entry, simple_batch, simple_log

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

LARGE: Final = Rolling(1 << 30, 1e9)
BIG: Final = [simple_batch(2 * number, size=50_000) for number in range(6)]


def opened(folder: Path, rolling: Rolling = LARGE) -> HeaderLog:
    """The log of a partition, begun if there is none."""
    log = HeaderLog(folder / "topic-0", rolling)
    if not log.is_begun:
        log.begin(0)
    return log


def recorded(folder: Path, *answers: bytes) -> bytes:
    """The segment that is left of these answers of a broker."""
    log = opened(folder)
    for one in answers:
        append(log, one)
    log.close()
    (path,) = (folder / "topic-0").iterdir()
    return path.read_bytes()


def headers(content: bytes) -> list[dict[str, Any]]:
    """What a run reads of a segment of a data topic."""
    return [row for piece in walk(Bytes(content), bodies=False) for row in piece.batches.to_pylist()]


def doubts(content: bytes) -> Sequence[object]:
    """What a run that looks into batches beside gaps finds wrong with them."""
    source = Bytes(content)
    return [one for piece in walk(source, bodies=False) for one in unsound_beside_gaps(piece.batches, source)]


def test_a_run_reads_the_headers_that_the_brokers_file_has(tmp_path: Path) -> None:
    """Positions, sizes and checksums too; bodies take no room."""
    recorded_headers = recorded(tmp_path, *BIG)
    assert headers(recorded_headers) == headers(b"".join(BIG))
    assert len(headers(recorded_headers)) == len(BIG)
    assert len(recorded_headers) == sum(map(len, BIG))
    (path,) = (tmp_path / "topic-0").iterdir()
    assert closed_segment(path).size_bytes < len(recorded_headers) / 10


def test_markers_and_old_formats_are_recorded_whole(tmp_path: Path) -> None:
    """A run reads what they say."""
    marker = batch(0, [b"\x20\x00\x00\x00\x08\x00\x00\x00\x01\x0c\x00\x00\x00\x00\x00\x00\x00"], attributes=0x30)
    assert recorded(tmp_path / "marker", marker) == marker
    old = entry(0, b"k", b"v" * 500)
    assert recorded(tmp_path / "old", old) == old


@pytest.mark.parametrize("is_at_once", [True, False])
def test_batches_beside_a_gap_are_recorded_whole(tmp_path: Path, *, is_at_once: bool) -> None:
    """A run believes them only if their checksum is right; also when the gap shows with the next answer."""
    answers = [b"".join(BIG[:2]), b"".join(BIG[4:])]
    recorded_headers = recorded(tmp_path, *([b"".join(answers)] if is_at_once else answers))
    assert headers(recorded_headers) == headers(b"".join(answers))
    assert doubts(recorded_headers) == []
    whole = [
        recorded_headers[begin:end] == part
        for (begin, end), part in zip(spans(answers), [*BIG[:2], *BIG[4:]], strict=True)
    ]
    assert whole == [False, True, True, False]


def spans(answers: list[bytes]) -> list[tuple[int, int]]:
    """Where the batches of these answers begin and end in a file."""
    content = np.frombuffer(b"".join(answers), np.uint8)
    return list(pairwise(chain(content, len(content), len(content)).tolist()))


def test_a_gap_behind_a_restart_begins_a_new_segment(tmp_path: Path) -> None:
    """The body of the batch before it is gone, so nobody could believe that one."""
    recorded(tmp_path, *BIG[:2])
    log = opened(tmp_path)
    done = append(log, BIG[4])
    assert (done.gap_from, done.gap_to) == (4, 8)
    log.close()
    first, second = sorted((tmp_path / "topic-0").iterdir())
    assert [int(path.name[:20]) for path in (first, second)] == [0, 4]
    assert headers(first.read_bytes()) == headers(b"".join(BIG[:2]))
    assert headers(second.read_bytes()) == headers(BIG[4])


def test_a_torn_end_is_fetched_again(tmp_path: Path) -> None:
    """Cut anywhere, the log goes on behind its last whole batch."""
    small = simple_log(3)
    whole = recorded(tmp_path, *small)
    (path,) = (tmp_path / "topic-0").iterdir()
    for cut in range(len(whole)):
        path.write_bytes(whole[:cut])
        log = opened(tmp_path)
        assert log.end_offset == 2 * sum(end <= cut for end in np.cumsum([len(one) for one in small]))
        append(log, b"".join(small))
        log.close()
        assert headers(path.read_bytes()) == headers(b"".join(small))
    assert not list(tmp_path.glob("set-aside-*"))


def test_headers_are_cut_where_a_leader_contradicts_them(tmp_path: Path) -> None:
    """As whole batches are."""
    first, second = BIG[:2]
    recorded(tmp_path, of_epoch(4, first), of_epoch(5, second))
    log = opened(tmp_path)
    assert log.cut(LogCut(200, epoch=4)) == 2
    assert (log.end_offset, log.last_epoch, log.size_bytes) == (2, 4, len(first))
