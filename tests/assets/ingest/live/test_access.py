"""That a cluster which can't be reached is one sentence, quickly, and that secrets stay where they are."""

from __future__ import annotations

import pickle
import socket
import sys
from contextlib import closing, contextmanager, suppress
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from assets.ingest.live.access import Access, connect
from assets.ingest.live.errors import PassingError
from parsers.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SECRET = "hunter2"  # noqa: S105 - a made-up one


@contextmanager
def listening(answer: bytes | None) -> Iterator[str]:
    """An address on loopback where somebody answers everyone with these bytes, or says nothing."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        Thread(target=_serve, args=(server, answer), daemon=True).start()
        yield f"127.0.0.1:{server.getsockname()[1]}"


def _serve(server: socket.socket, answer: bytes | None) -> None:
    connections = []
    while True:
        try:
            caller, _ = server.accept()
        except OSError:
            return
        connections.append(caller)
        if answer is not None:
            with closing(caller), suppress(OSError):  # who does not wait for the answer may be gone
                caller.recv(1)
                caller.sendall(answer)


def test_nobody_listens() -> None:
    """A wrong port is refused by the system at once."""
    with closing(socket.socket()) as unheard:
        unheard.bind(("127.0.0.1", 0))
        port = unheard.getsockname()[1]
        with pytest.raises(PassingError, match=rf"kafka://127\.0\.0\.1:{port} can't be reached: .*ECONNREFUSED"):
            connect(Access(f"127.0.0.1:{port}"))


def test_every_address_that_was_tried_is_in_the_sentence() -> None:
    """Also one whose name nobody knows."""
    with pytest.raises(PassingError, match=r"127\.0\.0\.1:1: .*; no-such-host\.invalid:9092: .*DNS"):
        connect(Access("127.0.0.1:1,no-such-host.invalid:9092"))


@pytest.mark.parametrize(
    "answer", [None, b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\0\0\0\4ruin", b"\x7f\xff\xff\xff"]
)
def test_somebody_listens_who_is_no_broker(answer: bytes | None) -> None:
    """Silence ends with the timeout, a hang-up and noise at once; nothing large is made room for."""
    with listening(answer) as address, pytest.raises(SourceError, match="can't be reached"):
        connect(Access(address, timeout_s=0.3))


@pytest.mark.parametrize("text", ["", "broker", "kafka://broker:9092", f"user:{SECRET}@broker:9092", "b:9092 c:9092"])
def test_what_is_no_address_is_refused_without_showing_it(text: str) -> None:
    """Somebody may have put a password into it."""
    with pytest.raises(SourceError, match="HOST:PORT") as refused:
        connect(Access(text))
    assert SECRET not in str(refused.value)


def test_secrets_are_read_when_a_connection_is_made_and_kept_nowhere(tmp_path: Path) -> None:
    """What is shown, and what is sent to Spark's workers, has the file's name alone."""
    config = tmp_path / "client.properties"
    config.write_text(f"sasl.username=auditor\nsasl.password={SECRET}\n")
    access = Access("127.0.0.1:1", str(config))
    assert access.settings()["sasl_plain_password"] == SECRET
    assert SECRET not in repr(access)
    assert SECRET.encode() not in pickle.dumps(access)
    with pytest.raises(SourceError) as refused:
        connect(access)
    assert SECRET not in repr(refused.value)


@pytest.mark.parametrize("line", ["ssl.ca.location=/nowhere/ca.pem", "ssl.certificate.location=/nowhere/me.pem"])
def test_a_certificate_that_is_not_there_is_a_sentence(tmp_path: Path, line: str) -> None:
    """It is noticed on the way to the broker."""
    config = tmp_path / "client.properties"
    config.write_text(f"security.protocol=SSL\n{line}\n")
    with listening(None) as address, pytest.raises(SourceError, match="No such file"):
        connect(Access(address, str(config), timeout_s=30))


def test_without_the_extra_the_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client comes with `lagbook[kafka]`; everything else works without it."""
    for name in [
        name for name in sys.modules if name == "assets.ingest.live.cluster" or name.partition(".")[0] == "kafka"
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "kafka", None)
    with pytest.raises(SourceError, match=r"pip install 'lagbook\[kafka\]'"):
        connect(Access("127.0.0.1:1"))
