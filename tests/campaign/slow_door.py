"""A door to a broker through which bytes come slowly, a few at a time.

Put here how bytes are passed on. What is expected of who comes through belongs in `live`.
"""

from __future__ import annotations

import random
import socket
import threading
import time
from typing import Final

PASSED_AT_ONCE: Final = 4096


class SlowDoor:
    """Passes connections to a port of this machine on to another one, with a pause before each piece."""

    def __init__(self, port: int, to_port: int) -> None:
        """Open it; it lives as long as the process."""
        self.pause_s = 0.0
        self._to_port = to_port
        listener = socket.create_server(("127.0.0.1", port))
        threading.Thread(target=self._listen, args=(listener,), daemon=True).start()

    def _listen(self, listener: socket.socket) -> None:
        while True:
            client, _address = listener.accept()
            broker = socket.create_connection(("127.0.0.1", self._to_port))
            for source, sink in ((client, broker), (broker, client)):
                threading.Thread(target=self._pass_on, args=(source, sink), daemon=True).start()

    def _pass_on(self, source: socket.socket, sink: socket.socket) -> None:
        try:
            while content := source.recv(PASSED_AT_ONCE):
                time.sleep(random.uniform(0, self.pause_s))  # noqa: S311 - a pause, not secret
                sink.sendall(content)
        except OSError:
            pass
        finally:
            for end in (source, sink):
                end.close()
