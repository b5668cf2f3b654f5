"""Health and figures of a recorder over HTTP, on loopback alone.

Put here the paths and what answers them. The text belongs in `assets.recorder.metrics`.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Final

from assets.recorder.metrics import CONTENT_TYPE, metrics
from parsers.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assets.recorder.status import Status

HOST: Final = "127.0.0.1"
PATIENCE_S: Final = 5
"""How long a client may take to say what it wants."""


@contextmanager
def serving(port: int, status: Status) -> Iterator[None]:
    """Answer `/healthz` and `/metrics` on loopback while it lasts; nothing for port 0."""
    if not port:
        yield
        return
    try:
        server = ThreadingHTTPServer((HOST, port), _handler(status))
    except OSError as error:
        message = f"{HOST}:{port} can't be listened on: {error.strerror}; give another --metrics-port, or 0 for none"
        raise SourceError(message) from error
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, name="metrics", daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()


def _handler(status: Status) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """Answers for one recorder."""

        timeout = PATIENCE_S

        def do_GET(self) -> None:
            """Answer a request."""
            if self.path == "/metrics":
                self._answer(HTTPStatus.OK, CONTENT_TYPE, metrics(status))
            elif self.path == "/healthz":
                is_healthy, sentence = status.health()
                code = HTTPStatus.OK if is_healthy else HTTPStatus.SERVICE_UNAVAILABLE
                self._answer(code, "text/plain; charset=utf-8", f"{sentence}\n")
            else:
                self._answer(HTTPStatus.NOT_FOUND, "text/plain; charset=utf-8", "there is /metrics and /healthz\n")

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
