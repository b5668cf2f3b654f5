"""A command of Lagbook in a session of its own, one of whose processes is killed at a moment; what is left of it.

Put here how it is started, killed and watched. Who is to die when is decided by `kills`.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from tests.campaign.answers import BrokenError
from tests.processes import below, command, of_session

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT: Final = Path(__file__).resolve().parents[2]
ENDS_WITHIN_S: Final = 600
AFTER_A_KILL: Final = frozenset({0, 1, -signal.SIGKILL})
GONE_WITHIN_S: Final = 60
WORDS: Final = {"java": b"java", "worker": b"pyspark.daemon"}
"""What stands in the command of each victim but the driver."""


class Kill(NamedTuple):
    """Who is killed, in seconds after the start."""

    victim: str
    after_s: float


class Ending(NamedTuple):
    """The end of a command."""

    was_hit: bool
    exit_code: int
    output: str
    seconds: float


def run(words: Sequence[str], kill: Kill | None = None, allowed: frozenset[int] = frozenset({0})) -> Ending:
    """Run a command to its end, or kill one of its processes; refuse a traceback, a hang and what lives on after it.

    These are the exit codes of one that nobody killed.
    """
    call = [sys.executable, "-m", "dagster_project.cli", *words]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LAGBOOK_")}
    began = time.monotonic()
    with subprocess.Popen(
        call, cwd=ROOT, env=environment, start_new_session=True, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    ) as process:  # fmt: skip
        try:
            was_hit = kill is not None and _kill(process, kill)
            output, _ = process.communicate(timeout=ENDS_WITHIN_S)
        except subprocess.TimeoutExpired as error:
            _end(process.pid)
            raise BrokenError(f"{words[0]} hangs {ENDS_WITHIN_S} s after {kill}") from error
    ending = Ending(was_hit, process.returncode, output, time.monotonic() - began)
    _refuse(words[0], kill, ending, allowed if not was_hit else AFTER_A_KILL)
    _wait_for_the_others(process.pid, f"{words[0]} after {kill}")
    return ending


def _kill(process: subprocess.Popen[str], kill: Kill) -> bool:
    """Kill the victim at its moment, or as soon as it is there; False if the command ended before."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(kill.after_s)
    while process.poll() is None:
        if targets := _targets(process.pid, kill.victim):
            for pid in targets:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            return True
        time.sleep(0.05)
    return False


def _targets(driver: int, victim: str) -> list[int]:
    if victim == "driver":
        return [driver]
    if victim == "group":
        return of_session(driver)
    return [pid for pid in below(driver) if WORDS[victim] in command(pid)][-1:]


def _refuse(what: str, kill: Kill | None, ending: Ending, allowed: frozenset[int]) -> None:
    """Refuse a command that failed by itself, or that says more than a sentence."""
    if ending.exit_code not in allowed or "Traceback" in ending.output:
        raise BrokenError(f"{what} after {kill} ended with {ending.exit_code}: {ending.output[-2000:]}")


def _wait_for_the_others(session: int, what: str) -> None:
    """Wait for the processes that the command left behind; refuse those that stay."""
    until = time.monotonic() + GONE_WITHIN_S
    while left := of_session(session):
        if time.monotonic() > until:
            _end(session)
            raise BrokenError(f"{what} left processes behind: {[command(pid)[:200] for pid in left]}")
        time.sleep(0.1)


def _end(session: int) -> None:
    for pid in of_session(session):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
