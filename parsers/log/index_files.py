"""The files beside a segment, decoded: .index, .timeindex, .txnindex and .snapshot.

Only their rows belong here. Splitting a segment by its index is in `parsers.log.slices`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from parsers.errors import SourceError
from parsers.layouts import index_files as layout
from parsers.log.crc import crc32c

if TYPE_CHECKING:
    from numpy.typing import NDArray


def offset_index(content: bytes, base_offset: int) -> pa.RecordBatch:
    """Read an .index: last offset and position of every indexed batch."""
    rows = _rows(content, layout.OFFSET_INDEX)
    rows = rows[: _entry_count(rows["relative_offset"], rows["position"])]
    return _table({"offset": base_offset + _native(rows["relative_offset"]), "position": rows["position"]})


def time_index(content: bytes, base_offset: int) -> pa.RecordBatch:
    """Read a .timeindex: largest timestamps so far and the offsets that have them."""
    rows = _rows(content, layout.TIME_INDEX)
    rows = rows[: _entry_count(rows["relative_offset"], rows["timestamp_ms"])]
    return _table({"timestamp_ms": rows["timestamp_ms"], "offset": base_offset + _native(rows["relative_offset"])})


def transaction_index(content: bytes, path: str) -> pa.RecordBatch:
    """Read a .txnindex: the aborted transactions, in the order of their markers."""
    rows = _rows(content, layout.TRANSACTION_INDEX)
    unknown = rows["version"][rows["version"] != layout.TRANSACTION_INDEX_VERSION]
    if len(unknown):
        raise SourceError(f"{path}: expected entries of version {layout.TRANSACTION_INDEX_VERSION}, found {unknown[0]}")
    return _table({name: rows[name] for name in layout.TRANSACTION_INDEX.names or ()})


def producer_snapshot(content: bytes, path: str) -> pa.RecordBatch:
    """Read a .snapshot: what the broker remembered of each producer; a damaged file is refused."""
    head = _rows(content[: layout.SNAPSHOT_HEADER.itemsize], layout.SNAPSHOT_HEADER)
    entries = _rows(content[layout.SNAPSHOT_HEADER.itemsize :], layout.SNAPSHOT_ENTRY)
    if not len(head) or head["version"][0] != layout.SNAPSHOT_VERSION:
        raise SourceError(f"{path}: byte 0: expected version {layout.SNAPSHOT_VERSION}, found {content[:2].hex()!r}")
    computed = int(crc32c(np.frombuffer(content, np.uint8), layout.SNAPSHOT_CHECKED_FROM, len(content)))
    if computed != head["crc"][0]:
        raise SourceError(f"{path}: byte 2: expected checksum {head['crc'][0]:#010x}, found {computed:#010x}")
    if head["entry_count"][0] != len(entries):
        raise SourceError(f"{path}: byte 6: expected {len(entries)} entries, found {head['entry_count'][0]}")
    return _table({name: entries[name] for name in layout.SNAPSHOT_ENTRY.names or ()}, none=-1)


def _rows(content: bytes, dtype: np.dtype[np.void]) -> NDArray[np.void]:
    """Take the whole rows; the file may be cut inside one."""
    return np.frombuffer(content[: len(content) - len(content) % dtype.itemsize], dtype)


def _entry_count(offsets: NDArray[Any], others: NDArray[Any]) -> int:
    """Give the number of entries before the zeros of preallocation: both columns grow from entry to entry."""
    if not len(offsets) or not (offsets[0] or others[0]):
        return 0
    grows = (np.diff(_native(offsets)) > 0) & (np.diff(_native(others)) > 0)
    return len(offsets) if grows.all() else int(np.argmin(grows)) + 1


def _native(column: NDArray[Any]) -> NDArray[np.int64]:
    return column.astype(np.int64)


def _table(columns: dict[str, NDArray[Any]], none: int | None = None) -> pa.RecordBatch:
    """Make int64 columns, NULL where the file has `none`."""
    arrays = {name: pa.array(_native(column), mask=column == none) for name, column in columns.items()}
    return pa.record_batch(arrays)
