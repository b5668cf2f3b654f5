"""A table in SQLite that a consumer writes, with its declaration."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Final

from assets.ingest.stores.declared import SqlTable

if TYPE_CHECKING:
    from pathlib import Path

COLUMNS: Final = {"group_id": "consumer", "topic": "topic", "partition": "part", "committed_offset": "next offset"}
CREATE: Final = (
    'CREATE TABLE "consumer offsets" (id INTEGER PRIMARY KEY, consumer, topic, part, "next offset", changed, note)'
)
WRITE: Final = 'INSERT INTO "consumer offsets" (consumer, topic, part, "next offset", changed) VALUES (?, ?, ?, ?, ?)'


def run(database: Path, statement: str, *rows: tuple[object, ...]) -> None:
    """Run a statement once for each row, or once, in one transaction."""
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.executemany(statement, rows or [()])


def declared(database: Path, *, is_history: bool = False, **more: str) -> SqlTable:
    """The declaration of the table; more columns by our names."""
    columns = {**COLUMNS, **({"position": "id"} if is_history else {}), **more}
    return SqlTable(
        "billing",
        "stores.toml: [tables.billing]",
        columns,
        "consumer offsets",
        None,
        str(database),
        is_history=is_history,
    )
