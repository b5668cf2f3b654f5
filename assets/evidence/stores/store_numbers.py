"""Numbers of stores and positions in them, which are made of names: replaced by others, in the same order.

Put here which columns have them. Names themselves belong in `assets.evidence.pseudonyms`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.ingest.stores.archive import NUMBERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assets.evidence.pseudonyms import Pseudonyms
    from parsers.words import Int64Array

NUMBER: Final = "log_partition"
_POSITIONS: Final = re.compile(r"(?:.*_)?log_offset|batch_base_offset")
_EVIDENCE: Final = "evidence"
_DIGITS: Final = 15


@dataclass(frozen=True, slots=True)
class StoreNumbers:
    """The numbers of stores and the positions in all rows of a pack, of which only the order counts."""

    pseudonyms: Pseudonyms
    positions: Int64Array
    """In order, each once."""

    def number(self, log_partition: int | None) -> int | None:
        """The number that stands for a store: below zero as well, and made with the key; of no store its own."""
        if log_partition is None or log_partition >= 0:
            return log_partition
        return -1 - int(self.pseudonyms.digest(f"store:{log_partition}".encode())[:_DIGITS], 16) % NUMBERS

    def position(self, log_offset: int) -> int:
        """The position that stands for one in a store: how many lie before it."""
        return int(np.searchsorted(self.positions, log_offset))

    def rows(self, rows: pa.Table) -> pa.Table:
        """Rows with other numbers and positions, where they are of a store."""
        if NUMBER not in rows.column_names:
            return rows
        is_of_store = pc.fill_null(pc.less(rows[NUMBER], 0), fill_value=False)
        columns = {name: self._column(name, rows[name], is_of_store) for name in rows.column_names}
        return pa.Table.from_arrays([*columns.values()], schema=rows.schema)

    def _column(self, name: str, column: pa.ChunkedArray, is_of_store: pa.ChunkedArray) -> pa.ChunkedArray:
        if name == NUMBER:
            return pa.chunked_array([pa.array(map(self.number, column.to_pylist()), column.type)])
        if name == _EVIDENCE:
            pairs = zip(column.to_pylist(), is_of_store.to_pylist(), strict=True)
            lists = [[*map(self.position, one)] if is_mine and one else one for one, is_mine in pairs]
            return pa.chunked_array([pa.array(lists, column.type)])
        if _POSITIONS.fullmatch(name) is None:
            return column
        ranks = np.searchsorted(self.positions, pc.fill_null(column, 0).to_numpy())
        known = pc.if_else(column.is_valid(), pa.chunked_array([pa.array(ranks, pa.int64())]), None)
        return pc.if_else(is_of_store, known, column).cast(column.type)


def store_numbers(pseudonyms: Pseudonyms, tables: Iterable[pa.Table]) -> StoreNumbers:
    """The numbers and positions of all rows of these tables that are of a store."""
    parts = [np.empty(0, np.int64), *(part for table in tables for part in _positions_in(table))]
    return StoreNumbers(pseudonyms, np.unique(np.concatenate(parts)))


def _positions_in(rows: pa.Table) -> Iterator[Int64Array]:
    if NUMBER not in rows.column_names:
        return
    mine = rows.filter(pc.fill_null(pc.less(rows[NUMBER], 0), fill_value=False))
    for name in mine.column_names:
        if name == _EVIDENCE:
            yield mine[name].combine_chunks().flatten().to_numpy(zero_copy_only=False).astype(np.int64)
        elif _POSITIONS.fullmatch(name):
            yield mine[name].drop_null().to_numpy().astype(np.int64)
