"""The configuration of brokers and topics that lies beside their logs: server.properties, and KRaft's own log.

Put here which files are looked for, and how one becomes settings. Which settings are kept is said in
`parsers.files.setting_names`: secrets stand in the same files, so no other name is read.
"""

from __future__ import annotations

import json
import posixpath
import re
from hashlib import sha256
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from pyarrow import fs

from parsers.errors import SourceError
from parsers.files.checkpoints import properties
from parsers.files.setting_names import LONGEST_VALUE, SETTINGS
from parsers.log.segments import walk
from parsers.messages.metadata_records import decode_metadata
from parsers.sources import open_file, read_file, resolve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parsers.log.segments import Slice
    from parsers.words import Int64Array

FILE_NAMES: Final = tuple(f"{folder}server.properties" for folder in ("", "config/", "../", "../config/"))
"""Where a broker's file may lie, from its log directory."""
LARGEST_FILE_BYTES: Final = 1 << 20
CONFIG_RECORD: Final = 4
RESOURCES: Final = {2: "topic", 4: "broker", 32: "group"}
"""The resources of which settings are kept, by their numbers in a record; a broker without a name is the default."""


class Setting(NamedTuple):
    """One setting of a broker, of all brokers by default, or of a topic; without a value it is no longer set."""

    resource_type: str
    resource_name: str
    name: str
    value: str | None
    log_offset: int | None = None
    """Offset of the record in KRaft's log; None of a file."""
    timestamp_ms: int | None = None


class ResourceSettings(NamedTuple):
    """All settings of a broker or a topic that a place has."""

    path: str
    resource_type: str
    resource_name: str
    settings: dict[str, str]


class BrokerFile(NamedTuple):
    """The server.properties of a broker: which one it is, as far as it is known, and its settings."""

    path: str
    broker_id: int | None
    settings: dict[str, str]
    digest: str
    """The same for a file that says the same."""

    @property
    def resource(self) -> ResourceSettings:
        """The settings as the broker's."""
        return ResourceSettings(
            self.path, "broker", "" if self.broker_id is None else str(self.broker_id), self.settings
        )


def broker_files(directory: str) -> list[str]:
    """The paths of the files beside a log directory that are there."""
    paths = [posixpath.join(directory, name) for name in FILE_NAMES]
    return [path for path in map(_normal, paths) if is_file(path)]


def _normal(path: str) -> str:
    """A path without `..`, which a store would take for a name."""
    scheme, colon, inner = path.rpartition("://")
    return scheme + colon + posixpath.normpath(inner)


def is_file(path: str) -> bool:
    """Say whether there is a file of this name."""
    try:
        return bool(resolve(path).info().type == fs.FileType.File)
    except SourceError:
        return False


def read_broker_file(path: str) -> BrokerFile:
    """The settings of a server.properties file."""
    pairs = properties(read_file(path, LARGEST_FILE_BYTES), path)
    number = pairs.get("node.id", pairs.get("broker.id", ""))
    settings = {name: value.strip()[:LONGEST_VALUE] for name, value in pairs.items() if name in SETTINGS}
    broker_id = int(number) if re.fullmatch(r"[0-9]{1,9}", number) else None
    text = json.dumps([broker_id, sorted(settings.items())])
    return BrokerFile(path, broker_id, settings, sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16])


def read_metadata_log(path: str) -> Iterator[Setting]:
    """The settings that a segment of __cluster_metadata tells, in order."""
    with open_file(path) as source:
        for piece in walk(source, 0, None, bodies=True):
            yield from _settings(piece)


def _settings(piece: Slice) -> Iterator[Setting]:
    records = piece.records
    if records is None:
        return
    is_control = np.asarray(piece.batches.column("is_control"))[records.batch]
    starts = np.where(is_control, np.int64(-1), records.value_start)
    decoded = decode_metadata(records.buffer, starts, records.value_end).decoded.get(CONFIG_RECORD)
    if decoded is None:
        return
    rows: Int64Array = np.flatnonzero(np.asarray(decoded.columns.is_valid()))
    for row in rows.tolist():
        setting = decoded.columns[row].as_py()
        if setting["resource_type"] in RESOURCES and setting["name"] in SETTINGS:
            kind = RESOURCES[setting["resource_type"]]
            yield Setting(
                resource_type="default" if kind == "broker" and not setting["resource_name"] else kind,
                resource_name=setting["resource_name"],
                name=setting["name"],
                value=None if setting["value"] is None else setting["value"].strip()[:LONGEST_VALUE],
                log_offset=int(records.offset[row]),
                timestamp_ms=int(records.timestamp_ms[row]),
            )
