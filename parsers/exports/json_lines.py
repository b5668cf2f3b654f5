"""Exports in JSON lines: cut by bytes, read block by block into columns, a broken line costing itself alone.

Put here how JSON lines are cut and parsed. What the columns are called is in `parsers.exports.spellings`.
"""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.json as pj

from parsers.errors import SourceError
from parsers.exports.parquet import flat
from parsers.exports.records import NO_RECORDS, ExportSlice, export_slice
from parsers.exports.spellings import choose
from parsers.log.damage.quarantine import QUOTED_BYTES, Trouble

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from parsers.exports.spellings import Columns
    from parsers.words import Int64Array

BLOCK_BYTES: Final = 8 << 20
MOST_LINE_BYTES: Final = 64 << 20
"""More than the largest record that Kafka takes, however its bytes are written."""
_ACTUAL_BYTES: Final = 64
_TYPES: Final[Mapping[str, pa.DataType]] = {
    "topic": pa.string(),
    "partition": pa.int64(),
    "offset": pa.int64(),
    "timestamp": pa.int64(),
    "key": pa.string(),
    "value": pa.string(),
}


class Layout(NamedTuple):
    """What the first line of a file tells of all of them."""

    columns: Columns
    schema: pa.Schema


def layout_of(path: str, first_line: bytes) -> Layout:
    """Tell what the lines of a file hold by the first of them."""
    try:
        record = json.loads(first_line.decode("latin-1"))
    except ValueError as error:
        raise SourceError(f"{path}: its first line is no JSON: {error}") from error
    if not isinstance(record, dict):
        raise SourceError(f"{path}: its first line is no object of JSON, so it has no columns")
    nested = [f"{name}.{inner}" for name, value in record.items() if isinstance(value, dict) for inner in value]
    columns = choose(path, [*record, *nested])
    return Layout(columns, _schema(columns, record))


def _schema(columns: Columns, record: Mapping[str, object]) -> pa.Schema:
    """The types that are asked for; a time may be a number or text."""
    types = {name: _TYPES[wanted] for wanted, name in columns.names.items()}
    timed = columns.names.get("timestamp")
    if timed is not None and isinstance(_inner(record, timed), str):
        types[timed] = pa.string()
    outer: dict[str, pa.DataType] = {}
    for name, kind in types.items():
        first, _, rest = name.partition(".")
        if rest:
            fields = [*outer[first], pa.field(rest, kind)] if first in outer else [pa.field(rest, kind)]
            outer[first] = pa.struct(fields)
        else:
            outer[name] = kind
    return pa.schema(list(outer.items()))


def _inner(record: Mapping[str, object], name: str) -> object:
    first, _, rest = name.partition(".")
    value = record.get(first)
    return value.get(rest) if rest and isinstance(value, dict) else value


def read_lines(path: str, chunks: Iterator[bytes], layout: Layout, position: int) -> Iterator[ExportSlice]:
    """Read the lines of some chunks, the first of which stands at a position of the file."""
    rest = b""
    for chunk in chunks:
        rest += chunk
        end = rest.rfind(b"\n") + 1
        if not end and len(rest) > MOST_LINE_BYTES:
            raise SourceError(f"{path}: the line at byte {position} has more than {MOST_LINE_BYTES} bytes")
        if end:
            yield from _block(path, rest[:end], layout, position)
            position, rest = position + end, rest[end:]
    if rest.strip():
        yield from _block(path, rest, layout, position)


def _block(path: str, text: bytes, layout: Layout, position: int) -> Iterator[ExportSlice]:
    troubles: list[Trouble] = []
    for rows, at in _parse_lines(text, layout, position, troubles):
        yield export_slice(path, layout.columns, flat(rows, layout.columns), at)
    if troubles:
        yield ExportSlice(NO_RECORDS, troubles)


def _parse_lines(
    text: bytes, layout: Layout, position: int, troubles: list[Trouble]
) -> Iterator[tuple[pa.RecordBatch, Int64Array]]:
    """Rows of lines with their positions; lines that can't be read are found by halves."""
    if not text.strip():
        return
    try:
        batch = _read_rows(text, layout)
    except pa.ArrowInvalid as error:
        middle = text.find(b"\n", len(text) // 2) + 1
        middle = middle if 0 < middle < len(text) else text.rfind(b"\n", 0, len(text) - 1) + 1
        if not middle:
            troubles.append(_broken_line(text, position, str(error)))
            return
        yield from _parse_lines(text[:middle], layout, position, troubles)
        yield from _parse_lines(text[middle:], layout, position + middle, troubles)
        return
    yield batch, _positions(text, batch.num_rows) + position


def _read_rows(text: bytes, layout: Layout) -> pa.RecordBatch:
    if layout.columns.is_raw:
        text = text.decode("latin-1").encode()
    table = pj.read_json(
        io.BytesIO(text),
        read_options=pj.ReadOptions(use_threads=False, block_size=len(text) + 1),
        parse_options=pj.ParseOptions(explicit_schema=layout.schema, unexpected_field_behavior="ignore"),
    )
    (batch,) = table.combine_chunks().to_batches()
    return batch


def _positions(text: bytes, rows: int) -> Int64Array:
    """Where the lines begin; where lines are empty, nobody looks closer than at the block."""
    edges = np.flatnonzero(np.frombuffer(text, np.uint8) == ord("\n")) + 1
    starts = np.concatenate([[0], edges[edges < len(text)]])
    return starts if len(starts) == rows else np.zeros(rows, np.int64)


def _broken_line(text: bytes, position: int, actual: str) -> Trouble:
    expected = "an object of JSON with the columns of the first line"
    return Trouble(position, len(text), None, "broken line", expected, actual[:_ACTUAL_BYTES], text[:QUOTED_BYTES])
