"""Tables of which the rows of old instants stay from run to run: those before a frontier, unit by unit.

What a unit is the transform says: a data partition, say, as one partition of the offsets topic has its commits. With
its frontier the digest of all that its rows before it rest on is remembered. While the digest is the same, the rows are
what they would be if they were made anew; so a frontier may lie anywhere, and where it lies decides only what a run
costs. A unit whose digest changed loses its rows and is made from its first one.

Put here how rows stay or go. What the rows of a table rest on is in its transform's models.
"""

from __future__ import annotations

import random
import uuid
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from assets import models
from assets.catalog import TABLES
from assets.catalog.memory import FRONTIERS
from assets.duckdb.database import prepared
from assets.duckdb.file_relations import create_from
from assets.materialize import Materialization, is_made_by, table_inputs
from assets.storage.data_files import as_one
from assets.storage.parquet_files import READ_AT_ONCE, TableFile, fit_columns
from assets.storage.parquet_writer import write_file
from assets.storage.scanning import scan
from assets.transforms.declaration import IS_FINAL

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import duckdb

    from assets.catalog import Table
    from assets.materialize import Inputs
    from assets.storage.data_files import DataFile
    from assets.storage.transaction import ArchivedFile
    from assets.storage.warehouse import Warehouse
    from assets.transforms.declaration import TransformWithFrontiers

FINAL: Final = "final"
"""How the names of files begin that have final rows only."""
WRITTEN_WITH: Final = "frontiers"
"""In the notes of a table and of the frontiers: whether the one was written with the other."""
_NONE: Final = FRONTIERS.file_schema.empty_table()


class Proof(NamedTuple):
    """What came of making some units of a table again."""

    table: str
    units: int
    rows: int
    differing: int
    """Rows that are only among those that stayed, or only among those that were made again."""


class _Revision(NamedTuple):
    """What a run changes in a table."""

    files: Sequence[DataFile]
    gone: Sequence[ArchivedFile]
    frontiers: pa.Table


def from_transform_with_frontiers(
    warehouse: Warehouse, table: Table, transform: TransformWithFrontiers
) -> Materialization:
    """Make what is missing of a table, and take out what rests on facts that changed."""
    with warehouse.pinned_versions():
        inputs = _inputs(warehouse, table, transform)
        if warehouse.is_current(table, inputs):
            return Materialization(table, warehouse.row_count(table.full_name), unchanged=True)
        earlier, new_files = _read(warehouse, table, inputs), _new_files(warehouse, table, inputs, transform)
        folder = warehouse.new_folder(table)
        warehouse.make_folder(folder)
        with prepared(warehouse, transform.statements) as connection:
            units = Units(connection, transform)
            if new_files is not None:
                create_from(connection, TABLES[transform.summed], new_files, name="new_rows")
            units.compare(earlier, are_added=new_files is not None)
            gone, revised = units.files_to_replace(table, warehouse.file_list(table.full_name))
            files = _write(table, folder, units.rows_that_stay(table, revised), transform.rows(connection))
            revision = _Revision(files, [*gone, *revised], units.later_frontiers(table))
    _commit(warehouse, table, revision, {"inputs": dict(inputs)})
    return Materialization(table, warehouse.row_count(table.full_name), unchanged=False)


def _inputs(warehouse: Warehouse, table: Table, transform: TransformWithFrontiers) -> Inputs:
    """What the table would be made from now."""
    return table_inputs(warehouse, transform.reads - {table.full_name}, *transform.all_models)


def _new_files(
    warehouse: Warehouse, table: Table, inputs: Inputs, transform: TransformWithFrontiers
) -> list[str] | None:
    """The files that came to those whose rows the digests sum; None where these are not all there any more."""
    note = warehouse.note(table.full_name)
    if not transform.summed or not is_made_by(note, inputs):
        return None
    files = frozenset(warehouse.files(transform.summed))
    summed = warehouse.files_since(transform.summed, note["inputs"][transform.summed])
    return sorted(files - summed) if summed and summed <= files else None


def _read(warehouse: Warehouse, table: Table, inputs: Inputs) -> pa.Table:
    """The frontiers that were committed with the table, by this release and these models; none otherwise."""
    note = warehouse.note(table.full_name)
    files = warehouse.files(FRONTIERS.full_name)
    token = warehouse.note(FRONTIERS.full_name).get(table.full_name)
    if not is_made_by(note, inputs) or not files or token is None or token != note.get(WRITTEN_WITH):
        return _NONE
    rows = as_one(files, FRONTIERS.file_schema).to_table()
    return rows.filter(pc.equal(rows["table_name"], table.full_name))


class Units:
    """The units of a table while it is made on a connection: which stay, and from where the others are missing."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, transform: TransformWithFrontiers) -> None:
        """Take the transform that says what a unit is."""
        self._connection, self._transform, self._keys = connection, transform, ", ".join(transform.unit)

    def compare(self, earlier: pa.Table, *, are_added: bool = False) -> None:
        """Find the units whose rows stay, and set the frontiers of this run.

        A unit is late where others stay: what changes all of them at once, as another grid, came late for none.
        The caller says whether `new_rows` are added to what was summed; otherwise all is summed anew.
        """
        connection, keys = self._connection, self._keys
        self._begin(earlier)
        connection.execute(f"CREATE OR REPLACE TEMP TABLE known_frontiers AS FROM earlier_frontiers WHERE {are_added}")
        connection.execute("SET VARIABLE known_from = (SELECT min(final_to) FROM known_frontiers)")
        if self._transform.summed and not are_added:
            connection.execute(f"CREATE OR REPLACE TEMP VIEW new_rows AS FROM {self._transform.summed} WHERE FALSE")
        self._digest("earlier_frontiers", "digests_now")
        connection.execute(f"""
            CREATE OR REPLACE TEMP TABLE units AS
            SELECT
                {keys}, e.digest = n.digest AS stays, if(stays, e.final_to, NULL) AS from_at,
                greatest(u.final_to, from_at) AS final_to,
                coalesce(e.is_late OR e.digest <> n.digest AND bool_or(stays) OVER (), FALSE) AS is_late
            FROM ({models.select(self._transform.frontiers)}) AS u
            LEFT JOIN earlier_frontiers AS e USING ({keys})
            LEFT JOIN digests_now AS n USING ({keys})
        """)  # noqa: S608 - our own models
        connection.execute(f"CREATE OR REPLACE TEMP TABLE frontiers AS SELECT {keys}, from_at, final_to FROM units")  # noqa: S608 - our own
        connection.execute(
            "CREATE OR REPLACE TEMP TABLE changed_units AS"
            f" FROM earlier_frontiers ANTI JOIN (FROM units WHERE stays) USING ({keys})"
        )
        self._digest("units", "digests_later")

    def _begin(self, earlier: pa.Table) -> None:
        """Make what several of the transform's models read."""
        for name in self._transform.shared:
            self._connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS {models.select(name)}")
        self._connection.register("earlier_frontiers", earlier)

    def choose(self, earlier: pa.Table) -> None:
        """Let all rows before these frontiers be missing, and no others."""
        connection, keys = self._connection, self._keys
        self._begin(earlier)
        connection.execute(f"""
            CREATE OR REPLACE TEMP TABLE frontiers AS
            SELECT {keys}, if(e.final_to IS NULL, '9999-12-31'::TIMESTAMPTZ, NULL) AS from_at, e.final_to
            FROM ({models.select(self._transform.frontiers)}) LEFT JOIN earlier_frontiers AS e USING ({keys})
        """)  # noqa: S608 - our own models

    def count_differences(self, table: Table, batches: Sequence[pa.RecordBatch], files: Sequence[str]) -> int:
        """How many rows of the chosen units are only among those in files, or only among those made again."""
        connection = self._connection
        connection.register("new_rows", pa.Table.from_batches(batches).cast(table.file_schema))
        connection.register("final_rows", scan(as_one(files, table.file_schema)))
        stored = f"(FROM final_rows SEMI JOIN earlier_frontiers USING ({self._keys}))"
        only_one = f"(FROM new_rows EXCEPT ALL {stored}) UNION ALL ({stored} EXCEPT ALL FROM new_rows)"
        ((count,),) = connection.sql(f"SELECT count(*) FROM ({only_one})").fetchall()  # noqa: S608 - our own names
        return int(count)

    def _digest(self, units: str, name: str) -> None:
        """Make a table of the digests of units up to their frontiers."""
        frontiers = f"SELECT {self._keys}, final_to FROM {units} WHERE final_to IS NOT NULL"  # noqa: S608 - our own names
        self._connection.execute(f"CREATE OR REPLACE TEMP TABLE asked_frontiers AS {frontiers}")
        select = models.select(self._transform.digests)
        self._connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS {select}")

    def later_frontiers(self, table: Table) -> pa.Table:
        """What is remembered for the next run."""
        rows = self._connection.sql(f"FROM units JOIN digests_later USING ({self._keys})").to_arrow_table()
        named = rows.append_column("table_name", pa.repeat(pa.scalar(table.full_name), rows.num_rows))
        columns = [
            named[field.name].cast(field.type)
            if field.name in named.column_names
            else pa.nulls(rows.num_rows, field.type)
            for field in FRONTIERS.file_schema
        ]
        return pa.table(columns, schema=FRONTIERS.file_schema)

    def files_to_replace(
        self, table: Table, files: Sequence[ArchivedFile]
    ) -> tuple[list[ArchivedFile], list[ArchivedFile]]:
        """The files whose rows all go, open ones or without a unit that stays; and those of which some rows go."""
        ((stays,),) = self._connection.sql("SELECT count(*) > 0 FROM units WHERE stays").fetchall()
        gone = [file for file in files if not stays or not is_final(file.uri)]
        ((changed,),) = self._connection.sql("SELECT count(*) FROM changed_units").fetchall()
        final = [file for file in files if file not in gone] if changed else []
        return gone, [file for file in final if self._has_changed_units(table, file)]

    def _has_changed_units(self, table: Table, file: ArchivedFile) -> bool:
        self._connection.register("final_rows", scan(as_one([file.uri], table.file_schema)))
        rows = self._connection.sql(f"SELECT 1 FROM final_rows SEMI JOIN changed_units USING ({self._keys}) LIMIT 1")  # noqa: S608 - our own names
        return bool(rows.fetchall())

    def rows_that_stay(self, table: Table, files: Sequence[ArchivedFile]) -> Iterator[pa.RecordBatch]:
        """The rows of some files but those of changed units."""
        if files:
            self._connection.register("final_rows", scan(as_one([file.uri for file in files], table.file_schema)))
            rows = self._connection.sql(f"FROM final_rows ANTI JOIN changed_units USING ({self._keys})")
            yield from rows.to_arrow_reader(READ_AT_ONCE)


def prove(warehouse: Warehouse, table: Table, transform: TransformWithFrontiers, count: int) -> Proof:
    """Make the final rows of some units again, chosen at random, and compare them with those that stayed."""
    with warehouse.pinned_versions():
        inputs = _inputs(warehouse, table, transform)
        frontiers = _read(warehouse, table, inputs) if warehouse.is_current(table, inputs) else _NONE
        rows = frontiers.num_rows
        chosen = frontiers.take(pa.array(random.sample(range(rows), min(count, rows)), pa.int64()))
        files = [uri for uri in warehouse.files(table.full_name) if is_final(uri)]
        if not chosen.num_rows or not files:
            return Proof(table.full_name, 0, 0, 0)
        with prepared(warehouse, transform.statements) as connection:
            units = Units(connection, transform)
            units.choose(chosen)
            batches = [fit_columns(table, batch.filter(batch[IS_FINAL])) for batch in transform.rows(connection)]
            differing = units.count_differences(table, batches, files)
            return Proof(table.full_name, chosen.num_rows, sum(batch.num_rows for batch in batches), differing)


def _write(
    table: Table, folder: str, unchanged: Iterable[pa.RecordBatch], rows: Iterable[pa.RecordBatch]
) -> list[DataFile]:
    """Write rows that stay and rows that are missing: the files, of final rows and of open ones."""
    final, unsettled = TableFile(f"{folder}/{FINAL}.parquet", table), TableFile(f"{folder}/open.parquet", table)
    for batch in unchanged:
        final.add_fitting(batch)
    for batch in rows:
        final.add_fitting(batch.filter(batch[IS_FINAL]))
        unsettled.add_fitting(batch.filter(pc.invert(batch[IS_FINAL])))
    return [file.finish() for file in (final, unsettled) if file.has_rows]


def is_final(uri: str) -> bool:
    """Whether a file has final rows only, by its name."""
    return uri.rpartition("/")[2].startswith(FINAL)


def _commit(warehouse: Warehouse, table: Table, revision: _Revision, note: Mapping[str, Any]) -> None:
    """Commit the table, then the frontiers: of a run that dies in between nothing is taken for final."""
    token = uuid.uuid4().hex
    transaction = warehouse.begin(table)
    stay = [file for file in transaction.file_list() if file not in revision.gone and is_final(file.uri)]
    merged = transaction.merge_small(stay, lambda _file: FINAL, lambda _files: f"{FINAL}-{uuid.uuid4().hex}")
    transaction.revise(revision.gone, revision.files, {**note, WRITTEN_WITH: token}, merged)
    name = table.full_name
    transaction = warehouse.begin(FRONTIERS)
    folder = warehouse.new_folder(FRONTIERS)
    warehouse.make_folder(folder)
    file = write_file(revision.frontiers, f"{folder}/{name}.parquet")
    gone = [old for old in transaction.file_list() if old.uri.endswith(f"/{name}.parquet")]
    transaction.revise(gone, [file], {**transaction.note, name: token})
