"""The groups that were erased from a warehouse, by keyed digests of their ids, and records without what they said.

Put here what a run needs so that an erased group does not come back. How a group is erased is in
`assets.maintenance.erasure`. The list is a small record in the warehouse's folder; it has no name of a group, and
whoever has it can only try names.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from blake3 import blake3
from pyarrow import fs

from assets.storage.json_records import read_record
from assets.storage.notes import note_place, write_note
from parsers.errors import WarehouseError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assets.storage.warehouse import Warehouse

    Mask = NDArray[np.bool_]

FILE: Final = "_erased_groups.json"
"""In the warehouse's folder. Tools that read folders of Parquet pass over names that begin like this."""
ERASED: Final = "ERASED"
"""The control type of a record whose content was erased: like a control record, it says nothing of any group."""
OF_OFFSET_RECORDS: Final = frozenset(
    {"cluster", "log_partition", "log_offset", "batch_base_offset", "log_leader_epoch", "timestamp_ms", "source"}
)
"""Columns that a record keeps: where in the log it was, and when; without them there would be a gap."""
OF_INTERNAL_RECORDS: Final = frozenset(
    {"cluster", "topic", "partition", "record_offset", "kind", "batch_base_offset", "leader_epoch", "timestamp_ms"}
)
"""The same of the records of other internal topics, whose topic and partition are where the record was."""
_SET: Final = {"is_control": True, "is_transactional": False, "is_tombstone": False, "control_type": ERASED}


@dataclass(frozen=True, slots=True)
class ErasedGroups:
    """Keyed digests of the ids of erased groups."""

    key: str
    digests: frozenset[str] = frozenset()
    is_pending: bool = False
    """An erasure began, and did not end: rows of the last of them may be left."""

    def digest(self, group_id: str) -> str:
        """The digest of a group's id."""
        return str(blake3(group_id.encode(errors="surrogatepass"), key=bytes.fromhex(self.key)).hexdigest())

    def with_group(self, group_id: str) -> ErasedGroups:
        """The list with one more group, whose rows are still to be erased."""
        return replace(self, digests=self.digests | {self.digest(group_id)}, is_pending=True)

    def without_group(self, group_id: str) -> ErasedGroups:
        """The list without a group."""
        return replace(self, digests=self.digests - {self.digest(group_id)})

    def mask(self, group_ids: pa.Array | pa.ChunkedArray) -> Mask:
        """A mask of the values that name an erased group."""
        if not self.digests:
            return np.zeros(len(group_ids), np.bool_)
        texts = group_ids.cast(pa.string())
        names = [name for name in texts.unique().to_pylist() if name is not None and self.digest(name) in self.digests]
        is_named = pc.is_in(texts, pa.array(names, pa.string()))
        return np.asarray(is_named, np.bool_)

    def blank(self, rows: pa.RecordBatch, place: frozenset[str]) -> pa.RecordBatch:
        """The records, those of erased groups without all but the columns of their place in the log."""
        is_erased = self.mask(rows.column("group_id")) if "group_id" in rows.schema.names else None
        if is_erased is None or not is_erased.any():
            return rows
        order = np.arange(rows.num_rows)
        remaining = pa.array(order, mask=is_erased)
        columns = [
            column if name in place else _blanked(name, column, is_erased, remaining)
            for name, column in zip(rows.schema.names, rows.columns, strict=True)
        ]
        fields = [pa.field(name, column.type) for name, column in zip(rows.schema.names, columns, strict=True)]
        return pa.record_batch(columns, schema=pa.schema(fields))


NO_GROUPS: Final = ErasedGroups("00" * 32)
"""The list of a warehouse from which nothing was erased."""


def without_bytes(rows: pa.RecordBatch) -> pa.RecordBatch:
    """Rows of quarantine without the bytes themselves: nobody knows whose records a batch had that can't be read."""
    at = rows.schema.get_field_index("bytes")
    return rows.set_column(at, rows.schema.field(at), pa.array([b""] * rows.num_rows, pa.binary()))


def _blanked(name: str, column: pa.Array, is_erased: Mask, remaining: pa.Array) -> pa.Array:
    if name in _SET:
        return pc.if_else(pa.array(is_erased), pa.scalar(_SET[name], column.type), column)
    return column.take(remaining)


def read_erased(warehouse: Warehouse) -> ErasedGroups:
    """The erased groups of a warehouse; a list without any and with a new key where there is none."""
    system, path = note_place(warehouse, FILE)
    try:
        if system.get_file_info(path).type == fs.FileType.NotFound:
            return ErasedGroups(secrets.token_hex(32))
        fields = read_record(system, path)
        return ErasedGroups(str(fields["key"]), frozenset(map(str, fields["digests"])), bool(fields["is_pending"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        message = f"{path} can't be read, so a run might bring erased groups back: {error}; restore it from a copy"
        raise WarehouseError(message) from error


def write_erased(warehouse: Warehouse, erased: ErasedGroups) -> None:
    """Write the list in the place of the one before."""
    fields = {"key": erased.key, "digests": sorted(erased.digests), "is_pending": erased.is_pending}
    write_note(warehouse, FILE, fields)
