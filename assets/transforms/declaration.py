"""What a transform declares of itself: the function that yields the rows of a table, and the SQL that it runs for them.

Put here what is derived from that: the tables that it reads. The functions stand in modules of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from assets import models
from assets.models import lineage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import duckdb
    import pyarrow as pa

    from assets.catalog import Table

    Rows = Callable[[duckdb.DuckDBPyConnection], Iterator[pa.RecordBatch]]
    RowsWithMemory = Callable[[duckdb.DuckDBPyConnection, bool], Iterator[pa.RecordBatch]]

IS_FINAL: Final = "is_final"
"""The column that says of a row whether it lies before the frontier of its unit."""
NEW_ROWS: Final = "new_rows"
EARLIER_ROWS: Final = "earlier_rows"
EARLIER: Final = "earlier_"
LATER: Final = "later_"
"""What a transform with lookups finds and leaves, by the names of tables or the beginnings of these."""


class _Declared:
    """What follows from the models and queries of a transform, of whatever kind."""

    models: Sequence[str]
    queries: Sequence[str] = ()

    @property
    def all_models(self) -> Sequence[str]:
        """Every model of it."""
        return self.models

    @property
    def statements(self) -> list[str]:
        """The SELECTs of its models, and its queries."""
        return [*map(models.select, self.all_models), *self.queries]

    @property
    def reads(self) -> frozenset[str]:
        """The tables that these read; the one that it makes, too, where they begin with what stays of it."""
        return lineage.tables_of(self.statements)


@dataclass(frozen=True)
class Transform(_Declared):
    """A table made by Python over what models and queries look up."""

    rows: Rows
    models: Sequence[str]
    queries: Sequence[str] = ()
    """The SELECTs that stand in its own module."""


@dataclass(frozen=True)
class TransformWithMemory(_Declared):
    """The same, for a transform that also reads the table as it is.

    It learns whether this release and these models made the rows: only then they may stay.
    """

    rows: RowsWithMemory
    models: Sequence[str]
    queries: Sequence[str] = ()


@dataclass(frozen=True)
class TransformWithFrontiers(_Declared):
    """A table whose rows of old instants stay as long as what they rest on is the same, unit by unit.

    Its rows come with a column `is_final`. It finds the table `frontiers` with, for each unit, `from_at`, the instant
    from which rows are missing (NULL: all are), and `final_to`, up to which they are final.
    """

    rows: Rows
    models: Sequence[str]
    unit: Sequence[str]
    """The columns that name a unit: some of those that FRONTIERS has, the cluster among them."""
    frontiers: str
    """The model that says `final_to` of each unit, by the frontiers of before in `earlier_frontiers`."""
    digests: str
    """The model that digests all that the rows of each unit in `asked_frontiers` rest on, up to its `final_to`."""
    shared: Sequence[str] = ()
    """Models that several of the others read, each as a table of its name that is made first."""
    summed: str = ""
    """A table of which the digests sum the rows. They find its rows of files that came since in `new_rows`, and in
    `known_frontiers` what they summed before; without any where they have to sum all anew, as a file is gone."""

    @property
    def all_models(self) -> tuple[str, ...]:
        """Every model of it."""
        return (*self.shared, *self.models, self.frontiers, self.digests)


@dataclass(frozen=True)
class TransformWithSums(_Declared):
    """A table of sums, one row for each key, to which the rows of new files are added.

    Its model reads them in `new_rows`, and in `earlier_sums` what the table says of all others. Whatever it sums can be
    added up: counts, the least and the greatest.
    """

    model: str
    summed: str
    """The table whose rows are summed, one that the reconstruction writes. Rows of the table of sums have its cluster
    and partition of the offsets topic, so that those of one partition can be summed anew."""

    @property
    def all_models(self) -> tuple[str, ...]:
        """Its only model."""
        return (self.model,)

    @property
    def reads(self) -> frozenset[str]:
        """The table whose rows are summed: the model names it by what is new in it."""
        return frozenset({self.summed})


@dataclass(frozen=True)
class TransformWithLookups(_Declared):
    """A table that rests on lookups among the rows of another one, which are remembered: a run looks among new rows.

    It finds the rows of files that came since in `new_rows`, the table as it was in `earlier_rows`, and what is
    remembered in `earlier_<name>`, by the name of each memory. It leaves what the next run is to remember in
    `later_<name>`. All of these are empty where nothing may be remembered: another release or other models made the
    table, or files are gone whose rows were looked up.
    """

    rows: Rows
    models: Sequence[str]
    memory: Sequence[Table]
    searched: str
    """The table whose rows are looked up."""
    queries: Sequence[str] = ()


AnyTransform: TypeAlias = (
    Transform | TransformWithMemory | TransformWithFrontiers | TransformWithSums | TransformWithLookups
)
