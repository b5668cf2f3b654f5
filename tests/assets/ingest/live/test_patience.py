"""That what may pass is tried again, for so long and no longer, and nothing else is."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from assets.ingest.live.errors import PassingError
from assets.ingest.live.patience import WAITS_S, patiently
from parsers.errors import SourceError


@pytest.fixture
def waited(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long was waited each time, without waiting."""
    seconds: list[float] = []
    monkeypatch.setattr("assets.ingest.live.patience.time", SimpleNamespace(sleep=seconds.append))
    return seconds


class Away:
    """Answers after so many attempts in vain."""

    def __init__(self, times: int, error: SourceError) -> None:
        """Say how often it is away, and what is said then."""
        self.times, self.error, self.attempts = times, error, 0

    def __call__(self) -> str:
        """Answer, or not yet."""
        self.attempts += 1
        if self.attempts <= self.times:
            raise self.error
        return "here"


def test_what_comes_back_is_waited_for(waited: list[float]) -> None:
    """With longer and longer waits."""
    assert patiently(Away(3, PassingError("away"))) == "here"
    assert waited == list(WAITS_S[:3])


def test_patience_has_an_end(waited: list[float]) -> None:
    """Half a minute, then the last word of the attempt is the caller's."""
    away = Away(99, PassingError("away"))
    with pytest.raises(PassingError, match="away"):
        patiently(away)
    assert (away.attempts, sum(waited)) == (len(WAITS_S) + 1, sum(WAITS_S))
    assert 20 <= sum(WAITS_S) <= 40


def test_what_will_not_pass_is_not_tried_again(waited: list[float]) -> None:
    """A wrong right stays wrong; without any waits there is one attempt."""
    refused = Away(99, SourceError("no"))
    with pytest.raises(SourceError, match="no"):
        patiently(refused)
    once = Away(1, PassingError("away"))
    with pytest.raises(PassingError):
        patiently(once, ())
    assert (refused.attempts, once.attempts, waited) == (1, 1, [])
