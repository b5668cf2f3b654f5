"""How a derived table is made: from the current commit of its inputs, whole, and only when one of them changed.

Put here the ways of making one (DuckDB over a model, Python over rows). What is computed belongs in `assets.models` and
`assets.transforms`. Only the tables that a model or a transform reads are there while it runs: what reads another one
fails.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

from assets import models
from assets.duckdb import session
from assets.duckdb.database import prepared
from assets.models import lineage
from assets.storage.parquet_files import READ_AT_ONCE, TableFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import duckdb
    import pyarrow as pa

    from assets.catalog import Table
    from assets.storage.data_files import DataFile
    from assets.storage.warehouse import Warehouse
    from assets.transforms.declaration import Transform, TransformWithMemory

    Inputs = Mapping[str, int | str | None]

RELEASE: Final = "lagbook"
"""Beside the inputs' names: the release that made the table."""
MODELS: Final = "models"
"""Beside the inputs' names: the fingerprint of the models that made the table."""


@dataclass(frozen=True, slots=True)
class Materialization:
    """What became of a table in this run."""

    table: Table
    rows: int
    unchanged: bool


def model_reads(table: Table) -> frozenset[str]:
    """The tables that the model of a table reads, and the query for its pieces."""
    return lineage.tables_of(_statements(table))


def _statements(table: Table) -> list[str]:
    return [models.select(table.name), *([table.pieces] if table.pieces else [])]


def from_model(warehouse: Warehouse, table: Table) -> Materialization:
    """Make a table by the SELECT of its model, on DuckDB; one with pieces once for each of them."""
    reads = model_reads(table)
    with warehouse.pinned_versions():
        inputs = table_inputs(warehouse, reads, table.name)
        return _materialize(warehouse, table, inputs, _statements(table), lambda connection: _rows(connection, table))


def from_transform(warehouse: Warehouse, table: Table, transform: Transform) -> Materialization:
    """Make a table by a transform that looks up its rows by models."""
    with warehouse.pinned_versions():
        inputs = table_inputs(warehouse, transform.reads, *transform.models)
        return _materialize(warehouse, table, inputs, transform.statements, transform.rows)


def from_transform_with_memory(warehouse: Warehouse, table: Table, transform: TransformWithMemory) -> Materialization:
    """Make a table by a transform that may keep rows which these models and this release made."""
    with warehouse.pinned_versions():
        inputs = table_inputs(warehouse, transform.reads - {table.full_name}, *transform.models)
        is_of_these = is_made_by(warehouse.note(table.full_name), inputs)
        return _materialize(
            warehouse, table, inputs, transform.statements, lambda connection: transform.rows(connection, is_of_these)
        )


def is_made_by(note: Mapping[str, Any], inputs: Inputs) -> bool:
    """Whether a table with this note was made by this release and these models, from whatever inputs."""
    before = note.get("inputs", {})
    return all(before.get(name) == inputs[name] for name in (RELEASE, MODELS))


def table_inputs(warehouse: Warehouse, reads: Iterable[str], *used: str) -> Inputs:
    """What a table would be made from now: the commit of each input, the release, and the models it uses."""
    commits = {name: warehouse.version(name) for name in sorted(reads)}
    return {**commits, RELEASE: version("lagbook"), MODELS: models.fingerprint(*used)}


def _materialize(
    warehouse: Warehouse,
    table: Table,
    inputs: Inputs,
    statements: Sequence[str],
    rows: Callable[[duckdb.DuckDBPyConnection], Iterator[pa.RecordBatch]],
) -> Materialization:
    """Write the table, or leave it as it is if no input changed."""
    if warehouse.is_current(table, inputs):
        return Materialization(table, warehouse.row_count(table.full_name), unchanged=True)
    folder = warehouse.new_folder(table)
    warehouse.make_folder(folder)
    with prepared(warehouse, statements) as connection:
        files = _write(table, folder, rows(connection))
    warehouse.replace(table, files, inputs)
    return Materialization(table, sum(file.rows for file in files), unchanged=False)


def _rows(connection: duckdb.DuckDBPyConnection, table: Table) -> Iterator[pa.RecordBatch]:
    for _ in session.each(connection, table.pieces) if table.pieces else (None,):
        yield from connection.sql(models.select(table.name)).to_arrow_reader(READ_AT_ONCE)


def _write(table: Table, folder: str, batches: Iterable[pa.RecordBatch]) -> list[DataFile]:
    """The file of these rows; none without any."""
    file = TableFile(f"{folder}/rows.parquet", table)
    for batch in batches:
        file.add_fitting(batch)
    return [file.finish()] if file.has_rows else []
