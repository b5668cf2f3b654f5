"""A made-up cluster, read back by the parsers and by a plain reader that shares nothing with the writer."""

from __future__ import annotations

import sys
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks import generate
from benchmarks.crowd import Shape, log_partition_of
from parsers.files.discovery import discover
from parsers.layouts.groups.group_metadata import GROUP_METADATA
from parsers.layouts.groups.offset_commit import OFFSET_COMMIT
from parsers.layouts.groups.offsets_key import OFFSETS_KEY
from parsers.log.segments import walk
from parsers.offset_records import offset_record_columns
from parsers.sources import open_file
from tests.benchmarks.conftest import DATA_BATCHES, SEGMENT_BYTES, SHAPE, small_broker
from tests.parsers.log_writer import crc32c, read_all
from tests.parsers.naive import naive_read

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.generate import Broker

COMMIT, STATE = 1, 2


def _segments(broker: Broker, partition: str = "__consumer_offsets-*") -> list[Path]:
    return sorted(broker.files.directory.glob(f"{partition}/*.log"))


@cache
def _read(path: Path) -> list[tuple[int, int, dict[str, Any], dict[str, Any] | None]]:
    """Read the records of a segment as a beginner would, which takes long: offset, record type, key, value."""
    walked = read_all(path.read_bytes())
    assert (walked.quarantine, walked.torn_bytes) == ([], 0)
    rows = []
    for offset, _timestamp_ms, key, value in walked.records:
        assert key is not None
        kind = int.from_bytes(key[:2], "big")
        layout = OFFSET_COMMIT if kind == COMMIT else GROUP_METADATA
        message = value and naive_read(layout, int.from_bytes(value[:2], "big"), value[2:])
        rows.append((offset, kind, naive_read(OFFSETS_KEY, kind, key[2:]), message or None))
    return rows


def test_every_commit_is_there(broker: Broker) -> None:
    """There are as many commits as were asked for, some states of groups, both versions, nothing else."""
    rows = [row for path in _segments(broker) for row in _read(path)]
    kinds = Counter((kind, message is None) for _offset, kind, _key, message in rows)
    assert kinds[COMMIT, False] == SHAPE.commits
    assert kinds[STATE, False] > 0
    assert set(kinds) <= {(COMMIT, False), (STATE, False), (COMMIT, True)}
    has_topic_id = {
        message["topic_id"] != "A" * 22 for _offset, kind, _key, message in rows if kind == COMMIT and message
    }
    assert has_topic_id == {False, True}


def test_groups_are_where_they_belong(broker: Broker) -> None:
    """Every record is in the partition that its group hashes to, offsets have no gaps, commits never go back."""
    for directory in sorted(broker.files.directory.glob("__consumer_offsets-*")):
        rows = [row for path in sorted(directory.glob("*.log")) for row in _read(path)]
        assert [offset for offset, *_rest in rows] == list(range(len(rows)))
        groups = {key["group_id"] for _offset, _kind, key, _message in rows}
        number = int(directory.name.rpartition("-")[2])
        assert {log_partition_of(group, SHAPE.log_partitions) for group in groups} <= {number}
        _assert_forward(rows)


def _assert_forward(rows: list[tuple[int, int, dict[str, Any], dict[str, Any] | None]]) -> None:
    last: dict[tuple[str, str, int], int] = {}
    for _offset, kind, key, message in rows:
        if kind == COMMIT and message:
            of = (key["group_id"], key["topic"], key["partition"])
            assert message["offset"] >= last.get(of, 0)
            last[of] = message["offset"]


def test_the_parsers_find_nothing_wrong(broker: Broker) -> None:
    """The decoder reads every record without trouble, and the columns count what the plain reader counts."""
    count = 0
    for path in _segments(broker):
        with open_file(str(path)) as source:
            for piece in walk(source, bodies=True):
                columns, troubles = offset_record_columns(piece)
                assert (troubles, len(piece.quarantine), piece.torn_bytes) == ([], 0, 0)
                count += len(columns)
    assert count == sum(len(_read(path)) for path in _segments(broker))


def test_segments_are_rolled(broker: Broker) -> None:
    """No segment is larger than it may be, each is named for its first offset, and the full ones are nearly full."""
    sizes: dict[str, list[int]] = {}
    for path in _segments(broker):
        sizes.setdefault(path.parent.name, []).append(path.stat().st_size)
        records = _read(path)
        assert not records or records[0][0] == int(path.stem)
    assert max(len(segments) for segments in sizes.values()) > 2
    for segments in sizes.values():
        assert max(segments) <= SEGMENT_BYTES
        assert all(size > SEGMENT_BYTES * 0.9 for size in segments[:-1])


def test_indexes_name_batches(broker: Broker) -> None:
    """Each entry of an index is the last offset and the position of a batch, one about every 4 KiB."""
    indexed = 0
    for path in _segments(broker):
        batches = {row["position"]: row["last_offset"] for row in read_all(path.read_bytes(), bodies=False).batches}
        content = path.with_suffix(".index").read_bytes()
        for at in range(0, len(content), 8):
            relative, position = (int.from_bytes(content[start : start + 4], "big") for start in (at, at + 4))
            assert batches[position] == int(path.stem) + relative
        indexed += len(content) // 8
    assert indexed > sum(path.stat().st_size for path in _segments(broker)) / 8192


def test_checksums(broker: Broker) -> None:
    """The checksum in a header is that of a plain computation."""
    content = _segments(broker)[0].read_bytes()
    size = 12 + int.from_bytes(content[8:12], "big")
    assert int.from_bytes(content[17:21], "big") == crc32c(content[21:size])


def test_a_broker_is_discovered(broker: Broker) -> None:
    """The files beside the logs say cluster, topic ids, and where logs start and end."""
    discovery = discover([str(broker.files.directory)], None)
    assert discovery.skipped == ()
    assert {(segment.cluster, segment.broker_id) for segment in discovery.segments} == {("madeupMADEUPmadeupMAQ", 1)}
    assert all(segment.topic_id and len(segment.topic_id) == 22 for segment in discovery.segments)
    data = [segment for segment in discovery.segments if not segment.is_offsets_topic]
    assert all(segment.log_start_offset == segment.base_offset + 16 for segment in data)


def test_data_logs_reach_behind_the_commits(broker: Broker) -> None:
    """A committed offset lies below the end of its log, which holds batches of 16 KiB with right checksums."""
    ends = {}
    for path in _segments(broker, "*-events-*"):
        walked = read_all(path.read_bytes())
        assert (len(walked.batches), walked.quarantine) == (DATA_BATCHES, [])
        assert all(16_000 < row["size_bytes"] <= 16_384 for row in walked.batches)
        ends[path.parent.name] = walked.batches[-1]["last_offset"] + 1
    for key, committed in zip(broker.crowd.keys, broker.progress.committed.tolist(), strict=True):
        assert committed < ends[f"{broker.crowd.topics[key.topic]}-{key.partition}"]


def test_the_same_again(broker: Broker, tmp_path: Path) -> None:
    """The same shape makes the same bytes, another seed others."""
    same = small_broker(tmp_path / "same")
    other = small_broker(tmp_path / "other", Shape(**{**vars(SHAPE), "seed": 2}))
    first, again, changed = (_content(one) for one in (broker, same, other))
    assert first == again
    assert first.keys() == changed.keys() or first != changed
    assert first != changed


def _content(broker: Broker) -> dict[str, bytes]:
    files = (path for path in broker.files.directory.rglob("*") if path.is_file())
    return {path.relative_to(broker.files.directory).as_posix(): path.read_bytes() for path in files}


@pytest.mark.parametrize("codec", ["lz4", "zstd"])
def test_compressed_logs_say_the_same(tmp_path: Path, broker: Broker, codec: str) -> None:
    """With a codec, the same records are in the log."""
    packed = small_broker(tmp_path / "logs", codec=codec)
    rows, expected = ([row for path in _segments(one) for row in _read(path)] for one in (packed, broker))
    assert {row["codec"] for path in _segments(packed) for row in read_all(path.read_bytes()).batches} == {codec}
    assert rows == expected


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The command writes a cluster and says how fast."""
    words = ["--commits", "2_000", "--out", str(tmp_path / "logs"), "--groups", "9", "--topics", "1"]
    monkeypatch.setattr(sys, "argv", ["generate", *words, "--data-batches", "0", "--partitions", "3"])
    generate.main()
    assert "2,000 commits in " in capsys.readouterr().out
    assert len(list((tmp_path / "logs").glob("__consumer_offsets-*/*.log"))) == 3
