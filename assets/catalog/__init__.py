"""Every table of the warehouse, each declared once: name, key, columns, values, and how it is made.

A room for each layer, a module for tables that belong together. Schemas, comments, Dagster's assets and checks, and the
docs page are derived from here; code that fills a table belongs in `assets.transforms` or `assets.models`.
"""

from __future__ import annotations

from typing import Final

from assets.catalog import core, internal, mart, raw
from assets.catalog.table import Column, Table

TABLES: Final[dict[str, Table]] = {
    table.full_name: table for room in (raw, core, internal, mart) for table in room.TABLES
}

__all__ = ["TABLES", "Column", "Table"]
