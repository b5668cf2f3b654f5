"""Rows of a declared table, from SQLite or from Postgres, read and nothing else.

Put here how a database is opened and asked. No sentence here has a connection string: it may hold a password. What the
rows mean belongs in `values`.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from parsers.errors import SourceError, StoreError, sentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assets.ingest.stores.declared import SqlTable

WAIT_S: Final = 10
"""For a lock of SQLite's, and for a server to answer."""
STATEMENT_MS: Final = 300_000
_LONGEST_REASON: Final = 300
_READ_ONLY: Final = ("SET default_transaction_read_only = on", f"SET statement_timeout = {STATEMENT_MS}")
_NEEDS: Final = "reading Postgres needs the extra: pip install 'lagbook[sql]'"
_FATAL: Final = re.compile(r"FATAL:\s*(.*)", re.DOTALL)
_REASONS: Final = (
    "Connection refused",
    "timeout expired",
    "could not translate host name",
    "No such file or directory",
)


def rows_of(table: SqlTable, statement: str) -> Iterator[Sequence[Any]]:
    """The rows of a statement in the order of its columns; a database that can't be read is refused."""
    yield from _sqlite_rows(table, statement) if table.sqlite is not None else _postgres_rows(table, statement)


def _sqlite_rows(table: SqlTable, statement: str) -> Iterator[Sequence[Any]]:
    path = Path(table.sqlite or "")
    if not path.is_file():
        raise SourceError(f"{table.declared_in} sqlite: expected a database, found no file {path}")
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, timeout=WAIT_S)) as connection:
            connection.text_factory = _text
            connection.execute("PRAGMA query_only = ON")
            yield from connection.execute(statement)
    except sqlite3.OperationalError as error:
        kind = StoreError if "locked" in str(error) else SourceError
        raise kind(f"{table.declared_in}: {path}: {_brief(error)}") from error
    except (sqlite3.Error, sqlite3.Warning) as error:
        raise SourceError(f"{table.declared_in}: {path}: {_brief(error)}") from error


def _text(content: bytes) -> str | bytes:
    """A text; bytes where they are none."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content


def _postgres_rows(table: SqlTable, statement: str) -> Iterator[Sequence[Any]]:
    try:
        from adbc_driver_postgresql import dbapi  # noqa: PLC0415 - an extra
    except ImportError:
        raise SourceError(f"{table.declared_in}: {_NEEDS}") from None
    connection_string = _with_timeout(table.postgres() if table.postgres else "")
    try:
        connection = dbapi.connect(connection_string, autocommit=True)
    except (dbapi.Error, ValueError) as error:
        raise StoreError(f"{table.declared_in}: Postgres can't be reached: {_reason(error)}") from None
    try:
        with connection, connection.cursor() as cursor:
            for setting in _READ_ONLY:
                cursor.execute(setting)
            cursor.execute(statement)
            for batch in cursor.fetch_record_batch():
                yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)
    except dbapi.Error as error:
        raise SourceError(f"{table.declared_in}: Postgres refused the query: {_brief(error)}") from None


def _with_timeout(connection_string: str) -> str:
    if "connect_timeout" in connection_string:
        return connection_string
    if "://" not in connection_string:
        return f"{connection_string} connect_timeout={WAIT_S}"
    return f"{connection_string}{'&' if '?' in connection_string else '?'}connect_timeout={WAIT_S}"


def _reason(error: Exception) -> str:
    """Why there is no connection: what the server says, or a known reason; other words might quote the secret."""
    message = _FATAL.search(str(error))
    if message:
        return sentence(ValueError(message[1]))[:_LONGEST_REASON]
    return next((one for one in _REASONS if one in str(error)), "the connection string is not understood")


def _brief(error: Exception) -> str:
    return sentence(error)[:_LONGEST_REASON]
