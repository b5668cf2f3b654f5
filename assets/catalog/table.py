"""What a declaration of a table says: name, key, columns, values, how it is made; and the schemas derived from it.

Put the shape of a declaration here. The declarations themselves stand in the rooms of the layers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

TIMESTAMP = pa.timestamp("us", tz="UTC")


class Origin(Enum):
    """How a table is made."""

    INGEST = "ingest"
    """A step reads it from files, brokers or their text logs: `assets.raw`."""
    RECONSTRUCTION = "reconstruction"
    """The coordinator's replay over the raw records: `assets.reconstruct`."""
    MODEL = "model"
    """One SELECT on DuckDB: the model of the table's name in `assets.models`."""
    TRANSFORM = "transform"
    """Python over rows that models look up: `assets.transforms`, bound to the table in `assets.marts`."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, its Arrow type, and what a value in it means."""

    name: str
    type: pa.DataType
    meaning: str
    required: bool = False
    derived: str = ""
    """SQL over other columns that tells its value: it is in no file, DuckDB works it out when it is asked for."""
    values: Mapping[str, str] = field(default_factory=dict)
    """The only values it can have, each with its meaning; empty for a column that can have any."""
    minimum: float | None = None
    """The smallest number it can have."""
    maximum: float | None = None
    """The largest number it can have."""
    is_promised: bool = True
    """Whether values, minimum and maximum hold for any input; if a stranger's bytes can break them, a check warns."""

    @property
    def selection(self) -> str:
        """What to select for it from the table's files."""
        return f'{self.derived} AS "{self.name}"' if self.derived else f'"{self.name}"'

    @property
    def comment(self) -> str:
        """What a value in it means, each of its values included."""
        values = "; ".join(f"{value}: {meaning}" for value, meaning in self.values.items())
        return f"{self.meaning} One of {values}." if values else self.meaning


@dataclass(frozen=True, slots=True)
class Interval:
    """Two columns of which the one begins what the other ends; where either is NULL nothing is said."""

    start: str
    end: str
    can_be_empty: bool = False
    """Whether both may be equal."""
    is_promised: bool = True
    """Whether it holds for any input; if a stranger's bytes can turn it around, a check warns."""


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
    origin: Origin = Origin.MODEL
    pieces: str = ""
    """A query: the model runs once for each of its rows, which are its variables, so that what it sorts is bounded."""
    intervals: tuple[Interval, ...] = ()
    is_key_promised: bool = True
    """Whether the key is unique for any input; if a stranger's bytes can repeat one, the check warns."""
    is_key_checked: bool = True
    """No for findings about the input: the same finding twice does no harm."""

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
    def file_schema(self) -> pa.Schema:
        """The Arrow schema that every file of this table has: all columns that are not derived from others."""
        return _schema([column for column in self.columns if not column.derived])


def _schema(columns: Iterable[Column]) -> pa.Schema:
    return pa.schema([pa.field(c.name, c.type, nullable=not c.required) for c in columns])
