"""Scores stand in tables as they were counted."""

from __future__ import annotations

import pytest

from benchmarks.truth.scores import Score
from benchmarks.truth.tables import BEGINS, ENDS, by_capture, cells, put_into


def test_shares_are_told_with_what_they_are_of() -> None:
    """And nothing is divided by nothing."""
    scored = Score(
        true_offsets=8,
        covered_offsets=6,
        certain_offsets=3,
        false_offsets=1,
        likely_rows=4,
        right_rows=3,
        estimate_sum=4,
        truth_sum=8,
        possible_sum=20,
    )
    assert cells(scored) == ["8", "0", "75.0 %", "3", "1", "3 of 4", "-", "0.50", "2.50", "0"]
    assert cells(Score(estimate_sum=4)) == ["0", "0", "-", "0", "0", "-", "-", "4 / 0", "0 / 0", "0"]


def test_a_line_has_the_place_it_is_of() -> None:
    """Recording, capture, kind."""
    line = by_capture({("incident", "B"): {"skip": Score(true_offsets=1)}}).splitlines()[-1]
    assert [cell.strip() for cell in line.strip("|").split("|")][:4] == ["incident", "B", "skip", "1"]


def test_a_page_gets_the_new_table_between_its_marks() -> None:
    """The rest of it stays, however often that is done."""
    page = f"before\n\n{BEGINS}\nold\n{ENDS}\nafter\n"
    once = put_into(page, "new")
    assert once == f"before\n\n{BEGINS}\nnew\n{ENDS}\nafter\n"
    assert put_into(once, "new") == once
    with pytest.raises(ValueError, match="not enough values"):
        put_into("no marks", "new")
