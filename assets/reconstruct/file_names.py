"""One partition of one cluster's offsets topic: its name, and the names of the files with its rows.

Put here the names alone. `assets.reconstruct.worker` writes the files.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

NAME: Final = re.compile(r"([0-9a-f]{16}--?\d+)-(final|standing)-(\d+)-(\d+)-\d+(?:-rare)?\.parquet")


class Place(NamedTuple):
    """A partition of the offsets topic, or a store outside Kafka, whose number is negative."""

    cluster: str
    log_partition: int

    @property
    def is_store(self) -> bool:
        """Whether it is a store outside Kafka."""
        return self.log_partition < 0

    @property
    def name(self) -> str:
        """The partition, or the store, in words."""
        if self.is_store:
            return f"offset store {self.log_partition} of cluster {self.cluster}"
        return f"__consumer_offsets-{self.log_partition} of cluster {self.cluster}"

    @property
    def tag(self) -> str:
        """A name for files: a cluster may be called anything."""
        return f"{hashlib.sha256(self.cluster.encode()).hexdigest()[:16]}-{self.log_partition}"


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of a place in a file: final or standing ones, and of which stretch of its log."""

    tag: str
    is_final: bool
    from_offset: int
    to_offset: int

    def file_name(self, number: int) -> str:
        """The name of the file, without its ending; attempts to write it are numbered."""
        kind = "final" if self.is_final else "standing"
        return f"{self.tag}-{kind}-{self.from_offset:020d}-{self.to_offset:020d}-{number}"

    def stay(self, next_offset: int) -> bool:
        """Whether the rows stay when the place is replayed from this offset on.

        Standing rows are told anew; final ones beyond it were left by a run that died before it remembered them.
        """
        return self.is_final and self.to_offset <= next_offset


def rows_in(uri: str) -> Rows | None:
    """The rows of a file by its name; None for a file that the replay did not write."""
    match = NAME.fullmatch(posixpath.basename(uri))
    if match is None:
        return None
    tag, kind, from_offset, to_offset = match.groups()
    return Rows(tag, kind == "final", int(from_offset), int(to_offset))


def join_rows(first: Rows, others: Sequence[Rows]) -> Rows:
    """The rows of one file with all these final rows of one place."""
    parts = (first, *others)
    from_offset, to_offset = min(part.from_offset for part in parts), max(part.to_offset for part in parts)
    return Rows(first.tag, is_final=True, from_offset=from_offset, to_offset=to_offset)
