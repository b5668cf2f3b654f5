"""A real Postgres on loopback, from Debian's package, in a folder of its own: started by a test, ended with it.

As root it runs as another user, since Postgres refuses root. Asking it belongs to the tests.
"""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest

from tests.broker.jvm import Program
from tests.broker.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

DEBIAN: Final = Path("/usr/lib/postgresql")
USER: Final = "lagbook"
PASSWORD: Final = "correct-horse-battery"  # noqa: S105 - of a server that lives as long as a test
HOST: Final = "127.0.0.1"


class Server(NamedTuple):
    """A server's port, and psql to fill its tables."""

    port: int
    binaries: Path

    @property
    def connection_string(self) -> str:
        """How a user names it, with the password."""
        return f"postgresql://{USER}:{PASSWORD}@{HOST}:{self.port}/postgres"

    def run(self, sql: str) -> None:
        """Run statements in one transaction."""
        psql: list[object] = [
            self.binaries / "psql",
            self.connection_string,
            "-v",
            "ON_ERROR_STOP=1",
            "-q",
            "-1",
            "-c",
            sql,
        ]
        subprocess.run(list(map(str, psql)), check=True, capture_output=True, text=True)


@contextmanager
def running() -> Iterator[Server]:
    """Start a server that asks for a password, or skip with the reason."""
    binaries = max(DEBIAN.glob("*/bin"), default=None, key=lambda one: float(one.parent.name))
    if binaries is None or not (binaries / "initdb").exists():
        pytest.skip("no Postgres: Debian's package postgresql is not installed")
    folder = Path(tempfile.mkdtemp(prefix="lagbook-postgres-"))
    try:
        prefix = _as_another(folder)
        password = folder / "password"
        password.write_text(PASSWORD)
        password.chmod(0o644)
        data = folder / "data"
        init: list[object] = [
            binaries / "initdb",
            "-D",
            data,
            "-U",
            USER,
            f"--pwfile={password}",
            "-A",
            "scram-sha-256",
            "-N",
        ]
        subprocess.run([*prefix, *map(str, init)], check=True, capture_output=True, text=True, cwd=folder)
        port = _free_port()
        options = ["-c", f"listen_addresses={HOST}", "-c", f"unix_socket_directories={folder}", "-c", "fsync=off"]
        words: list[object] = [*prefix, binaries / "postgres", "-D", data, "-p", port, *options]
        program = Program(list(map(str, words)), folder / "out", folder / "err")
        try:
            wait_until(lambda: "ready to accept" in (folder / "err").read_text() or not program.running, "Postgres")
            assert program.running, (folder / "err").read_text()
            yield Server(port, binaries)
        finally:
            program.process.send_signal(2)
            program.wait(60)
    finally:
        shutil.rmtree(folder)


def _as_another(folder: Path) -> list[str]:
    """How a program is called by root as a user without rights, who gets the folder."""
    if os.getuid() != 0:
        return []
    user = pwd.getpwnam("nobody")
    os.chown(folder, user.pw_uid, user.pw_gid)
    return ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]


def _free_port() -> int:
    with closing(socket.socket()) as one:
        one.bind((HOST, 0))
        port: int = one.getsockname()[1]
        return port
