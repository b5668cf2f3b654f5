"""What is kept of a recording is what was recorded, taken out of its archives, and the same bytes each time."""

from __future__ import annotations

import json
import lzma
import tarfile
from typing import TYPE_CHECKING

import pytest

from dagster_project.cli.operations.demo import truth
from tests.broker.keep import FOLDER_OF_RECORDINGS, expand, keep, pack
from tests.broker.recorded import Recording
from tests.broker.releases import NEWEST, RELEASES
from tests.broker.scenarios_of_an_incident import SCENARIOS_OF_AN_INCIDENT

if TYPE_CHECKING:
    from pathlib import Path

MOST_BYTES = 400_000
RESET = [420, 670]
LOG = """[2026-11-18 12:00:00,000] INFO log.dirs = /somewhere (kafka.server.KafkaConfig)
[2026-11-18 12:00:00,001] INFO [GroupCoordinator 1]: Starting up. (kafka.coordinator.group.GroupCoordinator)
[2026-11-18 12:00:00,002] INFO [GroupCoordinator id=1] Up. (org.apache.kafka.coordinator.group.GroupMetadataManager$1)
"""


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """A small one, as `make record` lays it out."""
    home, logs = tmp_path / "kafka-9", tmp_path / "logs"
    for folder in (home / "brokers-one", home / "some", logs / "data" / "t-0"):
        folder.mkdir(parents=True)
    (logs / "data" / "t-0" / "00000000000000000000.log").write_bytes(b"batches")
    (logs / "data" / "t-0" / "00000000000000000000.index").write_bytes(bytes(1000))
    with tarfile.open(home / "brokers-one" / "before-cleaner.tar.xz", "w:xz") as packed:
        packed.add(logs, "1")
    (home / "brokers-one" / "broker-1.log.xz").write_bytes(lzma.compress(LOG.encode()))
    (logs / "some.first.jsonl").write_text("[1, 0, 0]\n")
    with tarfile.open(home / "some" / "processed.tar.xz", "w:xz") as packed:
        packed.add(logs / "some.first.jsonl", "processed/some.first.jsonl")
    (home / "scenarios.jsonl").write_text('{"scenario": "some"}\n')
    return home


def test_everything_is_taken_out_of_its_archive(recording: Path, tmp_path: Path) -> None:
    """Each into a folder of its name; what a broker makes anew by itself is left out."""
    room = tmp_path / "room"
    room.mkdir()
    expand(recording, room)
    assert sorted(str(path.relative_to(room)) for path in room.rglob("*") if path.is_file()) == [
        "brokers-one/before-cleaner/1/data/t-0/00000000000000000000.log",
        "brokers-one/broker-1.log",
        "scenarios.jsonl",
        "some/processed/some.first.jsonl",
    ]
    assert (room / "brokers-one" / "broker-1.log").read_text() == "".join(LOG.splitlines(keepends=True)[1:])
    assert Recording(room).logs("before-cleaner") == [room / "brokers-one" / "before-cleaner" / "1" / "data"]


def test_the_same_content_is_packed_into_the_same_bytes(recording: Path, tmp_path: Path) -> None:
    """Whoever made it, and when."""
    for name in ("one", "two"):
        pack(recording, ["brokers-one", "some"], tmp_path / name)
        (recording / "some").touch()
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@pytest.mark.parametrize("path", sorted(FOLDER_OF_RECORDINGS.glob("*.tar.xz")), ids=lambda path: path.name)
def test_what_is_kept_is_small(path: Path) -> None:
    """One file for each release that is named in the table of releases."""
    assert path.name.removesuffix(".tar.xz") in RELEASES
    assert path.stat().st_size < MOST_BYTES


def test_the_incident_of_the_demo_is_the_recorded_one(tmp_path: Path) -> None:
    """The truth that the demo holds its findings against is what the members of its eight groups wrote down."""
    keep(NEWEST, tmp_path)
    recording = Recording(tmp_path)
    assert {name: recording.scenario(name).truth for name in SCENARIOS_OF_AN_INCIDENT} == truth()
    assert [truth()["admin-reset"][str(partition)]["duplicated"] for partition in range(3)] == [[RESET]] * 3
    rows = map(json.loads, (tmp_path / "scenarios.jsonl").read_text().splitlines())
    assert all(row["failure"] is None for row in rows)
