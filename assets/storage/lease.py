"""The leases of the warehouse: one run writes at a time, in the order of their requests, and one process notifies.

Put here how the lease is taken, kept alive, told and given back. Taking and giving are commits of a Delta log, of which
only one of two writers gets his in, on a disk as in a store. Signs of life are a small file beside it that only its
holder writes. Should two have the lease all the same, of their commits to one table one is refused
(`assets.storage.transaction`).
"""

from __future__ import annotations

import json
import os
import socket
import time
import uuid
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Final

from assets.storage.data_files import locate
from parsers.errors import BusyError, OvertakenError, WarehouseError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from assets.catalog.table import Table
    from assets.storage.warehouse import Warehouse

FULL_NAME: Final = "replay.lease"
NOTIFICATIONS: Final = "replay.notification_lease"
NAMES: Final = (FULL_NAME, NOTIFICATIONS)
"""The tables whose commits record who has a lease."""
DEFAULT_WAIT_S: Final = 600.0
LONGEST_WAIT_S: Final = 86_400
BEAT_S: Final = 5.0
SILENT_S: Final = 60.0
"""After so long without a sign of life a run on another machine counts as dead."""
LOOK_AGAIN_S: Final = 0.5
_HOLDER: Final = "holder"


@dataclass(frozen=True, slots=True)
class Holder:
    """A process that has the lease, or had it when it died."""

    lease_id: str
    host: str
    machine: str
    """The same for processes that see each other's process ids."""
    pid: int
    process_started: str | None
    taken_at: str

    @property
    def name(self) -> str:
        """The process in words."""
        return f"process {self.pid} on {self.host}"

    @property
    def is_surely_dead(self) -> bool:
        """Whether the process is known to be dead, from this machine."""
        return self.machine == _machine() and (self.process_started != _start_time(self.pid))


def table(full_name: str = FULL_NAME) -> Table:
    """The table whose commits record the holder of a lease; it has no rows."""
    import pyarrow as pa  # noqa: PLC0415 - who asks a question only looks for a holder

    from assets.catalog.table import Column, Table  # noqa: PLC0415

    column = Column("holder", pa.string(), "Nothing: the commits say it.", required=True)
    layer, _, name = full_name.partition(".")
    return Table(layer, name, "Which process has the lease.", (), (column,))


def holder(warehouse: Warehouse, full_name: str = FULL_NAME) -> Holder | None:
    """The holder of a lease; None without one, or if it is known to be dead."""
    note: dict[str, Any] | None = warehouse.note(full_name).get(_HOLDER)
    try:
        latest = None if note is None else Holder(**note)
    except TypeError as error:
        raise WarehouseError(f"{warehouse.table_url(full_name)}: its holder can't be read: {error}") from error
    return None if latest is None or latest.is_surely_dead else latest


def writer_lease(warehouse: Warehouse, wait_s: float) -> AbstractContextManager[None]:
    """Hold the lease of runs."""
    return lease(warehouse, wait_s, FULL_NAME)


@contextmanager
def lease(warehouse: Warehouse, wait_s: float, full_name: str) -> Iterator[None]:
    """Hold a lease; wait for a holder that is at work, replace one without a sign of life."""
    mine = Holder(uuid.uuid4().hex, socket.gethostname(), _machine(), os.getpid(), _start_time(os.getpid()), _now())
    _take(warehouse, mine, wait_s, full_name)
    is_over = Event()
    beats = Thread(target=_beat, args=(warehouse, mine, is_over, full_name), daemon=True)
    beats.start()
    try:
        yield
    finally:
        is_over.set()
        beats.join()
        with suppress(WarehouseError):  # who can't give it back is found dead
            _give_back(warehouse, mine, full_name)


def waited_for(text: str) -> float:
    """The longest wait for another run, in seconds."""
    try:
        wait_s = float(text)
    except ValueError:
        wait_s = -1.0
    if not 0 <= wait_s <= LONGEST_WAIT_S:
        raise ValueError(f"{text[:80]!r} is no time to wait: give seconds, 0 to {LONGEST_WAIT_S}")
    return wait_s


def _take(warehouse: Warehouse, mine: Holder, wait_s: float, full_name: str) -> None:
    until, signs = time.monotonic() + wait_s, _Signs(warehouse, full_name)
    while True:
        turn = warehouse.begin(table(full_name))
        other = holder(warehouse, full_name)
        if other is None or signs.are_over(other):
            with suppress(OvertakenError):
                turn.remember({_HOLDER: asdict(mine)})
                return
        if other is not None and time.monotonic() > until:
            at_work = f"another run is at work, {other.name}, since {other.taken_at}"
            raise BusyError(f"{at_work}; it was waited for {wait_s:g} s (LAGBOOK_WAIT_S): run again when it has ended")
        time.sleep(LOOK_AGAIN_S)


class _Signs:
    """The last sign of life of whoever has the lease, and since when there was no other."""

    def __init__(self, warehouse: Warehouse, full_name: str) -> None:
        self._warehouse, self._full_name = warehouse, full_name
        self._last: tuple[str, str | None] | None = None
        self._since = time.monotonic()

    def are_over(self, other: Holder) -> bool:
        """Whether no new sign of life came for too long, by this machine's own clock."""
        sign = other.lease_id, last_sign(self._warehouse, other, self._full_name)
        if sign != self._last:
            self._last, self._since = sign, time.monotonic()
        return time.monotonic() - self._since > SILENT_S


def last_sign(warehouse: Warehouse, other: Holder, full_name: str = FULL_NAME) -> str | None:
    """When a holder last gave a sign of life, by its own clock; None before the first, and while one is written."""
    system, path = _sign_of(warehouse, other, full_name)
    try:
        with system.open_input_stream(path) as stream:
            return str(json.loads(stream.read())["alive_at"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _beat(warehouse: Warehouse, mine: Holder, is_over: Event, full_name: str) -> None:
    """Give signs of life until it is over. One that can't be written is left out: others wait for the next."""
    system, path = _sign_of(warehouse, mine, full_name)
    while True:
        with suppress(OSError):
            system.create_dir(path.rpartition("/")[0], recursive=True)
            with system.open_output_stream(path) as stream:
                stream.write(json.dumps({"alive_at": _now()}).encode())
        if is_over.wait(BEAT_S):
            break
    with suppress(OSError):
        system.delete_file(path)


def _give_back(warehouse: Warehouse, mine: Holder, full_name: str) -> None:
    turn, other = warehouse.begin(table(full_name)), holder(warehouse, full_name)
    if other is not None and other.lease_id == mine.lease_id:
        turn.remember({})


def _sign_of(warehouse: Warehouse, one: Holder, full_name: str) -> tuple[Any, str]:
    return locate(f"{warehouse.table_url(full_name)}/_alive/{one.lease_id}.json")


def _machine() -> str:
    """The identity of this machine or container: process ids mean nothing outside of it."""
    boot, pids = Path("/proc/sys/kernel/random/boot_id"), Path("/proc/self/ns/pid")
    if not boot.exists():
        return socket.gethostname()
    return f"{boot.read_text(encoding='ascii').strip()} {pids.readlink()}"


def _start_time(pid: int) -> str | None:
    """When a process was started, as its system counts; None when there is none, or no telling."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return stat.rpartition(")")[2].split()[19]


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds")
