"""`lagbook audit` against a small DuckDB file."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import duckdb
import pytest

from assets import models
from assets.tables import TABLES
from tests.dagster_project.cli.conftest import HOSTILE, change

if TYPE_CHECKING:
    from pathlib import Path

    from tests.dagster_project.cli.conftest import Lagbook


def test_a_replay_is_told_in_words(lagbook: Lagbook, warehouse: Path) -> None:
    """The incident in a line, then partitions that fared alike in one sentence, with why and the records behind it."""
    result = lagbook("audit", "--group", "admin-reset", "--warehouse", str(warehouse))
    assert result.exit_code == 3, result.output
    incident, finding, why, evidence, summary = result.stdout.splitlines()
    assert re.fullmatch(
        r"2\. high: 2026-11-18 12:02:00 UTC: group admin-reset re-read 750 offsets in 3 partitions of audit;"
        r" its offset was set back \(admin reset\); certain  \[incident [0-9a-f]{12}\]",
        incident,
    )
    assert finding == "    2026-11-18T12:02:00.000Z  group admin-reset re-read offsets 420 to 669 of audit-0, -1 and -2"
    assert why.strip() == "its offset was set back; cause: admin reset"
    assert evidence.strip() == "evidence: __consumer_offsets-7, records 1 and 2"
    assert summary == (
        "Looked for offsets that were passed over, offsets that were read again, rebalance storms, commits and copies"
        " that no log bears out, groups that stopped, groups that fell behind, offsets about to expire, transactions"
        " that nobody ended, a stuck cleaner, records that came in twice among 5 commits and removals,"
        " 2026-11-18T12:01:00.000Z to 2026-11-18T12:05:00.000Z."
    )


def test_the_worst_incident_comes_first(lagbook: Lagbook, warehouse: Path) -> None:
    """What is surely lost leads, and --first cuts off what is less bad, and says so."""
    result = lagbook("audit", "--first", "2", "--warehouse", str(warehouse))
    ranked = [line for line in result.stdout.splitlines() if line[0].isdigit()]
    assert [line.split(": ")[0] for line in ranked[:2]] == ["1. critical", "2. high"]
    assert "group late-certain never read" in ranked[0]
    assert ranked[2] == "4 more incidents, none of them worse; --first shows more, --json all."


def test_what_is_not_certain_is_not_claimed(lagbook: Lagbook, warehouse: Path) -> None:
    """Without a certain range the sentence says `may have`."""
    result = lagbook("audit", "--group", "bounded", "--warehouse", str(warehouse))
    assert "  group bounded may have re-read offsets 420 to 669 of audit-0\n" in result.stdout


@pytest.mark.parametrize(
    ("certainty", "claim", "limits"),
    [
        ("certain", "never read offsets 20 to 29 of late-0", "; at most offsets 10 to 29"),
        ("inferred", "probably never read offsets 10 to 24 of late-0", "; at most offsets 10 to 29"),
        ("bounded", "may never have read offsets 10 to 29 of late-0", ""),
    ],
)
def test_a_skip_is_told_as_sure_as_it_is(
    lagbook: Lagbook, warehouse: Path, certainty: str, claim: str, limits: str
) -> None:
    """Flatly, as probable, or as possible; within which limits, why, and the records behind it."""
    result = lagbook("audit", "--group", f"late-{certainty}", "--warehouse", str(warehouse))
    assert result.exit_code == 3, result.output
    _, finding, why, evidence, _ = result.stdout.splitlines()
    assert finding == f"    2026-11-18T12:04:00.000Z  group late-{certainty} {claim}"
    assert why.strip() == f"its offset was set forward while it had no members{limits}; cause: admin reset"
    assert evidence.strip() == "evidence: __consumer_offsets-7, records 6, 7 and 8"


@pytest.mark.parametrize(
    ("cause", "member", "who"),
    [
        ("unknown", None, "; committed by the former owner"),
        ("member crash", "m-1", "; committed by the former owner m-1 at /h"),
        ("member crash", "\x1b[31m", "; committed by the former owner \\x1b[31m at /h"),
        ("admin reset", None, ""),
    ],
)
def test_who_was_in_it_is_named(lagbook: Lagbook, warehouse: Path, cause: str, member: str | None, who: str) -> None:
    """Apart from the cause, which need not be their doing; an admin reset has named its admin."""
    change(
        warehouse,
        """UPDATE mart.findings SET "by" = 'former owner', cause = $cause, member_id = $member, host = '/h'
           WHERE group_id = 'bounded'""",
        cause=cause,
        member=member,
    )
    told = lagbook("audit", "--group", "bounded", "--warehouse", str(warehouse)).stdout
    assert f"; cause: {cause}{who}\n" in told


def test_many_members_are_not_listed(lagbook: Lagbook, warehouse: Path) -> None:
    """Partitions that share a sentence name those who were in it while they are few."""
    change(
        warehouse,
        """UPDATE mart.findings SET "by" = 'owner', cause = 'member crash', host = '/h',
           member_id = 'm-' || if(partition = 2, 1, partition) WHERE group_id = 'admin-reset' AND kind = 'replay'""",
    )
    audit = ("audit", "--group", "admin-reset", "--kind", "replay", "--warehouse", str(warehouse))
    assert "cause: member crash; committed by the owner m-0 at /h and the owner m-1 at /h\n" in lagbook(*audit).stdout
    change(
        warehouse,
        """INSERT INTO mart.findings SELECT f.* REPLACE (number AS partition, 'm-' || number AS member_id)
           FROM mart.findings AS f, range(3, 5) AS r(number)
           WHERE group_id = 'admin-reset' AND kind = 'replay' AND partition = 0""",
    )
    assert "cause: member crash\n" in lagbook(*audit).stdout


def test_json_has_every_finding_with_its_incident(lagbook: Lagbook, warehouse: Path) -> None:
    """Rows of mart.findings, the worst incident first: half-open ranges, times in UTC, positions in the log."""
    result = lagbook("audit", "--json", "--warehouse", str(warehouse))
    assert result.exit_code == 3
    rows = json.loads(result.stdout)
    assert [(row["rank"], row["severity"], row["kind"], row["partition"]) for row in rows] == [
        (1, "critical", "skip", 0),
        *((2, "high", "replay", partition) for partition in range(3)),
        (3, "high", "skip", 0),
        (4, "medium", "skip", 0),
        (5, "low", "replay", 0),
        *((6, "low", "replay", partition) for partition in range(2)),
    ]
    assert set(rows[0]) == {*TABLES["mart.findings"].column_names, "rank", "title"}
    said = {name: rows[1][name] for name in ("group_id", "topic", "possible_from", "possible_to", "at", "evidence")}
    assert said == {
        "group_id": "admin-reset",
        "topic": "audit",
        "possible_from": 420,
        "possible_to": 670,
        "at": "2026-11-18T12:02:00.000Z",
        "evidence": [1, 2],
    }


def test_markdown_is_a_table_and_the_findings_below_it(lagbook: Lagbook, warehouse: Path) -> None:
    """For a ticket; the exit code is the same."""
    result = lagbook("audit", "--markdown", "--kind", "replay", "--warehouse", str(warehouse))
    assert result.exit_code == 3
    lines = result.stdout.splitlines()
    assert lines[:4] == ["# What Lagbook found", "", "| | severity | what happened | incident |", "|-|-|-|-|"]
    assert lines[4].startswith("| 2 | high | 2026-11-18 12:02:00 UTC: group admin-reset re-read 750 offsets")
    assert "- 2026-11-18T12:02:00.000Z  group admin-reset re-read offsets 420 to 669 of audit-0, -1 and -2" in lines


def test_what_concerns_no_group_is_told_by_its_topic(lagbook: Lagbook, warehouse: Path) -> None:
    """A report of it can't be drawn, and says so."""
    differ = "'c1' AS cluster, 'late' AS topic, 1 AS partition, 5 AS from_offset, 9 AS to_offset, 1 AS occurrences"
    told = "'copies differ' AS kind, '2026-11-18 12:02:00Z'::TIMESTAMPTZ AS first_at, 'certain' AS certainty"
    made = [f"CREATE OR REPLACE TABLE mart.{name} AS {models.select(name)}" for name in ("findings", "incidents")]
    change(warehouse, f"INSERT INTO mart.diverged BY NAME SELECT {differ}, {told}", *made)
    result = lagbook("audit", "--kind", "diverged", "--warehouse", str(warehouse))
    incident, finding, why, evidence, _ = result.stdout.splitlines()
    assert "UTC: copies of a log differ in up to 4 offsets of late-1; copies of one leader epoch say" in incident
    assert finding == "    2026-11-18T12:02:00.000Z  copies of a log differ in offsets 5 to 8 of late-1"
    assert (why.strip(), evidence.strip()) == (
        "copies of one leader epoch say different things; cause: unknown",
        "evidence: the log of late itself",
    )
    asked = ("report", "--incident", incident[-13:-1], "--warehouse", str(warehouse))
    refused = lagbook(*asked)
    assert refused.exit_code == 2
    assert "concerns no group, so there is no timeline to draw" in refused.stderr


def test_hostile_names_stay_in_their_place(lagbook: Lagbook, warehouse: Path) -> None:
    """A group that is called like an attack on terminals, Markdown and HTML is shown, and nothing else."""
    with duckdb.connect(str(warehouse / "lagbook.duckdb")) as connection:
        for table, column in (("findings", "group_id"), ("incidents", "title")):
            connection.execute(f"UPDATE mart.{table} SET {column} = ?", [HOSTILE + " | [x](http://evil) `"])  # noqa: S608 - names of ours
    for words in ((), ("--markdown",)):
        said = lagbook("audit", *words, "--warehouse", str(warehouse)).stdout
        assert all(line.isprintable() for line in said.splitlines())
    assert "<b>" not in said
    assert "&lt;b\\>" in said
    assert "\\| \\[x\\](http:\\//evil) \\`" in said


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--group", "admin-rest"), "the nearest are admin-reset"),
        (("--from", "2026-11-19"), "nothing is known of that time: what was read is of 2026-11-18T12:01:00.000Z"),
        (("--to", "2026-11-18T12:00"), "nothing is known of that time"),
        (("--json", "--markdown"), "not both"),
        (("--kind", "woes"), "'woes' is not one of"),
        (("--cluster", "c2"), "cluster c2 is not in this warehouse; there is c1."),
        (("--topic", "audit", "--topic", "audits"), "topic audits is not in this warehouse."),
    ],
)
def test_a_call_that_can_not_be_answered_is_refused(
    lagbook: Lagbook, warehouse: Path, words: tuple[str, ...], sentence: str
) -> None:
    """Nothing found would mean nothing there: exit code 2 and a sentence."""
    result = lagbook("audit", *words, "--warehouse", str(warehouse))
    assert result.exit_code == 2
    assert sentence in result.stderr


@pytest.mark.parametrize(
    ("words", "count"),
    [
        (("--from", "2026-11-18T12:02"), 9),
        (("--from", "2026-11-18T12:02:01"), 5),
        (("--from", "2026-11-18T12:04:01"), 2),
        (("--to", "2026-11-18T12:02"), 0),
        (("--from", "2026-11-18T12:00", "--to", "2026-11-18T12:03", "--group", "bounded"), 1),
        (("--group", "bounded", "--group", "admin-reset"), 4),
        (("--cluster", "c1"), 9),
        (("--topic", "late"), 3),
        (("--topic", "late", "--topic", "audit", "--kind", "replay"), 4),
        (("--kind", "stopped"), 0),
    ],
)
def test_the_window_is_half_open(lagbook: Lagbook, warehouse: Path, words: tuple[str, ...], count: int) -> None:
    """--from is included, --to is not; groups and clusters narrow; the exit code says whether anything was found."""
    result = lagbook("audit", "--json", *words, "--warehouse", str(warehouse))
    assert len(json.loads(result.stdout)) == count
    assert result.exit_code == (3 if count else 0)


def test_nothing_found_says_what_was_looked_at(lagbook: Lagbook, warehouse: Path) -> None:
    """An empty audit names what it looked for and among how much, and ends with 0."""
    result = lagbook("audit", "--group", "owner", "--warehouse", str(warehouse))
    assert result.exit_code == 0
    assert result.stdout.startswith(
        "Nothing found. Looked for offsets that were passed over, offsets that were read again, rebalance storms"
    )


def test_a_window_that_ends_before_it_begins_is_refused(lagbook: Lagbook, warehouse: Path) -> None:
    """Exit code 2 and one sentence, before anything is opened."""
    result = lagbook("audit", "--from", "2026-11-18", "--to", "2026-11-17", "--warehouse", str(warehouse))
    assert result.exit_code == 2
    assert "--from has to be before --to." in result.stderr
