"""What extracting records costs, by format: `python -m benchmarks.extraction [--mebibytes 256] [--rounds 5]`.

The log is made up: uncompressed batches of 16 KiB with records of a kibibyte, random bytes that no codec makes smaller.
Processor time of one core counts; memory is that of the process at its most, over what it had before it read.
"""

from __future__ import annotations

import argparse
import io
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from assets.extraction.deserialisers import deserialiser
from assets.extraction.extract import Extraction
from assets.extraction.log_copies import file_streams
from assets.extraction.log_ranges import NO_END, LogRange
from assets.extraction.record_files import JsonLineRecords, ParquetRecords, RecordShape
from benchmarks.data_logs import write_data_log
from benchmarks.report import markdown
from benchmarks.rounds import measured
from parsers.files.discovery import UNNAMED_CLUSTER, discover

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.rounds import Rounds
    from parsers.files.discovery import SegmentFile

KINDS: Final = 64
BATCH_BYTES: Final = 16 << 10
WANTED: Final = LogRange(UNNAMED_CLUSTER, "data", 0, 0, NO_END)


class Sink(io.RawIOBase):
    """A stream that counts bytes and keeps none: what a disk takes is not measured."""

    def __init__(self) -> None:
        """Begin with none."""
        self.size_bytes = 0

    def writable(self) -> bool:
        """It takes everything."""
        return True

    def write(self, content: object) -> int:
        """Count them."""
        size_bytes = memoryview(content).nbytes  # type: ignore[arg-type] # whatever bytes a writer hands on
        self.size_bytes += size_bytes
        return size_bytes


def extract(segments: Sequence[SegmentFile], form: str, _path: str) -> int:
    """Extract all records in a format; give how many there were."""
    shape = RecordShape(deserialiser("bytes"), deserialiser("text" if form == "text" else "bytes"))
    extraction = Extraction(WANTED, file_streams(segments, WANTED, [], lambda _size_bytes: None))
    sink = Sink()
    file = ParquetRecords(sink, shape.schema) if form == "parquet" else JsonLineRecords(sink, shape.json_columns)  # type: ignore[arg-type] # a stream
    for records in extraction.batches():
        file.write(shape.rows(WANTED, records))
    file.close()
    return extraction.tally.records


def row(form: str, size_bytes: int, rounds: Rounds) -> list[str]:
    """The row of a format."""
    speed = size_bytes / 1_000_000 / rounds.median_cpu_seconds
    memory = "" if rounds.peak_bytes is None else f"{rounds.peak_bytes >> 20}"
    return [form, f"{speed:,.0f}", f"{(rounds.count or 0) / rounds.median_cpu_seconds / 1e6:.2f}", memory]


def main() -> None:
    """Write the log, and extract it in each format."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mebibytes", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_data_log(Path(folder) / "data-0", 0, (arguments.mebibytes << 20) // BATCH_BYTES, kinds=KINDS)
        segments = discover([folder], None).segments
        size_bytes = sum(one.size_bytes for one in segments)
        rows = [
            row(form, size_bytes, measured(partial(extract, segments, form), folder, arguments.rounds))
            for form in ("parquet", "jsonl")
        ]
    print(markdown(("format", "MB/s of segments", "M records/s", "MiB at most"), rows))


if __name__ == "__main__":
    main()
