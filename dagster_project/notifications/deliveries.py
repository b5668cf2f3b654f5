"""One look of all notifiers: what is new to each is sent to it, once, and what could not be sent waits for the next.

Put here how a look goes. What is new belongs to `novelty`, what a notifier was sent to `delivery_note`. One process
looks at a time, and each notifier is sent to beside the others, so that one that is down holds none up.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from threading import Thread
from typing import TYPE_CHECKING, Final

from assets.storage.lease import NOTIFICATIONS, lease
from dagster_project.notifications import delivery_note
from dagster_project.notifications.channel import DeliveryError, Message
from dagster_project.notifications.delivery_note import DeliveryNote
from dagster_project.notifications.novelty import after_delivery, after_look, new_incidents, read_incidents
from parsers.errors import BusyError, LagbookError, WarehouseError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assets.storage.warehouse import Warehouse
    from dagster_project.notifications.channel import Failure, Notifier, Row
    from dagster_project.notifications.novelty import Snapshot

WAITS_S: Final = (1.0, 4.0)
"""Between the attempts of one look."""
FIRST_PAUSE_S: Final = 60
LONGEST_PAUSE_S: Final = 3600
LEASE_WAIT_S: Final = 2.0
MOST_MESSAGES: Final = 10
"""Messages to one notifier in one look; the next look goes on."""
_MOST_WAITING: Final = 20
"""Failed runs that wait for a notifier that is down; older ones are dropped."""


@dataclass(slots=True)
class Delivery:
    """What is to be sent to a notifier in a look, and what came of it."""

    notifier: Notifier
    note: DeliveryNote
    incidents: list[str]
    is_first_look: bool = False
    sent: int = 0
    failures_sent: int = 0
    error: str | None = None
    pauses_until: str | None = None

    @property
    def is_due(self) -> bool:
        """Whether there is anything to send now."""
        return bool(self.incidents or self.note.waiting) and self.pauses_until is None

    @property
    def in_this_look(self) -> list[str]:
        """The incidents that are sent in one look."""
        return self.incidents[: MOST_MESSAGES * self.notifier.channel.most]


def deliver(
    warehouse: Warehouse,
    notifiers: Sequence[Notifier],
    snapshot: Snapshot | None,
    failure: Failure | None = None,
    *,
    is_patient: bool = False,
) -> list[Delivery]:
    """Send what is new, and write down what was sent; without a snapshot failed runs alone.

    A patient look leaves out notifiers that failed lately.
    """
    deliveries = plan_deliveries(warehouse, notifiers, snapshot, failure, is_patient=is_patient)
    if not any(_is_needed(warehouse, one) for one in deliveries):
        return deliveries
    try:
        with lease(warehouse, LEASE_WAIT_S, NOTIFICATIONS):
            deliveries = plan_deliveries(warehouse, notifiers, snapshot, failure, is_patient=is_patient)
            _run_all(warehouse, deliveries)
    except BusyError:
        raise BusyError("another process is notifying of this warehouse; the next look sends what it leaves") from None
    return deliveries


def plan_deliveries(
    warehouse: Warehouse,
    notifiers: Sequence[Notifier],
    snapshot: Snapshot | None,
    failure: Failure | None = None,
    *,
    is_patient: bool = False,
) -> list[Delivery]:
    """What is to be sent to each notifier."""
    deliveries = [_plan(warehouse, one, snapshot, failure) for one in notifiers]
    for one in deliveries:
        until = one.note.next_attempt_at
        if is_patient and until is not None and _now() < datetime.fromisoformat(until):
            one.pauses_until = until
    return deliveries


def send_without_note(warehouse: Warehouse, notifiers: Sequence[Notifier], failure: Failure) -> list[Delivery]:
    """Send a failed run where nothing can be written down: the warehouse itself may be why it failed."""
    deliveries = [Delivery(one, DeliveryNote(), []) for one in notifiers]
    for one in deliveries:
        one.error = _trouble(one.notifier, Message(warehouse.public_url, failures=(failure,)))
        one.failures_sent = int(one.error is None)
    return deliveries


def send_test(notifiers: Sequence[Notifier], warehouse: Warehouse) -> list[Delivery]:
    """Send a test message to each notifier; nothing is written down."""
    message = Message(warehouse.public_url, is_test=True)
    return [Delivery(one, DeliveryNote(), [], error=_trouble(one, message)) for one in notifiers]


def pause_s(failures: int) -> int:
    """How long a notifier is left alone after so many looks without a delivery."""
    return int(min(FIRST_PAUSE_S * 2.0 ** (min(failures, _MOST_WAITING) - 1), LONGEST_PAUSE_S))


def _plan(warehouse: Warehouse, notifier: Notifier, snapshot: Snapshot | None, failure: Failure | None) -> Delivery:
    try:
        note = delivery_note.read(warehouse, notifier.name)
    except WarehouseError as error:
        return Delivery(notifier, DeliveryNote(), [], error=str(error))
    known = {one.failure_id for one in note.waiting}.union(note.sent_failures)
    if failure is not None and failure.failure_id not in known:
        note = replace(note, waiting=(*note.waiting, failure)[-_MOST_WAITING:])
    if snapshot is None:
        return Delivery(notifier, note, [])
    incidents = new_incidents(snapshot, note, notifier.severity)
    is_first_look = not snapshot.clusters <= note.clusters
    return Delivery(notifier, after_look(snapshot, note, incidents), incidents, is_first_look)


def _is_needed(warehouse: Warehouse, one: Delivery) -> bool:
    """Whether there is anything to send or to write down."""
    if one.error is not None:
        return False
    return one.is_due or one.note != delivery_note.read(warehouse, one.notifier.name)


def _run_all(warehouse: Warehouse, deliveries: Sequence[Delivery]) -> None:
    """Send to all notifiers at once."""
    ids = {incident for one in deliveries if one.is_due for incident in one.in_this_look}
    rows = read_incidents(warehouse, ids) if ids else {}
    workers = [Thread(target=_run, args=(warehouse, one, rows)) for one in deliveries if one.error is None]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def _run(warehouse: Warehouse, one: Delivery, rows: Mapping[str, Row]) -> None:
    """Send and write down; a failure is this notifier's own."""
    one.error = "the delivery did not end"
    try:
        incidents = [rows[key] for key in one.in_this_look if key in rows]
        if one.is_due and (incidents or one.note.waiting):
            _send_all(warehouse, one, incidents)
        else:
            delivery_note.write(warehouse, one.notifier.name, one.note)
        one.error = None
    except LagbookError as error:
        one.error = str(error)


def _send_all(warehouse: Warehouse, one: Delivery, rows: list[Row]) -> None:
    """Send message after message. Each is written down as in doubt before, and as sent after."""
    most, name, doubtful = one.notifier.channel.most, one.notifier.name, one.note.in_doubt
    for start in range(0, max(len(rows), 1), most):
        part = tuple(rows[start : start + most])
        ids = frozenset(row["incident_id"] for row in part)
        message = Message(warehouse.public_url, part, one.note.waiting, may_repeat=not ids.isdisjoint(doubtful))
        delivery_note.write(warehouse, name, replace(one.note, in_doubt=ids))
        try:
            _send(one.notifier, message)
        except LagbookError as error:
            is_in_doubt = isinstance(error, DeliveryError) and error.is_in_doubt
            delivery_note.write(warehouse, name, _after_failure(one.note, ids if is_in_doubt else frozenset()))
            raise
        one.failures_sent += len(one.note.waiting)
        one.sent += len(part)
        one.note = after_delivery(one.note, ids)
        delivery_note.write(warehouse, name, one.note)


def _after_failure(note: DeliveryNote, in_doubt: frozenset[str]) -> DeliveryNote:
    attempts = note.failed_attempts + 1
    until = _now() + timedelta(seconds=pause_s(attempts))
    return replace(note, in_doubt=in_doubt, failed_attempts=attempts, next_attempt_at=until.isoformat())


def _trouble(notifier: Notifier, message: Message) -> str | None:
    """Send, and return the sentence of what went wrong, if anything did."""
    try:
        _send(notifier, message)
    except LagbookError as error:
        return str(error)
    return None


def _send(notifier: Notifier, message: Message) -> None:
    """Send, and again after a wait where that may help."""
    for wait_s in WAITS_S:
        trouble = _attempt(notifier, message)
        if trouble is None:
            return
        message = replace(message, may_repeat=message.may_repeat or trouble.is_in_doubt)
        time.sleep(wait_s)
    notifier.channel.send(message)


def _attempt(notifier: Notifier, message: Message) -> DeliveryError | None:
    """Send; the error, where another attempt may help."""
    try:
        notifier.channel.send(message)
    except DeliveryError as error:
        if not error.may_pass:
            raise
        return error
    return None


def _now() -> datetime:
    return datetime.now(timezone.utc)
