"""Every kind of file as lines: the small files beside segments, torn ends, and files that are damaged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from parsers.dump.file_kinds import TopicKind
from parsers.dump.json_lines.files import Reading, file_lines
from tests.parsers.log_writer import simple_batch

HERE = Path(__file__).resolve().parents[3] / "bytes" / "batches" / "kafka-4.1"


def shown(path: Path, reading: Reading | None = None) -> tuple[list[dict[str, Any]], int]:
    """Read the lines of a file back, without the name of the file; and count what could not be read."""
    rows, trouble_count = [], 0
    for lines in file_lines(str(path), reading or Reading()):
        rows += [json.loads(line) for line in lines.data.tobytes().splitlines()]
        trouble_count += lines.trouble_count
    assert {row.pop("file") for row in rows} <= {str(path)}
    return rows, trouble_count


def test_indexes() -> None:
    """Entries are shown with the byte where each begins, and with kafka-dump-log's names."""
    times, _ = shown(HERE / "compacted-0" / "00000000000000000000.timeindex")
    assert times == [{"position": 0, "entry": {"timestamp": 1795005314248, "offset": 5759}}]
    aborted, _ = shown(HERE / "txn-out-0" / "00000000000000000000.txnindex")
    assert aborted[1] == {
        "position": 34,
        "entry": {"version": 0, "producerId": 0, "firstOffset": 55, "lastOffset": 65, "lastStableOffset": 66},
    }
    assert shown(HERE / "compacted-0" / "00000000000000005760.snapshot") == ([], 0)


def test_checkpoints() -> None:
    """Text files have an entry for each line, or one for all they say."""
    starts, _ = shown(HERE / "recovery-point-offset-checkpoint")
    assert starts
    assert all(set(row["entry"]) == {"topic", "partition", "offset"} for row in starts)
    assert shown(HERE / "compacted-0" / "leader-epoch-checkpoint")[0] == [{"entry": {"epoch": 0, "startOffset": 0}}]
    ((partition,), _) = shown(HERE / "compacted-0" / "partition.metadata")
    assert len(partition["entry"]["topicId"]) == 22
    ((meta,), _) = shown(HERE / "meta.properties")
    assert set(meta["entry"]) == {"clusterId", "brokerId", "directoryId"}


def test_large_index(tmp_path: Path) -> None:
    """An index of many entries is written block by block, and every entry once."""
    index = tmp_path / "00000000000000000100.index"
    index.write_bytes(b"".join((n + 1).to_bytes(4, "big") + (n * 9).to_bytes(4, "big") for n in range(40_000)))
    rows, _ = shown(index)
    assert [row["entry"]["offset"] for row in rows] == list(range(101, 40_101))
    assert rows[-1] == {"position": 8 * 39_999, "entry": {"offset": 40_100, "position": 9 * 39_999}}


def test_damaged_snapshot(tmp_path: Path) -> None:
    """A file that its reader refuses becomes a line that says why, and counts as trouble."""
    damaged = tmp_path / "00000000000000005760.snapshot"
    damaged.write_bytes((HERE / "compacted-0" / damaged.name).read_bytes()[:-1] + b"\x01")
    ((row,), trouble_count) = shown(damaged)
    assert "byte 2: expected checksum" in row["trouble"]["found"]
    assert (row["trouble"]["sizeBytes"], trouble_count) == (10, 1)


def test_torn_end(tmp_path: Path) -> None:
    """An unfinished batch at the end of a segment is shown and is no trouble."""
    segment = tmp_path / "00000000000000000000.log"
    segment.write_bytes(simple_batch(0) + simple_batch(2)[:-5])
    rows, trouble_count = shown(segment)
    size = len(simple_batch(0))
    assert rows[-1] == {"position": size, "torn": {"sizeBytes": len(simple_batch(2)) - 5}}
    assert (len(rows), trouble_count) == (3, 0)


def test_empty_segment(tmp_path: Path) -> None:
    """An empty segment has no lines."""
    segment = tmp_path / "00000000000000000000.log"
    segment.write_bytes(b"")
    assert shown(segment) == ([], 0)


def test_reading() -> None:
    """A segment is read as its directory says, or as it is told to be read."""
    path = HERE / "__transaction_state-1" / "00000000000000000000.log"
    as_named, _ = shown(path)
    assert as_named[0]["key"]["data"]["transactionalId"]
    as_data, _ = shown(path, Reading(TopicKind.DATA))
    assert isinstance(as_data[0]["key"], str)
    as_text, _ = shown(HERE / "compacted-0" / "00000000000000000000.log", Reading(as_text=True))
    assert as_text[0]["key"].isprintable()
