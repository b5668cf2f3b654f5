"""Exports of every form read as the segment they are of, whatever they are cut into; and what is refused."""

from __future__ import annotations

import gzip
import json
import lzma
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from parsers.errors import SourceError
from parsers.exports.files import Form, examine, find_exports, read_export
from parsers.log.segments import walk
from parsers.offset_records import FROM_BATCH, RECORD_SCHEMA, offset_record_columns
from parsers.sources import open_file
from tests.parsers.exports.writers import (
    Record,
    records_of,
    write_envelope_parquet,
    write_json_lines,
    write_kcat,
    write_spark_parquet,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from parsers.log.damage.quarantine import Trouble

HERE = Path(__file__).resolve().parents[2] / "bytes"
FILE = "00000000000000000000.log"
SEGMENTS = [
    *(HERE / "dump" / "features-4.1" / f"__consumer_offsets-{partition}" / FILE for partition in (0, 1, 2, 7)),
    HERE / "dump" / "streams-4.1" / "__consumer_offsets-3" / FILE,
]
NOT_SAID = FROM_BATCH.keys() - {"is_control"}
LARGE = 1 << 30
WRITERS = {
    "spark.parquet": write_spark_parquet,
    "envelope.parquet": write_envelope_parquet,
    "lines.jsonl": write_json_lines,
    "kcat.json": write_kcat,
}


def partition_of(segment: Path) -> int:
    """The partition in the name of a segment's folder."""
    return int(segment.parent.name.rpartition("-")[2])


def columns_of(segment: Path) -> list[dict[str, Any]]:
    """The rows of a segment but its markers, as a dump can say them."""
    rows: list[dict[str, Any]] = []
    with open_file(str(segment)) as source:
        for piece in walk(source, 0, None, bodies=True):
            record_columns = offset_record_columns(piece)[0]
            columns = {name: record_columns.column(name) for name in record_columns.schema.names}
            columns["log_partition"] = pa.repeat(pa.scalar(partition_of(segment), pa.int32()), record_columns.num_rows)
            rows += pa.table({field.name: columns[field.name].cast(field.type) for field in RECORD_SCHEMA}).to_pylist()
    return [{**row, **dict.fromkeys(NOT_SAID)} for row in rows if not row["is_control"]]


def read(path: Path, slice_bytes: int = LARGE) -> tuple[list[dict[str, Any]], list[Trouble]]:
    """All rows of an export, in the order of partitions and offsets, and its troubles."""
    (file,) = find_exports(str(path))
    form, cuts = examine(file, slice_bytes)
    slices = [one for cut in cuts for one in read_export(file, form, cut)]
    tables = [pa.Table.from_batches([one.records]).cast(RECORD_SCHEMA) for one in slices]
    rows = [row for table in tables for row in table.to_pylist()]
    rows.sort(key=lambda row: (row["log_partition"], row["log_offset"]))
    return rows, [trouble for one in slices for trouble in one.troubles]


@pytest.fixture(scope="module")
def records() -> list[Record]:
    """Records of five partitions, all kinds of them, in no order."""
    records_of_segments = [record for segment in SEGMENTS for record in records_of(segment, partition_of(segment))]
    random.Random(5).shuffle(records_of_segments)  # noqa: S311 - only an order
    return records_of_segments


@pytest.fixture(scope="module")
def expected() -> list[dict[str, Any]]:
    """What their segments say."""
    rows = [row for segment in SEGMENTS for row in columns_of(segment)]
    return sorted(rows, key=lambda row: (row["log_partition"], row["log_offset"]))


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("slice_bytes", [LARGE, 10_000])
def test_an_export_says_what_the_segment_says(
    name: str, slice_bytes: int, records: list[Record], expected: list[dict[str, Any]], tmp_path: Path
) -> None:
    """Every column of key and value, and NULL for what only batches say."""
    write: Callable[[Path, Sequence[Record]], Path] = WRITERS[name]
    assert read(write(tmp_path / name, records), slice_bytes) == (expected, [])


@pytest.mark.parametrize("slice_bytes", [1, 7, 100, 333, 5000])
def test_lines_are_cut_anywhere(slice_bytes: int, records: list[Record], tmp_path: Path) -> None:
    """A line belongs to the part in which it begins, also when the last one has no end."""
    path = write_json_lines(tmp_path / "lines.json", records[:20])
    path.write_bytes(path.read_bytes().removesuffix(b"\n"))
    rows, troubles = read(path, slice_bytes)
    assert not troubles
    assert sorted(row["log_offset"] for row in rows) == sorted(record.offset for record in records[:20])


def test_row_groups_are_parts(records: list[Record], expected: list[dict[str, Any]], tmp_path: Path) -> None:
    """A large file of Parquet is read by several tasks."""
    path = write_spark_parquet(tmp_path / "x.parquet", records, row_group_rows=50)
    (file,) = find_exports(str(path))
    form, cuts = examine(file, 10_000)
    assert form is Form.PARQUET
    assert len(cuts) > 2
    assert cuts[0].start == 0
    assert [one.start for one in cuts[1:]] == [one.stop for one in cuts[:-1]]
    assert read(path, 10_000)[0] == expected


def test_packed_lines_are_read(records: list[Record], expected: list[dict[str, Any]], tmp_path: Path) -> None:
    """In one piece, since nobody can begin in the middle."""
    lines = write_kcat(tmp_path / "kcat.json", records).read_bytes()
    (tmp_path / "kcat.json.gz").write_bytes(gzip.compress(lines))
    assert read(tmp_path / "kcat.json.gz", 1000) == (expected, [])


def test_the_path_may_tell_the_partition(records: list[Record], tmp_path: Path) -> None:
    """Kafka Connect's sinks put it there, as a folder or in the name."""
    one = [record for record in records if record.partition == 7]
    (tmp_path / "partition=7").mkdir()
    for place in ("partition=7/x.json", "__consumer_offsets+7+0000000000.json", "__consumer_offsets-7-0.json"):
        path = write_json_lines(tmp_path / place, one)
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        path.write_text("".join(json.dumps({**line, "partition": None} | {}) + "\n" for line in lines))
        path.write_text(path.read_text().replace('"partition": null, ', ""))
        assert {row["log_partition"] for row in read(path)[0]} == {7}


def test_times_may_be_text(tmp_path: Path) -> None:
    """Some sinks write them in words."""
    path = tmp_path / "x.jsonl"
    line = {"key": "AAI=", "value": None, "partition": 0, "offset": 4, "timestamp": "2026-01-02T03:04:05.678Z"}
    path.write_text(json.dumps(line) + "\n")
    assert read(path)[0][0]["timestamp_ms"] == 1_767_323_045_678


def test_a_broken_line_costs_itself(records: list[Record], tmp_path: Path) -> None:
    """Each is told with its byte; the lines around it are there."""
    path = write_json_lines(tmp_path / "lines.json", records[:50])
    lines = path.read_bytes().splitlines(keepends=True)
    lines[10:10] = [b'{"key": \n']
    lines[30:30] = [lines[29].replace(b'"key": "', b'"key": "!')]
    lines[40:40] = [b'{"key": null, "value": null, "offset": -1, "partition": 0}\n', b"[1]\n"]
    path.write_bytes(b"".join(lines))
    rows, troubles = read(path)
    assert len(rows) == 50
    assert {(one.reason, one.position) for one in troubles} == {
        ("broken line", sum(map(len, lines[:10]))),
        ("key or value", sum(map(len, lines[:30]))),
        ("record without a place", sum(map(len, lines[:40]))),
        ("broken line", sum(map(len, lines[:41]))),
    }


def test_bytes_that_a_tool_replaced_are_told(records: list[Record], tmp_path: Path) -> None:
    """Kcat's bytes put through a tool that takes them for text are lost, and no record is made up of the rest."""
    path = write_kcat(tmp_path / "x.json", records)
    through = path.read_bytes().decode("utf-8", "replace")
    path.write_text(through)
    rows, troubles = read(path)
    assert len(rows) + len(troubles) == len(records)
    assert {one.reason for one in troubles} == {"key or value"}
    (tmp_path / "y.json").write_text(json.dumps(through.splitlines()[0])[1:-1].replace('\\"', '"') + "\n")
    assert len(read(tmp_path / "y.json")[1]) <= 1


def test_other_topics_are_left_out(records: list[Record], tmp_path: Path) -> None:
    """A file may have records of several topics."""
    path = write_kcat(tmp_path / "x.json", records[:3])
    path.write_bytes(path.read_bytes().replace(b'"topic":"__consumer_offsets"', b'"topic":"orders"', 1))
    assert len(read(path)[0]) == 2


def test_text_of_dump_log_is_read(tmp_path: Path) -> None:
    """It says where a record stood, and of its batch what dumps of other tools do not."""
    text = lzma.decompress((HERE / "text" / "recorded" / "features-4.1" / "dump-log.txt.xz").read_bytes())
    (tmp_path / "x.txt").write_bytes(text)
    rows, _troubles = read(tmp_path / "x.txt")
    assert rows
    assert all(row["log_partition"] is not None and row["batch_base_offset"] is not None for row in rows)


REFUSED: dict[str, tuple[bytes, str]] = {
    "value-only.json": (
        b'{"a": 1, "value": "AA=="}\n',
        "no column for the partition and the offset and the key.*it has a, value",
    ),
    "strings.json": (b'"AAAA"\n', "no object of JSON"),
    "pretty.json": (b'{\n "key": 1\n}\n', "no JSON"),
    "console.json": (b'{"key":{"type":1,"data":{"group":"g"}},"value":null}\n', "neither partition nor offset"),
    "console.txt": (b"[g,t,0]::OffsetAndMetadata(offset=1, leaderEpoch=Optional.empty)\n", "neither partition nor"),
    "dump.txt": (b"Dumping 00000000000000000000.log\nLog starting offset: 0\n", "of which partition"),
    "notes.txt": (b"hello\n", "no segment"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_identity_is_refused(name: str, tmp_path: Path) -> None:
    """One sentence with the file and what it has; no identity is ever made up."""
    content, sentence = REFUSED[name]
    (tmp_path / name).write_bytes(content)
    (file,) = find_exports(str(tmp_path / name))
    with pytest.raises(SourceError, match=sentence) as refused:
        examine(file, LARGE)
    assert str(refused.value).startswith(str(tmp_path / name))


def test_parquet_without_offsets_is_refused(tmp_path: Path) -> None:
    """With the columns that it has; a file that only begins like Parquet too."""
    pq.write_table(pa.table({"key": [b"a"], "value": [b"b"], "partition": [1], "when": [1]}), tmp_path / "x.parquet")
    (tmp_path / "y.parquet").write_bytes(b"PAR1 and nothing else")
    for name, sentence in (("x", "the offset of a record; it has key, partition, value, when"), ("y", "as Parquet")):
        (file,) = find_exports(str(tmp_path / f"{name}.parquet"))
        with pytest.raises(SourceError, match=sentence):
            examine(file, LARGE)


def test_empty_files_have_no_parts(tmp_path: Path) -> None:
    """There is nothing to read, and nothing to refuse."""
    (tmp_path / "x.json").write_bytes(b"")
    write_spark_parquet(tmp_path / "y.parquet", [])
    assert [examine(file, LARGE)[1] for file in find_exports(str(tmp_path))] == [[], []]


def test_exports_are_found_by_name(tmp_path: Path) -> None:
    """Below a folder, what is called like one; what a sink or a table keeps for itself is left alone."""
    for name in ("a/partition=1/x.json.gz", "a/_delta_log/0.json", "a/_SUCCESS", "a/.x.json", "b.parquet", "c.csv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    names = [Path(file.path).relative_to(tmp_path).as_posix() for file in find_exports(str(tmp_path))]
    assert names == ["a/partition=1/x.json.gz", "b.parquet"]
    assert find_exports(str(tmp_path / "nowhere")) == []


def test_a_file_that_becomes_shorter_is_told(records: list[Record], tmp_path: Path) -> None:
    """What is read is what was listed, or nothing."""
    path = write_json_lines(tmp_path / "x.json", records)
    (file,) = find_exports(str(path))
    form, cuts = examine(file, LARGE)
    path.write_bytes(path.read_bytes()[: file.size_bytes // 2])
    with pytest.raises(SourceError, match="shorter"):
        list(read_export(file, form, cuts[0]))
