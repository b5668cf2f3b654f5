"""Waiting ends with what is waited for, and only rest counts as rest."""

from __future__ import annotations

import pytest

from tests.broker.waiting import at_rest, wait_until


def test_waiting_ends_with_what_is_waited_for() -> None:
    """What never happens is named."""
    answers = iter([False, False, True])
    wait_until(lambda: next(answers), "the third answer", every_s=0)
    with pytest.raises(TimeoutError, match="rain"):
        wait_until(lambda: False, "rain", seconds=0, every_s=0)


def test_what_moves_is_asked_for_again() -> None:
    """The first of the two that are the same counts, with the instants around it."""
    answers = iter([1, 2, 3, 3])
    asked_ms, answered_ms, answer = at_rest(lambda: next(answers), "the numbers")
    assert answer == 3
    assert asked_ms <= answered_ms
    assert next(answers, None) is None
