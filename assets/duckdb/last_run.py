"""The record of a warehouse's last run: its start, its end, and its failure.

Put here how the record is written and read. When a run starts and ends is known in `dagster_project`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Final

from pyarrow import fs

from assets.duckdb.build_info import MEMORY_OF_READS
from assets.storage.json_records import read_record
from assets.storage.notes import note_place, write_note
from parsers.errors import WarehouseError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assets.storage.warehouse import Warehouse

FILE: Final = "_last_run.json"
"""In the warehouse's folder. Tools that read folders of Parquet pass over names that begin like this."""


@dataclass(frozen=True, slots=True)
class LastRun:
    """The record of a run; without `ended_at` it is still at work, or was killed."""

    started_at: datetime
    ended_at: datetime | None = None
    failure: str | None = None

    def as_json(self) -> dict[str, str | None]:
        """The record as plain values."""
        ended_at = None if self.ended_at is None else self.ended_at.isoformat()
        return {"started_at": self.started_at.isoformat(), "ended_at": ended_at, "failure": self.failure}


def write(warehouse: Warehouse, run: LastRun) -> None:
    """Put the record in the place of the one before: a reader finds either, whole."""
    write_note(warehouse, FILE, run.as_json())


def read(warehouse: Warehouse) -> LastRun | None:
    """The record of the last run; None where there is none."""
    system, path = note_place(warehouse, FILE)
    try:
        if system.get_file_info(path).type == fs.FileType.NotFound:
            return None
        return _parse(read_record(system, path))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise WarehouseError(f"{path} can't be read as the record of a run: {error}") from error


def write_refusal(warehouse: Warehouse, started_at: datetime, sentence: str) -> None:
    """Record a run that ended before it began to read, in a warehouse that is there already."""
    if warehouse.versions([MEMORY_OF_READS])[MEMORY_OF_READS] is not None:
        write(warehouse, LastRun(started_at, now(), sentence))


def write_nothing_new(warehouse: Warehouse, started_at: datetime, failure: str | None) -> None:
    """Record a run that had nothing to do, unless the record before has the same failure; a damaged one is replaced."""
    try:
        before = read(warehouse)
    except WarehouseError:
        before = None
    if before is None or before.ended_at is None or before.failure != failure:
        write(warehouse, LastRun(started_at, now(), failure))


def now() -> datetime:
    """This instant, in UTC."""
    return datetime.now(timezone.utc)


def _parse(fields: Mapping[str, Any]) -> LastRun:
    ended_at, failure = fields["ended_at"], fields["failure"]
    return LastRun(
        datetime.fromisoformat(fields["started_at"]),
        None if ended_at is None else datetime.fromisoformat(ended_at),
        None if failure is None else str(failure),
    )
