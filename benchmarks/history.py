"""A warehouse as a long life leaves it, made up: the core tables of so many commits, as a replay writes them.

Only the making up of rows belongs here. What is asked of them, and how long that takes, is in `benchmarks.questions`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from assets.catalog import TABLES
from assets.reconstruct.file_names import Place, Rows
from assets.storage.parquet_files import TableFiles
from parsers.messages.arrays.schemas import null_array

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from assets.catalog import Table
    from assets.storage.data_files import DataFile
    from assets.storage.warehouse import Warehouse

CLUSTER: Final = "benchmark"
LOG_PARTITIONS: Final = 50
CROWDED: Final = 7
CROWDED_SHARE: Final = 0.3
GROUPS: Final = 500
TOPICS: Final = 100
PARTITIONS: Final = 40
MEMBERS: Final = 8
GENERATIONS: Final = 20
COMMITS_PER_BATCH: Final = 10
RECORDS_PER_BATCH: Final = 50
FINDINGS: Final = 5_000
SET_BACK_EVERY: Final = 5_000
REMOVED_EVERY: Final = 20_000
PIECE_ROWS: Final = 1 << 19
BEGAN_US: Final = 1_700_000_000_000_000
SPAN_US: Final = 100 * 86_400_000_000
TIME: Final = pa.timestamp("us", tz="UTC")

Columns = dict[str, object]


def history(warehouse: Warehouse, commits: int) -> None:
    """Fill the tables that questions and marts rest on."""
    _fill(warehouse, "core.commits", _commits(commits))
    _fill(warehouse, "raw.offset_records", _offset_records(commits))
    _fill(warehouse, "raw.segments", iter([("all", _segments(commits))]))
    _fill(warehouse, "raw.batches", _batches(commits // COMMITS_PER_BATCH))
    _fill(warehouse, "core.log_ends", _log_ends(commits // COMMITS_PER_BATCH))
    for name, rows in _groups(commits).items():
        _fill(warehouse, name, iter([("all", rows)]))
    _fill(warehouse, "mart.replays", iter([("all", _replays())]))
    for name, table in TABLES.items():
        if warehouse.version(name) is None:
            warehouse.append(table, (), {})


def _fill(warehouse: Warehouse, name: str, pieces: Iterator[tuple[str, Columns]]) -> None:
    """Write pieces of rows; those of one file follow on each other."""
    table, folder = TABLES[name], warehouse.new_folder(TABLES[name])
    warehouse.make_folder(folder)
    written: list[DataFile] = []
    files, called = None, None
    for file, columns in pieces:
        if files is None or file != called:
            written += _finished(files)
            files, called = TableFiles({name: folder}, file), file
        files.write(name, rows_of(table, columns))
    warehouse.append(table, [*written, *_finished(files)], {})


def _finished(files: TableFiles | None) -> list[DataFile]:
    if files is None:
        return []
    files.__exit__(None, None, None)
    return [file for _, file in files.written()]


def rows_of(table: Table, columns: Mapping[str, object]) -> pa.RecordBatch:
    """Rows of a table; a column of which nothing is said is NULL, and one value holds for all rows."""
    count = next(len(value) for value in columns.values() if isinstance(value, (np.ndarray, pa.Array)))
    return pa.record_batch({field.name: _column(columns.get(field.name), field, count) for field in table.schema})


def _column(value: object, field: pa.Field, count: int) -> pa.Array:
    if value is None:
        return null_array(field.type, count)
    if isinstance(value, pa.Array):
        return value
    if isinstance(value, np.ndarray):
        return pa.array(value).cast(pa.int64()).cast(field.type)
    return pa.repeat(pa.scalar(value, field.type), count)


def _named(kind: str, number: np.ndarray, count: int) -> pa.Array:
    """Names of a kind, by their number."""
    return pa.DictionaryArray.from_arrays(number.astype(np.int32), pa.array([f"{kind}-{i}" for i in range(count)]))


def commits_in(log_partition: int, commits: int) -> int:
    """How many of the commits one partition of the log has."""
    rest = int(commits * (1 - CROWDED_SHARE)) // (LOG_PARTITIONS - 1)
    return commits - rest * (LOG_PARTITIONS - 1) if log_partition == CROWDED else rest


def _commits(commits: int) -> Iterator[tuple[str, Columns]]:
    for log_partition in range(LOG_PARTITIONS):
        count = commits_in(log_partition, commits)
        file = Rows(Place(CLUSTER, log_partition).tag, is_final=True, from_offset=0, to_offset=count).file_name(0)
        for first in range(0, count, PIECE_ROWS):
            yield file, _commits_of(log_partition, first, min(PIECE_ROWS, count - first), count, commits)


def _commits_of(log_partition: int, first: int, count: int, of: int, commits: int) -> Columns:
    """Commits of the groups of one log partition, each of which follows its log a little behind its end."""
    random = np.random.default_rng(log_partition * 1_000_003 + first)
    offset = np.arange(first, first + count)
    at_us = BEGAN_US + (offset / of * SPAN_US).astype(np.int64)
    end = (at_us - BEGAN_US) / SPAN_US * log_length(commits)
    committed = np.maximum(end - random.integers(0, 400, count), 0).astype(np.int64)
    known = {"is_effect_known": True, "is_previous_known": True, "is_transactional": False}
    return {
        "log_offset": offset,
        "effective_log_offset": offset,
        **_keys_of(log_partition, offset),
        **known,
        **_moved(offset, committed),
        "effective_at": at_us,
        "commit_at": at_us,
        "batch_base_offset": offset // COMMITS_PER_BATCH * COMMITS_PER_BATCH,
        "store_kind": "kafka",
        "leader_epoch": 3,
        "metadata": "",
    }


def _keys_of(log_partition: int, offset: np.ndarray) -> Columns:
    """Which group committed which partition at each offset of the log; what is removed is committed again at once."""
    mixed = (offset - (offset % REMOVED_EVERY == 1)) * 2_654_435_761 % (1 << 32)
    group = (mixed >> 8) % (GROUPS // LOG_PARTITIONS) * LOG_PARTITIONS + log_partition
    texts = {"group_id": _named("group", group, GROUPS), "topic": _named("topic", group % TOPICS, TOPICS)}
    return {"cluster": CLUSTER, "log_partition": log_partition, **texts, "partition": (mixed >> 16) % PARTITIONS}


def _moved(offset: np.ndarray, committed: np.ndarray) -> Columns:
    """What each commit did: now and then one sets back, or the offset is removed and begun with again."""
    removed, first = offset % REMOVED_EVERY == 0, offset % REMOVED_EVERY == 1
    back = ~removed & ~first & (offset % SET_BACK_EVERY == SET_BACK_EVERY - 1)
    kind = np.where(removed, 1, np.where(first, 2, np.where(back, 3, 0))).astype(np.int32)
    previous = np.where(back, committed + 300, np.maximum(committed - 60, 0))
    return {
        "kind": pa.DictionaryArray.from_arrays(kind, pa.array(["advance", "removed", "first", "rewind"])),
        "committed_offset": pa.array(committed, mask=removed),
        "previous_offset": pa.array(previous, mask=first),
        "delta": pa.array(committed - previous, mask=removed | first),
        "cause": pa.array(np.full(len(offset), "unknown"), mask=~removed),
    }


def _offset_records(commits: int) -> Iterator[tuple[str, Columns]]:
    """The records that the commits are made of, ten to a batch."""
    for log_partition in range(LOG_PARTITIONS):
        count = commits_in(log_partition, commits)
        for first in range(0, count, PIECE_ROWS):
            yield f"{log_partition}", _records_of(log_partition, first, min(PIECE_ROWS, count - first), count)


def _records_of(log_partition: int, first: int, count: int, of: int) -> Columns:
    offset = np.arange(first, first + count)
    at_ms = (BEGAN_US + offset * SPAN_US // of) // 1000
    batch = {"batch_base_offset": offset // COMMITS_PER_BATCH * COMMITS_PER_BATCH, "timestamp_ms": at_ms}
    kinds = {"record_type": 1, "is_control": False, "is_transactional": False}
    sizes = {"key_bytes": 30, "value_bytes": pa.array(np.full(count, 24), mask=offset % REMOVED_EVERY == 0)}
    is_tombstone = pa.array(offset % REMOVED_EVERY == 0)
    return {
        "log_offset": offset,
        **_keys_of(log_partition, offset),
        **batch,
        **kinds,
        **sizes,
        "is_tombstone": is_tombstone,
    }


def _segments(commits: int) -> Columns:
    """One segment for each partition, read to its end: of the offsets topic, and of all that is committed."""
    number, length = np.arange(TOPICS * PARTITIONS), log_length(commits)
    names = _named("topic", number // PARTITIONS, TOPICS).dictionary_decode()
    records = np.concatenate([[commits_in(at, commits) for at in range(LOG_PARTITIONS)], np.full(number.size, length)])
    nothing = dict.fromkeys(("base_offset", "start_position", "torn_bytes", "from_offset", "quarantined_count"), 0)
    return {
        "cluster": CLUSTER,
        "topic": pa.chunked_array([["__consumer_offsets"] * LOG_PARTITIONS, names]).combine_chunks(),
        "partition": np.concatenate([np.arange(LOG_PARTITIONS), number % PARTITIONS]),
        "source": "file",
        "path": "/log",
        "is_continued": False,
        **nothing,
        **dict.fromkeys(("size_bytes", "end_position"), records * 60),
        **dict.fromkeys(("batch_count", "record_count", "end_offset"), records),
        "read_at": BEGAN_US + SPAN_US,
    }


def log_length(commits: int) -> int:
    """How many records each data partition has."""
    return commits // COMMITS_PER_BATCH // (TOPICS * PARTITIONS) * RECORDS_PER_BATCH


def _by_topic(batches: int) -> Iterator[tuple[str, int, np.ndarray, np.ndarray]]:
    """For each topic its batches in order: which partition, and which batch of it."""
    each = batches // (TOPICS * PARTITIONS)
    for topic in range(TOPICS):
        number = np.arange(PARTITIONS * each)
        yield f"topic-{topic}", each, number // each, number % each


def _batches(batches: int) -> Iterator[tuple[str, Columns]]:
    for topic, each, partition, number in _by_topic(batches):
        at_ms = (BEGAN_US + (number + 1) * SPAN_US // each) // 1000
        base = number * RECORDS_PER_BATCH
        place = {"cluster": CLUSTER, "topic": topic, "partition": partition, "base_offset": base}
        kind = dict.fromkeys(("is_log_append_time", "is_transactional", "is_control"), False)
        times = {"base_timestamp_ms": at_ms - 500, "max_timestamp_ms": at_ms, "codec": "none", "magic": 2}
        sizes = {"record_count": RECORDS_PER_BATCH, "size_bytes": 9_000, "position": number * 9_000}
        last = {"last_offset": base + RECORDS_PER_BATCH - 1, "segment_base_offset": 0}
        yield topic, {**place, **kind, **times, **sizes, **last}


def _log_ends(batches: int) -> Iterator[tuple[str, Columns]]:
    for topic, each, partition, number in _by_topic(batches):
        reached = {"reached_at": BEGAN_US + (number + 1) * SPAN_US // each, "source": "batch"}
        place = {"cluster": CLUSTER, "topic": topic, "partition": partition}
        yield topic, {**place, **reached, "log_end_offset": (number + 1) * RECORDS_PER_BATCH}


def _groups(commits: int) -> dict[str, Columns]:
    """Every group's generations: their states, members and owners, who take turns."""
    number = np.arange(GROUPS * GENERATIONS)
    generation = _generations(number, commits)
    whole = {"is_gap_free": True, "group_type": "classic"}
    member, owner = np.repeat(number, MEMBERS), np.repeat(number, PARTITIONS)
    members = {**_generations(member, commits), **whole, **_client(np.tile(np.arange(MEMBERS), number.size))}
    partition = np.tile(np.arange(PARTITIONS), number.size)
    owners = {**_generations(owner, commits), **_client((partition + owner % GENERATIONS) % MEMBERS)}
    renamed = {"from_at": "seen_at", "to_at": "until_at", "to_log_offset": "until_log_offset"}
    owned = {renamed.get(name, name): value for name, value in owners.items()}
    began = {"from_at": owners["from_at"], "from_log_offset": owners["log_offset"], "end_reason": "revoked"}
    ended = {"to_at": owners["to_at"], "to_log_offset": owners["to_log_offset"]}
    topic = _named("topic", owner // GENERATIONS % TOPICS, TOPICS)
    protocol = {"protocol_type": "consumer", "protocol": "range", "generation_before": number % GENERATIONS - 1}
    return {
        "core.generations": {**generation, **whole, **protocol, "state": "Stable", "member_count": MEMBERS},
        "internal.recorded_group_states": {**generation, **whole, "state": "Stable", "member_count": MEMBERS},
        "core.group_states": {**generation, **whole, "state": "Stable", "source": "record"},
        "core.members": {**members, "session_timeout_ms": 45_000},
        "core.ownership": {**owned, **began, **ended, "group_type": "classic", "topic": topic, "partition": partition},
    }


def _generations(number: np.ndarray, commits: int) -> Columns:
    """When each generation stood, the last one for ever; its place in the log, spread as its group's commits are."""
    group, generation = number // GENERATIONS, number % GENERATIONS
    at_us, step_us = BEGAN_US + generation * (SPAN_US // GENERATIONS), SPAN_US // GENERATIONS
    is_over = pa.array(generation < GENERATIONS - 1)
    to_at = pa.array(at_us + step_us).cast(TIME)
    step = np.array([commits_in(at, commits) // GENERATIONS for at in range(LOG_PARTITIONS)])[group % LOG_PARTITIONS]
    log_offset = group // LOG_PARTITIONS + generation * step
    return {
        "cluster": CLUSTER,
        "group_id": _named("group", group, GROUPS),
        "generation": generation,
        "log_partition": group % LOG_PARTITIONS,
        "log_offset": log_offset,
        "from_at": at_us,
        "to_at": pa.compute.if_else(is_over, to_at, pa.scalar(None, TIME)),
        "to_log_offset": pa.compute.if_else(is_over, pa.array(log_offset + step), None),
    }


def _client(number: np.ndarray) -> Columns:
    names = {"member_id": "member", "client_id": "client", "client_host": "host"}
    return {column: _named(name, number, MEMBERS) for column, name in names.items()}


def _replays() -> Columns:
    """Set-backs, one after the other over the whole time."""
    number = np.arange(FINDINGS)
    group = number % GROUPS
    position = {"log_partition": group % LOG_PARTITIONS, "log_offset": number * 7, "partition": number % PARTITIONS}
    names = {"group_id": _named("group", group, GROUPS), "topic": _named("topic", group % TOPICS, TOPICS)}
    end = number + 60
    bounds = {
        **dict.fromkeys(("from_offset", "possible_from", "estimate_from"), number),
        **dict.fromkeys(("to_offset", "possible_to", "estimate_to"), end),
        "evidence": _evidence(number * 7),
    }
    why = {"kind": "set_back", "cause": "unknown", "actor": "unknown", "certainty": "likely", "is_ordinary": False}
    at = {"occurred_at": BEGAN_US + number * SPAN_US // FINDINGS}
    return {"cluster": CLUSTER, **names, **position, **bounds, **why, **at}


def _evidence(log_offset: np.ndarray) -> pa.ListArray:
    """For each finding the record it rests on."""
    return pa.ListArray.from_arrays(pa.array(range(log_offset.size + 1), pa.int32()), pa.array(log_offset))
