"""Old rows taken out of the raw tables, and a record of their ranges: they were retired, and not missed.

Put here how old rows are found and taken out. Which ones stay is in `assets.maintenance.retention`.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from assets.catalog import TABLES
from assets.duckdb.database import in_memory
from assets.duckdb.file_relations import file_rows
from assets.maintenance.retention import RULES
from assets.reconstruct.plan import plan
from assets.storage.data_files import as_one
from assets.storage.parquet_files import TableFiles
from parsers.errors import WarehouseError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import duckdb

    from assets.maintenance.retention import Rule
    from assets.storage.data_files import DataFile
    from assets.storage.transaction import ArchivedFile
    from assets.storage.warehouse import Warehouse

RETIREMENTS: Final = "raw.retired_ranges"
EPOCH: Final = datetime(1970, 1, 1, tzinfo=timezone.utc)
LAYER: Final = "raw"
STAYING: Final = "staying"
ACCOUNTED: Final = ("cluster", "topic", "partition", "from_offset", "to_offset", "row_count")


@dataclass(frozen=True, slots=True)
class RetiredRows:
    """Old rows of one table: the files that have some, how many, and the account of them by log."""

    table: str
    older_than: datetime
    files: tuple[ArchivedFile, ...]
    rows: int
    account: tuple[Mapping[str, Any], ...]


def tables_of(named: str) -> tuple[str, ...]:
    """The raw tables of a layer or of a table's name; none if nothing of it can be retired."""
    return tuple(RULES) if named == LAYER else tuple(name for name in RULES if name == named)


def look_for_old(warehouse: Warehouse, days: Mapping[str, int], now: datetime | None = None) -> list[RetiredRows]:
    """The rows of each table that are older than so many days and that nothing needs. Nothing is changed."""
    if days and plan(warehouse).jobs:
        message = f"{warehouse.url}: records came since core.commits was made, which says what stays: run `lagbook run`"
        raise WarehouseError(message)
    today = now or datetime.now(timezone.utc)
    retirements = (_look(warehouse, name, today - timedelta(days=count)) for name, count in days.items())
    return [retired for retired in retirements if retired.rows]


def retire(warehouse: Warehouse, work: Sequence[RetiredRows]) -> None:
    """Take the rows out, each table in one commit, after recording them: a dead run leaves too large a record, once."""
    account = [row for retired in work for row in retired.account]
    transactions = {retired.table: warehouse.begin(TABLES[retired.table]) for retired in work}
    remaining = {retired.table: list(_write_remaining(warehouse, retired)) for retired in work}
    _write_account(warehouse, account)
    for retired in work:
        transaction = transactions[retired.table]
        note = {**transaction.note, "older_than": retired.older_than.isoformat()}
        transaction.append(remaining[retired.table], note, retired.files)


def _look(warehouse: Warehouse, name: str, older_than: datetime) -> RetiredRows:
    rule = RULES[name]
    files, rows, account = [], 0, []
    with _staying(warehouse, rule) as connection:
        for file in _candidates(warehouse.file_list(name), rule, older_than):
            count = _count(connection, rule, file, older_than)
            if count:
                files.append(file)
                rows += count
        if rule.offset and files:
            account = _account(connection, rule, files, older_than)
    return RetiredRows(name, older_than, tuple(files), rows, tuple(account))


def _candidates(files: Sequence[ArchivedFile], rule: Rule, older_than: datetime) -> Iterator[ArchivedFile]:
    """The files that may have something old, by their bounds."""
    oldest_ms = _ms(older_than)
    for file in files:
        if file.rows and file.minimum.get(rule.lowest_of_age, -1) < oldest_ms:
            yield file


@contextmanager
def _staying(warehouse: Warehouse, rule: Rule) -> Iterator[duckdb.DuckDBPyConnection]:
    """A database that knows which rows stay, however old they are."""
    with in_memory(warehouse, rule.reads) as connection:
        if rule.stays:
            connection.execute(f"CREATE TEMP TABLE {STAYING} AS SELECT DISTINCT * FROM ({rule.stays})")  # noqa: S608 - our rules
        yield connection


def _old(connection: duckdb.DuckDBPyConnection, rule: Rule, files: Sequence[ArchivedFile]) -> str:
    """The rows of files that are old and don't stay, with their places in the file."""
    anti = f"ANTI JOIN {STAYING} USING ({', '.join(rule.identity)})" if rule.stays else ""
    return f"{file_rows(connection, [file.uri for file in files])} AS old {anti} WHERE {rule.age} < $older_than_ms"


def _ms(instant: datetime) -> int:
    return (instant - EPOCH) // timedelta(milliseconds=1)


def _parameters(older_than: datetime) -> dict[str, Any]:
    return {"older_than_ms": _ms(older_than)}


def _count(connection: duckdb.DuckDBPyConnection, rule: Rule, file: ArchivedFile, older_than: datetime) -> int:
    old = _old(connection, rule, [file])
    (count,) = connection.execute(f"SELECT count(*) FROM {old}", _parameters(older_than)).fetchall()[0]  # noqa: S608 - our rules
    return int(count)


def _account(
    connection: duckdb.DuckDBPyConnection, rule: Rule, files: Sequence[ArchivedFile], older_than: datetime
) -> list[dict[str, Any]]:
    log = f"cluster, {rule.topic} AS topic, {rule.partition} AS partition"
    offsets = f"min({rule.offset}) AS from_offset, max({rule.offset}) + 1 AS to_offset"
    select = (
        f"SELECT {log}, {offsets}, count(*) AS row_count FROM {_old(connection, rule, files)} GROUP BY ALL ORDER BY ALL"  # noqa: S608 - our rules
    )
    rows = connection.execute(select, _parameters(older_than)).fetchall()
    return [{**dict(zip(ACCOUNTED, row, strict=True)), "older_than": older_than} for row in rows]


def _write_remaining(warehouse: Warehouse, retired: RetiredRows) -> Iterator[DataFile]:
    """Files with the rows that stay, of those files that lose some."""
    table, rule = TABLES[retired.table], RULES[retired.table]
    folder = warehouse.new_folder(table)
    warehouse.make_folder(folder)
    with _staying(warehouse, rule) as connection:
        for number, file in enumerate(retired.files):
            old = _old(connection, rule, [file])
            parameters = _parameters(retired.older_than)
            old_rows = connection.execute(f"SELECT file_row_number FROM {old}", parameters).fetchnumpy()  # noqa: S608 - our rules
            gone = np.zeros(file.rows, np.bool_)
            gone[old_rows["file_row_number"]] = True
            yield from _write(retired.table, folder, f"kept-{number:05d}", file, gone)


def _write(name: str, folder: str, called: str, file: ArchivedFile, gone: np.ndarray) -> list[DataFile]:
    at = 0
    with TableFiles({name: folder}, called) as files:
        for batch in as_one([file.uri], TABLES[name].schema).to_batches():
            files.write(name, batch.filter(pa.array(~gone[at : at + batch.num_rows])))
            at += batch.num_rows
    return [written for _table, written in files.written()]


def _write_account(warehouse: Warehouse, account: Sequence[Mapping[str, Any]]) -> None:
    table, now = TABLES[RETIREMENTS], datetime.now(timezone.utc)
    folder = warehouse.new_folder(table)
    warehouse.make_folder(folder)
    with TableFiles({RETIREMENTS: folder}, "driver") as files:
        rows = [{**row, "retired_at": now} for row in account]
        files.write(RETIREMENTS, pa.RecordBatch.from_pylist(rows, schema=table.schema))
    warehouse.append(table, [file for _table, file in files.written()], {})
