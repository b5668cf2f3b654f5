"""Empty tables in a DuckDB of one's own, rows put into them, and the SELECT of a model run over them.

Put here what tests of models share. What a model says belongs in the test of it.
"""

from __future__ import annotations

from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, Final

import duckdb
import pyarrow as pa

from assets import models
from assets.arrays.neighbours import concatenate
from assets.catalog import TABLES
from assets.catalog.memory import FRONTIERS
from assets.duckdb import session
from assets.duckdb.database import begin, create_macros
from assets.frontiers import Units
from assets.storage.parquet_files import fit_columns
from assets.transforms.marts import commit_sums, replays, snapshots
from tests.assets.transforms.made_groups import replayed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

NOON: Final = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
Answer = list[tuple[Any, ...]]
SUMS: Final = f"WITH new_rows AS (FROM core.commits) FROM ({models.select(commit_sums.TRANSFORM.model)})"

REPLAYED: Final = (
    "internal.recorded_group_states",
    "core.generations",
    "core.members",
    "core.ownership",
    "core.subscriptions",
)
REBALANCING: Final = (
    "core.group_states",
    "internal.rebalance_spans",
    "mart.member_changes",
    "mart.partition_moves",
    "mart.rebalances",
    "mart.rebalance_storms",
    "mart.churn",
)
"""In the order in which they are made."""


def without_rows(file: Path, names: Iterable[str]) -> Path:
    """Write a DuckDB file of these tables, without a row, and of the macros, for tests to copy."""
    with duckdb.connect(str(file)) as connection:
        _prepare(connection, names)
    return file


@contextmanager
def copied(file: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A database of one's own, in memory, with what a file has: a tenth of the time of making tables and macros."""
    with duckdb.connect() as connection:
        session.begin(connection)
        connection.execute(f"ATTACH '{file}' AS written (READ_ONLY)")
        connection.execute("COPY FROM DATABASE written TO memory; DETACH written")
        yield connection


def computed_replays(connection: duckdb.DuckDBPyConnection) -> pa.Table:
    """The rows of mart.replays, as a run makes them: of the partitions that variables name, or of all."""
    schema = pa.schema(
        [
            field.with_nullable(True)  # noqa: FBT003 - its only argument
            for field in TABLES["mart.replays"].schema
        ]
    )
    replays.forget(connection)
    replays.begin(connection)
    return concatenate([pa.Table.from_batches([rows]) for rows in replays.replays_of_piece(connection)], schema)


def make_snapshots(connection: duckdb.DuckDBPyConnection) -> None:
    """Fill internal.group_partitions and internal.offset_snapshots as a first run does."""
    connection.execute("DELETE FROM internal.group_partitions; DELETE FROM internal.offset_snapshots")
    connection.execute(f"INSERT INTO internal.group_partitions BY NAME {models.select('group_partitions')}")
    Units(connection, snapshots.TRANSFORM).compare(FRONTIERS.file_schema.empty_table())
    for rows in list(snapshots.snapshots(connection)):
        connection.register("made_rows", fit_columns(TABLES["internal.offset_snapshots"], rows))
        connection.execute("INSERT INTO internal.offset_snapshots BY NAME FROM made_rows")
        connection.unregister("made_rows")


def _prepare(connection: duckdb.DuckDBPyConnection, names: Iterable[str]) -> None:
    """Create these tables, without a row, and the macros; the sums of commits follow what is put into core.commits."""
    names = frozenset(names)
    begin(connection)
    for name in {*names, *([commit_sums.TRANSFORM.summed] if commit_sums.FULL_NAME in names else [])}:
        connection.register("no_rows", TABLES[name].schema.empty_table())
        table = "main.earlier_sums" if name == commit_sums.FULL_NAME else name
        connection.execute(f"CREATE TABLE {table} AS FROM no_rows")
        connection.unregister("no_rows")
    if commit_sums.FULL_NAME in names:
        connection.execute(f"CREATE VIEW {commit_sums.FULL_NAME} AS {SUMS}")
    create_macros(connection)


class Book:
    """Tables by hand: what is put into them, and what the models make of it."""

    def __init__(self, names: Iterable[str]) -> None:
        """Begin with these tables, without a row."""
        self._connection = duckdb.connect()
        _prepare(self._connection, names)

    def insert(self, name: str, **row: Any) -> None:  # noqa: ANN401 - a value of any column
        """Add a row; columns that are not named are NULL."""
        marks = ", ".join("?" * len(row))
        self._connection.execute(f"INSERT INTO {name} ({', '.join(row)}) VALUES ({marks})", list(row.values()))  # noqa: S608 - names that the tests write

    def replay(self, rows: Sequence[dict[str, Any]]) -> None:
        """Add what the replay makes of records about groups, in partition 7 of cluster c."""
        for name, rows_of_table in replayed(rows).items():
            numbered = [{"cluster": "c", "log_partition": 7, **row} for row in rows_of_table]
            schema = pa.schema([field.with_nullable(nullable=True) for field in TABLES[name].schema])
            self._connection.register("computed_rows", pa.Table.from_pylist(numbered, schema))
            self._connection.execute(f"INSERT INTO {name} BY NAME FROM computed_rows")
            self._connection.unregister("computed_rows")

    def make(self, *names: str) -> None:
        """Fill tables by their models; each has the columns, in order, that it is described with."""
        for name in names:
            self._connection.execute(f"CREATE OR REPLACE TABLE {name} AS {models.select(TABLES[name].name)}")
            columns = [column for column, *_ in self._connection.execute(f"DESCRIBE {name}").fetchall()]
            assert columns == list(TABLES[name].column_names)

    @contextmanager
    def borrowed(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """The database itself, for what reads tables by its own means."""
        yield self._connection

    def ask(self, question: str, *values: object) -> Answer:
        """Run a question."""
        return self._connection.execute(question, values).fetchall()


def second(number: float) -> str:
    """An instant on the first day of 2026, so many seconds after noon."""
    return (NOON + timedelta(seconds=number)).isoformat()
