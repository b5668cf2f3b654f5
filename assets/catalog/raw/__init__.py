"""The raw layer: what the files and brokers say, as recorded, with times in epoch milliseconds.

A module describes tables that belong together, and lists them; a new module is listed here.
"""

from __future__ import annotations

from typing import Final

from assets.catalog.raw import aliases, brokers, external, internal_records, records, segments

TABLES: Final = (
    *records.TABLES,
    *internal_records.TABLES,
    *segments.TABLES,
    *brokers.TABLES,
    *external.TABLES,
    *aliases.TABLES,
)
