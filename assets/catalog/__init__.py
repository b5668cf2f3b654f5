"""Every table of the warehouse and every column of it, described once.

Schemas, DuckDB comments, Dagster metadata and the docs page are derived from here. Code that fills a table belongs in
`assets.transforms` or `assets.models`.
"""

from __future__ import annotations

from typing import Final

from assets.catalog import brokers, core, holes, lag, mart, raw
from assets.catalog.table import Column, Table

TABLES: Final[dict[str, Table]] = {
    table.full_name: table for room in (raw, brokers, core, holes, lag, mart) for table in room.TABLES
}

__all__ = ["TABLES", "Column", "Table"]
