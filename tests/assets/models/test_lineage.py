"""That the declared graph is true: without any one of a table's inputs DuckDB refuses, and it needs no other."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

import duckdb
import pyarrow as pa
import pytest

from assets import models
from assets.catalog import TABLES, Table
from assets.catalog.memory import FRONTIERS
from assets.catalog.table import Origin
from assets.duckdb.database import begin, create_macros
from assets.frontiers import Units
from assets.marts import TRANSFORMS
from assets.materialize import model_reads
from assets.models import lineage
from assets.transforms.declaration import (
    AnyTransform,
    TransformWithFrontiers,
    TransformWithLookups,
    TransformWithMemory,
    TransformWithSums,
)
from assets.transforms.marts import replays
from assets.transforms.marts.commit_sums import sums_of_all
from tests.assets.rows import NOON

if TYPE_CHECKING:
    from collections.abc import Iterable

MODELS: Final = [table for table in TABLES.values() if table.origin is Origin.MODEL]
COMMIT: Final = {"cluster": "c", "group_id": "g", "topic": "t", "partition": 0, "log_partition": 3, "log_offset": 7}
ROWS: Final[dict[str, dict[str, Any]]] = {
    "core.commits": {
        **COMMIT,
        "effective_log_offset": 7,
        "effective_at": NOON,
        "kind": "first",
        "committed_offset": 5,
    },
    "internal.committed_partitions": {**COMMIT, "commits": 1, "removals": 0, "rewinds": 0},
    "internal.offset_snapshots": {**COMMIT, "taken_at": NOON, "kind": "first", "is_known": True, "committed_offset": 5},
    "internal.batch_index": {
        "cluster": "c",
        "topic": "t",
        "partition": 0,
        "source": "batch",
        "log_end_offset": 9,
        "reached_at": NOON,
        "is_new_log_end": True,
    },
}
"""So many rows as a transform needs to come to its last model."""


def _database(names: Iterable[str]) -> duckdb.DuckDBPyConnection:
    """A database with these tables, and with the macros that read no others."""
    connection = duckdb.connect()
    begin(connection)
    for name in names:
        nullable = pa.schema([field.with_nullable(nullable=True) for field in TABLES[name].schema])
        rows = pa.Table.from_pylist([ROWS[name]] if name in ROWS else [], nullable)
        connection.register("rows_of_it", rows)
        connection.execute(f"CREATE TABLE {name} AS FROM rows_of_it")
        connection.unregister("rows_of_it")
    create_macros(connection)
    return connection


def _plan(table: Table, names: Iterable[str]) -> None:
    """Let DuckDB bind the model of a table, and the query for its pieces, where only these tables are."""
    with closing(_database(names)) as connection:
        for statement in filter(None, (models.select(table.name), table.pieces)):
            connection.execute(f"EXPLAIN {statement}")


def _run(transform: AnyTransform, names: Iterable[str]) -> int:
    """Let a transform make its rows where only these tables are; gives how many."""
    with closing(_database(names)) as connection:
        if isinstance(transform, TransformWithSums):
            return len(sums_of_all(connection))
        if isinstance(transform, TransformWithFrontiers):
            Units(connection, transform).compare(FRONTIERS.file_schema.empty_table())
        if isinstance(transform, TransformWithLookups):
            replays.forget(connection)
        if isinstance(transform, TransformWithMemory):
            output = transform.rows(connection, True)  # noqa: FBT003 - rows of this release
        else:
            output = transform.rows(connection)
        return sum(batch.num_rows for batch in output)


@pytest.mark.parametrize("table", MODELS, ids=lambda table: table.full_name)
def test_model_reads_what_the_graph_declares_and_nothing_else(table: Table) -> None:
    """With its inputs it can be planned; without any one of them it can't, so no edge is untrue and none is missing."""
    reads = model_reads(table)
    assert reads
    _plan(table, reads)
    for name in reads:
        with pytest.raises(duckdb.CatalogException):
            _plan(table, reads - {name})


@pytest.mark.parametrize("full_name", TRANSFORMS)
def test_transform_reads_what_the_graph_declares_and_nothing_else(full_name: str) -> None:
    """With its inputs it comes to an end; without any one of them it fails."""
    transform = TRANSFORMS[full_name]
    _run(transform, transform.reads)
    for name in transform.reads:
        with pytest.raises((duckdb.CatalogException, duckdb.InvalidInputException)):  # or a name of Python
            _run(transform, transform.reads - {name})


def test_every_table_of_a_transform_has_one() -> None:
    """What the catalogue says of how a table is made is what `assets.marts` does."""
    assert set(TRANSFORMS) == {name for name, table in TABLES.items() if table.origin is Origin.TRANSFORM}


def test_tables_below_macros_are_read() -> None:
    """A macro's tables are those of the SELECT that calls it, however deep, and those of macros made from tables."""
    names = lineage.tables_of(
        ["SELECT * FROM owner_at(now()) JOIN raw.batches USING (cluster)", "FROM state_at(now())"]
    )
    assert {"raw.batches", "core.ownership", "core.topics", "internal.offset_snapshots", "core.commits"} <= names


def test_a_table_that_is_named_as_a_text_is_read() -> None:
    """Macros take names of tables; a name in a comment is none."""
    query = "FROM records_in('mart.replays') -- not mart.offsets_now, nor mart.skips"
    assert lineage.tables_of([query]) == {"mart.replays"} | lineage.tables_of(["FROM records_in('t')"])


def test_what_duckdb_cannot_parse_is_refused() -> None:
    """Nothing is taken to read nothing only because it is no SELECT."""
    with pytest.raises(duckdb.Error):
        lineage.tables_of(["SELECT FROM WHERE"])
