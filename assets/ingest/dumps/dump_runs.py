"""The work of Spark tasks on dumps: sort their records by partition and offset into temporary runs, and read the runs.

Put here what runs in a Spark task. Which dumps are read, and their rows of raw.segments, belong in
`assets.ingest.dumps.dump_files`; the records of a run are archived like those of any log.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from blake3 import blake3

from assets.catalog.raw.records import SOURCE
from assets.ingest.comparison.copies import Part
from assets.ingest.comparison.dedupe import unequal
from assets.ingest.comparison.identities import RECORDS
from assets.storage.data_files import locate
from assets.storage.parquet_files import TableFiles
from parsers.errors import SourceError, StoreError, VanishedError
from parsers.exports.files import ExportFile, Form, read_export
from parsers.files.discovery import OFFSETS_TOPIC
from parsers.log.damage.quarantine import quarantine_table
from parsers.messages.arrays.schemas import null_array
from parsers.offset_records import RECORD_SCHEMA
from parsers.sources import open_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from assets.ingest.work_units import DumpRun
    from parsers.exports.files import FilePart
    from parsers.exports.records import ExportSlice

RUN_ROWS: Final = 1 << 18
RUN_BYTES: Final = 64 << 20
"""The size of a run: so much is sorted in memory at a time."""
ROW_GROUP_ROWS: Final = 1 << 13
"""Rows of each run in memory while several are read side by side."""
MOST_LAYERS: Final = 8
HASHED_BYTES: Final = 8 << 20
SAME: Final = ("log_partition", "log_offset")


@dataclass(frozen=True, slots=True)
class Dump:
    """A file with records of the offsets topic that a tool wrote, and where it may be cut."""

    cluster: str
    file: ExportFile
    form: Form
    cuts: tuple[FilePart, ...]

    @property
    def source(self) -> str:
        """The word for its kind, as raw.segments has it."""
        return "text" if self.form is Form.TEXT else "dump"


@dataclass(frozen=True, slots=True)
class DumpJob:
    """The output of the tasks that read dumps: a folder for runs, one for each table, and the time of the read."""

    runs_folder: str
    folders: dict[str, str]
    read_at: datetime


@dataclass(frozen=True, slots=True)
class DumpCut:
    """A part of a dump for one task."""

    dump: Dump
    number: int
    job: DumpJob


def read_cut(work: DumpCut, name: str) -> dict[str, Any]:
    """Sort the records of a part into runs; the runs, files and errors as JSON."""
    runs: list[dict[str, Any]] = []
    error, complaint, file_digest, is_gone = None, None, None, False
    with TableFiles(work.job.folders, name) as files:
        try:
            file_digest = digest(work.dump.file) if not work.number else None
            for number, rows in enumerate(_runs(work.dump.file.path, _read_slices(work, files))):
                runs += _write(rows, f"{work.job.runs_folder}/{name}-{number:05d}.parquet")
        except StoreError as unreachable:
            complaint = f"{unreachable}; the next run reads it"
        except SourceError as refused:
            error, is_gone = str(refused), isinstance(refused, VanishedError)
    written = files.written()
    troubles = sum(file.rows for _table, file in written)
    files_written = [{"table": table, **asdict(file)} for table, file in written]
    answer = {"runs": runs, "files": files_written, "troubles": troubles, "blake3": file_digest}
    return {**answer, "error": error, "is_gone": is_gone, "complaint": complaint}


def digest(file: ExportFile) -> str:
    """The BLAKE3 digest of a file as far as it was listed."""
    hasher, position = blake3(), 0
    with open_file(file.path) as source:
        while position < file.size_bytes:
            piece = source.read(position, min(HASHED_BYTES, file.size_bytes - position))
            if not len(piece):
                raise VanishedError(f"{file.path}: it became shorter while it was read; the next run reads it")
            hasher.update(piece.data)
            position += len(piece)
    return hasher.hexdigest()


def read_dump_run(run: DumpRun) -> Iterator[Part]:
    """The records of a run that are of its partition and within its bounds."""
    system, name = locate(run.file)
    first, partition = run.segment.base_offset, run.segment.partition
    with system.open_input_file(name) as handle, pq.ParquetFile(handle) as file:
        for number in range(file.metadata.num_row_groups):
            if not _may_hold(file.metadata.row_group(number), run):
                continue
            rows = pa.Table.from_batches(file.iter_batches(ROW_GROUP_ROWS, row_groups=[number])).combine_chunks()
            offset = pc.field("log_offset")
            wanted = (pc.field("log_partition") == partition) & (offset >= first) & (offset < run.end_offset)
            for batch in rows.filter(wanted).combine_chunks().to_batches():
                yield Part(run.segment, _fill(batch, run), batch.column("log_offset").to_numpy(), run.source)


def _fill(batch: pa.RecordBatch, run: DumpRun) -> pa.RecordBatch:
    """The records with every column, and with their source."""
    columns = [
        batch.column(field.name) if field.name in batch.schema.names else null_array(field.type, batch.num_rows)
        for field in RECORD_SCHEMA
    ]
    sources = pa.repeat(pa.scalar(run.source), batch.num_rows)
    return pa.RecordBatch.from_arrays([*columns, sources], names=[*RECORD_SCHEMA.names, SOURCE])


def _may_hold(group: pq.RowGroupMetaData, run: DumpRun) -> bool:
    partition = group.column(RECORD_SCHEMA.get_field_index("log_partition")).statistics
    return bool(partition.min <= run.segment.partition <= partition.max)


def _read_slices(work: DumpCut, files: TableFiles) -> Iterator[pa.Table]:
    """The records of a part, slice by slice; unreadable ones go to the quarantine."""
    dump = work.dump
    place = {"cluster": dump.cluster, "topic": OFFSETS_TOPIC, "partition": None, "path": dump.file.path}
    for export_slice in read_export(dump.file, dump.form, dump.cuts[work.number]):
        files.write("raw.quarantine", quarantine_table(export_slice.troubles), {**place, "read_at": work.job.read_at})
        if export_slice.records.num_rows:
            yield _plain(export_slice)


def _plain(export_slice: ExportSlice) -> pa.Table:
    """The records with text as text, since every slice has dictionaries of its own."""
    return pa.Table.from_batches([export_slice.records]).cast(RECORD_SCHEMA)


def _runs(path: str, slices: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """Slices gathered and sorted by partition and offset."""
    gathered: list[pa.Table] = []
    for rows in slices:
        gathered.append(rows)
        if sum(one.num_rows for one in gathered) >= RUN_ROWS or sum(one.nbytes for one in gathered) >= RUN_BYTES:
            yield from _layers(path, pa.concat_tables(gathered))
            gathered = []
    if gathered:
        yield from _layers(path, pa.concat_tables(gathered))


def _layers(path: str, rows: pa.Table, most: int = MOST_LAYERS) -> Iterator[pa.Table]:
    """The rows sorted, each partition and offset once; a differing row of the same offset is in the next layer."""
    if not most:
        raise SourceError(f"{path}: it says more than {MOST_LAYERS} different things of one partition and offset")
    rows = rows.sort_by([(name, "ascending") for name in SAME]).combine_chunks()
    is_repeated = _is_repeated(rows)
    if not is_repeated.any():
        yield rows
        return
    yield rows.filter(pa.array(~is_repeated))
    at = np.flatnonzero(is_repeated)
    differs = np.zeros(len(at), np.bool_)
    for name in RECORDS.compared:
        if name in RECORD_SCHEMA.names:
            column = rows.column(name)
            differs |= unequal(*(column.take(pa.array(each)).combine_chunks() for each in (at - 1, at)))
    if differs.any():
        yield from _layers(path, rows.take(pa.array(at[differs])), most - 1)


def _is_repeated(rows: pa.Table) -> np.ndarray:
    columns = [rows.column(name).to_numpy() for name in SAME]
    return np.concatenate([[False], np.logical_and(*(column[1:] == column[:-1] for column in columns))])


def _write(rows: pa.Table, path: str) -> list[dict[str, Any]]:
    """Write a run without its empty columns; a description of each partition's rows in it."""
    system, name = locate(path)
    columns = [name for name in rows.column_names if name in SAME or rows.column(name).null_count < rows.num_rows]
    pq.write_table(rows.select(columns), name, filesystem=system, row_group_size=ROW_GROUP_ROWS, compression="zstd")
    partition, offset = (rows.column(name).to_numpy() for name in SAME)
    starts = np.concatenate([[0], np.flatnonzero(np.diff(partition)) + 1])
    ends = [*starts[1:].tolist(), len(partition)]
    return [
        {
            "file": path,
            "partition": int(partition[start]),
            "first_offset": int(offset[start]),
            "end_offset": int(offset[end - 1]) + 1,
            "rows": end - start,
        }
        for start, end in zip(starts.tolist(), ends, strict=True)
    ]
