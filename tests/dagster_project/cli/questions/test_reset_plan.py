"""`lagbook reset-plan` against a small DuckDB file; that Kafka's tool takes what it prints is tested with a broker."""

from __future__ import annotations

import csv
import json
from io import StringIO
from typing import TYPE_CHECKING, Any

import pytest

from dagster_project.cli.questions.reset_plan import csv_line, typed_place
from parsers.errors import LagbookError
from tests.dagster_project.cli.conftest import change, hide

if TYPE_CHECKING:
    from pathlib import Path

    from tests.dagster_project.cli.conftest import Lagbook

GROUP = "admin-reset"


def planned(lagbook: Lagbook, warehouse: Path, *words: str) -> list[dict[str, Any]]:
    """The plan as JSON."""
    result = lagbook("reset-plan", GROUP, *words, "--json", "--warehouse", str(warehouse))
    assert result.exit_code == 0, result.output
    rows: list[dict[str, Any]] = json.loads(result.stdout)
    return rows


def test_back_to_an_instant(lagbook: Lagbook, warehouse: Path) -> None:
    """The CSV alone is on stdout; the cost and what to do next are beside it, and nothing is changed."""
    result = lagbook("reset-plan", GROUP, "--at", "2026-11-18T12:01", "--warehouse", str(warehouse))
    assert (result.exit_code, result.stdout) == (0, "audit,0,670\n")
    *_basis, first, in_all, then = result.stderr.splitlines()
    assert first == "lagbook: audit-0: 900 -> 670: 230 offsets read again (230 records); the log start is not known"
    assert in_all == "lagbook: in all 230 offsets read again, 0 skipped; Lagbook changed nothing."
    assert "--group admin-reset --reset-offsets --from-file FILE --dry-run" in then


def test_where_a_hole_may_hide_the_offset_there_is_no_plan(lagbook: Lagbook, warehouse: Path) -> None:
    """To go back to the last offset that was seen might read again what was done."""
    hide(warehouse)
    words = ("reset-plan", GROUP, "--at", "2026-11-18T12:02:30", "--warehouse", str(warehouse))
    alone = lagbook(*words)
    assert (alone.exit_code, alone.stdout) == (2, "")
    assert "what group admin-reset had committed then is not known: a hole in the log may hide" in alone.stderr
    change(
        warehouse, "INSERT INTO core.commits SELECT * REPLACE (1 AS partition) FROM core.commits WHERE log_offset = 2"
    )
    with_another = lagbook(*words)
    assert (with_another.exit_code, with_another.stdout) == (0, "audit,1,420\n")
    assert "audit-0 is not in the plan: a hole in the log may hide what was committed then" in with_another.stderr
    assert "(last commit seen before: 420 of 2026-11-18T12:02:00" in with_another.stderr


def test_the_cost_counts_records_and_no_markers(lagbook: Lagbook, warehouse: Path) -> None:
    """From 900 back to 420 lie 480 offsets, one of them a control marker."""
    (row,) = planned(lagbook, warehouse, "--at", "2026-11-18T12:02")
    assert (row["current_offset"], row["target"], row["offset"]) == (900, 420, 420)
    assert (row["offsets_again"], row["offsets_skipped"], row["records"]) == (480, 0, 479)
    assert (row["log_start_offset"], row["offsets_lost"]) == (None, None)


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM raw.segments",
        "UPDATE raw.segments SET quarantined_count = 1",
        "UPDATE raw.segments SET from_offset = 500",
        "UPDATE raw.batches SET record_count = 7 WHERE base_offset = 601",
        "UPDATE raw.batches SET record_count = NULL WHERE base_offset = 601",
    ],
)
def test_records_that_can_not_be_counted_are_not_known(lagbook: Lagbook, warehouse: Path, statement: str) -> None:
    """Nothing read, or not all, or a compacted batch cut through: the offsets are told, the records are NULL."""
    change(warehouse, statement)
    (row,) = planned(lagbook, warehouse, "--at", "2026-11-18T12:02")
    assert (row["offsets_again"], row["records"]) == (480, None)


def test_below_the_log_start_nothing_can_be_read(lagbook: Lagbook, warehouse: Path) -> None:
    """The offset is raised to where the log begins, and how much is gone is said."""
    change(warehouse, "UPDATE core.log_ends SET log_start_offset = 500")
    (row,) = planned(lagbook, warehouse, "--at", "2026-11-18T12:02")
    assert (row["offset"], row["offsets_lost"], row["offsets_again"], row["records"]) == (500, 80, 400, 399)
    result = lagbook("reset-plan", GROUP, "--at", "2026-11-18T12:02", "--warehouse", str(warehouse))
    assert result.stdout == "audit,0,500\n"
    assert "80 offsets below the log start are gone, so it is raised to 500" in result.stderr


def test_undoing_a_set_back_skips_what_was_read(lagbook: Lagbook, warehouse: Path) -> None:
    """A partition that has come past where it stood is left alone; one that has not goes there."""
    again = lagbook("reset-plan", GROUP, "--undo-replays", "--warehouse", str(warehouse))
    assert again.exit_code == 2
    assert "stands nowhere below where it had come before it was set back" in again.stderr
    change(warehouse, f"UPDATE mart.offsets_now SET current_offset = 450 WHERE group_id = '{GROUP}'")  # noqa: S608
    (row,) = planned(lagbook, warehouse, "--undo-replays")
    assert (row["offset"], row["offsets_again"], row["offsets_skipped"], row["records"]) == (670, 0, 220, 219)


def test_a_partition_without_a_commit_now_has_no_cost_that_is_known(lagbook: Lagbook, warehouse: Path) -> None:
    """Its offsets were removed meanwhile: NULL, and the sum is a lower bound."""
    change(warehouse, f"DELETE FROM mart.offsets_now WHERE group_id = '{GROUP}'")  # noqa: S608
    (row,) = planned(lagbook, warehouse, "--at", "2026-11-18T12:02")
    assert (row["current_offset"], row["offsets_again"], row["offsets_skipped"], row["records"]) == (None,) * 4
    result = lagbook("reset-plan", GROUP, "--at", "2026-11-18T12:02", "--warehouse", str(warehouse))
    assert "- -> 420: nothing is committed now" in result.stderr
    assert "in all at least 0 offsets read again" in result.stderr


def test_members_and_formulas_are_warned_of(lagbook: Lagbook, warehouse: Path) -> None:
    """The tool refuses a group with members; a spreadsheet would run a topic that is a formula."""
    change(
        warehouse,
        "UPDATE core.commits SET topic = '=1+1'",
        "UPDATE mart.offsets_now SET topic = '=1+1'",
        "UPDATE mart.lag_now SET topic = '=1+1', member_id = 'm'",
    )
    result = lagbook("reset-plan", GROUP, "--at", "2026-11-18T12:02", "--warehouse", str(warehouse))
    assert result.stdout == '"=1+1",0,420\n'
    assert "the group has members" in result.stderr
    assert "don't open the CSV in a spreadsheet" in result.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((GROUP,), "Give either --at TIME or --undo-replays"),
        ((GROUP, "--at", "2026-11-18T12:02", "--undo-replays"), "Give either --at TIME or --undo-replays"),
        (("nobody", "--at", "2026-11-18T12:02"), "group nobody is not in this warehouse"),
        ((GROUP, "--at", "2026-11-18T11:00"), "nothing is known of 2026-11-18T11:00"),
        ((GROUP, "--at", "2026-11-18T12:02", "--topic", "orders"), "had nothing committed then in these topics"),
        ((GROUP, "--at", "2026-11-18T12:02", "--topic", "audit:1"), "had nothing committed then in these topics"),
        ((GROUP, "--at", "2026-11-18T12:02", "--topic", "audit:x"), "neither TOPIC nor TOPIC:PARTITION"),
        ((GROUP, "--at", "2026-11-18T12:02", "--cluster", "c2"), "cluster c2 is not in this warehouse; there is c1."),
    ],
)
def test_a_call_that_can_not_be_taken(lagbook: Lagbook, warehouse: Path, words: tuple[str, ...], said: str) -> None:
    """One sentence, nothing on stdout, exit code 2."""
    result = lagbook("reset-plan", *words, "--warehouse", str(warehouse))
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr


def test_what_was_asked_for_and_is_not_in_the_plan_is_named(lagbook: Lagbook, warehouse: Path) -> None:
    """Who applies the plan would else take it for whole."""
    words = ("--at", "2026-11-18T12:02", "--topic", "audit:0,7", "--topic", "orders")
    result = lagbook("reset-plan", GROUP, *words, "--warehouse", str(warehouse))
    assert (result.exit_code, result.stdout) == (0, "audit,0,420\n")
    assert [line for line in result.stderr.splitlines() if "not in the plan" in line] == [
        f"lagbook: {name} is not in the plan: there is nothing of the group to go back to."
        for name in ("audit-7", "orders")
    ]


def test_a_group_of_two_clusters_needs_one_named(lagbook: Lagbook, warehouse: Path) -> None:
    """The tool speaks to one cluster."""
    change(warehouse, "INSERT INTO core.commits SELECT * REPLACE ('c2' AS cluster) FROM core.commits")
    result = lagbook("reset-plan", GROUP, "--at", "2026-11-18T12:02", "--warehouse", str(warehouse))
    assert (result.exit_code, result.stdout) == (2, "")
    assert "in several clusters, so give --cluster: c1, c2" in result.stderr
    assert len(planned(lagbook, warehouse, "--at", "2026-11-18T12:02", "--cluster", "c1")) == 1


def test_hostile_names_reach_the_terminal_as_text(lagbook: Lagbook, warehouse: Path, hostile: str) -> None:
    """A group id is in no line of the CSV, and what stands beside it is safe to show."""
    result = lagbook("reset-plan", hostile, "--at", "2026-11-18T12:04", "--warehouse", str(warehouse))
    assert (result.exit_code, result.stdout) == (0, "audit,0,5\n")
    assert "\x1b" not in result.stderr
    assert "\u202e" not in result.stderr


@pytest.mark.parametrize(
    "topic", ["orders", "my topic", 'a"b', "a,b", "=cmd|' /C calc'!A0", " x ", "\u00e9", "\x1b[2J"]
)
def test_a_line_holds_the_name_as_it_is(topic: str) -> None:
    """Whatever reads CSV reads the same three values."""
    line = csv_line({"topic": topic, "partition": 3, "offset": 42})
    assert next(csv.reader(StringIO(line, newline=""))) == [topic, "3", "42"]
    assert line.count("\n") == 0


@pytest.mark.parametrize("topic", ["a\nb", "a\rb"])
def test_a_line_break_in_a_name_is_refused(topic: str) -> None:
    """The tool reads line by line, so such a name would become two lines."""
    with pytest.raises(LagbookError, match="line break"):
        csv_line({"topic": topic, "partition": 0, "offset": 0})


@pytest.mark.parametrize(
    ("text", "place"),
    [("orders", ("orders", [])), ("orders:0", ("orders", [0])), ("a:b:22,1", ("a:b", [1, 22]))],
)
def test_places_are_typed_as_for_the_tool(text: str, place: tuple[str, list[int]]) -> None:
    """A topic, or a topic and partitions of it."""
    topic, partitions = typed_place(text)
    assert (topic, sorted(partitions)) == place
