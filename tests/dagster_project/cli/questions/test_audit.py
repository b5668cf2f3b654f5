"""`lagbook audit` against a small DuckDB file."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import duckdb
import pytest

from assets import models
from assets.catalog import TABLES
from assets.storage.warehouse import Warehouse
from tests.dagster_project.cli.conftest import HOSTILE, change

if TYPE_CHECKING:
    from pathlib import Path

    from tests.dagster_project.cli.conftest import Lagbook


def test_an_audit_says_what_it_comes_to_and_rests_on_and_each_incident_in_three_lines(
    lagbook: Lagbook, warehouse: Path
) -> None:
    """Then what could not be excluded, and among how much of the groups asked for it looked."""
    result = lagbook("audit", "--verbose", "--group", "admin-reset", "--warehouse", str(warehouse))
    assert result.exit_code == 3, result.output
    summary, as_of, stale, history, ends, empty, *incident, gap, looked_at = result.stdout.splitlines()
    assert (summary, empty, gap) == ("1 incident: 1 high.", "", "")
    assert re.fullmatch(r"As of 2026-11-18 12:05:00 UTC(, .* ago)?; read from files\.", as_of)
    assert history == (
        "History: 44.4 % of __consumer_offsets-7 (4 of 9 offsets) was compacted or deleted before it was read: what "
        "happened there is not known; an earlier copy would tell."
    )
    assert stale == "STALE: nothing since then is in this answer; `lagbook run` reads on."
    assert ends == "Log ends: known from data segments of audit."
    claim, why, where = incident
    assert claim == "2. high: 2026-11-18 12:02:00 UTC: group admin-reset re-read 750 offsets in 3 partitions of audit"
    assert (
        why == "   proven: a commit moved its committed offset back (admin reset); about 100.0 s of its average traffic"
    )
    assert re.fullmatch(
        r"   offsets 420 to 669 of audit-0, -1 and -2; __consumer_offsets-7, records 1 and 2; incident [0-9a-f]{12}",
        where,
    )
    assert looked_at == "Looked at 3 commits and removals, 2026-11-18T12:01:00.000Z to 2026-11-18T12:03:00.000Z."


def test_the_worst_incident_comes_first(lagbook: Lagbook, warehouse: Path) -> None:
    """What is proven leads, and --first cuts off what is less bad, and says so."""
    result = lagbook("audit", "--verbose", "--first", "2", "--warehouse", str(warehouse))
    assert result.stdout.splitlines()[0] == "5 incidents: 2 high, 2 medium, 1 low."
    ranked = [line for line in result.stdout.splitlines()[1:] if line[:1].isdigit()]
    assert [line.split(": ")[0] for line in ranked[:2]] == ["1. high", "2. high"]
    assert "group late-proven never read at least 10, probably about 15 offsets of late-0" in ranked[0]
    assert ranked[2] == "3 more incidents, none of them worse; --first shows more, --json all."


def test_an_estimate_leads_and_its_bound_follows(lagbook: Lagbook, warehouse: Path) -> None:
    """Nothing that is only possible is told like that."""
    output = lagbook("audit", "--verbose", "--group", "late-likely", "--warehouse", str(warehouse)).stdout
    assert ": group late-likely probably never read about 15 offsets of late-0\n" in output
    assert "while the group had no members (admin reset); at most 20 offsets\n" in output
    assert "   about offsets 10 to 24 of late-0; __consumer_offsets-7, records 6 to 8; incident" in output


def test_what_is_only_possible_is_a_line_at_the_end(lagbook: Lagbook, warehouse: Path) -> None:
    """No incident, so the exit code is 0; the line says how much at most, and what would settle it."""
    result = lagbook("audit", "--verbose", "--group", "late-possible", "--warehouse", str(warehouse))
    assert result.exit_code == 0
    assert (
        "  late-possible: passed-over offsets, at most 20 offsets: committed offset moved forward while the group had "
        "no members, once in 1 partition; to know: mount"
    ) in result.stdout
    assert "mount the data segments of late, read an earlier copy of its offsets partition\n" in result.stdout
    possible = lagbook("audit", "--verbose", "--group", "killed", "--warehouse", str(warehouse)).stdout
    assert "  killed: re-reads, upper bound not known: partition reassigned to another member, 2 times in " in possible
    assert "no log of Kafka; the application's own logs tell" in possible


@pytest.mark.parametrize(("words", "is_told"), [("--from", False), ("--to", True)])
def test_what_could_not_be_excluded_keeps_to_the_window(
    lagbook: Lagbook, warehouse: Path, words: str, *, is_told: bool
) -> None:
    """What may have happened in it; so do ordinary hand-overs."""
    times = "from_time = '2026-11-18 12:01:00+00', to_time = '2026-11-18 12:02:00+00'"
    change(warehouse, f"UPDATE mart.replays SET {times} WHERE group_id = 'killed'")  # noqa: S608 - a constant
    call = ("audit", "--verbose", "--group", "killed", words, "2026-11-18T12:03", "--warehouse", str(warehouse))
    output = lagbook(*call).stdout
    assert ("Could not be excluded in that time; nothing says that it happened:\n  killed: re-reads" in output) is (
        is_told
    )
    change(warehouse, "UPDATE mart.replays SET is_ordinary = TRUE WHERE group_id = 'killed'")
    assert ("Ordinary reassignments: 3 in 1 group" in lagbook(*call).stdout) is is_told


def test_ordinary_and_throwaway_ones_are_one_line_each(lagbook: Lagbook, warehouse: Path) -> None:
    """Neither is an incident."""
    change(
        warehouse,
        "UPDATE mart.replays SET is_ordinary = TRUE WHERE group_id = 'killed'",
        "INSERT INTO mart.stale_offsets BY NAME SELECT 'c1' AS cluster, 'console-consumer-' || i AS group_id,"
        " 't' AS topic, 0 AS partition, 'no_members' AS cause, 5 AS lag FROM range(12345, 12348) AS r(i)",
    )
    output = lagbook("audit", "--verbose", "--warehouse", str(warehouse)).stdout
    assert "Ordinary reassignments: 3 in 1 group; what a member processed after its last commit may have been" in output
    assert (
        "Without members, with offsets left to read: 3 groups with a throwaway name (such as console-consumer-12345).\n"
        in output
    )


@pytest.mark.parametrize(
    ("certainty", "claim"),
    [
        ("proven", "never read offsets 20 to 29 of late-0"),
        ("likely", "probably never read about offsets 10 to 24 of late-0"),
    ],
)
def test_a_ticket_tells_a_skip_as_sure_as_it_is(lagbook: Lagbook, warehouse: Path, certainty: str, claim: str) -> None:
    """Flatly, or as probable; within which limits, why, and the records behind it."""
    result = lagbook("audit", "--verbose", "--group", f"late-{certainty}", "--markdown", "--warehouse", str(warehouse))
    assert result.exit_code == 3, result.output
    assert f"- 2026-11-18T12:04:00.000Z  group late-{certainty} {claim}" in result.stdout
    assert "while the group had no members; at most offsets 10 to 29; cause: admin" in result.stdout
    assert "evidence: \\_\\_consumer\\_offsets-7, records 6 to 8" in result.stdout


@pytest.mark.parametrize(
    ("cause", "member", "who"),
    [
        ("unknown", None, "; committed by the former owner"),
        ("member_crash", "m-1", "; committed by the former owner m-1 at /h"),
        ("member_crash", "\x1b[31m", "; committed by the former owner \\\\x1b\\[31m at /h"),
        ("admin_reset", None, ""),
    ],
)
def test_who_was_in_it_is_named(lagbook: Lagbook, warehouse: Path, cause: str, member: str | None, who: str) -> None:
    """Apart from the cause, which need not be their doing; an admin reset has named its admin."""
    change(
        warehouse,
        """UPDATE mart.findings SET "actor" = 'former_owner', cause = $cause, member_id = $member, client_host = '/h'
           WHERE group_id = 'estimated'""",
        cause=cause,
        member=member,
    )
    output = lagbook("audit", "--verbose", "--group", "estimated", "--markdown", "--warehouse", str(warehouse)).stdout
    assert f"; cause: {cause.replace('_', ' ')}{who}\n" in output


def test_many_members_are_not_listed(lagbook: Lagbook, warehouse: Path) -> None:
    """Partitions that share a sentence name those who were in it while they are few."""
    change(
        warehouse,
        """UPDATE mart.findings SET "actor" = 'owner', cause = 'member_crash', client_host = '/h',
           member_id = 'm-' || if(partition = 2, 1, partition) WHERE group_id = 'admin-reset' AND kind = 'replay'""",
    )
    audit = ("audit", "--group", "admin-reset", "--kind", "replay", "--markdown", "--warehouse", str(warehouse))
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
    result = lagbook("audit", "--verbose", "--json", "--warehouse", str(warehouse))
    assert result.exit_code == 3
    rows = json.loads(result.stdout)
    assert [(row["rank"], row["severity"], row["kind"], row["partition"]) for row in rows] == [
        (1, "high", "skip", 0),
        *((2, "high", "replay", partition) for partition in range(3)),
        (3, "medium", "skip", 0),
        (4, "medium", "replay", 0),
        (5, "low", "replay", 0),
    ]
    assert set(rows[0]) == {*TABLES["mart.findings"].column_names, "rank", "severity", "title"}
    assert "lagbook: History: 44.4 % of __consumer_offsets-7" in result.stderr
    incidents = {
        name: rows[1][name] for name in ("group_id", "topic", "possible_from", "possible_to", "occurred_at", "evidence")
    }
    assert incidents == {
        "group_id": "admin-reset",
        "topic": "audit",
        "possible_from": 420,
        "possible_to": 670,
        "occurred_at": "2026-11-18T12:02:00.000Z",
        "evidence": [1, 2],
    }


def test_markdown_is_a_table_and_the_findings_below_it(lagbook: Lagbook, warehouse: Path) -> None:
    """For a ticket; the exit code is the same."""
    result = lagbook("audit", "--verbose", "--markdown", "--kind", "replay", "--warehouse", str(warehouse))
    assert result.exit_code == 3
    lines = result.stdout.splitlines()
    assert lines[:3] == ["# What Lagbook found", "", "- 3 incidents: 1 high, 1 medium, 1 low."]
    begins = lines.index("| | severity | what happened | incident |")
    assert lines[begins + 2].startswith("| 2 | high | 2026-11-18 12:02:00 UTC: group admin-reset re-read 750 offsets")
    assert "- 2026-11-18T12:02:00.000Z  group admin-reset re-read offsets 420 to 669 of audit-0, -1 and -2" in lines


def test_what_concerns_no_group_is_told_by_its_topic(lagbook: Lagbook, warehouse: Path) -> None:
    """A report of it can't be drawn, and says so."""
    differ = "'c1' AS cluster, 'late' AS topic, 1 AS partition, 5 AS from_offset, 9 AS to_offset, 1 AS occurrences"
    columns = "'copies_differ' AS kind, '2026-11-18 12:02:00Z'::TIMESTAMPTZ AS first_at, 'proven' AS certainty"
    statements = [f"CREATE OR REPLACE TABLE mart.{name} AS {models.select(name)}" for name in ("findings", "incidents")]
    change(warehouse, f"INSERT INTO mart.log_divergence BY NAME SELECT {differ}, {columns}", *statements)
    result = lagbook("audit", "--verbose", "--kind", "diverged", "--warehouse", str(warehouse))
    begins = result.stdout.splitlines().index("") + 1
    claim, why, where, *_ = result.stdout.splitlines()[begins:]
    assert claim == "3. high: time unknown: replicas of a log differ in late-1"
    assert why == "   proven: replicas hold different records under the same offsets and leader epoch"
    assert where.startswith("   the log of late itself; incident ")
    call = ("report", "--incident", where[-12:], "--warehouse", str(warehouse))
    refused = lagbook(*call)
    assert refused.exit_code == 2
    assert "concerns no group, so there is no timeline to draw" in refused.stderr


def test_hostile_names_stay_in_their_place(lagbook: Lagbook, warehouse: Path) -> None:
    """A group that is called like an attack on terminals, Markdown and HTML is shown, and nothing else."""
    with duckdb.connect(str(warehouse / "lagbook.duckdb")) as connection:
        for table, column in (("findings", "group_id"), ("incidents", "title")):
            connection.execute(f"UPDATE mart.{table} SET {column} = ?", [HOSTILE + " | [x](http://evil) `"])  # noqa: S608 - names of ours
    for words in ((), ("--markdown",)):
        output = lagbook("audit", "--verbose", *words, "--warehouse", str(warehouse)).stdout
        assert all(line.isprintable() for line in output.splitlines())
    assert "<b>" not in output
    assert "&lt;b\\>" in output
    assert "\\| \\[x\\](http:\\//evil) \\`" in output


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--group", "admin-rest"), "the nearest are admin-reset"),
        (("--from", "2026-11-19"), "nothing is known of that time: what was read is of 2026-11-18T12:01:00.000Z"),
        (("--to", "2026-11-18T12:00"), "nothing is known of that time"),
        (("--json", "--markdown"), "not both"),
        (("--kind", "woes"), "'woes' is not one of"),
        (("--cluster", "c2"), "cluster c2 is not in this warehouse; there is c1."),
        (("--topic", "audit", "--topic", "audits"), "topic audits is not in this warehouse; the nearest are audit, "),
    ],
)
def test_a_call_that_can_not_be_answered_is_refused(
    lagbook: Lagbook, warehouse: Path, words: tuple[str, ...], sentence: str
) -> None:
    """Nothing found would mean nothing there: exit code 2 and a sentence."""
    result = lagbook("audit", "--verbose", *words, "--warehouse", str(warehouse))
    assert result.exit_code == 2
    assert sentence in result.stderr


@pytest.mark.parametrize(
    ("words", "count"),
    [
        (("--from", "2026-11-18T12:02"), 7),
        (("--from", "2026-11-18T12:02:01"), 3),
        (("--from", "2026-11-18T12:04:01"), 1),
        (("--to", "2026-11-18T12:02"), 0),
        (("--from", "2026-11-18T12:00", "--to", "2026-11-18T12:03", "--group", "estimated"), 1),
        (("--group", "estimated", "--group", "admin-reset"), 4),
        (("--cluster", "c1"), 7),
        (("--topic", "late"), 2),
        (("--topic", "late", "--topic", "audit", "--kind", "replay"), 4),
        (("--kind", "stopped"), 0),
    ],
)
def test_the_window_is_half_open(lagbook: Lagbook, warehouse: Path, words: tuple[str, ...], count: int) -> None:
    """--from is included, --to is not; groups and clusters narrow; the exit code says whether anything was found."""
    result = lagbook("audit", "--verbose", "--json", *words, "--warehouse", str(warehouse))
    assert len(json.loads(result.stdout)) == count
    assert result.exit_code == (3 if count else 0)


def test_silence_over_unseen_history_is_not_known(lagbook: Lagbook, warehouse: Path) -> None:
    """An empty audit says in how much it found nothing, and ends with 0; of seen history it says that it was whole."""
    result = lagbook("audit", "--verbose", "--topic", "orders", "--kind", "stopped", "--warehouse", str(warehouse))
    assert result.exit_code == 0
    assert result.stdout.startswith(
        "No incident in the 55.6 % of the history that was seen; of the rest nothing is known.\n"
    )
    change(warehouse, "UPDATE mart.basis SET unseen_offsets = 0")
    result = lagbook("audit", "--verbose", "--kind", "stopped", "--warehouse", str(warehouse))
    assert result.stdout.startswith("No incident in the history that was read, which has no gap.\n")
    assert "History: all 9 offsets of __consumer_offsets-7 were seen.\n" in result.stdout
    unread = "Partitions: 1 of at least 8 of __consumer_offsets were read; of groups in the others nothing is known.\n"
    assert unread in result.stdout
    own = lagbook(
        "audit", "--verbose", "--group", "admin-reset", "--kind", "stopped", "--warehouse", str(warehouse)
    ).stdout
    assert "Partitions: " not in own
    assert "Looked for groups that stopped at 5 commits and removals" in result.stdout


def test_what_was_set_aside_is_said_before_the_answer(lagbook: Lagbook, warehouse: Path) -> None:
    """With its share of the batches where that is more than a tenth."""
    change(warehouse, "UPDATE mart.basis SET batches_set_aside = 2, batches = 98 WHERE topic = '__consumer_offsets'")
    line = "Set aside as unreadable: 2 batches of these logs, listed in raw.quarantine. What they hold is not known.\n"
    assert line in lagbook("audit", "--verbose", "--warehouse", str(warehouse)).stdout
    change(warehouse, "UPDATE mart.basis SET batches_set_aside = 49, batches = 51 WHERE topic = '__consumer_offsets'")
    output = lagbook("audit", "--verbose", "--warehouse", str(warehouse)).stdout
    assert "listed in raw.quarantine; 49.0 % of the batches of __consumer_offsets-7. What" in output


def test_a_window_that_ends_before_it_begins_is_refused(lagbook: Lagbook, warehouse: Path) -> None:
    """Exit code 2 and one sentence, before anything is opened."""
    result = lagbook("audit", "--verbose", "--from", "2026-11-18", "--to", "2026-11-17", "--warehouse", str(warehouse))
    assert result.exit_code == 2
    assert "--from has to be before --to." in result.stderr


def test_by_default_an_audit_fits_a_screen(lagbook: Lagbook, warehouse: Path) -> None:
    """Two lines of a hundred columns for each incident, with its id, and at the end the next command."""
    result = lagbook("audit", "--warehouse", str(warehouse))
    assert result.exit_code == 3
    lines = result.stdout.splitlines()
    listed = lines[lines.index("") + 1 :]
    incidents = listed[: listed.index("")]
    assert len(incidents) <= 2 * 5
    assert max(map(len, incidents)) <= 100
    assert re.match(
        r"1\. high [0-9a-f]{12} 2026-11-18 12:04:00 UTC: late-proven never read at least 10, ", incidents[0]
    )
    not_excluded, then = listed[listed.index("") + 1 :]
    assert not_excluded.startswith("Could not be excluded, in 3 groups: re-reads, passed-over offsets, ")
    worst = incidents[0].split()[2]
    assert then == f"Next: lagbook report --incident {worst} --warehouse {warehouse}"


def test_the_next_command_holds_no_password(lagbook: Lagbook, warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was typed is printed again, but for what is secret in it."""
    monkeypatch.setattr("dagster_project.cli.options.named_warehouse", lambda _: Warehouse(str(warehouse)))
    result = lagbook("audit", "--warehouse", "s3://key:secret@bucket/wh")
    assert "--warehouse s3://" in result.stdout
    assert "secret" not in result.output


def test_a_hostile_group_moves_nothing(lagbook: Lagbook, warehouse: Path) -> None:
    """Its name is shown as a shell takes it, on its own line."""
    change(warehouse, "UPDATE mart.findings SET group_id = $name WHERE group_id = 'admin-reset'", name=HOSTILE)
    result = lagbook("audit", "--warehouse", str(warehouse))
    assert "$'evil\\x1b[2J\\xe2\\x80\\xaegroup\\x0a<b>" in result.stdout.replace("\n   ", " ")
    assert "\x1b" not in result.output
