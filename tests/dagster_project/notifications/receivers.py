"""Servers on loopback that take what notifiers send: HTTP, and SMTP with TLS and passwords."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

if TYPE_CHECKING:
    import ssl
    from collections.abc import Iterator
    from email.message import EmailMessage

    from aiosmtpd.smtp import SMTP, Envelope, Session


@dataclass
class Requests:
    """What an HTTP server was sent, and with which codes it answers, one after the other; then 200."""

    port: int = 0
    codes: list[int] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    bodies: list[Any] = field(default_factory=list)
    silence: threading.Event = field(default_factory=threading.Event)
    """Set while the server is to answer; cleared, it takes requests and says nothing."""

    @property
    def url(self) -> str:
        """Its root."""
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def http_server() -> Iterator[Requests]:
    """A server that takes POSTs."""
    requests = Requests()
    requests.silence.set()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            requests.paths.append(self.path)
            requests.headers.append(dict(self.headers))
            requests.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            requests.silence.wait(20)
            code = requests.codes.pop(0) if requests.codes else 200
            self.send_response(code)
            if code in {301, 302, 307, 308}:
                self.send_header("Location", f"{requests.url}/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    requests.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield requests
    finally:
        requests.silence.set()
        server.shutdown()
        server.server_close()
        thread.join()


@dataclass
class Inbox:
    """What a mail server was handed."""

    port: int = 0
    mails: list[EmailMessage] = field(default_factory=list)
    recipients: list[list[str]] = field(default_factory=list)
    refused: frozenset[str] = frozenset()

    async def handle_RCPT(  # noqa: N802 - aiosmtpd's name
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, _options: list[str]
    ) -> str:
        """Take a recipient, or not."""
        if address in self.refused:
            return "550 no such mailbox"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802
        """Take a mail."""
        assert isinstance(envelope.content, bytes)
        self.mails.append(message_from_bytes(envelope.content, policy=policy.default))
        self.recipients.append(envelope.rcpt_tos)
        return "250 taken"


@contextmanager
def mail_server(
    context: ssl.SSLContext | None = None, password: str | None = None, *, is_tls: bool = False
) -> Iterator[Inbox]:
    """A mail server, with STARTTLS or TLS if it has a certificate, that may ask for a password."""
    inbox = Inbox()

    def is_right(_server: object, _session: object, _envelope: object, _mechanism: str, data: Any) -> AuthResult:  # noqa: ANN401
        return AuthResult(success=data.password.decode() == password, handled=False)

    # aiosmtpd counts STARTTLS alone as TLS.
    options: dict[str, Any] = {"authenticator": is_right, "auth_require_tls": not is_tls} if password else {}
    given = {"ssl_context": context} if is_tls else {"tls_context": context, "require_starttls": bool(context)}
    controller = Controller(inbox, hostname="127.0.0.1", port=0, **given, **options)
    controller.port = _free_port()
    controller.start()
    inbox.port = controller.port
    try:
        yield inbox
    finally:
        controller.stop()


def _free_port() -> int:
    from tests.broker.cluster import free_ports  # noqa: PLC0415 - it brings the broker's tests along

    (port,) = free_ports(1)
    return port
