"""What incidents are made of the findings, on a few rows each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from assets.database import create_macros
from assets.tables import TABLES
from tests.assets.folding import INFERRED, SKIP, Findings

if TYPE_CHECKING:
    import duckdb


@pytest.fixture
def findings(database: duckdb.DuckDBPyConnection) -> Findings:
    """Nothing was found yet."""
    return Findings(database)


def test_nothing_found_is_no_incident(findings: Findings) -> None:
    """No row, and no row of NULLs."""
    assert findings.incidents("*") == []


def test_partitions_that_fared_alike_are_one_incident(findings: Findings) -> None:
    """It sums them up in one line: when, who, what, how much, why, how sure."""
    findings.skip().skip(partition=1, log_offset=9, evidence=[7, 9])
    ((title, severity, partitions, certain, possible, evidence),) = findings.incidents(
        "title, severity, partitions, certain_offsets, possible_offsets, evidence"
    )
    assert title == (
        "2026-01-01 00:08:00 UTC: group g never read 20 to 40 offsets in 2 partitions of t;"
        " its offset was set forward while it had no members (admin reset); certain"
    )
    assert (severity, partitions, certain, possible, evidence) == ("critical", 2, 20, 40, [6, 7, 8, 9])


@pytest.mark.parametrize(
    ("changed", "count"),
    [
        ({"at": "2026-01-01 00:12:00+00"}, 1),
        ({"at": "2026-01-01 00:14:00+00"}, 2),
        ({"group_id": "h"}, 2),
        ({"how": "overtaken"}, 2),
        ({"cause": "unknown"}, 1),
    ],
)
def test_what_is_far_apart_or_another_story_is_another_incident(
    findings: Findings, changed: dict[str, Any], count: int
) -> None:
    """Five minutes, another group, another way to go past offsets."""
    findings.skip().skip(**{"partition": 1, "log_offset": 19, **changed})
    assert len(findings.incidents("incident_id")) == count


def test_the_id_rests_on_the_first_finding_alone(findings: Findings) -> None:
    """Neither findings that come later nor other groups change it."""
    (first,) = findings.skip().incidents("incident_id")
    findings.skip(partition=1, log_offset=9).skip(group_id="h", log_offset=3).add("mart.skips", INFERRED, log_offset=2)
    assert first in findings.incidents("incident_id")
    assert len(set(findings.incidents("incident_id"))) == 3


def test_the_worst_comes_first(findings: Findings) -> None:
    """Surely lost, then read again or probably lost, then perhaps read again; the sure and the larger before others."""
    replay = {**SKIP, "how": "set back", "possible_from": 1, "possible_to": 5, "certain_from": None, "certain_to": None}
    findings.add("mart.replays", replay, group_id="perhaps", certainty="bounded", log_offset=11)
    findings.add(
        "mart.replays", replay, group_id="again", certainty="certain", log_offset=12, certain_from=1, certain_to=5
    )
    findings.add("mart.skips", INFERRED, group_id="probably")
    findings.skip(group_id="smaller", certain_from=29).skip(group_id="larger")
    assert findings.incidents("group_id, severity") == [
        ("larger", "critical"),
        ("smaller", "critical"),
        ("again", "high"),
        ("probably", "high"),
        ("perhaps", "low"),
    ]


def test_an_estimate_is_told_with_its_limit(findings: Findings) -> None:
    """About so many, at most so many."""
    ((title, estimate),) = findings.add("mart.skips", INFERRED).incidents("title, estimate_offsets")
    assert "probably never read about 15 offsets (at most 20) of t-0; " in title
    assert estimate == 15


def test_a_group_that_is_silent_while_its_cluster_goes_on_has_stopped(findings: Findings) -> None:
    """Behind, and no commit for more than ten minutes before the last commit of any group."""
    place = {"cluster": "c", "topic": "t", "partition": 0}
    for group, minute, lag in (("quiet", 1, 5), ("done", 1, 0), ("busy", 15, 5)):
        stands = {**place, "group_id": group, "log_partition": 7, "log_offset": minute, "current_offset": 95}
        findings.add("mart.offsets_now", stands, effective_at=f"2026-01-01 00:{minute:02d}:00+00")
        findings.add("mart.lag_now", {**place, "group_id": group}, current_offset=95, log_end_offset=95 + lag, lag=lag)
    assert findings.incidents("group_id, kind, certain_offsets") == [("quiet", "stopped", 5)]


def test_a_commit_that_no_log_bears_out_is_an_incident(findings: Findings) -> None:
    """With the commits that say so."""
    place = {"cluster": "c", "topic": "t", "partition": 0, "first_at": SKIP["at"], "certainty": "certain"}
    lost = {**place, "kind": "commit of a lost end", "group_id": "g", "log_partition": 7, "log_offset": 3}
    findings.add("mart.diverged", lost, last_log_offset=5, from_offset=90, to_offset=95)
    ((kind, severity, title, evidence),) = findings.incidents("kind, severity, title, evidence")
    assert (kind, severity, evidence) == ("diverged", "critical", [3, 5])
    assert "committed 5 offsets of t-0 that its log lost or never had; its commit is of an end" in title


def test_what_a_rebalance_let_be_read_again_is_one_incident(findings: Findings) -> None:
    """Hand-overs of many partitions, as much as is probable of them; where probably nothing was, nothing is told."""
    handed = {**SKIP, "how": "handed over", "certain_from": None, "certain_to": None, "certainty": "bounded"}
    handed |= {"cause": "member crash", "estimate_from": 10}
    for partition, (possible_to, estimate_to) in enumerate([(30, 14), (40, 10), (50, 20)]):
        findings.add("mart.replays", handed, partition=partition, possible_to=possible_to, estimate_to=estimate_to)
    ((story, count, title),) = findings.incidents("story, findings, title")
    assert (story, count) == ("rebalancing", 2)
    assert "may have re-read up to 60 offsets (probably 14) in 2 partitions of t; another member began" in title
    findings.add("mart.replays", handed, partition=7, possible_to=None, estimate_from=None)
    assert "may have re-read an unknown number of offsets in 3 partitions" in findings.incidents("title")[0][0]


@pytest.mark.parametrize(
    ("trigger", "last", "cause"),
    [
        ("coordinator failover", 8, "rebalance: coordinator failover"),
        ("join", 9, "rebalance: join"),
        ("unknown", 8, "rebalance"),
        ("join", 7, "rebalance"),
    ],
)
def test_a_hand_over_has_the_cause_of_its_rebalance(findings: Findings, trigger: str, last: int, cause: str) -> None:
    """Where that is known, and the record lies in the rebalance."""
    place = {"cluster": "c", "group_id": "g", "log_partition": 7}
    for number, told in ((3, "expired"), (7, trigger)):
        findings.add("mart.rebalances", place, log_offset=number, last_log_offset=max(last, number), trigger=told)
    handed = {**SKIP, "how": "assigned again", "certain_from": None, "certain_to": None, "certainty": "bounded"}
    findings.add("mart.replays", handed, cause="rebalance", estimate_from=10, estimate_to=14)
    findings.add("mart.replays", handed, cause="member crash", partition=1, estimate_from=10, estimate_to=14)
    assert findings.incidents("causes") == [(["member crash", cause],)]


def test_a_storm_and_what_it_let_be_read_again_are_one_incident(findings: Findings) -> None:
    """The storm gives it its name, the hand-overs its offsets."""
    storm = {
        "cluster": "c",
        "group_id": "g",
        "log_partition": 7,
        "log_offset": 5,
        "last_log_offset": 40,
        "trigger": "join",
        "pattern": "member comes back",
    }
    findings.add("mart.rebalance_storms", storm, from_at=SKIP["at"], to_at="2026-01-01 00:09:30+00", rebalances=6)
    ((title, possible),) = findings.incidents("title, possible_offsets")
    assert (
        "group g rebalanced 6 times in 90 s; the same member went and came back over and over (join); certain" in title
    )
    assert possible is None
    handed = {**SKIP, "how": "handed over", "certain_from": None, "certain_to": None, "certainty": "bounded"}
    findings.add("mart.replays", handed, estimate_from=10, estimate_to=14)
    ((kind, severity, count, possible),) = findings.incidents("kind, severity, findings, possible_offsets")
    assert (kind, severity, count, possible) == ("storm", "medium", 2, 20)


def test_long_names_make_no_long_title(findings: Findings) -> None:
    """A group id may have 32 KiB."""
    ((title,),) = findings.skip(group_id="g" * 32_000, topic="t" * 249).incidents("title")
    assert len(title) < 400


def test_an_incident_is_told_record_by_record(findings: Findings) -> None:
    """In the order of the log, each with what it says, and then what they show."""
    findings.skip()
    ((name,),) = findings.incidents("incident_id")
    place = {"cluster": "c", "group_id": "g", "log_partition": 7}
    commit = {**place, "topic": "t", "partition": 0, "kind": "advance"}
    findings.add("core.commits", commit, log_offset=8, committed_offset=30, previous_offset=10)
    findings.add("core.generations", place, log_offset=6, state="Empty", generation=4)
    create_macros(findings.database)
    assert findings.database.execute("SELECT part, log_offset, says FROM incident(?)", [name]).fetchall() == [
        ("record", 6, "the group is Empty, generation 4"),
        ("record", 8, "committed 30 after 10"),
        ("finding", 8, "never read offsets 20 to 29; its offset was set forward while it had no members"),
    ]


@pytest.mark.parametrize("name", ["findings", "incidents"])
def test_the_columns_are_the_described_ones(findings: Findings, name: str) -> None:
    """Names and order."""
    findings.skip().incidents("*")
    assert tuple(findings.database.table(f"mart.{name}").columns) == TABLES[f"mart.{name}"].column_names
