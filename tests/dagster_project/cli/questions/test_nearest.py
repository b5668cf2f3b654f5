"""Names near to a mistyped one: the same few for a hundred thousand names as for ten."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path

import duckdb
import pytest

from assets.duckdb.build_info import BuildInfo
from assets.duckdb.shown_files import ShownFiles
from assets.models import MACROS
from dagster_project.cli.questions.answers import Answers
from dagster_project.cli.questions.nearest import nearest, partitions_there, suggestion

NAMES = "SELECT format('group-{:06}', n) AS name FROM range(100_000) AS t (n) UNION SELECT 'payments'"


@pytest.fixture
def answers() -> Answers:
    """A file without tables: the names come from the question."""
    connection = duckdb.connect()
    for macro in MACROS:
        if macro.name == "_nearness":
            connection.execute(macro.statement)
    info = BuildInfo("", None, datetime.now(timezone.utc), {})
    return Answers(connection, info, Path("lagbook.duckdb"), ShownFiles({}, {}, ""))


@pytest.mark.parametrize("wanted", ["paymnets", "Payments", "payment"])
def test_a_slip_of_the_keys_finds_its_name(answers: Answers, wanted: str) -> None:
    """Swapped, in another case, or left out: the name that was meant comes first."""
    assert nearest(answers, NAMES, wanted)[0] == "payments"


def test_the_name_itself_comes_before_one_in_another_case(answers: Answers) -> None:
    """Four names that differ in case alone are as near to each other as they can be."""
    names = "SELECT unnest(['AB', 'Ab', 'aB', 'ab', 'abc']) AS name"
    assert nearest(answers, names, "ab")[0] == "ab"


def test_what_is_suggested_can_be_pasted() -> None:
    """Without any name the sentence says so."""
    assert suggestion(["a", "b c"], "none") == "the nearest are a, 'b c'"
    assert suggestion(["x\x1b"], "none") == "the nearest is $'x\\x1b'"
    assert suggestion([], "no group is") == "no group is"


def test_partitions_are_named_by_their_runs() -> None:
    """Of 240 partitions nobody wants 240 numbers."""
    assert partitions_there("clicks", range(240)) == "of clicks there are 0 to 239"
    assert partitions_there("clicks", [7]) == "of clicks there is 7"
