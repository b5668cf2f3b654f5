"""The places a user names, wildcards expanded: on any file system, and without a shell.

Only names are matched here. What stands in a place is looked for by `parsers.files.discovery`.
"""

from __future__ import annotations

import posixpath
import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

from pyarrow import fs

from parsers.errors import SourceError
from parsers.sources import Place, resolve

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_WILD: Final = re.compile(r"[*?\[]")
_WILD_IN_URL: Final = re.compile(r"\*")  # the others have a meaning of their own there


def expand(named: str) -> list[str]:
    """Give the places that a pattern such as `/data/broker-*/logs` names, in order; a plain place names itself."""
    if not (_WILD_IN_URL if "://" in named else _WILD).search(named):
        return [named]
    place = resolve(named)
    if place.info().type != fs.FileType.NotFound:
        return [named]
    matches = sorted(place.child(inner) for inner in _matching(place))
    if not matches:
        raise SourceError(f"{named}: nothing there matches the pattern")
    return matches


def _matching(place: Place) -> list[str]:
    """Go down folder by folder: only where a part of the pattern is wild is anything listed."""
    first, *parts = place.inner.split("/")
    paths = [first]
    for part in parts:
        paths = list(_children(place, paths, part)) if _WILD.search(part) else [f"{one}/{part}" for one in paths]
    return [one for one in paths if place.info(one).type != fs.FileType.NotFound]


def _children(place: Place, folders: Iterable[str], pattern: str) -> Iterator[str]:
    for folder in folders:
        for info in place.below(folder or "/"):
            name = posixpath.basename(info.path)
            if fnmatchcase(name, pattern) and not (name.startswith(".") and not pattern.startswith(".")):
                yield f"{folder}/{name}"
