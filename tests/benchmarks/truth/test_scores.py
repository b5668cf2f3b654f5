"""Claims are held against the truth as the scoreboard says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.truth.claims import Claim, Incident
from benchmarks.truth.scores import Board, Score
from benchmarks.truth.truths import ANY_TIME, Key, Truth, offsets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.truth.claims import Range

KEY = Key("payers", "orders", 0)
AGAIN = ("payers", "replay")
MISSED = ("payers", "skip")
ALWAYS = (-float("inf"), float("inf"))


def truth(again: Sequence[tuple[int, int]] = (), missed: Sequence[Sequence[int]] = (), following: int = 1000) -> Truth:
    """What happened to a partition: offsets and times of what was read again, and ranges that were never read."""
    rows = np.array(again, np.int64).reshape(-1, 2)
    return Truth(rows, offsets(missed), offsets(span for span in missed if span[0]), following)


def again(start: int, end: int, ms: int = ANY_TIME) -> list[tuple[int, int]]:
    """Offsets that were read again at an instant."""
    return [(offset, ms) for offset in range(start, end)]


def claim(
    kind: str,
    possible: Range,
    certain: Range | None = None,
    estimate: Range | None = None,
    times: tuple[float, float] = ALWAYS,
) -> Claim:
    """A row that an incident tells."""
    return Claim(kind, KEY, possible, certain, estimate, *times, "1")


def incident(kind: str, certain: int, estimate: int | None) -> Incident:
    """The sentence of such rows."""
    return Incident("1", kind, "payers", certain, estimate, "a title")


def score(board: Board, of: tuple[str, str] = AGAIN) -> Score:
    """The score of one group and kind."""
    return board.scores()[of]


def test_what_lies_in_a_possible_range_is_recalled() -> None:
    """The rest is not; an offset that was read three times is one to recall, and two that happened."""
    scored = score(Board({KEY: truth(again(10, 20) + again(18, 20))}, [claim("replay", (15, 30))], []))
    assert (scored.true_offsets, scored.covered_offsets, scored.truth_sum) == (10, 5, 12)


def test_a_range_without_an_end_reaches_everything_behind_its_start() -> None:
    """As mart.replays says where nothing tells the end."""
    scored = score(Board({KEY: truth(again(10, 20))}, [claim("replay", (15, float("inf")))], []))
    assert (scored.covered_offsets, scored.possible_sum) == (5, 0)


def test_a_false_proven_replay_is_counted() -> None:
    """Every offset that is certain and was read once."""
    scored = score(Board({KEY: truth(again(10, 20))}, [claim("replay", (0, 50), certain=(15, 25))], []))
    assert (scored.certain_offsets, scored.false_offsets) == (10, 5)


def test_a_false_proven_skip_is_counted() -> None:
    """Every offset that is certain and was read; what nobody has come to yet was not."""
    claims = [claim("skip", (0, 60), certain=(10, 30)), claim("skip", (90, 110), certain=(95, 105))]
    scored = score(Board({KEY: truth(missed=[[10, 20]], following=100)}, claims, []), MISSED)
    assert (scored.certain_offsets, scored.false_offsets) == (30, 15)


def test_a_claim_about_another_group_recalls_nothing() -> None:
    """Nor is it held against a truth that is not its own."""
    other = Claim("replay", Key("others", "orders", 0), (0, 50), (0, 50), None, *ALWAYS, None)
    assert score(Board({KEY: truth(again(10, 20))}, [other], [])) == Score(true_offsets=10, truth_sum=10)


def test_a_factor_of_two_is_right_and_of_three_is_not() -> None:
    """Whichever is more; nor is any estimate right where nothing happened."""

    def right(estimate: int, happened: int) -> tuple[int, int]:
        rows = [claim("replay", (0, 100), estimate=(0, estimate))]
        scored = score(Board({KEY: truth(again(0, happened))}, rows, [incident("replay", 0, estimate)]))
        assert (scored.likely_rows, scored.likely_sentences) == (1, 1)
        return scored.right_rows, scored.right_sentences

    assert [right(*numbers) for numbers in ((20, 10), (10, 20))] == [(1, 1), (1, 1)]
    assert [right(*numbers) for numbers in ((30, 10), (10, 30), (1, 0))] == [(0, 0), (0, 0), (0, 0)]


def test_what_is_certain_or_has_no_estimate_is_not_likely() -> None:
    """One is proven, the other possible."""
    rows = [
        claim("replay", (0, 9), (0, 9), (0, 9)),
        claim("replay", (10, 19)),
        claim("replay", (20, 29), None, (20, 20)),
    ]
    scored = score(Board({KEY: truth(again(0, 9))}, rows, [incident("replay", 9, 9), incident("replay", 0, None)]))
    assert (scored.likely_rows, scored.likely_sentences, scored.estimate_sum) == (0, 0, 9)


def test_a_row_is_about_its_own_time() -> None:
    """What was read again there at another time is another row's."""
    rows = [claim("replay", (0, 100), None, (0, 10), times=(50_000, 60_000))]
    board = Board({KEY: truth(again(0, 10, 55_000) + again(0, 90, 99_000))}, rows, [])
    assert board.rows(*AGAIN)[0].truth == 10


def test_what_two_rows_of_a_sentence_hold_counts_once() -> None:
    """Their possible ranges may overlap."""
    rows = [claim("replay", (0, 60), estimate=(0, 50)), claim("replay", (40, 100), estimate=(50, 100))]
    board = Board({KEY: truth(again(0, 100))}, rows, [incident("replay", 0, 100)])
    assert board.sentences(*AGAIN)[0].truth == 100


def test_an_incident_of_a_control_is_counted() -> None:
    """Of whatever kind; none of a group that was disturbed, or that did read something again."""
    stopped = [incident("stopped", 0, None)]
    assert score(Board({KEY: truth()}, [], stopped, {"payers"})).control_incidents == 1
    assert score(Board({KEY: truth()}, [], stopped, {"payers"}), MISSED).control_incidents == 0
    assert score(Board({KEY: truth()}, [], stopped)).control_incidents == 0
    assert score(Board({KEY: truth(again(0, 1))}, [], stopped, {"payers"})).control_incidents == 0


def test_what_no_record_tells_is_not_asked_for() -> None:
    """It is counted apart."""
    scored = score(Board({KEY: truth(again(0, 10))}, [], [], (), {AGAIN}))
    assert scored == Score(unrecorded_offsets=10)


def test_scores_add_up() -> None:
    """Field by field."""
    assert Score(true_offsets=1, false_offsets=2) + Score(true_offsets=3, covered_offsets=4) == Score(
        true_offsets=4, false_offsets=2, covered_offsets=4
    )
