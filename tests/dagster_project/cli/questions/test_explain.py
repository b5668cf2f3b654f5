"""`lagbook explain` against a small DuckDB file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.dagster_project.cli.conftest import change, hide

if TYPE_CHECKING:
    from pathlib import Path

    from tests.dagster_project.cli.conftest import Lagbook


def test_an_offset_is_explained_in_words(lagbook: Lagbook, warehouse: Path) -> None:
    """Each event with its time and its place in the log, and what it came to."""
    result = lagbook("explain", "admin-reset", "audit", "0", "--warehouse", str(warehouse))
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines() == [
        "2026-11-18T12:01:00.000Z  committed 670, where nothing stood  [7/1]",
        "2026-11-18T12:02:00.000Z  set back from 670 to 420, by an admin  [7/2]",
        "2026-11-18T12:03:00.000Z  read on from 420 to 900 (1 commit)  [7/3]",
        "So its offset is 900, the log end 1000, the lag 100; nobody is known to own it.",
    ]


def test_a_commit_that_passed_over_offsets_says_how(lagbook: Lagbook, warehouse: Path) -> None:
    """It is not told as reading on."""
    skip = "'c1' AS cluster, 'admin-reset' AS group_id, 'audit' AS topic, 0 AS partition, 7 AS log_partition"
    columns = "3 AS log_offset, 'overtaken_by_log_start' AS kind, 'likely' AS certainty"
    change(warehouse, f"INSERT INTO mart.skips BY NAME SELECT {skip}, {columns}")
    output = lagbook("explain", "admin-reset", "audit", "0", "--warehouse", str(warehouse)).stdout
    assert "went on from 420 to 900, and passed over what it had not read (the log had lost it)  [7/3]\n" in output


def test_a_commit_behind_a_gap_is_told(lagbook: Lagbook, warehouse: Path) -> None:
    """What stood before it is not known; a share partition has an event of the same name, with other words."""
    hide(warehouse)
    output = lagbook("explain", "admin-reset", "audit", "0", "--warehouse", str(warehouse)).stdout
    assert "committed 900; what stood before is not known  [7/3]\n" in output


def test_an_owner_is_named(lagbook: Lagbook, warehouse: Path) -> None:
    """Who came to own the partition, from where, and since when."""
    result = lagbook("explain", "owner", "audit", "1", "--warehouse", str(warehouse))
    assert "owned by m-1 at /10.0.0.1, from generation 1  [8/1]" in result.stdout
    assert result.stdout.splitlines()[-1].endswith("; owned by m-1 at /10.0.0.1.")


def test_a_past_instant_ends_the_story(lagbook: Lagbook, warehouse: Path) -> None:
    """What came later is left out, and what stood is that of then."""
    result = lagbook(
        "explain", "admin-reset", "audit", "0", "--at", "2026-11-18T12:02:30", "--warehouse", str(warehouse)
    )
    lines = result.stdout.splitlines()
    assert lines[1:] == [
        "2026-11-18T12:02:00.000Z  set back from 670 to 420, by an admin  [7/2]",
        "So its offset then was 420, the log end 700, the lag 280; nobody is known to own it.",
    ]


def test_a_beginning_leaves_out_what_was_before(lagbook: Lagbook, warehouse: Path) -> None:
    """--from is included."""
    words = ("--from", "2026-11-18T12:02", "--json", "--warehouse", str(warehouse))
    rows = json.loads(lagbook("explain", "admin-reset", "audit", "0", *words).stdout)
    assert [(row["event"], row["from_offset"], row["to_offset"]) for row in rows] == [
        ("rewind", 670, 420),
        ("read_on", 420, 900),
    ]


def test_the_last_events_are_shown_and_the_rest_is_counted(lagbook: Lagbook, warehouse: Path) -> None:
    """What is left out is said beside the answer."""
    result = lagbook("explain", "admin-reset", "audit", "0", "--last", "1", "--warehouse", str(warehouse))
    assert len(result.stdout.splitlines()) == 2
    assert "2 earlier events are left out" in result.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("nobody", "audit", "0"), "group nobody is not in this warehouse"),
        (("admin-reset", "audit", "7"), "committed and owned nothing of audit-7 at any time; of audit there is 0."),
        (("admin-reset", "audti", "0"), "committed and owned nothing of audti-0 at any time; the nearest is audit."),
        (("admin-reset", "audit", "0", "--from", "2026-11-19"), "committed and owned nothing of audit-0 in that time."),
        (("admin-reset", "audit", "0", "--at", "2026-11-17"), "nothing is known of 2026-11-17"),
        (("admin-reset", "audit", "zero"), "'zero' is not a valid integer"),
        (("admin-reset", "audit", "0", "--from", "2026-11-18", "--at", "2026-11-17"), "--from has to be before --to."),
    ],
)
def test_a_question_without_an_answer_is_refused(
    lagbook: Lagbook, warehouse: Path, words: tuple[str, ...], sentence: str
) -> None:
    """Exit code 2 and one sentence that says what is not there."""
    result = lagbook("explain", *words, "--warehouse", str(warehouse))
    assert result.exit_code == 2
    assert sentence in result.stderr


@pytest.mark.parametrize(
    ("cause", "words"),
    [
        ("'expired', 691200000", "900 was removed (expired; it had stood for 8 days, 0:00:00)"),
        ("'group_deleted', NULL", "900 was removed (group deleted)"),
        ("'unknown', 2231", "900 was removed (why is not known; it had stood for 0:00:02)"),
        ("'unknown', NULL", "900 was removed (why is not known)"),
    ],
)
def test_a_removal_says_why(lagbook: Lagbook, warehouse: Path, cause: str, words: str) -> None:
    """As far as the log tells."""
    change(
        warehouse,
        "INSERT INTO core.commits (cluster, log_partition, log_offset, group_id, topic, partition, kind,"  # noqa: S608 - words that the test writes
        " previous_offset, effective_at, effective_log_offset, cause, idle_ms) VALUES ('c1', 7, 9, 'admin-reset',"
        f" 'audit', 0, 'removed', 900, '2026-11-18 12:09:00+00', 9, {cause})",
    )
    assert f"{words}  [7/9]" in lagbook("explain", "admin-reset", "audit", "0", "--warehouse", str(warehouse)).stdout


def test_a_topic_made_anew_is_told(lagbook: Lagbook, warehouse: Path) -> None:
    """Offsets before it are of another log."""
    change(
        warehouse,
        "INSERT INTO core.log_ends (cluster, topic, partition, topic_id, reached_at) VALUES"
        " ('c1', 'audit', 0, 'A', '2026-11-18 12:00:30+00'), ('c1', 'audit', 0, 'B', '2026-11-18 12:02:30+00')",
    )
    lines = lagbook("explain", "admin-reset", "audit", "0", "--warehouse", str(warehouse)).stdout.splitlines()
    assert lines[2] == "2026-11-18T12:02:30.000Z  the topic was made anew, its id is B"


def test_states_of_the_group_and_a_log_start_alone_are_no_answer(lagbook: Lagbook, warehouse: Path) -> None:
    """A group has states in whatever partition is asked for; a partition of a topic that is mistyped has no story."""
    change(
        warehouse,
        "INSERT INTO core.group_states (cluster, log_partition, group_id, log_offset, state, from_at)"
        " VALUES ('c', 7, 'admin-reset', 1, 'Empty', '2026-11-18 12:01:00+00')",
        "INSERT INTO core.log_ends (cluster, topic, partition, log_start_offset) VALUES ('c', 'audit', 7, 9)",
    )
    output = lagbook("explain", "admin-reset", "audit", "0", "--warehouse", str(warehouse))
    assert "the group is Empty" in output.stdout
    for partition in ("7", "8"):
        result = lagbook("explain", "admin-reset", "audit", partition, "--warehouse", str(warehouse))
        assert (result.exit_code, result.stdout) == (2, "")
        assert f"committed and owned nothing of audit-{partition} at any time" in result.stderr


def test_a_group_of_two_clusters_needs_one_named(lagbook: Lagbook, warehouse: Path) -> None:
    """Two groups of one name have two stories, and nobody could tell them apart in one."""
    change(
        warehouse,
        "INSERT INTO core.commits SELECT * REPLACE ('c2' AS cluster) FROM core.commits",
        "INSERT INTO raw.segments SELECT * REPLACE ('c2' AS cluster) FROM raw.segments",
    )
    call = ("explain", "admin-reset", "audit", "0", "--warehouse", str(warehouse))
    both = lagbook(*call)
    assert (both.exit_code, both.stdout) == (2, "")
    assert "group admin-reset is in several clusters, so give --cluster: c1, c2." in both.stderr
    assert lagbook(*call, "--cluster", "c2").stdout.count("set back from 670 to 420") == 1


def test_hostile_names_are_harmless(lagbook: Lagbook, warehouse: Path, hostile: str) -> None:
    """They are bound, found, and shown as escapes."""
    result = lagbook("explain", hostile, "audit", "0", "--warehouse", str(warehouse))
    assert result.exit_code == 0, result.output
    assert "committed 5, where nothing stood" in result.stdout
    missing = lagbook("explain", f"{hostile}?", "audit", "0", "--warehouse", str(warehouse))
    assert missing.exit_code == 2
    assert "\x1b" not in missing.output
