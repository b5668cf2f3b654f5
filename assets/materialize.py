"""How a core or mart table is made: from the current commit of its inputs, whole, and only when one of them changed.

Put here the ways of making one (DuckDB over a model, Python over rows). What is computed belongs in `assets.models` and
`assets.transforms`.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Final

from assets import models
from assets.catalog import TABLES
from assets.duckdb import session
from assets.duckdb.database import create_macros, in_memory
from assets.storage.parquet_files import READ_AT_ONCE, TableFile, fitted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import duckdb
    import pyarrow as pa

    from assets.catalog import Table
    from assets.storage.data_files import DataFile
    from assets.storage.warehouse import Warehouse

MACRO_TABLES: Final = (
    "core.commits",
    "core.generations",
    "core.members",
    "core.ownership",
    "core.group_states",
    "core.topics",
    "core.log_ends",
    "core.log_gaps",
    "internal.commits_after_gaps",
    "internal.offset_snapshots",
    "internal.group_partitions",
    "internal.batch_index",
    "core.log_end_bounds",
)
"""What the macros read."""


@dataclass(frozen=True, slots=True)
class Made:
    """What became of a table in this run."""

    table: Table
    rows: int
    unchanged: bool


MAKERS: Final = ("lagbook", "models")
"""What is noted of who made a table: the release, and what its models say."""


def inputs_of(warehouse: Warehouse, names: Sequence[str], *used: str) -> dict[str, int | str | None]:
    """What a table would be made from now: the commit of each input, the release, and the models it uses."""
    makers = dict(zip(MAKERS, (version("lagbook"), models.fingerprint(*used)), strict=True))
    return {**{name: warehouse.version(name) for name in names}, **makers}


def by_model(
    warehouse: Warehouse, full_name: str, names: Sequence[str] = MACRO_TABLES, pieces: str | None = None
) -> Made:
    """Make a mart by its SELECT, on DuckDB; it may use the macros that ask for none but its inputs.

    With `pieces`, one piece after the other, each with one row of that question as variables: so that what has to be
    sorted is bounded.
    """
    table = TABLES[full_name]
    with warehouse.pinned_versions():
        inputs = inputs_of(warehouse, names, table.name)
        return _made(warehouse, table, inputs, names, lambda connection: _answers(connection, table, pieces))


def by_python(
    warehouse: Warehouse,
    full_name: str,
    names: Sequence[str],
    transform: Callable[[duckdb.DuckDBPyConnection], Iterator[pa.RecordBatch]],
    used: Sequence[str],
) -> Made:
    """Make a table by a transform that reads its inputs by models."""
    with warehouse.pinned_versions():
        return _made(warehouse, TABLES[full_name], inputs_of(warehouse, names, *used), names, transform)


def by_keeping(
    warehouse: Warehouse,
    full_name: str,
    names: Sequence[str],
    transform: Callable[[duckdb.DuckDBPyConnection, bool], Iterator[pa.RecordBatch]],
    used: Sequence[str],
) -> Made:
    """Make a table by a transform that also reads it as it stands, and may keep rows made by these and this release."""
    with warehouse.pinned_versions():
        inputs = inputs_of(warehouse, names, *used)
        made_from = warehouse.note(full_name).get("inputs", {})
        is_of_these = all(made_from.get(maker) == inputs[maker] for maker in MAKERS)
        return _made(
            warehouse,
            TABLES[full_name],
            inputs,
            [*names, full_name],
            lambda connection: transform(connection, is_of_these),
        )


def _made(
    warehouse: Warehouse,
    table: Table,
    inputs: Mapping[str, int | str | None],
    read: Sequence[str],
    rows: Callable[[duckdb.DuckDBPyConnection], Iterator[pa.RecordBatch]],
) -> Made:
    """The table with these rows, unless it was made from the same."""
    if warehouse.is_current(table, inputs):
        return Made(table, warehouse.row_count(table.full_name), unchanged=True)
    folder = warehouse.new_folder(table)
    warehouse.make_folder(folder)
    with in_memory(warehouse, read) as connection:
        create_macros(connection)
        files = _written(table, folder, rows(connection))
    warehouse.replace(table, files, inputs)
    return Made(table, sum(file.rows for file in files), unchanged=False)


def _answers(connection: duckdb.DuckDBPyConnection, table: Table, pieces: str | None) -> Iterator[pa.RecordBatch]:
    for _ in session.each(connection, pieces) if pieces else (None,):
        yield from connection.sql(models.select(table.name)).to_arrow_reader(READ_AT_ONCE)


def _written(table: Table, folder: str, batches: Iterable[pa.RecordBatch]) -> list[DataFile]:
    """The file of these rows; none without any."""
    file = TableFile(f"{folder}/rows.parquet", table)
    for batch in batches:
        if batch.num_rows:
            file.add(fitted(table, batch))
    return [file.finish()] if file.has_rows else []
