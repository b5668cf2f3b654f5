"""Scores as tables for people, and the sentences behind them.

Only the form belongs here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from benchmarks.report import markdown
from benchmarks.truth.claims import KINDS
from benchmarks.truth.scores import Score

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from benchmarks.truth.scores import Board

_COUNTS: Final = (
    *("true", "in no record", "recall by possible", "proven", "false proven", "likely rows right"),
    *("likely sentences right", "estimated / true", "possible / true", "control incidents"),
)
HEADS: Final = ("recording", "capture", "kind", *_COUNTS)
BEGINS: Final = "<!-- python -m benchmarks.truth --markdown docs/explanation/claims.md RECORDING... -->"
ENDS: Final = "<!-- end of the scoreboard -->"
GROUP_HEADS: Final = ("group", "kind", *_COUNTS)


def by_group(board: Board) -> str:
    """A line per group and kind of which there is anything to say."""
    scores = board.scores().items()
    return markdown(GROUP_HEADS, [[*key, *cells(score)] for key, score in scores if score != Score()])


def by_capture(totals: Mapping[tuple[str, str], Mapping[str, Score]]) -> str:
    """A line per recording, capture and kind."""
    return markdown(
        HEADS,
        [[*place, kind, *cells(score)] for place, of_kind in totals.items() for kind, score in of_kind.items()],
    )


def put_into(text: str, table: str) -> str:
    """A page with another table between its marks."""
    before, rest = text.split(BEGINS)
    _, after = rest.split(ENDS)
    return f"{before}{BEGINS}\n{table}\n{ENDS}{after}"


def total(board: Board) -> dict[str, Score]:
    """The scores of all groups together, by kind."""
    scores = board.scores().items()
    return {kind: sum((score for (_, of_kind), score in scores if of_kind == kind), Score()) for kind in KINDS}


def cells(score: Score) -> list[str]:
    """The counts of a score as they stand in a table."""
    return [
        f"{score.true_offsets:,}",
        f"{score.unrecorded_offsets:,}",
        f"{100 * score.covered_offsets / score.true_offsets:.1f} %" if score.true_offsets else "-",
        f"{score.certain_offsets:,}",
        f"{score.false_offsets:,}",
        _of(score.right_rows, score.likely_rows),
        _of(score.right_sentences, score.likely_sentences),
        _ratio(score.estimate_sum, score.truth_sum),
        _ratio(score.possible_sum, score.truth_sum),
        str(score.control_incidents),
    ]


def _of(part: int, whole: int) -> str:
    return f"{part} of {whole}" if whole else "-"


def _ratio(claimed: int, happened: int) -> str:
    return f"{claimed / happened:.2f}" if happened else f"{claimed:,} / 0"


def verdicts(board: Board) -> Iterator[str]:
    """Every likely row and sentence, with what it says and what is true in its place."""
    for group in sorted({key.group for key in board.truths}):
        for kind in KINDS:
            for one in (*board.sentences(group, kind), *board.rows(group, kind)):
                verdict = "right" if one.is_right else "WRONG"
                yield f"{verdict} {kind} {group}: says {one.estimate:g}, truth {one.truth}: {one.what}"
