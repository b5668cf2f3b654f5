"""Dumps of the offsets topic in a run: which are new, how they are cut for the tasks, and their rows of raw.segments.

Put here what the driver does with dumps. Reading one belongs in `assets.ingest.dumps.dump_runs`, the formats in
`parsers.exports`.
"""

from __future__ import annotations

from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow.parquet as pq

from assets.duckdb.database import in_memory
from assets.ingest.dumps.dump_runs import Dump, DumpCut, DumpJob, digest, read_cut
from assets.ingest.slice_writer import Tally
from assets.ingest.work_units import DumpRun
from assets.spark.tasks import file_name, run_tasks
from assets.storage.data_files import DataFile, locate
from parsers.errors import SourceError
from parsers.exports.files import ExportFile, examine
from parsers.files.discovery import OFFSETS_TOPIC, SegmentFile
from parsers.log.damage.quarantine import Trouble, quarantine_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from pyspark.sql import SparkSession

    from assets.storage.warehouse import Warehouse

CUT_BYTES: Final = 64 << 20
OPENED_AT_ONCE: Final = 16
REMEMBERED: Final = """
SELECT cluster, path, arg_max(size_bytes, read_at), arg_max(modified_ms, read_at), arg_max(blake3, read_at),
       arg_max(partition, read_at)
FROM raw.segments WHERE source IN ('dump', 'text') GROUP BY ALL
"""

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class KnownDump:
    """A dump as it was read."""

    cluster: str
    path: str
    size_bytes: int
    modified_ms: int | None
    blake3: str
    partition: int


class KnownDumps:
    """The dumps that the archive remembers, by path, and by size for those that lie elsewhere now."""

    def __init__(self, dumps: Iterable[KnownDump]) -> None:
        """Take the latest read of each path."""
        self._by_path: dict[tuple[str, str], KnownDump] = {}
        self._by_size: dict[tuple[str, int], list[KnownDump]] = defaultdict(list)
        for dump in dumps:
            self._by_path[dump.cluster, dump.path] = dump
            self._by_size[dump.cluster, dump.size_bytes].append(dump)

    def has(self, cluster: str, file: ExportFile) -> bool:
        """Whether this very file was read and is unchanged, by its size and time alone."""
        known = self._by_path.get((cluster, file.path))
        return known is not None and (known.size_bytes, known.modified_ms) == (file.size_bytes, file.modified_ms)

    def same_as(self, dump: Dump) -> KnownDump | None:
        """The dump with the same bytes, whatever its path and time."""
        candidates = self._by_size.get((dump.cluster, dump.file.size_bytes), [])
        if not candidates:
            return None
        try:
            blake3 = digest(dump.file)
        except SourceError:
            return None
        return next((known for known in candidates if known.blake3 == blake3), None)


@dataclass(slots=True)
class DumpResult:
    """The result of reading dumps: runs by partition, rows of other tables, and files that are written already."""

    runs: dict[tuple[str, str, int], list[tuple[DumpRun, ...]]] = field(default_factory=dict)
    segments: list[Row] = field(default_factory=list)
    broken: list[Row] = field(default_factory=list)
    files: list[tuple[str, DataFile]] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)


def known_dumps(warehouse: Warehouse) -> KnownDumps:
    """All reads of dumps, from raw.segments."""
    with in_memory(warehouse, ["raw.segments"]) as connection:
        rows = connection.sql(REMEMBERED).fetchall()
    return KnownDumps(KnownDump(*row) for row in rows)


def plan_dumps(files: Sequence[ExportFile], cluster: str, known: KnownDumps) -> tuple[list[Dump], list[str]]:
    """The new dumps among the files, and a sentence for each file that can't be read as one."""
    new = [file for file in files if not known.has(cluster, file)]
    with ThreadPoolExecutor(OPENED_AT_ONCE) as pool:
        results = list(pool.map(lambda file: _dump(file, cluster), new))
    return [one for one in results if isinstance(one, Dump) and one.cuts], [
        one for one in results if isinstance(one, str)
    ]


def read_dumps(spark: SparkSession, dumps: Sequence[Dump], known: KnownDumps, job: DumpJob) -> DumpResult:
    """The records of dumps in runs, sorted by Spark tasks; dumps with the bytes of a known one are not read."""
    result = DumpResult()
    with ThreadPoolExecutor(OPENED_AT_ONCE) as pool:
        same = list(pool.map(known.same_as, dumps))
    result.segments += [_account_of_copy(dump, one, job.read_at) for dump, one in zip(dumps, same, strict=True) if one]
    new = [dump for dump, one in zip(dumps, same, strict=True) if one is None]
    cuts = [DumpCut(dump, number, job) for dump in new for number in range(len(dump.cuts))]

    def read(number: int, attempt: int) -> dict[str, Any]:
        """The runs of one cut."""
        return read_cut(cuts[number], file_name(number, attempt))

    answers = iter(run_tasks(spark, [cut.dump.file.path for cut in cuts], read))
    runs = [run for dump in new for run in _collect(dump, [next(answers) for _cut in dump.cuts], result, job.read_at)]
    for run in sorted(runs, key=lambda run: (run.segment.base_offset, run.end_offset)):
        place = run.segment.cluster, OFFSETS_TOPIC, run.segment.partition
        result.runs[place] = _append_to_chain(result.runs.get(place, []), run)
    return result


def _dump(file: ExportFile, cluster: str) -> Dump | str:
    """A file with its form and parts, or why it is no dump."""
    try:
        form, cuts = examine(file, CUT_BYTES)
    except SourceError as error:
        return str(error)
    return Dump(cluster, file, form, tuple(cuts))


def _collect(dump: Dump, answers: Sequence[Row], result: DumpResult, read_at: datetime) -> list[DumpRun]:
    """The runs of one dump; if one of its parts could not be read, the dump is quarantined as a whole."""
    for answer in answers:
        for fields in answer["files"]:
            result.files.append((fields.pop("table"), DataFile(**fields)))
    errors = [answer["error"] for answer in answers if answer["error"]]
    result.unreadable += [answer["error"] for answer in answers if answer["error"] and not answer["is_gone"]][:1]
    complaints = [answer["complaint"] for answer in answers if answer["complaint"]]
    runs = [_run(dump, run) for answer in answers for run in answer["runs"]]
    result.complaints += complaints
    if complaints:
        return []
    if errors or not runs:
        result.broken.append(_broken_row(dump, errors[0] if errors else "no record of __consumer_offsets", read_at))
        return []
    troubles = sum(answer["troubles"] for answer in answers)
    result.segments += _accounts(dump, runs, answers[0]["blake3"], troubles, read_at)
    return runs


def _run(dump: Dump, fields: Row) -> DumpRun:
    segment = SegmentFile(
        cluster=dump.cluster,
        broker_id=None,
        topic=OFFSETS_TOPIC,
        partition=fields["partition"],
        base_offset=fields["first_offset"],
        path=dump.file.path,
        size_bytes=dump.file.size_bytes,
        modified_ms=dump.file.modified_ms,
        topic_id=None,
        log_start_offset=None,
        high_watermark=None,
    )
    return DumpRun(segment, fields["end_offset"], fields["rows"], fields["file"], dump.source)


def _append_to_chain(chains: list[tuple[DumpRun, ...]], run: DumpRun) -> list[tuple[DumpRun, ...]]:
    """The chains with a run appended to the first chain that ends before it, else as a chain of its own."""
    for number, chain in enumerate(chains):
        if chain[-1].end_offset <= run.segment.base_offset:
            return [*chains[:number], (*chain, run), *chains[number + 1 :]]
    return [*chains, (run,)]


def _accounts(dump: Dump, runs: Sequence[DumpRun], blake3: str, troubles: int, read_at: datetime) -> Iterator[Row]:
    """A row of raw.segments for each partition of a dump; its troubles are counted with the first."""
    by_partition: dict[int, list[DumpRun]] = defaultdict(list)
    for run in sorted(runs, key=lambda run: (run.segment.partition, run.segment.base_offset)):
        by_partition[run.segment.partition].append(run)
    for partition, some in by_partition.items():
        first, end = some[0].segment.base_offset, max(run.end_offset for run in some)
        tally = Tally(
            end_position=dump.file.size_bytes,
            record_count=_distinct(some),
            quarantined_count=troubles,
            first_offset=first,
            last_offset=end - 1,
        )
        yield {**_account(dump, partition, tally, read_at), "blake3": blake3, "from_offset": first, "end_offset": end}
        troubles = 0


def _account(dump: Dump, partition: int, tally: Tally, read_at: datetime) -> Row:
    return {
        **asdict(tally),
        "cluster": dump.cluster,
        "topic": OFFSETS_TOPIC,
        "partition": partition,
        "source": dump.source,
        "base_offset": tally.first_offset or 0,
        "path": dump.file.path,
        "size_bytes": dump.file.size_bytes,
        "modified_ms": dump.file.modified_ms,
        "read_at": read_at,
    }


def _account_of_copy(dump: Dump, known: KnownDump, read_at: datetime) -> Row:
    """The row of raw.segments of a copy of a known dump, which makes its path and time known, too."""
    tally = Tally(dump.file.size_bytes, dump.file.size_bytes, is_continued=True)
    row = _account(dump, known.partition, tally, read_at)
    return {**row, "blake3": known.blake3, "from_offset": 0, "end_offset": None}


def _distinct(runs: Sequence[DumpRun]) -> int:
    """The number of distinct offsets in the runs of one partition."""
    if all(before.end_offset <= after.segment.base_offset for before, after in pairwise(runs)):
        return sum(run.rows for run in runs)
    return len(np.unique(np.concatenate([_offsets(run) for run in runs])))


def _offsets(run: DumpRun) -> np.ndarray:
    system, name = locate(run.file)
    wanted = [("log_partition", "=", run.segment.partition)]
    table = pq.read_table(name, filesystem=system, columns=["log_offset"], filters=wanted)
    offsets: np.ndarray = table.column(0).to_numpy()
    return offsets


def _broken_row(dump: Dump, reason: str, read_at: datetime) -> Row:
    bad = Trouble(0, dump.file.size_bytes, None, "unreadable file", "a dump of the offsets topic", reason, b"")
    return {
        **quarantine_row(bad),
        "cluster": dump.cluster,
        "topic": OFFSETS_TOPIC,
        "path": dump.file.path,
        "read_at": read_at,
    }
