"""Scores as a table for people, and the sentences behind them.

Only the form belongs here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from benchmarks.report import markdown
from benchmarks.truth.claims import KINDS
from benchmarks.truth.scores import Score

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.truth.scores import Board

HEADS: Final = (
    "group", "kind", "true", "recall by possible", "certain", "false proven", "likely rows right", "likely sentences right",
    "estimated", "truth", "possible", "control incidents",
)  # fmt: skip


def table(board: Board, *, by_group: bool) -> str:
    """A line per group and kind, where asked for, and one per kind for all groups."""
    scores = board.scores()
    rows = [[group, kind, *cells(score)] for (group, kind), score in scores.items() if by_group and score != Score()]
    for kind in KINDS:
        rows.append(["all", kind, *cells(sum((one for (_, of), one in scores.items() if of == kind), Score()))])
    return markdown(HEADS, rows)


def cells(score: Score) -> list[str]:
    """The counts of a score as they stand in a table."""
    return [
        f"{score.true:,}",
        _share(score.covered, score.true),
        f"{score.certain:,}",
        f"{score.false:,}",
        _of(score.right_rows, score.likely_rows),
        _of(score.right_sentences, score.likely_sentences),
        f"{score.estimated:,}",
        f"{score.happened:,}",
        f"{score.possible:,}",
        str(score.control_incidents),
    ]


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"


def _of(part: int, whole: int) -> str:
    return f"{part} of {whole}" if whole else "-"


def explained(board: Board) -> Iterator[str]:
    """Every likely row and sentence, with what it says and what is true in its place."""
    for group in sorted({key.group for key in board.truths}):
        for kind in KINDS:
            for one in (*board.sentences(group, kind), *board.rows(group, kind)):
                yield f"{'right' if one.is_right else 'WRONG'} {kind} {group}: says {one.said:g}, truth {one.true}: {one.what}"
