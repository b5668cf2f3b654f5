"""How to reach a cluster: its addresses, the client's settings from a file, and how long to wait.

Put here what a person gives. Secrets stay in the file until a connection needs them: they are in no `repr`, no message
and nothing that is sent to Spark's workers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from assets.ingest.live.properties import client_settings
from parsers.errors import SourceError

if TYPE_CHECKING:
    from assets.ingest.live.cluster import LiveCluster

DEFAULT_TIMEOUT_S: Final = 10.0
LONGEST_TIMEOUT_S: Final = 600
ADDRESSES: Final = re.compile(
    r"(?:[\w.-]+|\[[0-9A-Fa-f:.]+\]):[0-9]{1,5}(?:,(?:[\w.-]+|\[[0-9A-Fa-f:.]+\]):[0-9]{1,5})*"
)


@dataclass(frozen=True, slots=True)
class Access:
    """Where a cluster is, the file with the client's settings, and how long one answer may take."""

    bootstrap: str
    config: str | None = None
    timeout_s: float = DEFAULT_TIMEOUT_S

    @property
    def name(self) -> str:
        """The cluster as a place that messages and tables name."""
        return f"kafka://{self.bootstrap}"

    def settings(self) -> dict[str, Any]:
        """The client's settings, secrets included; read from the file at each call, and stored nowhere."""
        if not ADDRESSES.fullmatch(self.bootstrap):
            raise SourceError("the address of a cluster is HOST:PORT, several of them separated by commas")
        timeout_ms = int(self.timeout_s * 1000)
        return {
            "client_id": "lagbook",
            **client_settings(self.config),
            "bootstrap_servers": self.bootstrap.split(","),
            "request_timeout_ms": timeout_ms,
            "socket_connection_setup_timeout_ms": timeout_ms,
            "socket_connection_setup_timeout_max_ms": timeout_ms,
        }


def seconds_of(text: str) -> float:
    """A number of seconds to wait; a ValueError with the expected range otherwise."""
    expected = f"expected seconds, more than 0 and at most {LONGEST_TIMEOUT_S}"
    try:
        seconds = float(text)
    except ValueError:
        raise ValueError(expected) from None
    if not 0 < seconds <= LONGEST_TIMEOUT_S:
        raise ValueError(expected)
    return seconds


def connect(access: Access) -> LiveCluster:
    """A connection to the first address that answers; an error with the reason of each if none does."""
    try:
        from assets.ingest.live.cluster import LiveCluster  # noqa: PLC0415 - the client comes with an extra
    except ModuleNotFoundError as error:
        message = f"reading {access.name} needs a Kafka client: pip install 'lagbook[kafka]' ({error.name} is missing)"
        raise SourceError(message) from error
    return LiveCluster(access)
