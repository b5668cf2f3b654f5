"""What a transform declares of itself: the function that yields the rows of a table, and the SQL that it runs for them.

Put here what is derived from that: the tables that it reads. The functions stand in modules of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assets import models
from assets.models import lineage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import duckdb
    import pyarrow as pa

    Rows = Callable[[duckdb.DuckDBPyConnection], Iterator[pa.RecordBatch]]
    RowsWithMemory = Callable[[duckdb.DuckDBPyConnection, bool], Iterator[pa.RecordBatch]]


@dataclass(frozen=True)
class Transform:
    """A table made by Python over what models and queries look up."""

    rows: Rows
    models: Sequence[str]
    queries: Sequence[str] = ()
    """The SELECTs that stand in its own module."""

    @property
    def reads(self) -> frozenset[str]:
        """The tables that its models and queries read."""
        return _reads(self.models, self.queries)


@dataclass(frozen=True)
class TransformWithMemory:
    """The same, for a transform that also reads the table as it is.

    It learns whether this release and these models made the rows: only then they may stay.
    """

    rows: RowsWithMemory
    models: Sequence[str]
    queries: Sequence[str] = ()

    @property
    def reads(self) -> frozenset[str]:
        """The tables that its models and queries read, the one that it makes included."""
        return _reads(self.models, self.queries)


def _reads(names: Sequence[str], queries: Sequence[str]) -> frozenset[str]:
    return lineage.tables_of([*map(models.select, names), *queries])
