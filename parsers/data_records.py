"""The records of one slice of any topic as columns: offset, timestamp, headers, and keys and values as bytes.

Put here what is true of every record, whatever its topic. How batches and records are found belongs in
`parsers.log.segments`, what keys and values mean in `parsers.messages`, or to their producers.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from parsers.log.record_headers import HeaderSpan, header_spans
from parsers.log.records import Records, Span
from parsers.messages.strings import gather
from parsers.spans import pack

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from parsers.words import Int64Array

HEADERS: Final = pa.list_(pa.struct([("key", pa.binary()), ("value", pa.binary())]))
RECORD_SCHEMA: Final = pa.schema(
    [
        ("offset", pa.int64()),
        ("timestamp_ms", pa.int64()),
        ("key", pa.binary()),
        ("value", pa.binary()),
        ("headers", HEADERS),
    ]
)
"""The columns of a record that is not decoded; a timestamp, key or value that it does not have is NULL."""

CHUNK_BYTES: Final = 4 << 20
_RECORD_BYTES: Final = 64
"""About what a record takes beside its key and value."""


def record_columns(records: Records) -> pa.RecordBatch:
    """The columns of `RECORD_SCHEMA` of all these records."""
    columns = [
        pa.array(records.offset),
        pa.array(records.timestamp_ms, mask=records.timestamp_ms < 0),
        gather(records.buffer, pack(records.key_start, records.key_end), pa.binary()),
        gather(records.buffer, pack(records.value_start, records.value_end), pa.binary()),
        header_columns(records),
    ]
    return pa.record_batch(columns, schema=RECORD_SCHEMA)


def header_columns(records: Records) -> pa.ListArray:
    """The headers of each record, as a list of keys and values."""
    counts = records.header_count
    if not counts.any():
        return pa.ListArray.from_arrays(pa.array(np.zeros(counts.size + 1, np.int32)), pa.array([], HEADERS.value_type))
    spans = header_spans(records.buffer, records.headers_start, counts)
    key = pack(spans[HeaderSpan.KEY_START], spans[HeaderSpan.KEY_END])
    value = pack(spans[HeaderSpan.VALUE_START], spans[HeaderSpan.VALUE_END])
    columns = [gather(records.buffer, column, pa.binary()) for column in (key, value)]
    edges = pa.array(np.append(0, np.cumsum(counts)).astype(np.int32))
    return pa.ListArray.from_arrays(edges, pa.StructArray.from_arrays(columns, ["key", "value"]))


def chunks(records: Records, chosen: npt.NDArray[np.bool_]) -> Iterator[Records]:
    """The chosen records, so many at a time that their columns take about `CHUNK_BYTES`; one record at least."""
    rows = np.flatnonzero(chosen)
    sizes = _sizes(records)[rows]
    edges = np.flatnonzero(np.diff(np.cumsum(sizes) // CHUNK_BYTES)) + 1
    for low, high in pairwise([0, *edges.tolist(), len(rows)]):
        if low < high:
            yield Records(records.buffer, np.ascontiguousarray(records.spans[:, rows[low:high]]))


def without_contents(records: Records, chosen: npt.NDArray[np.bool_]) -> Records:
    """The records, the chosen ones without key, value and headers."""
    if not chosen.any():
        return records
    spans = records.spans.copy()
    spans[Span.KEY_START : Span.VALUE_END + 1, chosen] = -1
    spans[Span.HEADER_COUNT, chosen] = 0
    return Records(records.buffer, spans)


def _sizes(records: Records) -> Int64Array:
    """About the bytes that each record takes as columns."""
    contents = records.key_end - records.key_start + records.value_end - records.value_start
    return contents + _RECORD_BYTES * (1 + records.header_count)
