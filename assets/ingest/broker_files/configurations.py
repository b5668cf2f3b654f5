"""The configuration of brokers and topics from files, logs and running clusters; each change is archived once.

Put here which cluster a file is of, and which of its settings are new. Where files are looked for is in
`assets.ingest.broker_files.configuration_files`, what is in one belongs in `parsers.files.configurations`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa

from assets.catalog import TABLES
from assets.duckdb.database import in_memory
from assets.ingest.broker_files.configuration_files import (
    CONFIGURATIONS,
    DIGESTS,
    cluster_of,
    files_beside,
    log_directories,
    named_files,
)
from assets.ingest.broker_files.zookeeper import read_folders
from assets.ingest.live.patience import patiently
from assets.ingest.live.settings import ask_settings
from assets.ingest.read_history import INSIDE
from assets.storage.parquet_writer import write_file
from parsers.errors import SourceError
from parsers.files.configurations import Setting, is_file, read_metadata_log

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from assets.ingest.broker_files.zookeeper import ZooKeeperSettings
    from assets.ingest.live.settings import LiveSettings
    from assets.ingest.plan import Sources
    from assets.storage.warehouse import Warehouse
    from parsers.files.configurations import BrokerFile, ResourceSettings

WHOSE: Final = "the archive has several clusters, and --cluster does not say whose it is"
METADATA_TOPIC: Final = "__cluster_metadata"
FILE: Final = "file"
METADATA: Final = "metadata"
LIVE: Final = "live"
ZOOKEEPER: Final = "zookeeper"
_FILES: Final = """
    SELECT cluster, broker_id, topic, path, max(end_offset) AS end_offset FROM raw.segments WHERE source = 'file'
    GROUP BY ALL ORDER BY ALL
"""
_CLUSTERS: Final = "SELECT DISTINCT cluster FROM raw.segments ORDER BY cluster"
_LATEST: Final = f"""
    SELECT source, resource_type, resource_name, config_name, arg_max({{'value': config_value}}, read_at).value
    FROM {CONFIGURATIONS} WHERE cluster = $cluster AND source IN ('{FILE}', '{LIVE}') GROUP BY ALL
"""  # noqa: S608 - names are ours
_READ_TO: Final = f"""
    SELECT coalesce(max(log_offset), -1) FROM {CONFIGURATIONS} WHERE cluster = $cluster AND source = '{METADATA}'
"""  # noqa: S608 - names are ours
_CHANGES: Final = f"""
    SELECT resource_type, resource_name, config_name, log_offset FROM {CONFIGURATIONS}
    WHERE cluster = $cluster AND source = '{ZOOKEEPER}'
"""  # noqa: S608 - names are ours
LATEST_MS: Final = 253_402_300_799_999
"""The last millisecond of the year 9999; later times are a stranger's."""


class Key(NamedTuple):
    """A setting of a resource."""

    resource_type: str
    resource_name: str
    config_name: str


SettingInFile = tuple[str, Setting]
"""The path of a file, and a setting in it."""


@dataclass(frozen=True, slots=True)
class ConfigurationSources:
    """The sources of one cluster's configuration: files, segments of its KRaft log with their ends, live brokers."""

    cluster: str
    files: tuple[BrokerFile, ...] = ()
    metadata: tuple[tuple[str, int], ...] = ()
    live: LiveSettings | None = None
    zookeeper: ZooKeeperSettings | None = None

    @property
    def digests(self) -> dict[str, str]:
        """The digests of files and of the running cluster, by path."""
        of_files = {file.path: file.digest for file in self.files}
        of_live = {self.live.path: self.live.digest} if self.live else {}
        return {**of_files, **of_live, **(self.zookeeper.digests if self.zookeeper else {})}


def keep_configurations(warehouse: Warehouse, sources: Sources) -> tuple[int, tuple[str, ...]]:
    """Read the files that were named and those beside all logs that were read, and ask the running cluster.

    Gives how many rows are new, and complaints.
    """
    warehouse.begin(TABLES[CONFIGURATIONS])
    complaints: list[str] = []
    note = warehouse.note(CONFIGURATIONS)
    known: dict[str, str] = note.get(DIGESTS, {})
    places = [*_places(warehouse, sources, known, complaints), *_running(sources, complaints)]
    rows = [row for place in places for row in _new_rows(warehouse, place, complaints)]
    digests = {**known, **{path: digest for place in places for path, digest in place.digests.items()}}
    if rows:
        _append(warehouse, pa.Table.from_pylist(rows, TABLES[CONFIGURATIONS].schema), {**note, DIGESTS: digests})
    elif digests != known:
        warehouse.begin(TABLES[CONFIGURATIONS]).remember({**note, DIGESTS: digests})
    return len(rows), tuple(complaints)


def _running(sources: Sources, complaints: list[str]) -> Iterator[ConfigurationSources]:
    """The running cluster, if one was named and answers."""
    if sources.live is None:
        return
    try:
        settings = patiently(partial(ask_settings, sources.live, sources.cluster))
    except SourceError as error:
        complaints.append(str(error))
    else:
        complaints.extend(settings.complaints)
        yield ConfigurationSources(settings.cluster, live=settings)


def _places(
    warehouse: Warehouse, sources: Sources, known: Mapping[str, str], complaints: list[str]
) -> Iterator[ConfigurationSources]:
    """The sources of each cluster: files beside its logs, named files, and ZooKeeper's folders."""
    with in_memory(warehouse, ["raw.segments"]) as connection:
        clusters = [cluster for (cluster,) in connection.execute(_CLUSTERS).fetchall()]
        segment_files = [row for row in connection.execute(_FILES).fetchall() if INSIDE not in row[3]]
    owner = cluster_of(sources.cluster, None, clusters)
    named = tuple(named_files(sources.configs, complaints))
    if owner is None:
        complaints += [f"{file.path}: {WHOSE}" for file in named]
    for cluster in sorted({*clusters, *([owner] if owner and named else [])}):
        own = [row[1:] for row in segment_files if row[0] == cluster]
        directories = log_directories((path, topic, broker) for broker, topic, path, _ in own)
        files = (*(named if cluster == owner else ()), *files_beside(directories, complaints))
        yield ConfigurationSources(
            cluster, files, tuple((path, end or 0) for _, topic, path, end in own if topic == METADATA_TOPIC)
        )
    directories = log_directories((path, topic, broker) for _, broker, topic, path, _ in segment_files)
    folders = read_folders(sources.logs, directories, known, complaints)
    yield from _zookeeper_places(sources, clusters, folders, complaints)


def _zookeeper_places(
    sources: Sources, clusters: Sequence[str], folders: Iterable[ZooKeeperSettings], complaints: list[str]
) -> Iterator[ConfigurationSources]:
    """ZooKeeper's folders, each with its cluster: the named one, the folder's own id, or the only cluster."""
    for folder in folders:
        cluster = cluster_of(sources.cluster, folder.cluster_id, clusters)
        if cluster is None:
            complaints.append(f"{folder.path}: {WHOSE}")
        else:
            yield ConfigurationSources(cluster, zookeeper=folder)


def _new_rows(warehouse: Warehouse, place: ConfigurationSources, complaints: list[str]) -> Iterator[dict[str, Any]]:
    """The settings of a cluster that differ from the last read."""
    with in_memory(warehouse, [CONFIGURATIONS]) as connection:
        known = connection.execute(_LATEST, {"cluster": place.cluster}).fetchall()
        (read_to,) = connection.execute(_READ_TO, {"cluster": place.cluster}).fetchone() or (-1,)
    latest: dict[str, dict[Key, str | None]] = {FILE: {}, LIVE: {}}
    for source, *key, value in known:
        latest[source][Key(*key)] = value
    of_metadata = _of_metadata(place, read_to, complaints)
    metadata_settings = {setting.log_offset: (path, setting) for path, setting in of_metadata}
    live = place.live.resources if place.live else ()
    now = {"cluster": place.cluster, "read_at": datetime.now(timezone.utc)}
    for source, settings in (
        (FILE, changed_settings([file.resource for file in place.files], latest[FILE])),
        (METADATA, metadata_settings.values()),
        (LIVE, changed_settings(live, latest[LIVE])),
        (ZOOKEEPER, _of_zookeeper(warehouse, place)),
    ):
        yield from ({**now, **row_of(setting), "source": source, "path": path} for path, setting in settings)


def row_of(setting: Setting) -> dict[str, Any]:
    """The columns that a setting itself says."""
    at_ms = setting.timestamp_ms
    return {
        "resource_type": setting.resource_type,
        "resource_name": setting.resource_name,
        "config_name": setting.name,
        "config_value": setting.value,
        "log_offset": setting.log_offset,
        "changed_at": None if at_ms is None or not 0 <= at_ms <= LATEST_MS else at_ms * 1000,
    }


def changed_settings(resources: Sequence[ResourceSettings], latest: Mapping[Key, str | None]) -> list[SettingInFile]:
    """New and changed settings, and those that a resource no longer has; the first file of a resource counts."""
    paths = {(one.resource_type, one.resource_name): one.path for one in reversed(resources)}
    now = {
        Key(one.resource_type, one.resource_name, name): value
        for one in reversed(resources)
        for name, value in one.settings.items()
    }
    gone = dict.fromkeys(key for key, value in latest.items() if value is not None and key not in now)
    changed = {key: value for key, value in sorted(now.items()) if latest.get(key) != value}
    return [(paths[key[:2]], Setting(*key, value=value)) for key, value in (changed | gone).items() if key[:2] in paths]


def _of_metadata(place: ConfigurationSources, read_to: int, complaints: list[str]) -> Iterator[SettingInFile]:
    """The settings in segments of KRaft's log beyond an offset."""
    for path, end_offset in place.metadata:
        if end_offset <= read_to or not is_file(path):
            continue
        try:
            settings = list(read_metadata_log(path))
        except SourceError as error:
            complaints.append(str(error))
        else:
            yield from ((path, one) for one in settings if one.log_offset is not None and one.log_offset > read_to)


def _of_zookeeper(warehouse: Warehouse, place: ConfigurationSources) -> list[SettingInFile]:
    """The changes in a folder of ZooKeeper's that are not archived yet."""
    if place.zookeeper is None:
        return []
    with in_memory(warehouse, [CONFIGURATIONS]) as connection:
        known = set(connection.execute(_CHANGES, {"cluster": place.cluster}).fetchall())
    new = [one for one in place.zookeeper.settings if (*one[:3], one.log_offset) not in known]
    return [(place.zookeeper.path, one) for one in new]


def _append(warehouse: Warehouse, rows: pa.Table, note: Mapping[str, Any]) -> None:
    transaction = warehouse.begin(TABLES[CONFIGURATIONS])
    folder = warehouse.new_folder(TABLES[CONFIGURATIONS])
    warehouse.make_folder(folder)
    transaction.append([write_file(rows, f"{folder}/rows.parquet")], note)
