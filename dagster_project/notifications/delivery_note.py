"""What a notifier has been sent, as a small record in the warehouse's folder: for every process that sends.

Put here how that is written and read. What follows from it belongs to `novelty`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Final

from pyarrow import fs

from assets.storage.json_records import read_record
from assets.storage.notes import note_place, write_note
from dagster_project.notifications.channel import Failure
from parsers.errors import WarehouseError

if TYPE_CHECKING:
    from assets.storage.warehouse import Warehouse

FOLDER: Final = "_notified"
"""In the warehouse's folder. Tools that read folders of Parquet pass over names that begin like this."""


@dataclass(frozen=True, slots=True)
class DeliveryNote:
    """What one notifier knows, and how its last attempts went."""

    clusters: frozenset[str] = frozenset()
    """The clusters whose incidents were there when the notifier first looked: it is sent what came later."""
    severities: dict[str, str] = field(default_factory=dict)
    """The severity of each incident that it was not sent, when it last looked."""
    sent: frozenset[str] = frozenset()
    """The incidents that it was sent."""
    in_doubt: frozenset[str] = frozenset()
    """What is being sent; after the death of a process nobody knows whether it arrived."""
    waiting: tuple[Failure, ...] = ()
    """Failed runs that it was not sent yet."""
    sent_failures: tuple[str, ...] = ()
    """The last failed runs that it was sent."""
    failed_attempts: int = 0
    """How many looks in a row ended without a delivery."""
    next_attempt_at: str | None = None


def read(warehouse: Warehouse, notifier: str) -> DeliveryNote:
    """The record of a notifier; an empty one of a notifier that never looked."""
    system, path = note_place(warehouse, _file(notifier))
    try:
        if system.get_file_info(path).type == fs.FileType.NotFound:
            return DeliveryNote()
        fields = read_record(system, path)
        sets = {name: frozenset(map(str, fields[name])) for name in ("clusters", "sent", "in_doubt")}
        waiting = tuple(Failure(**one) for one in fields["waiting"])
        other = {"waiting": waiting, "sent_failures": tuple(fields["sent_failures"])}
        return DeliveryNote(**{**fields, **sets, **other})
    except (OSError, ValueError, KeyError, TypeError) as error:
        advice = "delete it, and what is there now counts as known"
        raise WarehouseError(f"{path} can't be read: {error}; {advice}") from error


def write(warehouse: Warehouse, notifier: str, note: DeliveryNote) -> None:
    """Put the record in the place of the one before."""
    warehouse.make_folder(f"{warehouse.url.rstrip('/')}/{FOLDER}")
    fields = {name: sorted(value) if isinstance(value, frozenset) else value for name, value in asdict(note).items()}
    write_note(warehouse, _file(notifier), fields)


def _file(notifier: str) -> str:
    return f"{FOLDER}/{notifier}.json"
