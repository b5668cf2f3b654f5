"""Claims on recordings of real brokers are true in each capture, as docs/explanation/claims.md promises."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from benchmarks.truth.boards import board
from benchmarks.truth.captures import Captures
from benchmarks.truth.claims import KINDS
from benchmarks.truth.recordings import RECORDINGS, open_recording
from benchmarks.truth.tables import total

if TYPE_CHECKING:
    from benchmarks.truth.scores import Score

EVERY_MS: Final = 60_000
LIKELY: Final = 0.95
"""The share of likely sentences, and of likely rows, that must be right."""
AT_ONCE: Final = (("incident-4.3", "A"), ("foreign-4.2-medium", "A"))
SLOWLY: Final = (
    ("incident-4.3", "BC"),
    ("recorded-4.3.1", "AB"),
    ("recorded-2.8.2", "AB"),
    ("incident-4.1", "ABC"),
    ("foreign-4.2-medium", "BC"),
)
CAPTURED: Final = (
    *((name, capture) for name, captures in AT_ONCE for capture in captures),
    *(pytest.param((name, capture), marks=pytest.mark.slow) for name, captures in SLOWLY for capture in captures),
)


@pytest.fixture(scope="module")
def captures() -> dict[str, Captures]:
    """Recordings that a test asked for, by name: several captures need the whole history of one."""
    return {}


@pytest.fixture(scope="module", params=CAPTURED, ids="-".join)
def place(request: pytest.FixtureRequest) -> tuple[str, str]:
    """The name of a recording, and of a capture of it."""
    named: tuple[str, str] = request.param
    return named


@pytest.fixture(scope="module")
def scores(
    request: pytest.FixtureRequest,
    place: tuple[str, str],
    captures: dict[str, Captures],
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Score]:
    """The scores of a capture by kind."""
    name, capture = place
    if name not in captures:
        places = RECORDINGS.get(name) or [request.getfixturevalue("shared") / "corpus" / name]
        room = tmp_path_factory.mktemp("truth")
        captures[name] = Captures(open_recording(name, places, room / "unpacked"), room / "built", EVERY_MS)
    return total(board(captures[name], capture))


def test_nothing_that_is_proven_is_false(scores: dict[str, Score]) -> None:
    """In no capture, of no kind."""
    assert {kind: score.false_offsets for kind, score in scores.items()} == dict.fromkeys(KINDS, 0)


def test_nothing_is_said_of_who_was_not_disturbed(scores: dict[str, Score]) -> None:
    """Groups to which nothing was done, and that read everything once, have no incident."""
    assert sum(score.control_incidents for score in scores.values()) == 0


def test_nothing_that_happened_is_impossible(place: tuple[str, str], scores: dict[str, Score]) -> None:
    """Where the whole history was read, the possible ranges hold all of the truth that records can tell."""
    missing = {kind: score.true_offsets - score.covered_offsets for kind, score in scores.items()}
    assert place[1] != "A" or missing == dict.fromkeys(KINDS, 0)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_likely_is_true(scores: dict[str, Score], kind: str) -> None:
    """At least as many of the likely rows and sentences are right."""
    assert scores[kind].right_rows >= LIKELY * scores[kind].likely_rows
    assert scores[kind].right_sentences >= LIKELY * scores[kind].likely_sentences
