"""Archived rows of dumps that a log's rows replace: they leave the archive in the commit that adds the log's rows.

Put here which rows go. `assets.ingest.comparison.dedupe` decides whether a log's row replaces a dump's or contradicts
it.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.catalog import TABLES
from assets.ingest.comparison.identities import RECORDS
from assets.storage.data_files import as_one
from assets.storage.parquet_files import TableFiles, is_from_dump

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assets.storage.data_files import DataFile
    from assets.storage.transaction import ArchivedFile

IDENTITY = ("cluster", "log_partition", "log_offset")


def supersede(
    archived: Sequence[ArchivedFile], new: Sequence[DataFile], folder: str
) -> tuple[list[ArchivedFile], list[DataFile]]:
    """The archived files of dumps with rows that the new files replace, and new files with the rest of their rows."""
    log_files = [file for file in new if not is_from_dump(file.path)]
    dump_files = [file for file in archived if is_from_dump(file.uri)]
    with TableFiles({RECORDS.table: folder}, "untold") as files:
        superseded = [
            file
            for file in dump_files
            if _write_rest(file, [one for one in log_files if file.may_hold(_bounds(one))], files)
        ]
    return superseded, [file for _table, file in files.written()]


def _bounds(file: DataFile) -> dict[str, tuple[int, int]]:
    return {
        name: (file.minimum[name], file.maximum[name])
        for name in ("log_partition", "log_offset")
        if name in file.minimum and name in file.maximum
    }


def _write_rest(file: ArchivedFile, log_files: Sequence[DataFile], files: TableFiles) -> bool:
    """Whether new files replace rows of a file; if so, its other rows are written to `files`."""
    if not log_files:
        return False
    offsets = _offsets(file, log_files)
    if not any(_is_among(batch, offsets).any() for batch in _batches(file, list(IDENTITY))):
        return False
    for batch in _batches(file):
        files.write(RECORDS.table, batch.filter(pa.array(~_is_among(batch, offsets))))
    return True


def _offsets(file: ArchivedFile, log_files: Sequence[DataFile]) -> dict[tuple[str, int], np.ndarray]:
    """The new offsets within the bounds of a file, by log."""
    by_log: dict[tuple[str, int], list[np.ndarray]] = defaultdict(list)
    low, high = file.minimum.get("log_offset", 0), file.maximum.get("log_offset", (1 << 63) - 1)
    wanted = (pc.field("log_offset") >= low) & (pc.field("log_offset") <= high)
    rows = as_one([one.path for one in log_files], TABLES[RECORDS.table].schema)
    for batch in rows.to_batches(columns=list(IDENTITY), filter=wanted):
        for log in _logs(batch):
            by_log[log].append(batch.filter(_is_of(batch, log)).column("log_offset").to_numpy())
    return {log: np.unique(np.concatenate(some)) for log, some in by_log.items()}


def _batches(file: ArchivedFile, columns: list[str] | None = None) -> Iterator[pa.RecordBatch]:
    yield from as_one([file.uri], TABLES[RECORDS.table].schema).to_batches(columns=columns)


def _is_among(batch: pa.RecordBatch, offsets: dict[tuple[str, int], np.ndarray]) -> np.ndarray:
    among = np.zeros(batch.num_rows, np.bool_)
    for log in _logs(batch):
        if log in offsets:
            is_of = _is_of(batch, log).to_numpy(zero_copy_only=False)
            among |= is_of & np.isin(batch.column("log_offset").to_numpy(), offsets[log])
    return among


def _logs(batch: pa.RecordBatch) -> list[tuple[str, int]]:
    """The logs that a batch has rows of."""
    logs = pa.table({name: batch.column(name) for name in IDENTITY[:2]}).group_by(list(IDENTITY[:2])).aggregate([])
    return list(zip(*(logs.column(name).to_pylist() for name in IDENTITY[:2]), strict=True))


def _is_of(batch: pa.RecordBatch, log: tuple[str, int]) -> pa.BooleanArray:
    is_of = [pc.equal(batch.column(name), value) for name, value in zip(IDENTITY, log, strict=False)]
    return pc.and_(*is_of)
