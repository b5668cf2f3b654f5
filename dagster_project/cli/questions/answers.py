"""Reads the warehouse's DuckDB file: opened read-only, queried with bound parameters, one dict per row.

Put here how an answer is fetched and what can go wrong with the file. The questions belong to the commands.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from assets.duckdb import build_info, file_digest, last_run, portable, session, shown_files
from assets.duckdb.build_info import MEMORY_OF_READS
from assets.storage import lease
from assets.storage.data_files import without_credentials
from dagster_project.cli.exits import CallRefusedError
from dagster_project.cli.terminal import brief, note, safe
from dagster_project.cli.times import show_time
from parsers.errors import LagbookError, WarehouseError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    import duckdb

    from assets.duckdb.build_info import BuildInfo
    from assets.duckdb.last_run import LastRun
    from assets.duckdb.shown_files import ShownFiles
    from assets.storage.lease import Holder
    from assets.storage.warehouse import Warehouse

_HOLDER: Final = re.compile(r"lock is held in (.+? \(PID \d+\))")
_CORRUPT: Final = "Corrupt database file"
_ROWS_AT_ONCE: Final = 10_000
_MOST_NAMED: Final = 3
_LONGEST_REASON: Final = 1_000


class Answers:
    """An open DuckDB file that answers questions."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, info: BuildInfo, file: Path, shown: ShownFiles) -> None:
        """Wrap a connection that the caller closes, with the file's metadata, its path and the files of its views."""
        self._connection, self._file, self._shown = connection, file, shown
        self.info = info

    @property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """The open file, for who takes whole tables out of it."""
        return self._connection

    def rows(self, question: str, parameters: Mapping[str, object] | None = None) -> Iterator[dict[str, Any]]:
        """Every row of the answer as a dict, fetched a few thousand at a time; none out of a damaged file."""
        self._shown.compare(question)
        cursor = self._connection.cursor()
        portable.look_beside(cursor, self._file)
        cursor.execute(question, dict(parameters or {}))
        names = [column[0] for column in cursor.description or ()]
        while batch := cursor.fetchmany(_ROWS_AT_ONCE):
            for values in batch:
                yield dict(zip(names, values, strict=True))

    def row(self, question: str, parameters: Mapping[str, object] | None = None) -> dict[str, Any]:
        """The one row of an aggregate."""
        return next(self.rows(question, parameters))


@contextmanager
def open_answers(warehouse: Warehouse) -> Iterator[Answers]:
    """Open the DuckDB file of a warehouse; warn on stderr when it is older than the tables, or the last run failed.

    Of a warehouse in a store the file is built first, unless the one in the cache shows the store's tables as they are.
    """
    if warehouse.is_remote:
        _bring_up_to_date(warehouse)
    with open_file(warehouse) as answers:
        for sentence in cautions(warehouse, answers.info):
            note(f"lagbook: {safe(sentence)}")
        yield answers


@contextmanager
def open_file(warehouse: Warehouse) -> Iterator[Answers]:
    """Open the DuckDB file read-only; one that is missing, locked, incomplete or another warehouse's is a sentence."""
    import duckdb

    path = warehouse.duckdb_path
    if not path.exists():
        raise CallRefusedError(f"{path} does not exist: {_why_missing(warehouse)}")
    try:
        connection = duckdb.connect(path, read_only=True)
    except duckdb.Error as error:
        raise _open_error(path, str(error)) from error
    with connection, _named_errors(path, connection):
        session.begin(connection)
        portable.look_beside(connection, path)
        info = build_info.read(connection)
        _refuse_another(info, warehouse)
        if not info.is_of_this_release:
            raise _another_release(path)
        shown = shown_files.read(connection, path.parent, _remedy(warehouse))
        try:
            yield Answers(connection, info, path, shown)
        except duckdb.Error:
            shown.compare_all()
            raise


@contextmanager
def _named_errors(path: Path, connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Turn errors of DuckDB over a damaged file, one of another release, or what it shows, into sentences."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        _refuse_damaged(path, error)
        if isinstance(error, (duckdb.CatalogException, duckdb.BinderException)):
            raise _another_release(path, f" ({_first(str(error))})") from error
        if isinstance(error, duckdb.IOException):
            raise _unreadable(path, connection, error) from error
        raise


def _refuse_damaged(path: Path, error: Exception) -> None:
    """Refuse a DuckDB file with other bytes than were built; its digest is compared after an error alone."""
    if _CORRUPT in str(error) or file_digest.mismatch_reason(path) == file_digest.OTHER_BYTES:
        raise WarehouseError(
            f"{path} is damaged ({_first(str(error))}); `lagbook repair` deletes it, and `lagbook run` builds it anew."
        ) from error


def _another_release(path: Path, reason: str = "") -> WarehouseError:
    return WarehouseError(f"{path} is of another release of lagbook; `lagbook run` builds it anew{reason}.")


def _unreadable(path: Path, connection: duckdb.DuckDBPyConnection, error: Exception) -> LagbookError:
    """Name the tables whose files are not beside the DuckDB file; else the file that can't be read."""
    missing = portable.missing_tables(connection)
    if not missing:
        reason = _first(str(error))
        return LagbookError(
            f"a file that {path} points to can't be read: {reason}; `lagbook repair` shows what mends it."
        )
    return LagbookError(
        f"{path} has views over files of its warehouse that are not in {path.parent} ({_some(missing)}): copy the"
        " warehouse's folder as a whole, or ask where it is; of a warehouse that lost files `lagbook repair` shows what"
        " mends it."
    )


def _remedy(warehouse: Warehouse) -> str:
    """What mends a damaged file behind the DuckDB file: of a store it is a copy in the cache."""
    if warehouse.is_remote:
        return f"delete the folder {warehouse.duckdb_path.parent}: the next question fetches what it had again"
    return "`lagbook repair` shows what mends it"


def cautions(warehouse: Warehouse, info: BuildInfo) -> Iterator[str]:
    """The cautions about answers from this file: a failed last run, and newer tables in the warehouse."""
    try:
        run, at_work = last_run.read(warehouse), lease.holder(warehouse)
        changed, is_here = list[str](), info.is_of(warehouse)
        if is_here:
            changed = info.changed_since(warehouse)
    except WarehouseError as error:
        yield f"how old this answer is can't be said: {error}."
        return
    if not is_here:
        origin = without_credentials(info.url)
        yield f"this is a copy of the file of {origin} from {show_time(info.built_at)}, without the warehouse."
    if run is not None and (trouble := describe_run(run, at_work)):
        yield trouble
    if changed:
        yield (
            f"this answer is older than the warehouse: it was built at {show_time(info.built_at)}, and tables have"
            f" changed since ({_some(changed)}); `lagbook run` brings it up to date."
        )


def _some(names: list[str]) -> str:
    """The first of the names, and how many more there are."""
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more


def describe_run(run: LastRun, at_work: Holder | None) -> str | None:
    """One sentence about a run that has not ended, or not well; None about one that has."""
    started = show_time(run.started_at)
    if run.ended_at is None and at_work is None:
        return f"the last run, which began at {started}, was killed before its end."
    if run.ended_at is None and at_work is not None:
        return f"a run that began at {started} is still at work ({brief(at_work.name)})."
    if run.failure is None:
        return None
    return f"the last run, which began at {started}, failed: {brief(run.failure, _LONGEST_REASON).rstrip('.')}."


def _bring_up_to_date(warehouse: Warehouse) -> None:
    from assets.duckdb import database

    if warehouse.version(MEMORY_OF_READS) is None:
        raise CallRefusedError(_nothing_read(warehouse))
    if not database.is_current(warehouse):
        note(f"lagbook: building {safe(str(warehouse.duckdb_path))} from {safe(warehouse.public_url)} ...")
        database.build(warehouse)


def _refuse_another(info: BuildInfo, warehouse: Warehouse) -> None:
    """Refuse a file of another warehouse; where the warehouse can't be read, `cautions` has a sentence.

    A file that lies alone, without any table beside it, is a copy, and answers.
    """
    try:
        if info.is_of(warehouse) or warehouse.identity(MEMORY_OF_READS) is None:
            return
    except WarehouseError:
        return
    raise WarehouseError(
        f"{warehouse.duckdb_path} shows another warehouse ({without_credentials(info.url)}, built at"
        f" {show_time(info.built_at)}), not {warehouse.public_url}; `lagbook run` builds it anew."
    )


def _why_missing(warehouse: Warehouse) -> str:
    """Why there is no file: nothing was ever read, or no run got as far as building it."""
    from assets.maintenance.integrity import has_any_table

    if not has_any_table(warehouse):
        return _nothing_read(warehouse)
    run = last_run.read(warehouse)
    trouble = describe_run(run, lease.holder(warehouse)) if run else None
    return f"there are tables, and no file was built of them. {trouble or ''} `lagbook run` builds it."


def _nothing_read(warehouse: Warehouse) -> str:
    return f"nothing was read into {warehouse.public_url} yet; `lagbook run` does that."


def _open_error(path: Path, reason: str) -> LagbookError:
    holder = _HOLDER.search(reason)
    if holder:
        return LagbookError(
            f"{path} is locked by {holder[1]}, which has it open for writing; close it there, then try again."
        )
    return WarehouseError(f"{path} can't be opened as a DuckDB file: {_first(reason)}")


def _first(text: str) -> str:
    return text.partition("\n")[0].rstrip(".")
