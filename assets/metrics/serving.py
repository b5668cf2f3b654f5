"""Health and figures over HTTP: `/healthz` and `/metrics`.

Put here the paths and how they are answered. What the answers say belongs to who has the figures.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import AF_INET, AF_INET6
from typing import TYPE_CHECKING, Final

from assets.metrics.openmetrics import CONTENT_TYPE
from parsers.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LOOPBACK: Final = "127.0.0.1"
PATIENCE_S: Final = 5
"""How long a client may take to say what it wants."""
_PLAIN: Final = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Answers:
    """What is answered: the text of all figures, and whether all is well, in a sentence."""

    metrics: Callable[[], str]
    health: Callable[[], tuple[bool, str]]


@contextmanager
def serving(answers: Answers, port: int, host: str = LOOPBACK) -> Iterator[int]:
    """Answer while it lasts, and yield the port; port 0 is any that is free."""
    family = AF_INET6 if ":" in host else AF_INET
    server_type = type("Server", (ThreadingHTTPServer,), {"address_family": family, "daemon_threads": True})
    try:
        server = server_type((host, port), _handler(answers))
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise SourceError(f"{host}:{port} can't be listened on: {reason}; give another port") from error
    thread = threading.Thread(target=server.serve_forever, name="metrics", daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


def _handler(answers: Answers) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """Answers requests."""

        timeout = PATIENCE_S

        def do_GET(self) -> None:
            """Answer a request."""
            if self.path == "/metrics":
                self._answer(HTTPStatus.OK, CONTENT_TYPE, answers.metrics())
            elif self.path == "/healthz":
                is_healthy, sentence = answers.health()
                code = HTTPStatus.OK if is_healthy else HTTPStatus.SERVICE_UNAVAILABLE
                self._answer(code, _PLAIN, f"{sentence}\n")
            else:
                self._answer(HTTPStatus.NOT_FOUND, _PLAIN, "there is /metrics and /healthz\n")

        def log_message(self, *_: object) -> None:
            """Say nothing: a log of who asks is no use here."""

        def _answer(self, code: HTTPStatus, content_type: str, text: str) -> None:
            body = text.encode("utf-8", "backslashreplace")
            self.send_response(code)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return Handler
