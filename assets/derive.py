"""How a core or mart table is made: from the current commit of its inputs, whole, and only when one of them changed.

Put here the ways of making one (DuckDB over a model, Python over rows). What is computed belongs in `assets.models` and
`assets.transforms`.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Final

from assets import models
from assets.database import create_macros, in_memory
from assets.ingesting.parquet_files import ROW_GROUP_ROWS, TableFile, fitted
from assets.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import duckdb
    import pyarrow as pa

    from assets.archive import Warehouse
    from assets.data_files import DataFile
    from assets.tables import Table

MACRO_TABLES: Final = (
    "core.commits",
    "core.generations",
    "core.members",
    "core.ownership",
    "core.group_states",
    "core.topics",
    "core.log_ends",
    "core.stores",
    "core.places",
    "core.reach",
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
    inputs = inputs_of(warehouse, names, table.name)
    if warehouse.is_current(table, inputs):
        return Made(table, warehouse.row_count(full_name), unchanged=True)
    folder = warehouse.new_folder(table)
    warehouse.make_folder(folder)
    with in_memory(warehouse, names) as connection:
        create_macros(connection)
        files = _written(table, folder, _answers(connection, table, pieces))
    return _replaced(warehouse, table, files, inputs)


def by_python(
    warehouse: Warehouse,
    full_name: str,
    names: Sequence[str],
    transform: Callable[[duckdb.DuckDBPyConnection, bool], Iterator[pa.RecordBatch]],
    used: Sequence[str],
    *,
    reads_itself: bool = True,
) -> Made:
    """Make a table by a transform that reads its inputs by models.

    It may keep rows made by these and this release, if it reads the table as it stands; who does not need not know its
    columns.
    """
    table, inputs = TABLES[full_name], inputs_of(warehouse, names, *used)
    if warehouse.is_current(table, inputs):
        return Made(table, warehouse.row_count(full_name), unchanged=True)
    folder = warehouse.new_folder(table)
    warehouse.make_folder(folder)
    with in_memory(warehouse, [*names, *([full_name] if reads_itself else [])]) as connection:
        create_macros(connection)
        made_from = warehouse.note(full_name).get("inputs", {})
        is_of_this_release = all(made_from.get(maker) == inputs[maker] for maker in MAKERS)
        files = _written(table, folder, transform(connection, is_of_this_release))
    return _replaced(warehouse, table, files, inputs)


def _answers(connection: duckdb.DuckDBPyConnection, table: Table, pieces: str | None) -> Iterator[pa.RecordBatch]:
    for variables in _pieces(connection, pieces):
        _set(connection, variables)
        yield from connection.sql(models.select(table.name)).to_arrow_reader(ROW_GROUP_ROWS)


def _pieces(connection: duckdb.DuckDBPyConnection, pieces: str | None) -> list[dict[str, object]]:
    """The variables of each piece; one piece without any where none are asked for."""
    if pieces is None:
        return [{}]
    asked = connection.execute(pieces)
    names = [column[0] for column in asked.description or ()]
    return [dict(zip(names, row, strict=True)) for row in asked.fetchall()]


def _set(connection: duckdb.DuckDBPyConnection, variables: Mapping[str, object]) -> None:
    for name, value in variables.items():
        connection.execute(f"SET VARIABLE {name} = $value", {"value": value})


def _written(table: Table, folder: str, batches: Iterable[pa.RecordBatch]) -> list[DataFile]:
    """The file of these rows; none without any."""
    file = TableFile(f"{folder}/rows.parquet", table)
    for batch in batches:
        if batch.num_rows:
            file.add(fitted(table, batch))
    return [file.finish()] if file.has_rows else []


def _replaced(
    warehouse: Warehouse, table: Table, files: Sequence[DataFile], inputs: Mapping[str, int | str | None]
) -> Made:
    warehouse.replace(table, files, inputs)
    return Made(table, sum(file.rows for file in files), unchanged=False)
