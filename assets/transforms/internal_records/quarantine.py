"""The records of MirrorMaker 2 and Kafka Connect that can't be read, each with its place and what was expected there.

Put here how these rows are written. What can be read of a record is in `mirror` and `connect`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from assets import models
from assets.catalog.core.connect import INTERNAL_QUARANTINE
from assets.transforms.declaration import Transform
from assets.transforms.internal_records import connect, mirror
from parsers.messages.plain_records import read_part

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import duckdb

    from parsers.messages.plain_records import Part

    Row = dict[str, Any]

QUOTED_BYTES: Final = 48
LEFT_OUT: Final = "a part that was small enough to be stored"


def unreadable(connection: duckdb.DuckDBPyConnection) -> Iterator[pa.RecordBatch]:
    """The rows of core.internal_quarantine."""
    for model, form in mirror.FORMATS.items():
        for records in connection.sql(models.select(model)).to_arrow_reader(mirror.AT_ONCE):
            parts = zip(("key", "value"), form.parts, strict=True)
            yield _batch([row for name, part in parts for row in _rows(records, name, part)])
    for records in connection.sql(models.select(connect.MODEL)).to_arrow_reader(connect.AT_ONCE):
        yield _batch([row for record in records.to_pylist() for row in _no_source_offset(record)])


def _rows(records: pa.RecordBatch, name: str, part: Part) -> Iterator[Row]:
    """A row for each key or value that its layout does not read, or that is missing."""
    _, misreads = read_part(part, records[name])
    for one in misreads:
        yield _row(records.slice(one.row, 1).to_pylist()[0], name, one.position, one.expected, one.actual)
    for record in records.filter(records[name].is_null()).to_pylist():
        if name == "key" or not record["is_tombstone"]:
            yield _row(record, name, None, LEFT_OUT, "null")


def _no_source_offset(record: Row) -> Iterator[Row]:
    """A row for the key and for the value of a record of a worker's offsets topic, where it is not of their form."""
    reads: dict[str, Callable[[], object]] = {
        "key": lambda: connect.source_key(record["key"]),
        "value": lambda: connect.source_offset(record["value"], is_tombstone=record["is_tombstone"]),
    }
    for name, read in reads.items():
        if expected := _expected(read):
            part = record[name]
            position, quote = (None, "null") if part is None else (0, part[:QUOTED_BYTES].hex() or "nothing")
            yield _row(record, name, position, expected, quote)


def _expected(read: Callable[[], object]) -> str | None:
    """What was expected where a part can't be read; None where it can."""
    try:
        read()
    except connect.UnreadableError as error:
        return str(error)
    return None


def _row(record: Row, part: str, position: int | None, expected: str, actual: str) -> Row:
    place = {name: record[name] for name in ("cluster", "topic", "partition", "record_offset")}
    return {**place, "part": part, "position": position, "expected": expected, "found": actual}


def _batch(rows: list[Row]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist(rows, INTERNAL_QUARANTINE.schema)


QUARANTINE: Final = Transform(unreadable, (*mirror.FORMATS, connect.MODEL))
