"""A recorder beside a broker: `lagbook record` as a process that can be killed, and its files beside the broker's.

Only the process and the comparison belong here. What is to be true of them is in `test_recorder`.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tests.broker.book import ROOT
from tests.broker.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

TOPICS: Final = ("__consumer_offsets", "__transaction_state", "__share_group_state")
ENDS_WITHIN_S: Final = 30


@dataclass
class Recorder:
    """A recorder that runs."""

    to: Path
    process: subprocess.Popen[bytes]
    log: Path

    @property
    def output(self) -> str:
        """What it said on stderr."""
        return self.log.read_text(errors="replace")

    @property
    def status(self) -> dict[str, Any]:
        """What its status file says; nothing before there is one."""
        path = self.to / "recorder-status.json"
        return json.loads(path.read_text()) if path.exists() else {}

    def stop(self) -> int:
        """Ask it to end, as systemd does; gives its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(ENDS_WITHIN_S)

    def kill(self) -> None:
        """Kill it: nothing is flushed or said."""
        self.process.kill()
        self.process.wait()

    def wait_for(self, files: dict[str, bytes]) -> None:
        """Wait until it has the bytes that a broker's files have."""
        wait_until(lambda: self.process.poll() is not None or recorded(self.to) == files, "the recorder to catch up")
        assert self.process.poll() is None, self.output


def command(bootstrap: str, to: Path, *words: str) -> list[str]:
    """How a recorder is called."""
    called = [sys.executable, "-m", "dagster_project.cli", "record", "--bootstrap", bootstrap, "--to", str(to)]
    return [*called, "--metrics-port", "0", "--sample-interval", "0.5", *words]


@contextmanager
def recording(bootstrap: str, to: Path, *words: str) -> Iterator[Recorder]:
    """Start a recorder; whatever happens, it does not outlive the test."""
    log = to.with_name(f"{to.name}.log")
    with log.open("ab") as err:
        process = subprocess.Popen(command(bootstrap, to, *words), cwd=ROOT, stdout=err, stderr=err)
    try:
        yield Recorder(to, process, log)
    finally:
        process.kill()
        process.wait()


def record_once(bootstrap: str, to: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Record up to now."""
    return subprocess.run(
        [*command(bootstrap, to, "--once"), *words], cwd=ROOT, capture_output=True, text=True, check=False
    )


def recorded(logs: Path, topics: Sequence[str] = TOPICS) -> dict[str, bytes]:
    """The bytes of each partition of the topics in a log directory, those of its segments in a row."""
    folders = [folder for topic in topics for folder in logs.glob(f"{topic}-*") if "." not in folder.name]
    joined = {one.name: b"".join(path.read_bytes() for path in sorted(one.glob("*.log"))) for one in folders}
    return {name: content for name, content in joined.items() if content}
