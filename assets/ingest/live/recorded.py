"""Samples that recorders wrote beside their segments: rows of raw.log_offset_samples and raw.configurations.

Put here which files are read, how far, and which rows are new. Their form belongs in `parsers.files.samples`, samples
of the running cluster in `assets.ingest.live.samples`.
"""

from __future__ import annotations

import posixpath
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa
from pyarrow import fs

from assets.catalog import TABLES
from assets.duckdb.database import in_memory
from assets.ingest.broker_files.configuration_files import CONFIGURATIONS
from assets.ingest.broker_files.configurations import LIVE, Key, changed_settings, row_of
from assets.ingest.live.samples import COMPARED_COLUMNS, SAMPLES
from assets.ingest.read_history import INSIDE
from assets.storage.parquet_writer import write_file
from parsers.files.configurations import ResourceSettings
from parsers.files.discovery import OFFSETS_TOPIC
from parsers.files.samples import FOLDER, SUFFIX, Round, from_line
from parsers.sources import open_file, resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from assets.storage.warehouse import Warehouse
    from parsers.files.discovery import SegmentFile

RECORDED: Final = "recorded"
"""Under this name a commit has how far each file of samples was read, and how long it was then."""
EPOCH: Final = datetime(1970, 1, 1, tzinfo=timezone.utc)
COUNT_AT: Final = COMPARED_COLUMNS.index("partition_count")
LATEST_MS: Final = 253_402_300_799_999
"""The last millisecond of the year 9999."""
_DIRECTORIES: Final = f"""
    SELECT DISTINCT regexp_replace(path, '/[^/]*/[^/]*$', '') AS directory, cluster
    FROM raw.segments WHERE source = 'file' AND topic = '{OFFSETS_TOPIC}' ORDER BY ALL
"""  # noqa: S608 - the name is ours
LAST_BEFORE: Final = f"""
    SELECT topic, partition, arg_max(struct_pack({", ".join(COMPARED_COLUMNS)}), sampled_at)
    FROM {SAMPLES} WHERE cluster = $cluster AND sampled_at < $since GROUP BY topic, partition
"""  # noqa: S608 - names are ours
_ENDS_KNOWN: Final = f"""
    SELECT topic, partition, epoch_ms(sampled_at) FROM {SAMPLES} WHERE cluster = $cluster AND sampled_at >= $since
"""  # noqa: S608 - names are ours
_SETTINGS_BEFORE: Final = f"""
    SELECT resource_type, resource_name, config_name, arg_max({{'value': config_value}}, read_at).value
    FROM {CONFIGURATIONS} WHERE cluster = $cluster AND source = '{LIVE}' AND read_at < $since GROUP BY ALL
"""  # noqa: S608 - names are ours
_SETTINGS_KNOWN: Final = f"""
    SELECT resource_type, resource_name, config_name, epoch_ms(read_at)
    FROM {CONFIGURATIONS} WHERE cluster = $cluster AND source = '{LIVE}' AND read_at >= $since
"""  # noqa: S608 - names are ours


class SampleFile(NamedTuple):
    """A file of samples as it is listed."""

    cluster: str
    path: str
    size_bytes: int


def unread_samples(warehouse: Warehouse, segments: Iterable[SegmentFile]) -> tuple[SampleFile, ...]:
    """The files of samples beside these segments that are new, or have grown since they were read."""
    places = {(posixpath.dirname(posixpath.dirname(one.path)), one.cluster) for one in segments if one.is_offsets_topic}
    files = list(_files(sorted(places)))
    known = [positions(warehouse, name) for name in (SAMPLES, CONFIGURATIONS)] if files else []
    return tuple(file for file in files if any(one.get(file.path, (0, 0))[1] != file.size_bytes for one in known))


def keep_recorded_ends(warehouse: Warehouse) -> tuple[int, tuple[str, ...]]:
    """Archive the recorders' samples of log ends since the last run; the number of new rows, and complaints."""
    return _read_new(warehouse, SAMPLES, _end_rows)


def keep_recorded_settings(warehouse: Warehouse) -> tuple[int, tuple[str, ...]]:
    """Archive the recorders' samples of settings since the last run; the number of new rows, and complaints."""
    return _read_new(warehouse, CONFIGURATIONS, _setting_rows)


def _read_new(
    warehouse: Warehouse, name: str, rows_of: Callable[[Warehouse, SampleFile, Sequence[Round]], list[dict[str, Any]]]
) -> tuple[int, tuple[str, ...]]:
    """Read file by file, each in a commit that also notes how far it was read."""
    complaints, new_rows = list[str](), 0
    with in_memory(warehouse, ["raw.segments"]) as connection:
        directories = connection.execute(_DIRECTORIES).fetchall()
    for file in _files(directories):
        read_to, size_bytes = positions(warehouse, name).get(file.path, (0, 0))
        if file.size_bytes == size_bytes:
            continue
        rounds, read_to = _rounds(file, read_to, complaints)
        rows = rows_of(warehouse, file, rounds) if rounds else []
        _append(warehouse, name, rows, {file.path: (read_to, file.size_bytes)})
        new_rows += len(rows)
    return new_rows, tuple(complaints)


def positions(warehouse: Warehouse, name: str) -> dict[str, tuple[int, int]]:
    """How far each file of samples was read for a table, and how long it was then."""
    known: dict[str, list[int]] = warehouse.note(name).get(RECORDED, {})
    return {path: (read_to, size_bytes) for path, (read_to, size_bytes) in known.items()}


def _append(
    warehouse: Warehouse, name: str, rows: Sequence[dict[str, Any]], read: Mapping[str, tuple[int, int]]
) -> None:
    """Append new rows, with the note of the commit before and how far this file was read."""
    transaction = warehouse.begin(TABLES[name])
    note = {**warehouse.note(name), RECORDED: {**positions(warehouse, name), **read}}
    if not rows:
        transaction.remember(note)
        return
    folder = warehouse.new_folder(TABLES[name])
    warehouse.make_folder(folder)
    transaction.append([write_file(pa.Table.from_pylist(rows, TABLES[name].schema), f"{folder}/rows.parquet")], note)


def _files(directories: Iterable[tuple[str, str]]) -> Iterator[SampleFile]:
    """The files of samples in the folders for them, oldest first, each once."""
    for directory, cluster in dict(directories).items():
        if INSIDE in directory:
            continue
        place = resolve(posixpath.join(directory, FOLDER))
        listed = [one for one in place.below() if one.type == fs.FileType.File and one.path.endswith(SUFFIX)]
        for one in sorted(listed, key=lambda one: one.path):
            yield SampleFile(cluster, place.child(one.path), one.size or 0)


def _rounds(file: SampleFile, read_to: int, complaints: list[str]) -> tuple[list[Round], int]:
    """The rounds after a position, and the position after the last one; other lines become complaints."""
    with open_file(file.path) as source:
        content = source.read(read_to, max(file.size_bytes - read_to, 0)).tobytes()
    lines = content[: content.rfind(b"\n") + 1].splitlines(keepends=True)
    rounds = []
    for line in lines:
        try:
            rounds.append(from_line(line.decode("ascii")))
        except ValueError as error:
            complaints.append(f"{file.path}: byte {read_to}: {error}")
        read_to += len(line)
    return [one for one in rounds if 0 <= one.asked_ms <= one.answered_ms <= LATEST_MS], read_to


def _end_rows(warehouse: Warehouse, file: SampleFile, rounds: Sequence[Round]) -> list[dict[str, Any]]:
    """The rows of rounds that differ from the row before of their partition, and are not archived yet."""
    bounds = {"cluster": file.cluster, "since": _instant(rounds[0].answered_ms)}
    with in_memory(warehouse, [SAMPLES]) as connection:
        before = connection.execute(LAST_BEFORE, bounds).fetchall()
        known = set(connection.execute(_ENDS_KNOWN, bounds).fetchall())
    last = {(topic, partition): tuple(sample[name] for name in COMPARED_COLUMNS) for topic, partition, sample in before}
    rows = [row for one in rounds for row in _changed_ends(file.cluster, one, last)]
    return [row for row in rows if (row["topic"], row["partition"], _ms(row["sampled_at"])) not in known]


def _changed_ends(cluster: str, one: Round, last: dict[tuple[str, int], tuple[Any, ...]]) -> Iterator[dict[str, Any]]:
    """The changed rows of one round; `last` has afterwards each partition's values of the round."""
    ends = {(end.topic, end.partition): end for end in one.ends}
    silent_keys = [key for key in last if key not in ends] if one.is_full else one.silent
    place = {"cluster": cluster, "asked_at": _instant(one.asked_ms), "sampled_at": _instant(one.answered_ms)}
    answers = {key: tuple(getattr(end, name) for name in COMPARED_COLUMNS) for key, end in ends.items()}
    for key in silent_keys:
        partition_count = last[key][COUNT_AT] if key in last else None
        if partition_count is not None:
            answers[key] = tuple(partition_count if at == COUNT_AT else None for at in range(len(COMPARED_COLUMNS)))
    for key, answer in answers.items():
        if last.get(key) != answer:
            yield {**place, "topic": key[0], "partition": key[1], **dict(zip(COMPARED_COLUMNS, answer, strict=True))}
    last.update(answers)


def _setting_rows(warehouse: Warehouse, file: SampleFile, rounds: Sequence[Round]) -> list[dict[str, Any]]:
    """The rows of settings that differ from the row before, and are not archived yet."""
    bounds = {"cluster": file.cluster, "since": _instant(rounds[0].answered_ms)}
    with in_memory(warehouse, [CONFIGURATIONS]) as connection:
        latest = {Key(*key): value for *key, value in connection.execute(_SETTINGS_BEFORE, bounds).fetchall()}
        known = set(connection.execute(_SETTINGS_KNOWN, bounds).fetchall())
    rows = []
    for one in rounds:
        resources = [ResourceSettings(file.path, *resource) for resource in one.resources or ()]
        changed = [setting for _, setting in changed_settings(resources, latest)]
        latest |= {Key(*setting[:3]): setting.value for setting in changed}
        place = {"cluster": file.cluster, "source": LIVE, "path": file.path, "read_at": _instant(one.answered_ms)}
        rows += [{**place, **row_of(setting)} for setting in changed if (*setting[:3], one.answered_ms) not in known]
    return rows


def _instant(at_ms: int) -> datetime:
    return EPOCH + timedelta(milliseconds=at_ms)


def _ms(instant: datetime) -> int:
    return (instant - EPOCH) // timedelta(milliseconds=1)
