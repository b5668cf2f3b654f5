"""What a table is: its name, key and columns, and the schemas derived from them.

Put the shape of a description here. The descriptions themselves stand in `raw`, `core` and `mart`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Iterable

TIMESTAMP = pa.timestamp("us", tz="UTC")


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, its Arrow type, and what a value in it means."""

    name: str
    type: pa.DataType
    meaning: str
    required: bool = False
    derived: str = ""
    """SQL over other columns that tells its value: it is in no file, DuckDB works it out when it is asked for."""

    @property
    def told(self) -> str:
        """What to select for it from the table's files."""
        return f'{self.derived} AS "{self.name}"' if self.derived else f'"{self.name}"'


@dataclass(frozen=True, slots=True)
class Table:
    """One table of the warehouse: the layer it belongs to, its key, and every column it has."""

    layer: str
    name: str
    meaning: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]
    rare: frozenset[str] = frozenset()
    """Columns that most rows don't have: rows that have any stand in files of their own."""
    ascending: frozenset[str] = frozenset()
    """Columns (and fields of structs, as `struct.field`) that mostly grow from row to row: kept as differences."""
    sought: frozenset[str] = frozenset()
    """Other columns that rows are looked for by: so footers say what of them is in each part of a file."""
    row_group_rows: int = 128 * 1024
    """About so many rows of a file are read together or passed over together."""

    @property
    def full_name(self) -> str:
        """The two words that name the table in Dagster and in DuckDB, as `core.commits`."""
        return f"{self.layer}.{self.name}"

    @property
    def column_names(self) -> tuple[str, ...]:
        """The columns' names, in order."""
        return tuple(column.name for column in self.columns)

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema of all its columns: who asks DuckDB finds them all."""
        return _schema(self.columns)

    @property
    def stored(self) -> pa.Schema:
        """The Arrow schema that every file of this table has: all columns that are not derived from others."""
        return _schema([column for column in self.columns if not column.derived])


def _schema(columns: Iterable[Column]) -> pa.Schema:
    return pa.schema([pa.field(c.name, c.type, nullable=not c.required) for c in columns])
