"""Which files are a broker's own text log: server.log, what it was rotated to, and packed ones.

Names only belong here. What is in one is read by `parsers.text.coordinator.log`.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pyarrow import fs

from parsers.sources import resolve

if TYPE_CHECKING:
    from parsers.sources import Place

_NAME: Final = re.compile(r"(?:server\.log|kafkaServer\.out)(?:[.-][0-9A-Za-z._-]+)?")
"""As Kafka's own log4j settings call it; .1 or .2026-11-18-12 when rotated, .gz and the like when packed."""


@dataclass(frozen=True, slots=True)
class TextLog:
    """A broker's text log, as it was listed."""

    path: str
    size_bytes: int
    modified_ms: int | None


def is_text_log(path: str) -> bool:
    """Say whether a file is a broker's text log, by its name."""
    return _NAME.fullmatch(posixpath.basename(path)) is not None


def find_text_logs(named: str) -> list[TextLog]:
    """The file that a place is, or the files below it, that are called so; none where there is no such place."""
    place = resolve(named)
    info = place.info()
    listed = [info] if info.type == fs.FileType.File else place.below(recursive=True)
    files = (one for one in listed if one.type == fs.FileType.File and is_text_log(one.path))
    return sorted((_text_log(place, one) for one in files), key=lambda one: one.path)


def _text_log(place: Place, info: fs.FileInfo) -> TextLog:
    return TextLog(place.child(info.path), info.size, None if info.mtime_ns is None else info.mtime_ns // 1_000_000)
