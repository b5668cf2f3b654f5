"""Waiting for something to become true, with an end. What is waited for is in the caller."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

PATIENCE_S: Final = 180.0
LOOK_EVERY_S: Final = 0.1


def wait_until(
    happened: Callable[[], bool], what: str, seconds: float = PATIENCE_S, every_s: float = LOOK_EVERY_S
) -> None:
    """Look again and again until it happened; fail with `what` when it doesn't in time."""
    end = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > end:
            raise TimeoutError(f"waited {seconds:.0f} s for {what}")
        time.sleep(every_s)


def epoch_ms() -> int:
    """The time as Kafka writes it."""
    return time.time_ns() // 1_000_000
