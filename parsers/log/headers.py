"""The headers of many batches as columns, for all three formats alike, and the Arrow table made of them.

Only what a header says belongs here (and the marker in a control batch, which stands for one). Bodies belong to
`parsers.log.bodies`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from parsers.fixed import read_fixed
from parsers.layouts import batch_header as layout
from parsers.log.compression.codecs import CODECS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.words import ByteArray, Int64Array

NONE: Final = -1
_CODEC_NAMES: Final = pa.array([CODECS[codec].name if codec in CODECS else str(codec) for codec in range(8)])
_ENTRY_ATTRIBUTES: Final = np.array([layout.CODEC_BITS, layout.CODEC_BITS | layout.LOG_APPEND_TIME], np.int64)

BATCH_SCHEMA: Final = pa.schema(
    [
        ("base_offset", pa.int64()),
        ("last_offset", pa.int64()),
        ("record_count", pa.int64()),
        ("base_timestamp_ms", pa.int64()),
        ("max_timestamp_ms", pa.int64()),
        ("is_log_append_time", pa.bool_()),
        ("leader_epoch", pa.int32()),
        ("producer_id", pa.int64()),
        ("producer_epoch", pa.int16()),
        ("is_transactional", pa.bool_()),
        ("is_control", pa.bool_()),
        ("control_type", pa.string()),
        ("coordinator_epoch", pa.int32()),
        ("base_sequence", pa.int32()),
        ("delete_horizon_ms", pa.int64()),
        ("codec", pa.string()),
        ("magic", pa.int8()),
        ("size_bytes", pa.int64()),
        ("position", pa.int64()),
        ("crc", pa.int64()),
    ]
)


@dataclass(frozen=True)
class Headers:
    """Header columns of the batches at `starts` of a buffer; -1 where a format has no such field."""

    starts: Int64Array
    fields: dict[str, Int64Array]

    def __len__(self) -> int:
        """Give the number of batches."""
        return len(self.starts)

    def __getitem__(self, field: str) -> Int64Array:
        """Give one header column."""
        return self.fields[field]

    def take(self, chosen: slice) -> Headers:
        """Give the headers of some of the batches."""
        return Headers(self.starts[chosen], {name: column[chosen] for name, column in self.fields.items()})

    def has(self, attribute: int) -> NDArray[np.bool_]:
        """Say of each batch whether an attribute bit is set."""
        is_set: NDArray[np.bool_] = (self.fields["attributes"] & attribute) != 0
        return is_set

    @property
    def codec(self) -> Int64Array:
        """Codec id of each batch."""
        return self.fields["attributes"] & layout.CODEC_BITS

    @property
    def size_bytes(self) -> Int64Array:
        """Bytes of each batch on disk."""
        return self.fields["length"] + layout.LENGTH_END


def read_headers(buffer: ByteArray, starts: Int64Array) -> Headers:
    """Read the header of every batch whose start is given; the headers must lie in the buffer whole."""
    magic = buffer[starts + layout.MAGIC_AT]
    if np.all(magic == 2):  # noqa: PLR2004 - the magic of today
        return Headers(starts, read_fixed(buffer, starts, layout.BATCH_HEADER))
    old = magic < 2  # noqa: PLR2004
    fields = {name: np.empty(len(starts), np.int64) for name in layout.BATCH_HEADER.names or ()}
    for name, column in read_fixed(buffer, starts[~old], layout.BATCH_HEADER).items():
        fields[name][~old] = column
    for name, column in _entry_fields(read_fixed(buffer, starts[old], layout.ENTRY_HEADER)).items():
        fields[name][old] = column
    return Headers(starts, fields)


def _entry_fields(entry: dict[str, Int64Array]) -> dict[str, Int64Array]:
    """Say the header of a magic 0 or 1 entry in the words of a batch header."""
    none = np.full(len(entry["offset"]), NONE, np.int64)
    attributes = entry["attributes"] & _ENTRY_ATTRIBUTES[entry["magic"]]
    is_wrapper = (attributes & layout.CODEC_BITS) != 0
    timestamp_ms = np.where(entry["magic"] == 0, NONE, entry["timestamp_ms"])
    absent = ("leader_epoch", "producer_id", "producer_epoch", "base_sequence")
    return dict.fromkeys(absent, none) | {
        "base_offset": entry["offset"],
        "length": entry["length"],
        "magic": entry["magic"],
        "crc": entry["crc"],
        "attributes": attributes,
        "last_offset_delta": np.zeros_like(none),
        "base_timestamp_ms": np.where(is_wrapper, NONE, timestamp_ms),
        "max_timestamp_ms": timestamp_ms,
        "record_count": np.where(is_wrapper, NONE, 1),
    }


@dataclass(frozen=True)
class Markers:
    """What the first record of each control batch says; NONE for batches that have none."""

    control_type: Int64Array
    coordinator_epoch: Int64Array


def batch_table(headers: Headers, positions: Int64Array, markers: Markers) -> pa.RecordBatch:
    """Lay the headers out as Arrow columns, NULL where the header says nothing."""
    horizon = headers.has(layout.DELETE_HORIZON)
    base_ms, is_producers = headers["base_timestamp_ms"], headers["producer_id"] != NONE
    columns = {
        "base_offset": headers["base_offset"],
        "last_offset": headers["base_offset"] + headers["last_offset_delta"],
        "record_count": _or_null(headers["record_count"]),
        "base_timestamp_ms": _where(base_ms, ~horizon & (base_ms != NONE)),
        "max_timestamp_ms": _or_null(headers["max_timestamp_ms"]),
        "is_log_append_time": _bools(headers.has(layout.LOG_APPEND_TIME)),
        "leader_epoch": _or_null(headers["leader_epoch"].astype(np.int32)),
        "producer_id": _where(headers["producer_id"], is_producers),
        "producer_epoch": _where(headers["producer_epoch"].astype(np.int16), is_producers),
        "is_transactional": _bools(headers.has(layout.TRANSACTIONAL)),
        "is_control": _bools(headers.has(layout.CONTROL)),
        "control_type": _control_names(markers.control_type),
        "coordinator_epoch": _or_null(markers.coordinator_epoch.astype(np.int32)),
        "base_sequence": _or_null(headers["base_sequence"].astype(np.int32)),
        "delete_horizon_ms": _where(base_ms, horizon),
        "codec": _codec_names(headers.codec),
        "magic": headers["magic"].astype(np.int8),
        "size_bytes": headers.size_bytes,
        "position": positions,
        "crc": headers["crc"],
    }
    return pa.record_batch([columns[name] for name in BATCH_SCHEMA.names], schema=BATCH_SCHEMA)


def _or_null(column: NDArray[np.signedinteger]) -> pa.Array:
    return _where(column, column != NONE)


def _where(column: NDArray[np.signedinteger], is_valid: NDArray[np.bool_]) -> pa.Array:
    """Give numbers as a column, null where they are not valid."""
    bitmap = None if is_valid.all() else pa.py_buffer(np.packbits(is_valid, bitorder="little"))
    values = pa.py_buffer(np.ascontiguousarray(column))
    return pa.Array.from_buffers(pa.from_numpy_dtype(column.dtype), column.size, [bitmap, values])


def _bools(column: NDArray[np.bool_]) -> pa.Array:
    return pa.Array.from_buffers(pa.bool_(), column.size, [None, pa.py_buffer(np.packbits(column, bitorder="little"))])


def _codec_names(codecs: Int64Array) -> pa.Array:
    if codecs.size and (codecs == codecs[0]).all():
        return pa.repeat(_CODEC_NAMES[int(codecs[0])], codecs.size)
    return _CODEC_NAMES.take(pa.array(codecs))


def _control_names(types: Int64Array) -> pa.Array:
    if np.all(types == NONE):
        return pa.nulls(len(types), pa.string())
    return pa.array([None if kind == NONE else layout.CONTROL_TYPES.get(kind, "UNKNOWN") for kind in types.tolist()])
