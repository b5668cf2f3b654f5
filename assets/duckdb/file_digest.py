"""The digest of the DuckDB file, in a note beside it, with the size and the time that the file had then.

Put here how it is made and compared. DuckDB has a checksum of every block and refuses one that does not fit; the digest
tells before anybody asks.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from pyarrow import fs

from assets.storage.digests import digest_of

if TYPE_CHECKING:
    from pathlib import Path

OTHER_BYTES: Final = "it has other bytes than were built"


def write(path: Path, of: Path) -> None:
    """Write the note for a file that is going to be at this path, and still has another name."""
    note = {**_size_and_time(of), "blake3": _digest(of)}
    beside = of.with_name(f"{of.name}.note")
    beside.write_text(json.dumps(note), encoding="ascii")
    beside.replace(_place(path))


def mismatch_reason(path: Path) -> str | None:
    """The reason why the file may differ from its build; None if it doesn't."""
    try:
        note = json.loads(_place(path).read_text("ascii"))
    except (OSError, ValueError):
        return "there is no digest of it"
    if any(note.get(name) != value for name, value in _size_and_time(path).items()):
        return "it was written to since it was built"
    return None if note.get("blake3") == _digest(path) else OTHER_BYTES


def damage(path: Path) -> str | None:
    """The reason why a file is no longer what was built; None for a sound one, and where there is none."""
    return mismatch_reason(path) if path.exists() else None


def _place(path: Path) -> Path:
    return path.with_name(f"{path.name}.blake3")


def _digest(path: Path) -> str:
    return digest_of(fs.LocalFileSystem(), str(path))


def _size_and_time(path: Path) -> dict[str, int]:
    now = path.stat()
    return {"size_bytes": now.st_size, "modified_ns": now.st_mtime_ns}
