"""Files as columns: the same records as their lines, with types that do not depend on what a file holds."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from parsers.dump.columns import file_columns, file_schema, segment_schema
from parsers.dump.file_kinds import TopicKind
from tests.parsers.log_writer import batch, record, simple_batch

HERE = Path(__file__).resolve().parents[2] / "bytes" / "dump"
METADATA = HERE / "streams-4.1" / "__cluster_metadata-0" / "00000000000000000000.log"
OFFSETS = HERE / "features-4.1" / "__consumer_offsets-7" / "00000000000000000000.log"


def table(path: Path, topic: TopicKind | None = None) -> tuple[pa.Table, int]:
    """Read a whole file."""
    parts = list(file_columns(str(path), topic))
    return pa.Table.from_batches([part for part, _ in parts], file_schema(str(path), topic)), sum(n for _, n in parts)


@pytest.mark.parametrize("topic", list(TopicKind))
def test_columns_depend_on_the_topic_alone(topic: TopicKind, tmp_path: Path) -> None:
    """An empty segment has the columns of a full one, and any segment can be read as any topic."""
    segment = tmp_path / "00000000000000000000.log"
    segment.write_bytes(b"")
    assert table(segment, topic)[0].schema == segment_schema(topic)
    segment.write_bytes(simple_batch(0))
    read, trouble_count = table(segment, topic)
    assert read["key"].to_pylist() == [b"key-0", b"key-1"]
    assert (trouble_count > 0) == (topic is not TopicKind.DATA)


def test_offsets() -> None:
    """Commits and markers of transactions."""
    read, trouble_count = table(OFFSETS)
    rows = read.to_pylist()
    assert trouble_count == 0
    markers = [row for row in rows if row["batch_is_control"]]
    assert {row["batch_control_type"] for row in markers} == {"COMMIT", "ABORT"}
    assert {row["record_type"] for row in markers} == {None}
    commits = [row for row in rows if row["record_type"] == 1 and row["value"] is not None]
    assert all(row["offset_commit"]["offset"] >= 0 and row["group_id"] for row in commits)


def test_metadata() -> None:
    """A struct for each type, of which each record has one."""
    read, trouble_count = table(METADATA)
    topics = [row["topic"]["name"] for row in read.to_pylist() if row["record_type"] == 2]
    assert "__consumer_offsets" in topics
    assert trouble_count == 0


def test_headers(tmp_path: Path) -> None:
    """Headers are bytes on both sides."""
    segment = tmp_path / "00000000000000000000.log"
    segment.write_bytes(batch(0, [record(0, None, None, headers=[(b"\xff", None)]), record(1, b"", b"")]))
    read, _ = table(segment)
    assert read["headers"].to_pylist() == [[{"key": b"\xff", "value": None}], []]
