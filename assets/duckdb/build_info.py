"""The metadata in a DuckDB file: its warehouse, the commits of its tables, and the time of its build.

Put here how that is written into the file, read from it, and compared with the warehouse. The file itself is built in
`assets.duckdb.database`. Whoever asks a question passes here, so nothing is imported that only those who build need.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timezone
from importlib.metadata import version
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    import duckdb

    from assets.storage.warehouse import Warehouse

MEMORY_OF_READS: Final = "raw.segments"
"""The table whose id identifies the warehouse: the first run creates it, and every run needs it."""
MODELS: Final = "models"
"""The key, beside the tables' names, of the checksum of models and macros."""
_WAREHOUSE: Final = """
    CREATE TABLE main.warehouse (
        url VARCHAR, warehouse_id VARCHAR, release VARCHAR, built_at TIMESTAMPTZ, newest_record_at TIMESTAMPTZ,
        clusters VARCHAR[]
    )
"""
_BUILT_FROM: Final = """
    CREATE TABLE main.built_from (table_name VARCHAR, version BIGINT, kind VARCHAR, row_count BIGINT)
"""


@dataclass(frozen=True, slots=True)
class Contents:
    """What a DuckDB file shows: rows of each table, which are views, of which clusters, up to which record."""

    rows: Mapping[str, int] = field(default_factory=dict)
    views: frozenset[str] = frozenset()
    clusters: tuple[str, ...] = ()
    newest_record_at: datetime | None = None

    def kind(self, table_name: str) -> str | None:
        """`copy` when the rows are in the file, `view` when it reads them from the warehouse's files."""
        if table_name not in self.rows:
            return None
        return "view" if table_name in self.views else "copy"


@dataclass(frozen=True, slots=True)
class BuildInfo:
    """The warehouse of a DuckDB file, and the commits of its tables."""

    url: str
    warehouse_id: str | None
    built_at: datetime
    versions: Mapping[str, int | None]

    @property
    def is_of_this_release(self) -> bool:
        """Whether the models and macros are those of this release, which the commands ask."""
        return self.versions.get(MODELS) == _models()

    def is_of(self, warehouse: Warehouse) -> bool:
        """Whether the file shows this warehouse; a copy of the same warehouse at another place counts as the same."""
        return self.warehouse_id == warehouse.identity(MEMORY_OF_READS)

    def changed_since(self, warehouse: Warehouse) -> list[str]:
        """The tables that have another commit now than the file was built from."""
        names = [name for name in self.versions if name != MODELS]
        now = warehouse.versions(names)
        return [name for name in names if self.versions[name] != now[name]]


def built_from(warehouse: Warehouse) -> dict[str, int | None]:
    """The inputs of a DuckDB file: the commit of every table, and the checksum of models and macros."""
    from assets.catalog import TABLES  # noqa: PLC0415 - who asks a question needs no table's columns

    return {**{name: warehouse.version(name) for name in TABLES}, MODELS: _models()}


def write(connection: duckdb.DuckDBPyConnection, warehouse: Warehouse, contents: Contents | None = None) -> None:
    """Create the tables `main.warehouse` and `main.built_from`, with the warehouse and the file as they are now."""
    shown = contents or Contents()
    warehouse_id, now = warehouse.identity(MEMORY_OF_READS), datetime.now(timezone.utc)
    origin = (warehouse.public_url, warehouse_id, version("lagbook"), now, shown.newest_record_at, shown.clusters)
    connection.execute(_WAREHOUSE)
    connection.execute("INSERT INTO main.warehouse VALUES (?, ?, ?, ?, ?, ?)", origin)
    inputs = built_from(warehouse).items()
    connection.execute(_BUILT_FROM)
    connection.executemany(
        "INSERT INTO main.built_from VALUES (?, ?, ?, ?)",
        [(name, commit, shown.kind(name), shown.rows.get(name)) for name, commit in inputs],
    )


def read(connection: duckdb.DuckDBPyConnection) -> BuildInfo:
    """The metadata of the file; DuckDB's error where it has none, as in a file of another release."""
    rows = connection.execute("SELECT url, warehouse_id, epoch_us(built_at) FROM main.warehouse").fetchall()
    ((url, warehouse_id, built_us),) = rows
    versions = connection.execute("SELECT table_name, version FROM main.built_from").fetchall()
    return BuildInfo(url, warehouse_id, datetime.fromtimestamp(built_us / 1e6, timezone.utc), dict(versions))


def is_current(info: BuildInfo, warehouse: Warehouse) -> bool:
    """Whether the file shows this warehouse, its tables, models and macros as they are now."""
    return info.is_of(warehouse) and info.is_of_this_release and not info.changed_since(warehouse)


def _models() -> int:
    from assets import models  # noqa: PLC0415 - nor what models say

    return int(models.fingerprint(), 16)
