"""Small records in the warehouse's folder: each replaced as a whole, so that a reader finds one or the other.

Put here where such a record stands. What one says belongs to the module whose record it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assets.storage.data_files import locate
from assets.storage.json_records import replace_record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyarrow import fs

    from assets.storage.warehouse import Warehouse


def note_place(warehouse: Warehouse, file: str) -> tuple[fs.FileSystem, str]:
    """The file system and path of the record of this name."""
    return locate(f"{warehouse.url.rstrip('/')}/{file}")


def write_note(warehouse: Warehouse, file: str, fields: Mapping[str, Any]) -> None:
    """Put a record in the place of the one before."""
    replace_record(*note_place(warehouse, file), fields)
