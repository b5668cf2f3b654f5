"""The severities of incidents, in order.

Put here which there are. What makes an incident grave is said by the models of `assets`.
"""

from __future__ import annotations

from typing import Final

SEVERITIES: Final = ("low", "medium", "high", "critical")
DEFAULT_SEVERITY: Final = "high"


def grade(severity: str) -> int:
    """How grave it is, as a number."""
    return SEVERITIES.index(severity)


def and_worse(severity: str) -> tuple[str, ...]:
    """This severity and those above it."""
    return SEVERITIES[grade(severity) :]
