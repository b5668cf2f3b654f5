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
    ("words", "message"),
    [
        ((GROUP,), "Give one of --at, --undo-replays, "),
        ((GROUP, "--at", "2026-11-18T12:02", "--undo-replays"), "Give one of --at, --undo-replays, "),
        (("nobody", "--at", "2026-11-18T12:02"), "group nobody is not in this warehouse"),
        ((GROUP, "--at", "2026-11-18T11:00"), "nothing is known of 2026-11-18T11:00"),
        ((GROUP, "--at", "2026-11-18T12:02", "--topic", "orders"), "had nothing committed then in these topics"),
        (("--to-latest",), "Name a GROUP, or give --incident ID."),
        ((GROUP, "--incident", "abc"), "An --incident ID says whose it is."),
        (("--incident", "abc"), "incident abc is not in this warehouse"),
        ((GROUP, "--to-latest", "--topic", "audti"), "topic audti is not in this warehouse; the nearest are audit, "),
        ((GROUP, "--at", "2026-11-18T12:02", "--topic", "audit:1"), "had nothing committed then in these topics"),
        ((GROUP, "--at", "2026-11-18T12:02", "--topic", "audit:x"), "neither TOPIC nor TOPIC:PARTITION"),
        ((GROUP, "--at", "2026-11-18T12:02", "--cluster", "c2"), "cluster c2 is not in this warehouse; there is c1."),
    ],
)
def test_a_call_that_can_not_be_taken(lagbook: Lagbook, warehouse: Path, words: tuple[str, ...], message: str) -> None:
    """One sentence, nothing on stdout, exit code 2."""
    result = lagbook("reset-plan", *words, "--warehouse", str(warehouse))
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr


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


def test_an_incident_is_undone_by_its_id(lagbook: Lagbook, warehouse: Path) -> None:
    """A replay forward to where the group had been; what has come there again, or moved nothing, has no plan."""
    change(warehouse, "UPDATE mart.offsets_now SET current_offset = 500 WHERE group_id = 'admin-reset'")
    incident = incident_of(lagbook, warehouse, "admin-reset")
    words = ("reset-plan", "--incident", incident, "--warehouse", str(warehouse))
    result = lagbook(*words)
    assert (result.exit_code, result.stdout) == (0, "audit,0,670\n")
    assert "audit-0: 500 -> 670: 170 offsets skipped (169 records)" in result.stderr
    change(warehouse, "UPDATE mart.offsets_now SET current_offset = 670 WHERE group_id = 'admin-reset'")
    again = lagbook(*words)
    assert (again.exit_code, again.stdout) == (2, "")
    assert "group admin-reset stands nowhere below where it had come before this incident." in again.stderr
    change(warehouse, "UPDATE mart.incidents SET kind = 'storm' WHERE incident_id = $one", one=incident)
    assert f"incident {incident} moved no offset (storm), so there is nothing to undo." in lagbook(*words).stderr


@pytest.mark.parametrize("certainty", ["proven", "likely"])
def test_a_skip_is_undone_back_to_what_was_never_read(lagbook: Lagbook, warehouse: Path, certainty: str) -> None:
    """To the first offset of the estimate, by the incident or for all of the group; what was only possible is none."""
    group = f"late-{certainty}"
    commit = "SELECT * REPLACE ('late' AS topic, $name AS group_id, 60 AS current_offset) FROM mart.offsets_now LIMIT 1"
    state = "INSERT INTO core.group_states BY NAME SELECT 'c1' AS cluster, $name AS group_id"
    change(warehouse, f"INSERT INTO mart.offsets_now {commit}", state, name=group)
    by_group = lagbook("reset-plan", group, "--undo-skips", "--warehouse", str(warehouse))
    assert (by_group.exit_code, by_group.stdout) == (0, "late,0,10\n")
    incident = incident_of(lagbook, warehouse, group)
    by_incident = lagbook("reset-plan", "--incident", incident, "--warehouse", str(warehouse))
    assert by_incident.stdout == by_group.stdout
    change(warehouse, "UPDATE mart.skips SET certainty = 'possible'")
    assert lagbook("reset-plan", group, "--undo-skips", "--warehouse", str(warehouse)).exit_code == 2


def test_offsets_of_a_topic_that_was_made_anew_are_of_another_log(lagbook: Lagbook, warehouse: Path) -> None:
    """To go back to them would be to go to other records."""
    change(
        warehouse,
        "UPDATE mart.offsets_now SET current_offset = 500 WHERE group_id = 'admin-reset'",
        "INSERT INTO core.topics BY NAME SELECT 'c1' AS cluster, 'audit' AS topic, unnest(['a', 'b']) AS topic_id,"
        " unnest(['2026-11-18 11:00Z'::TIMESTAMPTZ, '2026-11-18 12:04Z'::TIMESTAMPTZ]) AS first_seen_at",
    )
    assert lagbook("reset-plan", GROUP, "--undo-replays", "--warehouse", str(warehouse)).exit_code == 2


@pytest.mark.parametrize(
    ("words", "offset"),
    [
        (("--shift-by", "-100"), 800),
        (("--shift-by", "-5000"), 0),
        (("--shift-by", "500"), 1000),
        (("--shift-by", str(2**63 - 1)), 1000),
        (("--to-offset", "7"), 7),
        (("--to-offset", "5000"), 1000),
        (("--to-earliest",), 400),
        (("--to-latest",), 1000),
    ],
)
def test_the_resets_of_the_tool_are_planned(
    lagbook: Lagbook, warehouse: Path, words: tuple[str, ...], offset: int
) -> None:
    """Each with its cost; beyond the log end it is the log end."""
    (row,) = planned(lagbook, warehouse, *words)
    assert (row["offset"], row["current_offset"]) == (offset, 900)
    assert (row["offsets_again"], row["offsets_skipped"]) == (max(900 - offset, 0), max(offset - 900, 0))


@pytest.mark.parametrize(
    ("at", "offset"),
    [("12:00", None), ("12:01", 600), ("12:01:59.999", 600), ("12:02", 600), ("12:02:00.001", 1000), ("13:00", 1000)],
)
def test_a_time_of_records_is_found_by_their_batches(
    lagbook: Lagbook, warehouse: Path, at: str, offset: int | None
) -> None:
    """The batch with the first record of that time, or the end; below what was read it is not known."""
    change(
        warehouse,
        "UPDATE raw.batches SET max_timestamp_ms = epoch_ms(if(base_offset = 400, '2026-11-18 12:00:30Z',"
        " '2026-11-18 12:02Z')::TIMESTAMPTZ)",
    )
    (row,) = planned(lagbook, warehouse, "--to-datetime", f"2026-11-18T{at}")
    assert row["offset"] == offset


def test_a_target_that_is_not_known_is_left_out_and_named(lagbook: Lagbook, warehouse: Path) -> None:
    """Neither the log end nor a hidden commit becomes a guess."""
    change(
        warehouse,
        "INSERT INTO mart.offsets_now SELECT * REPLACE (1 AS partition, NULL AS current_offset, FALSE AS is_known)"
        " FROM mart.offsets_now WHERE group_id = 'admin-reset'",
    )
    result = lagbook("reset-plan", GROUP, "--shift-by", "-1", "--warehouse", str(warehouse))
    assert result.stdout == "audit,0,899\n"
    assert "audit-1 is not in the plan: what was read does not tell where that is." in result.stderr


def incident_of(lagbook: Lagbook, warehouse: Path, group: str) -> str:
    """The id of the one incident of a group."""
    rows = json.loads(lagbook("audit", "--group", group, "--json", "--warehouse", str(warehouse)).stdout)
    (incident,) = {row["incident_id"] for row in rows}
    return str(incident)
