"""Small records in the warehouse's folder, as JSON: each replaced as a whole, so that a reader finds one or the other.

Put here how such a record is written. What one says belongs to the module whose record it is.
"""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING, Any

from assets.storage.data_files import locate
from parsers.errors import WarehouseError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyarrow import fs

    from assets.storage.warehouse import Warehouse


def note_place(warehouse: Warehouse, file: str) -> tuple[fs.FileSystem, str]:
    """The file system and path of the record of this name."""
    return locate(f"{warehouse.url.rstrip('/')}/{file}")


def write_note(warehouse: Warehouse, file: str, fields: Mapping[str, Any]) -> None:
    """Put a record in the place of the one before; a store does so by itself, on a disk a new file is moved there."""
    system, path = note_place(warehouse, file)
    beside = path if warehouse.is_remote else f"{path}.{uuid.uuid4().hex[:8]}"
    try:
        with system.open_output_stream(beside) as stream:
            stream.write(json.dumps(fields).encode("ascii"))
        if beside != path:
            system.move(beside, path)
    except OSError as error:
        raise WarehouseError(f"{path} can't be written: {error.strerror or error}") from error
