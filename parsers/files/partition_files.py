"""Which log files of one partition directory count: by the rules that a broker applies when it starts, or as tiered.

Only the rules of names belong here (.cleaned, .swap, .deleted), applied without touching a file.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from parsers.files.checkpoints import LARGEST_INT64
from parsers.log.segments import walk
from parsers.sources import open_file

if TYPE_CHECKING:
    from collections.abc import Sequence

_NAMED: Final = re.compile(r"(?P<offset>[0-9]{20})(?P<kind>\.[a-z]+)(?P<suffix>\.cleaned|\.swap|\.deleted)?")
_TIERED: Final = re.compile(r"(?P<offset>[0-9]{1,20})-[A-Za-z0-9_-]{22}\.log")
"""Start offset and id of a remote segment: a segment that was sent twice has two ids."""
_LOG: Final = ".log"


class ListedFile(NamedTuple):
    """A file of the directory as it was listed."""

    path: str
    size_bytes: int
    modified_ms: int | None


@dataclass(frozen=True)
class Skipped:
    """A file or directory that was passed over, and why."""

    path: str
    reason: str


@dataclass(frozen=True)
class Chosen:
    """The segment files that count, by base offset, and the log files that do not."""

    segments: tuple[tuple[int, ListedFile], ...]
    skipped: tuple[Skipped, ...]


class _Named(NamedTuple):
    offset: int
    suffix: str
    file: ListedFile


def choose_segments(files: Sequence[ListedFile]) -> Chosen:
    """Choose the segments of one partition: what the broker would keep if it started on these files."""
    names = [(file, _NAMED.fullmatch(_name(file.path))) for file in files]
    logs = [
        _Named(int(name["offset"]), name["suffix"] or "", file) for file, name in names if name and name["kind"] == _LOG
    ]
    known = [one for one in logs if one.offset <= LARGEST_INT64]
    odd = [file for file, name in names if name is None and ".log" in posixpath.basename(file.path)]
    cleaned = min((int(name["offset"]) for _file, name in names if name and name["suffix"] == ".cleaned"), default=None)
    swaps = [one for one in known if one.suffix == ".swap" and (cleaned is None or one.offset < cleaned)]
    replaced = _replaced_offsets(swaps)
    reasons = {one.file.path: _reason(one, swaps, replaced) for one in known}
    kept = sorted((one for one in known if reasons[one.file.path] is None), key=lambda one: one.offset)
    skipped = [Skipped(path, reason) for path, reason in reasons.items() if reason is not None]
    skipped += [Skipped(file.path, "the name is not 20 digits and .log") for file in odd]
    skipped += [Skipped(one.file.path, "no offset is as large as its name") for one in logs if one not in known]
    return Chosen(tuple((one.offset, one.file) for one in kept), tuple(skipped))


def tiered_segments(files: Sequence[ListedFile]) -> Chosen:
    """Choose the segments that tiered storage holds of one partition: all of them, none is replaced in place."""
    names = [(file, _TIERED.fullmatch(_name(file.path))) for file in files]
    found = sorted((offset, file) for file, name in names if name and (offset := int(name["offset"])) <= LARGEST_INT64)
    return Chosen(tuple(found), ())


def _name(path_or_url: str) -> str:
    """The name of a file; of a URL without the settings behind it, which a path does not have."""
    return posixpath.basename(path_or_url.partition("?")[0] if "://" in path_or_url else path_or_url)


def _reason(one: _Named, swaps: Sequence[_Named], replaced: range) -> str | None:
    """Say why a log file does not count, or None when it does."""
    if one.suffix == ".deleted":
        return "scheduled for deletion"
    if one.suffix == ".cleaned":
        return "output of an unfinished cleaning"
    if one.suffix == ".swap":
        return None if one in swaps else "a swap file at or after the first .cleaned file: the broker drops it"
    is_replaced = one.offset in replaced or any(one.offset == swap.offset for swap in swaps)
    return "replaced by a .swap file" if is_replaced else None


def _replaced_offsets(swaps: Sequence[_Named]) -> range:
    """Give the base offsets that complete swap files stand for: from their first offset to their last next offset."""
    if not swaps:
        return range(0)
    return range(min(swap.offset for swap in swaps), max(_next_offset(swap) for swap in swaps))


def _next_offset(swap: _Named) -> int:
    """Give the offset after the last batch of a segment; its base offset when it is empty."""
    with open_file(swap.file.path) as source:
        last = [piece.batches["last_offset"][-1].as_py() for piece in walk(source, bodies=False) if len(piece.batches)]
    return last[-1] + 1 if last else swap.offset
