"""A store that speaks S3, on loopback: moto's, behind a door where a test can stand.

Starting and stopping belong here, and the door. What is kept in it, and what goes wrong, is up to the tests.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from pyarrow import fs
from werkzeug.serving import make_server

from tests.broker.settings import HOST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

ROOT: Final = Path(__file__).parents[1]
BUCKET: Final = "lake"
BUSY: Final = b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"


@dataclass
class Door:
    """Every request passes here; `see` is told of it first, and when it says so the store is too busy to answer."""

    store: Any
    see: Callable[[str, str], bool] = field(default=lambda _method, _path: False)
    requests: int = 0
    _lock: Lock = field(default_factory=Lock)

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        """Let one request pass."""
        with self._lock:
            self.requests += 1
            is_busy = self.see(environ["REQUEST_METHOD"], environ["PATH_INFO"])
        if is_busy:
            start("503 Slow Down", [("Content-Type", "application/xml"), ("Content-Length", str(len(BUSY)))])
            return [BUSY]
        answer: Iterable[bytes] = self.store(environ, start)
        return answer


def url(path: str) -> str:
    """The URL of a path in the bucket."""
    return f"s3://{BUCKET}/{path}"


@dataclass(frozen=True)
class Store:
    """A running store with one bucket, and what a program must have in its environment to find it."""

    door: Door
    environment: Mapping[str, str]


def _environment(port: int) -> dict[str, str]:
    return {
        "AWS_ENDPOINT_URL": f"http://{HOST}:{port}",
        "AWS_ALLOW_HTTP": "true",
        "AWS_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_EC2_METADATA_DISABLED": "true",
    }


@contextmanager
def _variables(environment: Mapping[str, str]) -> Iterator[None]:
    """Let this process find the store, and make the bucket."""
    with patch.dict(os.environ, environment):
        fs.FileSystem.from_uri(f"s3://{BUCKET}?allow_bucket_creation=true")[0].create_dir(BUCKET)
        yield


@contextmanager
def object_store() -> Iterator[Store]:
    """Run a store in this process, for programs that the tests start; as long as it runs, this process finds it.

    Here Delta's log must not be read: some of its calls keep Python to themselves while they wait for the store.
    """
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    door = Door(DomainDispatcherApplication(create_backend_app))
    server = make_server(HOST, 0, door, threaded=True)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    environment = _environment(server.server_port)
    try:
        with _variables(environment):
            yield Store(door, environment)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def store_apart(busy_every: int) -> Iterator[None]:
    """Run a store in a process of its own that is too busy for every so manieth request; this process finds it."""
    call = [sys.executable, "-m", "tests.store", str(busy_every)]
    with subprocess.Popen(call, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            port = int(process.stdout.readline()) if process.stdout else 0
            with _variables(_environment(port)):
                yield
        finally:
            process.kill()


def main() -> None:
    """Be the store of `store_apart`: say the port, and end when stdin does."""
    with object_store() as store:
        store.door.see = lambda _method, _path: store.door.requests % int(sys.argv[1]) == 0
        print(store.environment["AWS_ENDPOINT_URL"].rpartition(":")[2], flush=True)  # noqa: T201 - who started it waits
        sys.stdin.read()


if __name__ == "__main__":
    main()
