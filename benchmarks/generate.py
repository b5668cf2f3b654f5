"""Make up the log directory of a broker: `python -m benchmarks.generate --commits 2_000_000 --out DIRECTORY`.

The order of the work and its command line belong here. Groups, bytes and files have modules of their own.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.batches import CODECS, Stamps, frame, write_bodies
from benchmarks.crowd import Shape, commits_by_partition, gather
from benchmarks.data_logs import RECORDS_PER_BATCH, write_data_log
from benchmarks.lexicon import compile_lexicon
from benchmarks.logs import SEGMENT_BYTES, PartitionLog, write_root
from benchmarks.traffic import Traffic, beginning

OFFSETS_TOPIC: Final = "__consumer_offsets"


@dataclass(frozen=True)
class Files:
    """How the logs are stored."""

    directory: Path
    codec: str = "none"
    segment_bytes: int = SEGMENT_BYTES


class Broker:
    """A broker's log directory that is being made up."""

    def __init__(self, shape: Shape, files: Files) -> None:
        """Make up the groups; nothing is written yet."""
        self.shape, self.files = shape, files
        self.crowd = gather(shape)
        self.progress = beginning(self.crowd)
        self._log_starts: dict[str, int] = {}
        self._log_ends: dict[str, int] = {}

    def write_offsets(self) -> None:
        """Write all partitions of the offsets topic."""
        phrases, lexicon = compile_lexicon(self.crowd)
        for partition, commits in enumerate(commits_by_partition(self.shape, self.crowd).tolist()):
            name, traffic = f"{OFFSETS_TOPIC}-{partition}", Traffic(self.shape, self.crowd, partition)
            log = PartitionLog(self.files.directory / name, segment_bytes=self.files.segment_bytes)
            for drawn, rows in traffic.chunks(commits, lexicon, self.progress):
                bodies = write_bodies(phrases, rows, drawn.record_count, self.files.codec)
                offsets = log.next_offset + np.cumsum(drawn.record_count) - drawn.record_count
                log.append(frame(bodies, Stamps(offsets, drawn.record_count, drawn.timestamp_ms)))
            log.close()
            self._log_ends[name] = log.next_offset

    def write_data(self, batches: int) -> None:
        """Write the last batches of each log that is committed, up to behind the commit that is farthest."""
        for name, committed in self._farthest_commits().items():
            last_batch = max(batches, committed // RECORDS_PER_BATCH + 1)
            first = (last_batch - batches) * RECORDS_PER_BATCH
            self._log_ends[name] = write_data_log(self.files.directory / name, first, batches)
            self._log_starts[name] = first + RECORDS_PER_BATCH  # the first batch is as if DeleteRecords had been there

    def write_root(self) -> None:
        """Write the files that say which cluster this is, and where its logs begin and end."""
        write_root(self.files.directory, self._log_starts, self._log_ends)

    def _farthest_commits(self) -> dict[str, int]:
        farthest: dict[str, int] = defaultdict(int)
        for key, committed in zip(self.crowd.keys, self.progress.committed.tolist(), strict=True):
            name = f"{self.crowd.topics[key.topic]}-{key.partition}"
            farthest[name] = max(farthest[name], committed)
        return farthest


def main() -> None:
    """Read the command line, write, and say how fast."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.generate", description=__doc__)
    parser.add_argument("--commits", type=int, required=True)
    parser.add_argument("--out", type=Path, required=True, help="a directory that does not exist yet")
    parser.add_argument("--groups", type=int, default=Shape.groups)
    parser.add_argument("--topics", type=int, default=Shape.topics)
    parser.add_argument("--partitions", type=int, default=Shape.log_partitions, help="of the offsets topic")
    parser.add_argument("--hot-share", type=float, default=Shape.hot_share, help="of the fullest partition")
    parser.add_argument("--seed", type=int, default=Shape.seed)
    parser.add_argument("--codec", choices=sorted(CODECS), default=Files.codec)
    parser.add_argument("--segment-bytes", type=int, default=Files.segment_bytes)
    parser.add_argument("--data-batches", type=int, default=2, help="of 16 KiB, per partition; 0 for none")
    arguments = parser.parse_args()
    shape = Shape(
        arguments.commits,
        arguments.groups,
        arguments.topics,
        arguments.partitions,
        arguments.hot_share,
        seed=arguments.seed,
    )
    broker = Broker(shape, Files(arguments.out, arguments.codec, arguments.segment_bytes))
    begun = time.perf_counter()
    broker.write_offsets()
    seconds = time.perf_counter() - begun
    print(f"{arguments.commits:,} commits in {seconds:.1f} s: {arguments.commits / seconds / 1e6:.2f} M/s")
    if arguments.data_batches:
        broker.write_data(arguments.data_batches)
    broker.write_root()


if __name__ == "__main__":
    main()
