"""The configuration of brokers and topics, read where it lies beside the logs; each change of a setting is kept once.

Put here which files are read for which logs, and which of their settings are new. What is in a file belongs in
`parsers.files.configurations`.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from assets.database import in_memory
from assets.ingesting.known import INSIDE
from assets.parquet_writer import write_file
from assets.tables import TABLES
from parsers.errors import SourceError
from parsers.files.configurations import (
    BrokerFile,
    Setting,
    broker_files,
    is_file,
    read_broker_file,
    read_metadata_log,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assets.archive import Warehouse

CONFIGURATIONS: Final = "raw.configurations"
METADATA_TOPIC: Final = "__cluster_metadata"
FILE: Final = "file"
METADATA: Final = "metadata"
_FILES: Final = """
    SELECT cluster, broker_id, topic, path, max(end_offset) AS end_offset FROM raw.segments WHERE source = 'file'
    GROUP BY ALL ORDER BY ALL
"""
_LATEST: Final = f"""
    SELECT resource_type, resource_name, config_name, arg_max({{'value': config_value}}, read_at).value
    FROM {CONFIGURATIONS} WHERE cluster = $cluster AND source = '{FILE}' GROUP BY ALL
"""  # noqa: S608 - names are ours
_READ_TO: Final = f"SELECT coalesce(max(log_offset), -1) FROM {CONFIGURATIONS} WHERE cluster = $cluster"  # noqa: S608 - names are ours
LATEST_MS: Final = 253_402_300_799_999
"""The last millisecond of the year 9999; later times are a stranger's."""
Key = tuple[str, str, str]
Found = tuple[str, Setting]
"""The path of a file, and a setting in it."""


@dataclass(frozen=True, slots=True)
class Logs:
    """The log directories of a cluster, each with its broker, and the segments of its KRaft log with their ends."""

    cluster: str
    directories: frozenset[tuple[str, int | None]]
    metadata: tuple[tuple[str, int], ...]


def keep_configurations(warehouse: Warehouse) -> tuple[int, tuple[str, ...]]:
    """Read the configuration beside all logs that were read; gives how many rows are new, and complaints."""
    warehouse.begin(TABLES[CONFIGURATIONS])
    complaints: list[str] = []
    rows = [row for logs in _logs(warehouse) for row in _new_rows(warehouse, logs, complaints)]
    if rows:
        _append(warehouse, pa.Table.from_pylist(rows, TABLES[CONFIGURATIONS].schema))
    return len(rows), tuple(complaints)


def _logs(warehouse: Warehouse) -> list[Logs]:
    """The clusters whose logs were read from files, but for those in archives."""
    with in_memory(warehouse, ["raw.segments"]) as connection:
        found = [row for row in connection.execute(_FILES).fetchall() if INSIDE not in row[3]]
    return [
        Logs(
            cluster,
            frozenset((_log_directory(path), broker) for of, broker, _, path, _ in found if of == cluster),
            tuple((path, end or 0) for of, _, topic, path, end in found if (of, topic) == (cluster, METADATA_TOPIC)),
        )
        for cluster in sorted({row[0] for row in found})
    ]


def _log_directory(path: str) -> str:
    return posixpath.dirname(posixpath.dirname(path))


def _new_rows(warehouse: Warehouse, logs: Logs, complaints: list[str]) -> list[dict[str, Any]]:
    """The settings of a cluster that are not what they were when they were last read."""
    with in_memory(warehouse, [CONFIGURATIONS]) as connection:
        rows = connection.execute(_LATEST, {"cluster": logs.cluster}).fetchall()
        (read_to,) = connection.execute(_READ_TO, {"cluster": logs.cluster}).fetchone() or (-1,)
    latest: dict[Key, str | None] = {(kind, resource, name): value for kind, resource, name, value in rows}
    now = {"cluster": logs.cluster, "read_at": datetime.now(timezone.utc)}
    of_files = _changed(list(_of_files(logs, complaints)), latest)
    told = {setting.log_offset: (path, setting) for path, setting in _of_metadata(logs, read_to, complaints)}
    return [
        {**now, **_row(setting), "source": source, "path": path}
        for source, found in ((FILE, of_files), (METADATA, told.values()))
        for path, setting in found
    ]


def _row(setting: Setting) -> dict[str, Any]:
    at_ms = setting.timestamp_ms
    return {
        "resource_type": setting.resource_type,
        "resource_name": setting.resource_name,
        "config_name": setting.name,
        "config_value": setting.value,
        "log_offset": setting.log_offset,
        "changed_at": None if at_ms is None or not 0 <= at_ms <= LATEST_MS else at_ms * 1000,
    }


def _changed(files: list[tuple[str, str, dict[str, str]]], latest: dict[Key, str | None]) -> list[Found]:
    """What is new or another, and, of a broker whose file was found, what is set no longer."""
    paths = {broker: path for path, broker, _ in reversed(files)}
    now = {("broker", broker, name): value for _, broker, told in reversed(files) for name, value in told.items()}
    gone = dict.fromkeys(key for key, value in latest.items() if value is not None and key not in now)
    changed = {key: value for key, value in sorted(now.items()) if latest.get(key) != value}
    return [(paths[key[1]], Setting(*key, value=value)) for key, value in (changed | gone).items() if key[1] in paths]


def _of_files(logs: Logs, complaints: list[str]) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Each server.properties beside a log directory, its broker and settings, unless it names another broker."""
    for directory, broker_id in sorted(logs.directories, key=str):
        for path in broker_files(directory):
            file = _read(path, complaints)
            if file and (None in (file.broker_id, broker_id) or file.broker_id == broker_id):
                broker = broker_id if file.broker_id is None else file.broker_id
                yield path, "" if broker is None else str(broker), file.settings


def _read(path: str, complaints: list[str]) -> BrokerFile | None:
    try:
        return read_broker_file(path)
    except SourceError as error:
        complaints.append(str(error))
        return None


def _of_metadata(logs: Logs, read_to: int, complaints: list[str]) -> Iterator[Found]:
    """The settings that segments of KRaft's log tell beyond an offset."""
    for path, end_offset in logs.metadata:
        if end_offset <= read_to or not is_file(path):
            continue
        try:
            settings = list(read_metadata_log(path))
        except SourceError as error:
            complaints.append(str(error))
        else:
            yield from ((path, one) for one in settings if one.log_offset is not None and one.log_offset > read_to)


def _append(warehouse: Warehouse, rows: pa.Table) -> None:
    turn = warehouse.begin(TABLES[CONFIGURATIONS])
    folder = warehouse.new_folder(TABLES[CONFIGURATIONS])
    warehouse.make_folder(folder)
    turn.append([write_file(rows, f"{folder}/rows.parquet")], {"settings_kept": rows.num_rows})
