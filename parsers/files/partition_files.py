"""Which log files of one partition directory hold its log, by their names: all that a broker left, or as tiered.

A segment that was cleaned (.deleted), its unfinished successor (.cleaned) and the finished one (.swap) hold batches of
the same log under the same offsets: they are copies of it, and often the last. Only the rules of names belong here.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from parsers.files.checkpoints import LARGEST_INT64

if TYPE_CHECKING:
    from collections.abc import Sequence

_NAMED: Final = re.compile(r"(?P<offset>[0-9]{20})(?P<kind>\.[a-z]+)(\.(?P<suffix>cleaned|swap|deleted))?")
_TIERED: Final = re.compile(r"(?P<offset>[0-9]{1,20})-[A-Za-z0-9_-]{22}\.log")
"""Start offset and id of a remote segment: a segment that was sent twice has two ids."""
_LOG: Final = ".log"


class ListedFile(NamedTuple):
    """A file of the directory as it was listed."""

    path: str
    size_bytes: int
    modified_ms: int | None


@dataclass(frozen=True)
class SkippedPath:
    """A file or directory that was passed over, and why."""

    path: str
    reason: str


class Segment(NamedTuple):
    """A segment file: the base offset of its name, and what the broker has it called by behind .log, if anything."""

    base_offset: int
    suffix: str | None
    file: ListedFile

    @property
    def is_live(self) -> bool:
        """Whether the broker would go on with it if it started on these files."""
        return self.suffix in {None, "swap"}


@dataclass(frozen=True)
class PartitionFiles:
    """The segment files, by base offset, and the log files that are none."""

    segments: tuple[Segment, ...]
    skipped: tuple[SkippedPath, ...]

    @property
    def first_live_offset(self) -> int | None:
        """Where the first segment that is in use begins; None when there is none."""
        return min((one.base_offset for one in self.segments if one.is_live), default=None)


def choose_segments(files: Sequence[ListedFile]) -> PartitionFiles:
    """Choose the segments of one partition."""
    names = [(file, _NAMED.fullmatch(_name(file.path))) for file in files]
    logs = [Segment(int(name["offset"]), name["suffix"], file) for file, name in names if name and name["kind"] == _LOG]
    odd = [file for file, name in names if name is None and ".log" in posixpath.basename(file.path)]
    known = [one for one in logs if one.base_offset <= LARGEST_INT64]
    skipped = [SkippedPath(file.path, "the name is not 20 digits and .log") for file in odd]
    skipped += [SkippedPath(one.file.path, "no offset is as large as its name") for one in logs if one not in known]
    return PartitionFiles(tuple(sorted(known, key=lambda one: (one.base_offset, one.file.path))), tuple(skipped))


def tiered_segments(files: Sequence[ListedFile]) -> PartitionFiles:
    """Choose the segments that tiered storage holds of one partition: all of them, none is replaced in place."""
    names = [(file, _TIERED.fullmatch(_name(file.path))) for file in files]
    segments = [Segment(int(name["offset"]), None, file) for file, name in names if name]
    known = (one for one in segments if one.base_offset <= LARGEST_INT64)
    return PartitionFiles(tuple(sorted(known, key=lambda one: (one.base_offset, one.file))), ())


def _name(path_or_url: str) -> str:
    """The name of a file; of a URL without the settings behind it, which a path does not have."""
    return posixpath.basename(path_or_url.partition("?")[0] if "://" in path_or_url else path_or_url)
