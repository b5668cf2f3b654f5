"""The retention of a recorder: whole closed segments, the oldest first, and nothing unless it was asked for."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Final

import pytest

from assets.recorder.directory import RecordDirectory
from assets.recorder.housekeeping import Retention, delete_old
from assets.recorder.segments import Rolling
from parsers.files.samples import FOLDER
from tests.assets.recorder.test_segments import append
from tests.parsers.log_writer import simple_batch, simple_log

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DAY_S: Final = 86_400
SIZE: Final = len(simple_batch(0))


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[RecordDirectory]:
    """Two partitions of four segments each, written a day apart, and two files of samples."""
    with RecordDirectory(tmp_path, Rolling(SIZE, 1e9)) as directory:
        for number in range(2):
            log = directory.log("topic", number, None)
            log.begin(0)
            for one in simple_log(4):
                append(log, one)
        for path in tmp_path.glob("topic-*/*.log"):
            age_days = 3 - int(path.name[:20]) // 2
            os.utime(path, (time.time() - age_days * DAY_S,) * 2)
        (tmp_path / FOLDER).mkdir()
        for age_days in (9, 0):
            path = tmp_path / FOLDER / f"{9 - age_days:015d}.samples"
            path.write_text("x" * SIZE)
            os.utime(path, (time.time() - age_days * DAY_S,) * 2)
        yield directory


def left(directory: RecordDirectory) -> dict[str, list[int]]:
    """The base offsets that are there, by partition."""
    return {
        folder.name: sorted(int(path.name[:20]) for path in folder.glob("*.log"))
        for folder in sorted(directory.path.glob("topic-*"))
    }


def test_nothing_is_deleted_unless_it_was_asked_for(directory: RecordDirectory) -> None:
    """The archive is for ever."""
    assert delete_old(directory, Retention()) == 0
    assert left(directory) == {"topic-0": [0, 2, 4, 6], "topic-1": [0, 2, 4, 6]}


def test_segments_go_by_their_age(directory: RecordDirectory) -> None:
    """The log start moves; the file that is written stays whatever its age, and so do samples as young."""
    assert delete_old(directory, Retention(keep_s=1.5 * DAY_S)) == 5
    assert left(directory) == {"topic-0": [4, 6], "topic-1": [4, 6]}
    assert [path.name for path in (directory.path / FOLDER).iterdir()] == [f"{9:015d}.samples"]
    assert (directory.path / "log-start-offset-checkpoint").read_text() == "0\n2\ntopic 0 4\ntopic 1 4\n"
    assert delete_old(directory, Retention(keep_s=0.0)) == 2
    assert left(directory) == {"topic-0": [6], "topic-1": [6]}


def test_what_is_out_of_use_goes_by_its_age_too(directory: RecordDirectory) -> None:
    """Copies that were set aside, and logs of deleted topics."""
    for name in ("set-aside-20261120T000000.000000Z/topic-0", f"topic-0.{'0' * 32}-delete"):
        folder = directory.path / name
        folder.mkdir(parents=True)
        (folder / f"{0:020d}.log").write_bytes(simple_batch(0))
        os.utime(folder / f"{0:020d}.log", (time.time() - 99 * DAY_S,) * 2)
    assert delete_old(directory, Retention(keep_s=50 * DAY_S)) == 2
    assert left(directory) | {f"topic-0.{'0' * 32}-delete": []} == left(directory)
    assert [files for name, files in left(directory).items() if len(name) == 7] == [[0, 2, 4, 6]] * 2


def test_segments_go_by_the_size_of_all(directory: RecordDirectory) -> None:
    """The oldest of all partitions first, no more than it takes."""
    size_bytes = sum(path.stat().st_size for path in directory.path.rglob("*") if path.is_file())
    assert delete_old(directory, Retention(keep_bytes=size_bytes)) == 0
    assert delete_old(directory, Retention(keep_bytes=size_bytes - 2 * SIZE)) == 2
    assert sum(map(len, left(directory).values())) == 7
