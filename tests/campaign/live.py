"""A running cluster as the source, by a seed: its broker dies, stops, comes back, is slow, or lets nobody in.

Put here what happens to the broker, and what a run may make of it: an exit code, one sentence, no secret anywhere, and
in the end the rows of a run that nobody disturbed.
"""

from __future__ import annotations

import atexit
import os
import random
import signal
import threading
import time
from collections import Counter
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from tests.broker.cluster import free_ports, running
from tests.broker.first_reader import let_a_group_read
from tests.broker.guards import LOGIN, SECRET, login_settings, write_certificate
from tests.broker.releases import NEWEST, RELEASES
from tests.broker.settings import HOST
from tests.campaign.answers import BrokenError
from tests.campaign.growing import compare, rows_of
from tests.campaign.slow_door import SlowDoor
from tests.whole_run import whole_run

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.testing import Result

    from tests.broker.cluster import Broker

LONGEST_MOMENT_S: Final = 4
ABSENCES_S: Final = (0.5, 5, 45)
"""Shorter, as long, and longer than a run waits for a broker."""
PAUSES_S: Final = (0.01, 0.1, 0.5)
COMPARED: Final = ("core.commits", "core.generations", "core.members", "core.ownership", "core.transactions")


@dataclass(frozen=True)
class Scene:
    """A cluster with doors of several kinds."""

    broker: Broker
    doors: dict[str, str]
    slow: SlowDoor
    folder: Path
    expected: dict[str, list[str]]

    def disturb(self, fault: str, dice: random.Random) -> Callable[[], None]:
        """What happens to the broker, and that it comes back."""
        absence_s = dice.choice(ABSENCES_S)

        def act() -> None:
            program = self.broker.program
            if fault == "stopped and continued" and program is not None:
                os.kill(program.process.pid, signal.SIGSTOP)
                time.sleep(absence_s)
                os.kill(program.process.pid, signal.SIGCONT)
                return
            self.broker.kill() if fault == "killed" else self.broker.stop()
            time.sleep(absence_s)
            self.broker.launch()
            self.broker.wait()

        return act


DISTURBANCES: Final = ("killed", "restarted", "stopped and continued")
TURNED_AWAY: Final = {
    "wrong password": ("login", login_settings("auditor", f"{SECRET}-wrong")),
    "no rights": ("login", login_settings("nobody", SECRET)),
    "no login": ("login", ""),
    "unknown certificate": ("safe", "security.protocol=SSL\n"),
    "no TLS where it is wanted": ("safe", ""),
    "TLS where there is none": ("open", "security.protocol=SSL\n"),
    "expired certificate": ("expired", "security.protocol=SSL\nssl.ca.location={folder}/expired.pem\n"),
}
"""By what is wrong, the door and the client's settings."""
SLOW: Final = "slow"
FAULTS: Final = (*DISTURBANCES, *DISTURBANCES, SLOW, *TURNED_AWAY)
"""Disturbances come twice as often: each comes at another moment."""


def judge_live(seed: int, scratch: Path) -> Counter[str]:
    """Let the broker of a seed be unreliable in one way, then read it in peace."""
    dice, scene = random.Random(seed), _scene(scratch)  # noqa: S311 - made up, not secret
    fault = dice.choice(FAULTS)
    with TemporaryDirectory(dir=scratch) as folder:
        try:
            ended = _judge(fault, dice, scene, Path(folder))
        except BrokenError as error:
            raise BrokenError(f"a broker that is {fault}: {error}") from error
    return Counter({f"brokers: {fault}": 1, f"runs ended with {ended}": 1})


def _judge(fault: str, dice: random.Random, scene: Scene, folder: Path) -> int:
    config, warehouse = folder / "client.properties", folder / "warehouse"
    door, settings = TURNED_AWAY.get(fault, ("login", login_settings("auditor", SECRET)))
    config.write_text(settings.format(folder=scene.folder) if fault == "expired certificate" else settings)
    if fault == SLOW:
        scene.slow.pause_s, door = dice.choice(PAUSES_S), SLOW
        config.write_text("")
    call = ("--bootstrap", scene.doors[door], "--client-config", str(config))
    disturbing = threading.Thread(target=_after, args=(dice.uniform(0, LONGEST_MOMENT_S), scene.disturb(fault, dice)))
    if fault in DISTURBANCES:
        disturbing.start()
    run = whole_run(warehouse, [], *call)
    if fault in DISTURBANCES:
        disturbing.join()
    _refuse_noise(run, fault)
    _refuse_secrets(run.output, warehouse)
    config.write_text(login_settings("auditor", SECRET))
    run_in_peace = whole_run(warehouse, [], "--bootstrap", scene.doors["login"], "--client-config", str(config))
    if run_in_peace.exit_code:
        raise BrokenError(f"in peace a run ended with {run_in_peace.exit_code}: {run_in_peace.output[-2000:]}")
    _refuse_secrets(run_in_peace.output, warehouse)
    compare({name: rows for name, rows in rows_of(warehouse).items() if name in COMPARED}, scene.expected)
    return run.exit_code


def _after(moment_s: float, act: Callable[[], None]) -> None:
    time.sleep(moment_s)
    act()


def _refuse_noise(run: Result, fault: str) -> None:
    """Refuse another exit code than the fault should have, a traceback, and more than a sentence of a refusal."""
    wanted = {2} if fault in TURNED_AWAY else {0} if fault == SLOW else {0, 1, 2}
    is_noisy = fault in TURNED_AWAY and run.stderr.count("\n") != 1
    if run.exit_code not in wanted or "Traceback" in run.output or is_noisy:
        raise BrokenError(f"a run ended with {run.exit_code}: {run.output[-2000:]} {run.exception!r}")


def _refuse_secrets(output: str, warehouse: Path) -> None:
    """Refuse a password in what was printed, in the processes' words, and in any file of the warehouse."""
    files = (path for path in warehouse.rglob("*") if path.is_file())
    words = (path for path in Path("/proc").glob("[0-9]*/cmdline"))
    if SECRET in output or any(SECRET.encode() in _content(path) for path in (*files, *words)):
        raise BrokenError("the password was told")


def _content(path: Path) -> bytes:
    """The bytes of a file; none of one that is gone by now, as those of a process."""
    with suppress(OSError):
        return path.read_bytes()
    return b""


@cache
def _scene(scratch: Path) -> Scene:
    """A cluster with a little history and doors of all kinds, and what a run in peace makes of it."""
    ends = ExitStack()
    atexit.register(ends.close)
    folder = scratch / "live"
    folder.mkdir()
    cluster = ends.enter_context(running(RELEASES[NEWEST], folder / "cluster"))
    let_a_group_read(cluster, folder)
    doors, slow = _open_doors(cluster.broker, cluster.bootstrap, folder)
    run = whole_run(folder / "peace", [], "--bootstrap", cluster.bootstrap)
    if run.exit_code:
        raise BrokenError(f"a run in peace ended with {run.exit_code}: {run.output[-2000:]}")
    expected = {name: rows for name, rows in rows_of(folder / "peace").items() if name in COMPARED}
    return Scene(cluster.broker, doors, slow, folder, expected)


def _open_doors(broker: Broker, bootstrap: str, folder: Path) -> tuple[dict[str, str], SlowDoor]:
    """Restart the broker with listeners for passwords, for TLS, for TLS that has expired, and a slow one."""
    ports = free_ports(5)
    login, safe, expired, slow, behind_slow = (f"{HOST}:{port}" for port in ports)
    named = {"LOGIN": login, "SAFE": safe, "EXPIRED": expired, "SLOW": slow}
    listened = {**named, "SLOW": behind_slow}
    protocols = "LOGIN:SASL_PLAINTEXT,SAFE:SSL,EXPIRED:SSL,SLOW:PLAINTEXT"
    changed = {
        "listeners": ",".join([broker.properties["listeners"], *(f"{name}://{at}" for name, at in listened.items())]),
        "advertised.listeners": ",".join(
            [broker.properties["advertised.listeners"], *(f"{name}://{at}" for name, at in named.items())]
        ),
        "listener.security.protocol.map": f"{broker.properties['listener.security.protocol.map']},{protocols}",
        "sasl.enabled.mechanisms": "PLAIN",
        "listener.name.login.plain.sasl.jaas.config": f'{LOGIN} user_auditor="{SECRET}" user_nobody="{SECRET}";',
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": "User:ANONYMOUS;User:auditor",
    }
    for name, days_left in (("safe", 1), ("expired", -1)):
        certificate = write_certificate(folder / f"{name}.pem", days_left)
        changed[f"listener.name.{name}.ssl.keystore.type"] = "PEM"
        changed[f"listener.name.{name}.ssl.keystore.location"] = str(certificate)
    broker.properties = {**broker.properties, **changed}
    broker.restart()
    door = SlowDoor(ports[3], ports[4])
    return {"open": bootstrap, "login": login, "safe": safe, "expired": expired, "slow": slow}, door
