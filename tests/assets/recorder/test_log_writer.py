"""What becomes of an answer: recorded if its checksum is right, or as it is in the end; losses are counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from assets.ingest.live.cluster import Partition
from assets.recorder.directory import RecordDirectory
from assets.recorder.log_writer import TRIES, FollowedPartition, LogWriter
from assets.recorder.segments import Rolling
from assets.recorder.status import PartitionStatus, Status
from tests.parsers.log_writer import simple_batch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TOPIC: Final = "__consumer_offsets"
BEGUN_AT: Final = 10
"""Where the log ended when its recording began."""


class Desk:
    """A writer of one partition, and what it said."""

    def __init__(self, directory: RecordDirectory) -> None:
        """Begin at offset 0."""
        self.messages: list[str] = []
        self.writer = LogWriter(directory, Status("here"), self.messages.append)
        log = directory.log(TOPIC, 0, None)
        log.begin(0)
        self.one = FollowedPartition(Partition(TOPIC, 0, 1, 0), None, log, PartitionStatus(), BEGUN_AT)
        self.writer.status.partitions[TOPIC, 0] = self.one.status

    @property
    def recorded(self) -> bytes:
        """The bytes of the segment."""
        return b"".join(path.read_bytes() for path in sorted(self.one.log.folder.glob("*.log")))

    @property
    def notes(self) -> list[dict[str, Any]]:
        """What was written down."""
        return list(self.writer.directory.notes())


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A writer in a directory of its own."""
    with RecordDirectory(tmp_path, Rolling(1 << 30, 1e9)) as directory:
        yield Desk(directory)


def test_a_wrong_checksum_is_fetched_again_before_it_is_recorded(desk: Desk) -> None:
    """What was wrong on the way is right the next time; what stays wrong is recorded alone, and noted."""
    sound, damaged = simple_batch(0), simple_batch(2)[:-1] + b"!"
    desk.writer.append(desk.one, sound + damaged)
    assert desk.recorded == sound
    for _ in range(TRIES - 1):
        desk.writer.append(desk.one, damaged + simple_batch(4))
        assert desk.recorded == sound
    desk.writer.append(desk.one, damaged + simple_batch(4))
    assert desk.recorded == sound + damaged
    assert [(note["kind"], note["offset"]) for note in desk.notes] == [("damaged", 2)]
    desk.writer.append(desk.one, simple_batch(4))
    assert desk.one.status.end_offset == 6
    assert len(desk.messages) == 1


def test_what_is_no_batch_is_a_trouble_until_there_is_one(desk: Desk) -> None:
    """Nothing of it is recorded."""
    for _ in range(TRIES):
        desk.writer.append(desk.one, bytes(200))
    assert desk.recorded == b""
    assert desk.writer.status.failures == [f"{TOPIC}-0: what the broker gives at offset 0 is no batch"]
    assert desk.one.rests_until > 0
    desk.writer.append(desk.one, simple_batch(0))
    assert desk.writer.status.failures == []


def test_what_was_gone_before_the_recording_began_is_no_loss_of_it(desk: Desk) -> None:
    """The cleaner had been there; what it takes from there on is a loss, told and noted."""
    desk.writer.append(desk.one, simple_batch(4) + simple_batch(8))
    assert (desk.one.status.compacted_before, desk.one.status.missed_offsets) == (6, 0)
    assert desk.messages == []
    desk.writer.append(desk.one, simple_batch(17))
    assert (desk.one.status.compacted_before, desk.one.status.missed_offsets) == (6, 7)
    assert desk.messages == [
        f"fell behind the cleaner: {TOPIC}-0, 7 of offsets 10 to 16 were gone before they were read"
    ]
    (note,) = desk.notes
    assert (note["kind"], note["from_offset"], note["to_offset"], note["offsets"]) == ("missed", 10, 17, 7)
