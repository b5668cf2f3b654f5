"""A small file of JSON, replaced as a whole: a reader finds one record or the other.

Put here how such a file is written. What one says belongs to the module whose record it is.
"""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING, Any

from pyarrow import fs

from parsers.errors import WarehouseError

if TYPE_CHECKING:
    from collections.abc import Mapping


def replace_record(system: fs.FileSystem, path: str, fields: Mapping[str, Any]) -> None:
    """Put a record in the place of the one before; a store does so by itself, on a disk a new file is moved there."""
    beside = f"{path}.{uuid.uuid4().hex[:8]}" if isinstance(system, fs.LocalFileSystem) else path
    try:
        with system.open_output_stream(beside) as stream:
            stream.write(json.dumps(fields).encode("ascii"))
        if beside != path:
            system.move(beside, path)
    except OSError as error:
        raise WarehouseError(f"{path} can't be written: {error.strerror or error}") from error
