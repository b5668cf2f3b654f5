"""Which hosts are this machine: a wrong answer sends a secret in the open."""

from __future__ import annotations

import pytest

from assets.network.hosts import is_loopback


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.9.9.9", "::1"])
def test_loopback_is_this_machine(host: str) -> None:
    """By its name and by every address of it."""
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1.evil.example", "127.evil", "localhost.evil.example", "0.0.0.0", "10.0.0.1", "::", "", None],  # noqa: S104 - what is not loopback
)
def test_what_only_begins_like_loopback_is_another_machine(host: str | None) -> None:
    """An attacker chooses names that look like it."""
    assert not is_loopback(host)
