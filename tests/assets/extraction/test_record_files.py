"""Records as Parquet and as JSON lines, and the distinct keys of them."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from assets.extraction.deserialisers import deserialiser
from assets.extraction.distinct_keys import distinct_keys
from assets.extraction.log_ranges import LogRange
from assets.extraction.record_files import JsonLineRecords, ParquetRecords, RecordShape, errors_in
from parsers.data_records import RECORD_SCHEMA

if TYPE_CHECKING:
    from pathlib import Path

WANTED = LogRange("c\u202e", "orders", 3, 0, 10)
RECORDS: list[dict[str, Any]] = [
    {"offset": 4, "timestamp_ms": 1_700_000_000_000, "key": b"k\x1b[2J", "value": b"\xff", "headers": []},
    {
        "offset": 6,
        "timestamp_ms": None,
        "key": None,
        "value": b"",
        "headers": [{"key": b"trace", "value": b"\x00"}, {"key": b"\xfe", "value": None}],
    },
]


def rows_of(key: str = "bytes", value: str = "bytes") -> tuple[RecordShape, pa.RecordBatch]:
    """The records as rows; the batch is a slice, as they come from copies side by side."""
    shape = RecordShape(deserialiser(key), deserialiser(value))
    records = pa.RecordBatch.from_pylist([RECORDS[0], *RECORDS], schema=RECORD_SCHEMA).slice(1)
    return shape, shape.rows(WANTED, records)


def json_lines(shape: RecordShape, rows: pa.RecordBatch) -> str:
    """The lines of rows."""
    stream = io.BytesIO()
    JsonLineRecords(stream, shape.json_columns).write(rows)
    return stream.getvalue().decode("ascii")


def test_a_line_has_every_column_in_ascii() -> None:
    """Bytes are base64, and nothing on it acts on a terminal; headers are left out where there are none."""
    first, second = map(json.loads, json_lines(*rows_of()).splitlines())
    place = {"cluster": "c\u202e", "topic": "orders", "partition": 3}
    assert first == place | {"offset": 4, "timestamp_ms": 1_700_000_000_000, "key": "axtbMko=", "value": "/w=="}
    headers = [{"key": "trace", "value": "AA=="}, {"key": "\\xfe", "value": None}]
    assert second == place | {"offset": 6, "timestamp_ms": None, "key": None, "value": "", "headers": headers}


def test_text_that_can_not_be_read_stands_beside_its_error_on_the_line() -> None:
    """Lines of records that can be read have neither."""
    shape, rows = rows_of("text", "text")
    first, second = map(json.loads, json_lines(shape, rows).splitlines())
    assert (first["key"], first["value"], first["undecoded_value"]) == ("k\x1b[2J", None, "/w==")
    assert "UnicodeDecodeError" in first["value_error"]
    assert not {"key_error", "value_error", "undecoded_value"} & second.keys()
    assert errors_in(rows) == 1


def test_what_a_function_returns_is_json_on_the_line() -> None:
    """It is no text with JSON in it."""
    shape, rows = rows_of("bytes", "builtins:list")
    assert [json.loads(line)["value"] for line in json_lines(shape, rows).splitlines()] == [[255], []]


def test_parquet_has_the_same_rows(tmp_path: Path) -> None:
    """However many row groups it has."""
    shape, rows = rows_of()
    file = tmp_path / "records.parquet"
    with file.open("wb") as stream:
        writer = ParquetRecords(stream, shape.schema)
        for _ in range(3):
            writer.write(rows)
        writer.close()
    assert pq.read_table(file).to_pylist() == 3 * rows.to_pylist()


def test_each_key_of_a_partition_stands_once_with_its_records(tmp_path: Path) -> None:
    """A key that is NULL counts as one; the first batch says the columns even of nothing."""
    schema = pa.schema([("topic", pa.string()), ("partition", pa.int32()), ("cluster", pa.string()),
                        ("offset", pa.int64()), ("timestamp_ms", pa.int64()), ("key", pa.binary())])  # fmt: skip
    places = [(0, 5, b"a"), (0, 6, b"b"), (0, 9, b"a"), (1, 1, b"a"), (1, 2, None)]
    rows = [
        {"topic": "t", "partition": partition, "cluster": "c", "offset": offset, "timestamp_ms": offset, "key": key}
        for partition, offset, key in places
    ]
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), tmp_path / "keys.parquet")
    first, *batches = distinct_keys(tmp_path / "keys.parquet")
    key_rows = [row for batch in batches for row in batch.to_pylist()]
    assert first.num_rows == 0
    assert [
        (row["partition"], row["key"], row["records"], row["first_offset"], row["last_offset"]) for row in key_rows
    ] == [
        (0, b"a", 2, 5, 9),
        (0, b"b", 1, 6, 6),
        (1, b"a", 1, 1, 1),
        (1, None, 1, 2, 2),
    ]
