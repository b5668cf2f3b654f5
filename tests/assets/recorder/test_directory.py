"""The directory of a recorder: one recorder at a time, one cluster for good, and no topic in another's folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from assets.recorder.directory import RecordDirectory, is_held
from assets.recorder.segments import Rolling
from parsers.errors import SourceError
from parsers.files.discovery import discover
from tests.assets.recorder.test_segments import append
from tests.parsers.log_writer import simple_batch

if TYPE_CHECKING:
    from pathlib import Path

LARGE: Final = Rolling(1 << 30, 1e9)
TOPIC: Final = "__consumer_offsets"
FIRST_LIFE: Final = "AAAAAAAAAAAAAAAAAAAAAQ"
SECOND_LIFE: Final = "AAAAAAAAAAAAAAAAAAAAAg"


def test_a_second_recorder_is_refused_while_the_first_is_at_work(tmp_path: Path) -> None:
    """The sentence names the lock; afterwards the directory is free."""
    with RecordDirectory(tmp_path / "rec", LARGE):
        assert is_held(tmp_path / "rec")
        with pytest.raises(SourceError, match=r"rec/\.lock: a recorder is at work here already \(process \d+\)"):
            RecordDirectory(tmp_path / "rec", LARGE)
    assert not is_held(tmp_path / "rec")
    with RecordDirectory(tmp_path / "rec", LARGE):
        pass


def test_a_directory_belongs_to_one_cluster(tmp_path: Path) -> None:
    """Another one is refused by both names."""
    with RecordDirectory(tmp_path, LARGE) as directory:
        directory.claim("one", "kafka://here:9092")
    with RecordDirectory(tmp_path, LARGE) as directory:
        directory.claim("one", "kafka://here:9092")
        with pytest.raises(SourceError, match="it has the logs of cluster one, and kafka://there:9092 is two"):
            directory.claim("two", "kafka://there:9092")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("meta.properties", "version=1\ncluster.id=one\nnode.id=1\n", "it is a broker's log directory"),
        ("holiday.jpg", "", "expected an empty directory or a recorder's, found holiday.jpg"),
    ],
)
def test_what_is_no_place_for_a_recorder_is_refused(tmp_path: Path, name: str, content: str, message: str) -> None:
    """Nothing is written into it but the lock, which is free again."""
    (tmp_path / name).write_text(content)
    with pytest.raises(SourceError, match=message):
        RecordDirectory(tmp_path, LARGE)
    assert (tmp_path / name).read_text() == content
    assert not is_held(tmp_path)


def test_a_topic_that_was_made_anew_gets_a_folder_of_its_own(tmp_path: Path) -> None:
    """The old one is named as Kafka names that of a deleted topic, so that a run passes it over and says so."""
    with RecordDirectory(tmp_path, LARGE) as directory:
        directory.claim("one", "kafka://here:9092")
        old = directory.log(TOPIC, 3, FIRST_LIFE)
        old.begin(0)
        append(old, simple_batch(0))
    with RecordDirectory(tmp_path, LARGE) as directory:
        assert directory.log(TOPIC, 3, FIRST_LIFE).end_offset == 2
        new = directory.log(TOPIC, 3, SECOND_LIFE)
        assert not new.is_begun
        new.begin(0)
        assert [note["kind"] for note in directory.notes()] == ["deleted"]
    retired = tmp_path / f"{TOPIC}-3.{'0' * 31}1-delete"
    assert (retired / f"{0:020d}.log").read_bytes() == simple_batch(0)
    discovery = discover([str(tmp_path)], None)
    assert [(one.topic_id, one.size_bytes, one.cluster) for one in discovery.segments] == [(SECOND_LIFE, 0, "one")]
    assert [one.reason for one in discovery.skipped] == ["directory of a deleted topic"]


def test_log_starts_are_told_as_a_broker_tells_them(tmp_path: Path) -> None:
    """Those of logs that do not begin at 0."""
    with RecordDirectory(tmp_path, LARGE) as directory:
        directory.claim("one", "kafka://here:9092")
        for number, start in enumerate((0, 500)):
            directory.log(TOPIC, number, None).begin(start)
        directory.write_log_starts()
    assert (tmp_path / "log-start-offset-checkpoint").read_text() == f"0\n1\n{TOPIC} 1 500\n"
    starts = {one.partition: one.log_start_offset for one in discover([str(tmp_path)], None).segments}
    assert starts[1] == 500


def test_notes_outlive_a_crash_in_the_middle_of_one(tmp_path: Path) -> None:
    """The torn one is left out, the next is whole."""
    with RecordDirectory(tmp_path, LARGE) as directory:
        directory.note("begun", TOPIC, 1, offset=5)
        with (tmp_path / "recorder.notes").open("a") as notes:
            notes.write('\n{"kind": "mis')
        directory.note("missed", TOPIC, 1, offsets=7)
        assert [note["kind"] for note in directory.notes()] == ["begun", "missed"]


@pytest.mark.parametrize("name", ["../outside", "a/b", "", "n" * 250, "line\nbreak"])
def test_a_name_that_kafka_would_not_give_is_no_path(tmp_path: Path, name: str) -> None:
    """Who answers for a broker may be anybody."""
    with RecordDirectory(tmp_path / "rec", LARGE) as directory:
        with pytest.raises(SourceError, match="is no name of a topic"):
            directory.log(name, 0, None)
        with pytest.raises(SourceError, match="which is no cluster id"):
            directory.claim(name or "a=b", "kafka://here:9092")
    assert [path.name for path in tmp_path.rglob("*")] == ["rec", ".lock"]
