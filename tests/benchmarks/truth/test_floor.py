"""How true claims are on recordings of real brokers can only get better.

What must hold everywhere is in the tests, and where it does not hold yet, in the tables of what falls short.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from benchmarks.truth.boards import board
from benchmarks.truth.captures import Captures
from benchmarks.truth.recordings import KEPT, opened
from benchmarks.truth.tables import by_group, explained, total

if TYPE_CHECKING:
    from benchmarks.truth.scores import Score

EVERY_MS: Final = 60_000
LIKELY: Final = 0.95
"""The share of likely sentences, and of likely rows, that must be right."""
CAPTURED: Final = (
    ("incident-4.3", "A"),
    ("incident-4.3", "B"),
    ("incident-4.3", "C"),
    ("recorded-4.3.1", "A"),
    ("incident-4.1", "A"),
    ("incident-4.1", "B"),
    ("foreign-4.2-medium", "A"),
    ("foreign-4.2-medium", "B"),
    pytest.param("foreign-4.2-medium", "C", marks=pytest.mark.slow),
)
FALLS_SHORT: Final[dict[tuple[str, str, str], tuple[float, float]]] = {}
"""Of recordings, captures and kinds: the shares of likely rows and of likely sentences that are right, where that is
less than LIKELY. A share here is only ever raised, and a line that is raised to LIKELY goes."""
CRIES: Final[dict[tuple[str, str], int]] = {}
"""Of recordings and captures: how many incidents controls have, where that is not none."""


@pytest.fixture(scope="module")
def captures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Captures]:
    """Recordings that were asked for, whose whole history several captures need."""
    return {}


@pytest.fixture
def scores(
    request: pytest.FixtureRequest, captures: dict[str, Captures], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Score]:
    """The scores by kind of one capture of one recording, and on stdout how they come about."""
    name, capture = request.param
    if name not in captures:
        places = KEPT.get(name) or [request.getfixturevalue("shared") / "corpus" / name]
        room = tmp_path_factory.mktemp("truth")
        captures[name] = Captures(opened(name, places, room / "unpacked"), room / "built", EVERY_MS)
    scored = board(captures[name], capture)
    print(by_group(scored), *explained(scored), sep="\n")
    return total(scored)
