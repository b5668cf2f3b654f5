"""Whether the compiled loops of the parsers are on disk already, and a word to who has to wait for them.

Put here where numba keeps machine code: beside the code when that folder can be written, else in the user's cache, or
in the folder that NUMBA_CACHE_DIR names. How loops are compiled belongs in `parsers.compiled`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

import parsers

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

COMPILING: Final = "compiling the loops that read logs, once on this machine: half a minute or so ..."
NO_FOLDER: Final = (
    "no folder can be written that keeps compiled loops, so every process compiles them: name one in NUMBA_CACHE_DIR"
)
_MACHINE_CODE: Final = "*.nbi"
_OWN: Final = Path(parsers.__file__).parent


def delay_reason(environment: Mapping[str, str] = os.environ, own: Path = _OWN) -> str | None:
    """A sentence about why the first reading takes longer; None when the loops are compiled."""
    folder = next(filter(_can_be_written, _folders(environment, own)), None)
    if folder is None:
        return NO_FOLDER
    return None if next(folder.rglob(_MACHINE_CODE), None) else COMPILING


def _folders(environment: Mapping[str, str], own: Path) -> Iterator[Path]:
    """The folders of machine code, in numba's order: it reads and writes the first one that can be written."""
    if named := environment.get("NUMBA_CACHE_DIR"):
        yield Path(named)
    yield own
    users = environment.get("XDG_CACHE_HOME") or Path(environment.get("HOME") or "~").expanduser() / ".cache"
    yield Path(users) / "numba"


def _can_be_written(folder: Path) -> bool:
    """Whether files can be put into a folder, or it into the nearest one above it that is there."""
    place = next(place for place in (folder, *folder.parents) if place.exists())
    is_read_only = bool(os.statvfs(place).f_flag & os.ST_RDONLY)
    return place.is_dir() and os.access(place, os.W_OK) and not is_read_only
