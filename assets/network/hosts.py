"""Which hosts are this machine itself.

Put here what a host's name says. Whether something may be sent to it in the open is decided where it is sent.
"""

from __future__ import annotations

from ipaddress import ip_address


def is_loopback(host: str | None) -> bool:
    """True for `localhost` and for addresses of loopback; a name that only begins like one is another machine."""
    try:
        return host == "localhost" or ip_address(host or "").is_loopback
    except ValueError:
        return False
