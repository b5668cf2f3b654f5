"""What people wrote down about incidents of a warehouse: which are dealt with, and which have been listed as new.

Put here how that is written and read. Each is a small record in the warehouse's folder, replaced as a whole: one per
incident that is acknowledged, so that two people lose nothing of each other's, and one of the last look. Tables and the
DuckDB file are not touched, so runs keep it, and a copy of the warehouse has it.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Final

from pyarrow import fs

from assets.storage.json_records import read_record
from assets.storage.notes import note_place, write_note
from parsers.errors import WarehouseError

if TYPE_CHECKING:
    from collections.abc import Collection

    from assets.storage.warehouse import Warehouse

FOLDER: Final = "_acknowledged"
LAST_LOOK: Final = "_last_look.json"
"""In the warehouse's folder. Tools that read folders of Parquet pass over names that begin like this."""
INCIDENT_ID: Final = re.compile(r"[0-9a-f]{1,64}")
LONGEST_NOTE: Final = 1_000


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """That somebody has dealt with an incident, as grave as it was then."""

    incident_id: str
    severity: str
    note: str | None
    acknowledged_at: str


def acknowledge(warehouse: Warehouse, incident_id: str, severity: str, note: str | None) -> None:
    """Write down that an incident is dealt with, in the place of what was written of it before."""
    mark = Acknowledgement(incident_id, severity, note, datetime.now(timezone.utc).isoformat(timespec="milliseconds"))
    warehouse.make_folder(f"{warehouse.url.rstrip('/')}/{FOLDER}")
    write_note(warehouse, _file(incident_id), asdict(mark))


def take_back(warehouse: Warehouse, incident_id: str) -> bool:
    """Delete what was written of an incident; False when nothing was."""
    system, path = note_place(warehouse, _file(incident_id))
    try:
        if system.get_file_info(path).type == fs.FileType.NotFound:
            return False
        system.delete_file(path)
    except OSError as error:
        raise WarehouseError(f"{path} can't be deleted: {error.strerror or error}") from error
    return True


def acknowledgements(warehouse: Warehouse) -> list[Acknowledgement]:
    """What was written of all incidents, the oldest first."""
    system, folder = note_place(warehouse, FOLDER)
    try:
        entries = system.get_file_info(fs.FileSelector(folder, allow_not_found=True))
    except OSError as error:
        raise WarehouseError(f"{folder} can't be read: {error.strerror or error}") from error
    marks = [_mark(system, entry.path) for entry in entries if entry.path.endswith(".json")]
    return sorted(marks, key=lambda mark: (mark.acknowledged_at, mark.incident_id))


def listed_incidents(warehouse: Warehouse) -> frozenset[str]:
    """The ids of the incidents that were listed as new before."""
    system, path = note_place(warehouse, LAST_LOOK)
    if system.get_file_info(path).type == fs.FileType.NotFound:
        return frozenset()
    fields = _read(system, path)
    try:
        return frozenset(map(str, fields["incidents"]))
    except (KeyError, TypeError) as error:
        raise _damage(path, error) from error


def write_listed(warehouse: Warehouse, incident_ids: Collection[str]) -> None:
    """Write down the incidents that have been listed as new, in the place of those before."""
    write_note(warehouse, LAST_LOOK, {"incidents": sorted(incident_ids)})


def forget_incidents(warehouse: Warehouse, incident_ids: Collection[str]) -> None:
    """Delete what was written of these incidents, and that they were listed."""
    for incident_id in incident_ids:
        take_back(warehouse, incident_id)
    if (listed := listed_incidents(warehouse)) & frozenset(incident_ids):
        write_listed(warehouse, listed - frozenset(incident_ids))


def _file(incident_id: str) -> str:
    return f"{FOLDER}/{incident_id}.json"


def _mark(system: fs.FileSystem, path: str) -> Acknowledgement:
    try:
        return Acknowledgement(**_read(system, path))
    except TypeError as error:
        raise _damage(path, error) from error


def _read(system: fs.FileSystem, path: str) -> dict[str, Any]:
    try:
        return read_record(system, path)
    except (OSError, ValueError) as error:
        raise _damage(path, error) from error


def _damage(path: str, error: Exception) -> WarehouseError:
    return WarehouseError(f"{path} can't be read: {error}; delete it to go on without it")
