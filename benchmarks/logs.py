"""Log directories as a broker keeps them: segments that are rolled, their indexes, and the small files beside them.

Only files and names belong here. What is in the batches is `benchmarks.batches`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from benchmarks.batches import Batches
from benchmarks.lexicon import topic_id
from parsers.compiled import compiled
from parsers.layouts.index_files import OFFSET_INDEX

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from parsers.words import Int64Array

SEGMENT_BYTES: Final = 100 << 20
CLUSTER_ID: Final = "madeupMADEUPmadeupMAQ"

_INDEX_EVERY_BYTES: Final = 4096


class _Segment:
    """A segment that is being written."""

    def __init__(self, directory: Path, base_offset: int) -> None:
        self._named = directory / f"{base_offset:020d}"
        self._base_offset = base_offset
        self._file = self._named.with_suffix(".log").open("wb")
        self._index: list[bytes] = []
        self._unindexed_bytes = 0
        self.size_bytes = 0

    def write(self, batches: Batches) -> None:
        """Append batches, and note those that an index names."""
        self._file.write(batches.content.data)
        noted, self._unindexed_bytes = _noted(batches.size_bytes, self._unindexed_bytes)
        entries = np.empty(len(noted), OFFSET_INDEX)
        entries["relative_offset"] = batches.last_offset[noted] - self._base_offset
        entries["position"] = self.size_bytes + (np.cumsum(batches.size_bytes) - batches.size_bytes)[noted]
        self._index.append(entries.tobytes())
        self.size_bytes += len(batches.content)

    def close(self) -> None:
        """Write the index, and let go of the file."""
        self._file.close()
        self._named.with_suffix(".index").write_bytes(b"".join(self._index))


class PartitionLog:
    """The directory of one partition: a new segment begins where the old one is full."""

    def __init__(self, directory: Path, base_offset: int = 0, segment_bytes: int = SEGMENT_BYTES) -> None:
        """Begin the first segment, and write the files beside it."""
        self._directory, self._segment_bytes = directory, segment_bytes
        directory.mkdir(parents=True)
        topic = directory.name.rpartition("-")[0]
        (directory / "partition.metadata").write_text(f"version: 0\ntopic_id: {topic_id(topic)}\n")
        (directory / "leader-epoch-checkpoint").write_text(f"0\n1\n0 {base_offset}\n")
        self.next_offset = base_offset
        self._segment = _Segment(directory, base_offset)

    def append(self, batches: Batches) -> None:
        """Write batches to the end of the log."""
        while len(batches.size_bytes):
            room = self._segment_bytes - self._segment.size_bytes
            count = int(np.searchsorted(np.cumsum(batches.size_bytes), room, side="right"))
            if count == 0 and self._segment.size_bytes:
                self._roll()
                continue
            here, batches = _cut(batches, max(count, 1))
            self._segment.write(here)
            self.next_offset = int(here.last_offset[-1]) + 1

    def close(self) -> None:
        """Close the last segment."""
        self._segment.close()

    def _roll(self) -> None:
        self._segment.close()
        self._segment = _Segment(self._directory, self.next_offset)


def _cut(batches: Batches, count: int) -> tuple[Batches, Batches]:
    """Cut off the first batches."""
    size = int(batches.size_bytes[:count].sum())
    first = Batches(batches.content[:size], *(column[:count] for column in batches[1:]))
    return first, Batches(batches.content[size:], *(column[count:] for column in batches[1:]))


@compiled
def _noted(size_bytes: Int64Array, unindexed_bytes: int) -> tuple[Int64Array, int]:
    """Give the batches before which more than _INDEX_EVERY_BYTES were written since the last that was noted."""
    noted, count = np.empty(len(size_bytes), np.int64), 0
    for batch in range(len(size_bytes)):
        if unindexed_bytes > _INDEX_EVERY_BYTES:
            noted[count], count, unindexed_bytes = batch, count + 1, 0
        unindexed_bytes += size_bytes[batch]
    return noted[:count], unindexed_bytes


def write_root(directory: Path, log_starts: Mapping[str, int], log_ends: Mapping[str, int]) -> None:
    """Write the files in the root of a log directory; `log_starts` and `log_ends` are by directory of a partition."""
    (directory / "meta.properties").write_text(f"version=1\ncluster.id={CLUSTER_ID}\nnode.id=1\n")
    for name, offsets in (("log-start", log_starts), ("replication", log_ends)):
        lines = [f"{' '.join(partition.rsplit('-', 1))} {offset}" for partition, offset in offsets.items()]
        text = "\n".join(["0", str(len(lines)), *lines, ""])
        (directory / f"{name}-offset-checkpoint").write_text(text)
