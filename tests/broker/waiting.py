"""Waiting for something to become true, or to stay as it is, with an end. What is waited for is in the caller."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Answer = TypeVar("Answer")

PATIENCE_S: Final = 300.0
"""Far longer than anything takes on a machine that does ten other things; whoever waits goes on at once."""
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


def at_rest(look: Callable[[], Answer], what: str) -> tuple[int, int, Answer]:
    """What is said twice in a row, and from when to when it was said first: at that end nothing moved."""
    answers = [_timed(look)]

    def the_same_again() -> bool:
        answers.append(_timed(look))
        return answers[-2][2] == answers[-1][2]

    wait_until(the_same_again, f"{what} to come to rest")
    return answers[-2]


def _timed(look: Callable[[], Answer]) -> tuple[int, int, Answer]:
    asked_ms = epoch_ms()
    answer = look()
    return asked_ms, epoch_ms(), answer


def epoch_ms() -> int:
    """The time as Kafka writes it."""
    return time.time_ns() // 1_000_000
