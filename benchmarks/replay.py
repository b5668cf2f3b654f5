"""From raw records to core tables: `python -m benchmarks.replay 20 200` measures so many million commits.

Only this measurement belongs here: commits made up in memory and archived, then replayed by two processes. That more
of them cost more time and no more memory is what it shows.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from multiprocessing import get_context
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from assets.catalog import TABLES
from assets.catalog.raw.records import OFFSET_RECORDS
from assets.reconstruct.checkpoint import CHECKPOINTS
from assets.reconstruct.plan import plan
from assets.reconstruct.projections import OUTPUTS
from assets.reconstruct.worker import LogFacts, work
from assets.storage.parquet_files import TableFiles
from assets.storage.warehouse import Warehouse
from parsers.messages.arrays.schemas import null_array

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assets.reconstruct.plan import Job

PARTITIONS: Final = 8
WORKERS: Final = 2
PIECE_ROWS: Final = 500_000
GROUPS: Final = pa.array([f"group-{number}" for number in range(500)])
TOPICS: Final = pa.array([f"topic-{number}" for number in range(100)])
BEGAN_MS: Final = 1_700_000_000_000
RECORD: Final[dict[str, object]] = {
    "cluster": "benchmark",
    "record_type": 1,
    "base_sequence": 0,
    **dict.fromkeys(("is_transactional", "is_control", "is_tombstone"), False),
}
VALUE: Final[dict[str, object]] = {"leader_epoch": 3, "metadata": "", "expire_timestamp": -1}


def archived(warehouse: Warehouse, commits: int, *, with_members: bool = False) -> None:
    """Keep commits of 500 groups, spread over the partitions."""
    folder, name = warehouse.new_folder(OFFSET_RECORDS), OFFSET_RECORDS.full_name
    warehouse.make_folder(folder)
    with TableFiles({name: folder}, "made-up") as files:
        for partition in range(PARTITIONS):
            for first in range(0, commits // PARTITIONS, PIECE_ROWS):
                at = first + first // PIECE_ROWS * len(GROUPS) * with_members
                if with_members:
                    files.write(name, rebalanced(partition, at, first // PIECE_ROWS))
                    at += len(GROUPS)
                files.write(name, synthetic_records(partition, at, min(PIECE_ROWS, commits // PARTITIONS - first)))
    warehouse.append(OFFSET_RECORDS, [file for _, file in files.written()], {})


def synthetic_records(partition: int, first: int, count: int) -> pa.RecordBatch:
    """Commits that follow on each other, each of the next partition of some group's topic."""
    offset = np.arange(first, first + count)
    time_ms = BEGAN_MS + offset // 10
    group = np.random.default_rng(first).integers(0, len(GROUPS), count).astype(np.int32)
    value = {**VALUE, "offset": offset // 5, "commit_timestamp": time_ms}
    own = {**RECORD, "log_offset": offset, "batch_base_offset": offset, "timestamp_ms": time_ms}
    own |= {"log_partition": partition, "partition": offset % 12}
    texts = {
        "group_id": pa.DictionaryArray.from_arrays(group, GROUPS),
        "topic": pa.DictionaryArray.from_arrays(group % len(TOPICS), TOPICS),
    }
    columns = {field.name: texts.get(field.name, _column(own, field, count)) for field in OFFSET_RECORDS.schema}
    kind = OFFSET_RECORDS.schema.field("offset_commit").type
    values = [_column(value, field, count) for field in kind]
    columns["offset_commit"] = pa.StructArray.from_arrays(values, fields=list(kind))
    return pa.record_batch(columns)


def rebalanced(partition: int, first: int, generation: int) -> pa.RecordBatch:
    """The records by which each group gives its topic's partitions to three members."""
    rows = []
    for number, group in enumerate(GROUPS.to_pylist()):
        at = first + number
        members = [_member(f"{group}-{one}", f"topic-{number % len(TOPICS)}", range(one, 12, 3)) for one in range(3)]
        state = {"protocol_type": "consumer", "generation": generation, "protocol": "range", "members": members}
        place = {"log_partition": partition, "log_offset": at, "batch_base_offset": at, "record_type": 2}
        own = {"timestamp_ms": BEGAN_MS + at // 10, "group_id": group, "value_bytes": 300, "group_metadata": state}
        rows.append({**RECORD, **place, **own})
    return pa.RecordBatch.from_pylist(rows, OFFSET_RECORDS.schema)


def _member(name: str, topic: str, partitions: Sequence[int]) -> dict[str, object]:
    """A member of a classic group, and what it was assigned."""
    numbers = b"".join(one.to_bytes(4, "big") for one in partitions)
    given = [
        b"\0\0\0\0\0\1",
        len(topic).to_bytes(2, "big"),
        topic.encode(),
        len(partitions).to_bytes(4, "big"),
        numbers,
    ]
    own = {"member_id": name, "client_id": "client", "client_host": "/10.0.0.1", "subscription": b""}
    return {**own, "assignment": b"".join(given) + b"\xff" * 4}


def _column(values: Mapping[str, object], field: pa.Field, count: int) -> pa.Array:
    value = values.get(field.name)
    if value is None:
        return null_array(field.type, count)
    if isinstance(value, np.ndarray):
        return pa.array(value).cast(field.type)
    return pa.repeat(pa.scalar(value, field.type), count)


def replayed(job: Job, folders: Mapping[str, str]) -> tuple[float, float]:
    """Replay one partition, as a worker does: seconds of processor time, and the most memory it ever had, in MiB."""
    began = time.process_time()
    work([job], [LogFacts()], folders, 0)
    return time.process_time() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(millions: float, *, with_members: bool = False) -> str:
    """Replay so many million commits and tell how fast."""
    with tempfile.TemporaryDirectory() as scratch:
        warehouse = Warehouse(scratch)
        archived(warehouse, int(millions * 1e6), with_members=with_members)
        folders = {
            name: warehouse.new_folder(TABLES.get(name, CHECKPOINTS)) for name in (*OUTPUTS, CHECKPOINTS.full_name)
        }
        for folder in folders.values():
            warehouse.make_folder(folder)
        with ProcessPoolExecutor(WORKERS, get_context("spawn")) as pool:
            list(pool.map(abs, range(WORKERS)))
            began = time.monotonic()
            spent = list(pool.map(replayed, plan(warehouse).jobs, repeat(folders)))
            seconds = time.monotonic() - began
    cpu_seconds, peak_mib = sum(cpu for cpu, _ in spent), max(peak for _, peak in spent)
    rates = f"{millions / seconds:.2f} M/s by the clock, {millions / cpu_seconds:.2f} M/s of one core's time"
    return f"{millions:g} M commits: {rates}, a worker at most {peak_mib:.0f} MiB"


if __name__ == "__main__":
    with_members = "--with-members" in sys.argv
    for cores in [word for word in sys.argv[1:] if not word.startswith("--")] or ["4"]:
        print(measure(float(cores), with_members=with_members))
