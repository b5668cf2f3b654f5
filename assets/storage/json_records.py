"""A small file of JSON, replaced as a whole: a reader finds one record or the other, and a flipped bit is an error.

Put here how such a file is written and read. What one says belongs to the module whose record it is.
"""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING, Any, Final

from blake3 import blake3
from pyarrow import fs

from parsers.errors import WarehouseError

if TYPE_CHECKING:
    from collections.abc import Mapping

DIGEST: Final = "blake3"
"""The field with the digest of all others; a record of an older release has none."""
_LONGEST_BYTES: Final = 1 << 28


def replace_record(system: fs.FileSystem, path: str, fields: Mapping[str, Any]) -> None:
    """Put a record in the place of the one before; a store does so by itself, on a disk a new file is moved there."""
    beside = f"{path}.{uuid.uuid4().hex[:8]}" if isinstance(system, fs.LocalFileSystem) else path
    try:
        with system.open_output_stream(beside) as stream:
            stream.write(json.dumps({**fields, DIGEST: _digest_of(fields)}).encode("ascii"))
        if beside != path:
            system.move(beside, path)
    except OSError as error:
        raise WarehouseError(f"{path} can't be written: {error.strerror or error}") from error


def read_record(system: fs.FileSystem, path: str) -> dict[str, Any]:
    """The fields of a record; a ValueError for a file that is none, or has other bytes than were written."""
    with system.open_input_stream(path) as stream:
        fields = json.loads(stream.read(_LONGEST_BYTES))
    if not isinstance(fields, dict):
        raise ValueError("it is no record")  # noqa: TRY004 - the same as any other damage
    if fields.pop(DIGEST, None) not in {None, _digest_of(fields)}:
        raise ValueError("it has other bytes than were written")
    return fields


def _digest_of(fields: Mapping[str, Any]) -> str:
    return str(blake3(json.dumps(fields, sort_keys=True).encode()).hexdigest())
