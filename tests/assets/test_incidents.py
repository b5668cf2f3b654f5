"""What incidents are made of the findings, on a few rows each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from assets.catalog import TABLES
from assets.duckdb.database import create_macros
from tests.assets.folding import LIKELY, SKIP, Findings

if TYPE_CHECKING:
    import duckdb

FORWARD: Final = "a commit moved its committed offset forward while the group had no members"


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
        "2026-01-01 00:08:00 UTC: group g never read 20 offsets in 2 partitions of t;"
        " a commit moved its committed offset forward while the group had no members (admin reset); proven"
    )
    assert (severity, partitions, certain, possible, evidence) == ("high", 2, 20, 40, [6, 7, 8, 9])


@pytest.mark.parametrize(
    ("changed", "count"),
    [
        ({"occurred_at": "2026-01-01 00:12:00+00"}, 1),
        ({"occurred_at": "2026-01-01 00:14:00+00"}, 2),
        ({"group_id": "h"}, 2),
        ({"kind": "overtaken_by_log_start"}, 2),
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
    findings.skip(partition=1, log_offset=9).skip(group_id="h", log_offset=3).add("mart.skips", LIKELY, log_offset=2)
    assert first in findings.incidents("incident_id")
    assert len(set(findings.incidents("incident_id"))) == 3


def test_the_worst_comes_first(findings: Findings) -> None:
    """Surely lost, then surely read again or probably lost, then probably read again; the larger before the smaller."""
    replay = {
        **SKIP,
        "kind": "set_back",
        "possible_from": 1,
        "possible_to": 5,
        "certain_from": None,
        "certain_to": None,
    }
    replay |= {"estimate_from": 1, "estimate_to": 5}
    findings.add("mart.replays", replay, group_id="perhaps", certainty="possible", estimate_to=1, log_offset=10)
    findings.add("mart.replays", replay, group_id="about", certainty="likely", log_offset=11)
    findings.add(
        "mart.replays", replay, group_id="again", certainty="proven", log_offset=12, certain_from=1, certain_to=5
    )
    findings.add("mart.skips", LIKELY, group_id="probably")
    findings.skip(group_id="smaller", certain_from=29).skip(group_id="larger")
    findings.skip(group_id="large", possible_to=120, certain_to=120)
    assert findings.incidents("group_id, severity") == [
        ("large", "critical"),
        ("larger", "high"),
        ("smaller", "high"),
        ("probably", "medium"),
        ("again", "medium"),
        ("about", "low"),
    ]


def test_a_reset_by_900_offsets_is_not_low(findings: Findings) -> None:
    """What counts is the estimate, also where nothing is proven."""
    back = {
        **SKIP,
        "kind": "set_back",
        "certain_from": None,
        "certain_to": None,
        "possible_from": 100,
        "possible_to": 1000,
    }
    findings.add("mart.replays", back, estimate_from=100, estimate_to=1000, certainty="likely")
    ((severity, estimate, title),) = findings.incidents("severity, estimate_offsets, title")
    assert (severity, estimate) == ("medium", 900)
    assert "group g probably re-read about 900 offsets of t-0; a commit moved its committed offset back" in title


@pytest.mark.parametrize(("minutes", "severity", "seconds"), [(1, "medium", 0.9), (60, "high", 54)])
def test_a_few_records_weigh_more_where_few_are_written(
    findings: Findings, minutes: int, severity: str, seconds: float
) -> None:
    """Fifteen offsets of a thousand are nothing in a minute, and much in an hour."""
    end = {"cluster": "c", "topic": "t", "partition": 0, "source": "batch"}
    findings.add("core.log_ends", end, log_end_offset=0, reached_at="2026-01-01 00:00:00+00")
    findings.add(
        "core.log_ends", end, log_end_offset=1000, reached_at=f"2026-01-01 {minutes // 60:02d}:{minutes % 60:02d}:00+00"
    )
    incidents = findings.add("mart.skips", LIKELY).incidents("severity, traffic_seconds")
    assert incidents == [(severity, pytest.approx(seconds))]


def test_without_data_segments_the_commits_of_the_group_tell_its_traffic(findings: Findings) -> None:
    """Without either nothing is told."""
    assert findings.add("mart.skips", LIKELY).incidents("traffic_seconds") == [(None,)]
    commit = {"cluster": "c", "group_id": "g", "topic": "t", "partition": 0}
    for minute, offset in ((0, 0), (1, 60)):
        findings.add("core.commits", commit, committed_offset=offset, effective_at=f"2026-01-01 00:0{minute}:00+00")
    assert findings.incidents("traffic_seconds") == [(15.0,)]


def test_records_are_counted_where_data_segments_tell_them(findings: Findings) -> None:
    """Of the range that the estimate has."""
    assert findings.skip(records_certain=7).incidents("estimate_records") == [(7,)]
    assert findings.skip(estimate_from=10, estimate_to=30, records_possible=9, log_offset=9).incidents(
        "estimate_records, estimate_offsets"
    ) == [(16, 30)]


def test_no_bound_is_in_a_title(findings: Findings) -> None:
    """An estimate leads, and what is certain of it; the bound stands in a column."""
    ((title, estimate, possible),) = findings.add("mart.skips", LIKELY).incidents(
        "title, estimate_offsets, possible_offsets"
    )
    assert "probably never read about 15 offsets of t-0; the log start moved past" in title
    assert (estimate, possible) == (15, 20)
    ((title,),) = findings.skip(group_id="h", estimate_from=15, estimate_to=30).incidents("title")[:1]
    assert "group h never read at least 10, probably about 15 offsets of t-0; a commit" in title


def test_what_is_only_possible_is_no_incident(findings: Findings) -> None:
    """It has a row of its group and kind, with what would settle it."""
    possible = {**LIKELY, "certainty": "possible", "estimate_from": None, "estimate_to": None}
    findings.add("mart.skips", possible).add("mart.skips", possible, partition=1, possible_to=None)
    handed = {**possible, "kind": "handed_over", "cause": "member_left_or_crashed"}
    findings.add("mart.replays", handed).add("mart.replays", handed, group_id="h", is_ordinary=True)
    findings.add("mart.basis", {"cluster": "c", "topic": "t", "partition": 0, "log_ends_from": "segments"})
    findings.add("mart.basis", {"cluster": "c", "topic": "__consumer_offsets", "partition": 7, "unseen_offsets": 3})
    assert findings.incidents("title") == []
    columns = "group_id, kind, claims, partitions, topics, possible_offsets, reasons, needs, topics_to_mount"
    assert findings.not_excluded(columns) == [
        ("g", "replay", 1, 1, ["t"], 20, ["handed_over"], ["earlier_copy", "text_logs", "application_logs"], []),
        ("g", "skip", 2, 2, ["t"], None, ["overtaken_by_log_start"], ["data_segments", "earlier_copy"], ["t"]),
    ]


def test_a_commit_that_went_past_offsets_is_not_told_as_a_possible_re_read_too(findings: Findings) -> None:
    """Of two stories that exclude each other the likely one is told."""
    replay = {**LIKELY, "kind": "restarted_at_earliest", "certainty": "possible", "estimate_to": 10}
    findings.add("mart.skips", {**LIKELY, "kind": "restarted_at_latest"}).add("mart.replays", replay)
    assert findings.not_excluded("kind") == []
    findings.database.execute("UPDATE mart.skips SET certainty = 'possible'")
    assert findings.not_excluded("kind") == [("replay",), ("skip",)]


def test_a_group_that_commits_nothing_can_exclude_nothing(findings: Findings) -> None:
    """One whose members own partitions for a minute; a share group commits otherwise, a console's need not."""
    findings.add(
        "mart.basis", {"cluster": "c", "topic": "x", "partition": 0, "newest_record_at": "2026-01-01 01:00:00+00"}
    )
    owned = {
        "cluster": "c",
        "topic": "t",
        "partition": 0,
        "log_partition": 7,
        "seen_at": SKIP["occurred_at"],
        "group_type": "classic",
    }
    for group, kind in (("g", "classic"), ("commits", "classic"), ("shares", "share")):
        findings.add("core.ownership", owned, group_id=group, group_type=kind)
    findings.add("core.ownership", owned, group_id="soon left", until_at="2026-01-01 00:08:30+00")
    findings.add("core.ownership", owned, group_id="console-consumer-12345")
    findings.add("core.commits", {"cluster": "c", "group_id": "commits"})
    findings.add("core.ownership", owned, group_id="pending")
    findings.add("core.transactions", {"cluster": "c", "groups": ["pending"], "outcome": "open"})
    assert findings.not_excluded("group_id, kind, claims, needs") == [("g", "no_commits", 1, ["application_logs"])]


def test_an_incident_has_one_kind(findings: Findings) -> None:
    """What was passed over and what was read again are never one amount."""
    findings.skip(kind="restarted_at_latest").add(
        "mart.replays", {**SKIP, "kind": "restarted_at_earliest"}, log_offset=9
    )
    assert findings.incidents("kind, estimate_offsets") == [("skip", 10), ("replay", 10)]


def test_an_overlap_that_every_rebalance_has_is_no_incident(findings: Findings) -> None:
    """At-least-once delivery has it; mart.replays has it too."""
    handed = {**SKIP, "kind": "handed_over", "certain_from": None, "certain_to": None, "certainty": "likely"}
    findings.add("mart.replays", handed, estimate_from=10, estimate_to=14, is_ordinary=True)
    assert findings.incidents("title") == []


def test_the_time_of_reading_is_no_time_of_an_event(findings: Findings) -> None:
    """Where nothing tells when it was, the title says after what."""
    findings.add(
        "mart.skips", LIKELY, occurred_at=None, from_time=SKIP["occurred_at"], detected_at="2026-03-01 00:00:00+00"
    )
    ((title,),) = findings.incidents("title")
    assert title.startswith("time unknown, after 2026-01-01 00:08:00 UTC: group g probably never read")


def test_a_group_that_is_silent_while_its_cluster_goes_on_has_stopped(findings: Findings) -> None:
    """It has members, is behind, and there is no commit for more than ten minutes before the last one of any group."""
    place = {"cluster": "c", "topic": "t", "partition": 0}
    for group, minute, lag in (("quiet", 1, 5), ("done", 1, 0), ("busy", 15, 5)):
        stands = {**place, "group_id": group, "log_partition": 7, "log_offset": minute, "current_offset": 95}
        findings.add("mart.offsets_now", stands, effective_at=f"2026-01-01 00:{minute:02d}:00+00")
        findings.add("mart.lag_now", {**place, "group_id": group}, current_offset=95, log_end_offset=95 + lag, lag=lag)
        state = {"cluster": "c", "group_id": group, "log_partition": 7, "log_offset": 0, "state": "Stable"}
        findings.add("core.group_states", state, from_at="2026-01-01 00:00:00+00")
    assert findings.incidents("group_id, kind, certain_offsets") == [("quiet", "stopped", 5)]


def test_a_commit_that_no_log_bears_out_is_an_incident(findings: Findings) -> None:
    """With the commits that say so."""
    place = {"cluster": "c", "topic": "t", "partition": 0, "first_at": SKIP["occurred_at"], "certainty": "proven"}
    lost = {**place, "kind": "commit_of_truncated_records", "group_id": "g", "log_partition": 7, "log_offset": 3}
    findings.add("mart.log_divergence", lost, last_log_offset=5, from_offset=90, to_offset=95)
    ((kind, severity, title, evidence),) = findings.incidents("kind, severity, title, evidence")
    assert (kind, severity, evidence) == ("diverged", "critical", [3, 5])
    assert "committed 5 offsets of t-0 that its log lost or never had; the log was truncated below" in title


def test_what_a_rebalance_let_be_read_again_is_one_incident(findings: Findings) -> None:
    """Hand-overs of many partitions, as much as is probable of them; what is only possible is left out."""
    handed = {**SKIP, "kind": "handed_over", "certain_from": None, "certain_to": None, "certainty": "likely"}
    handed |= {"cause": "member_crash", "estimate_from": 10}
    for partition, (possible_to, estimate_to) in enumerate([(30, 14), (50, 20)]):
        findings.add("mart.replays", handed, partition=partition, possible_to=possible_to, estimate_to=estimate_to)
    findings.add("mart.replays", handed, partition=7, possible_to=None, estimate_from=None, certainty="possible")
    ((story, count, title),) = findings.incidents("pattern, findings, title")
    assert (story, count) == ("rebalancing", 2)
    assert "probably re-read about 14 offsets in 2 partitions of t; a partition was reassigned; its new owner" in title


@pytest.mark.parametrize(
    ("trigger", "last", "cause"),
    [
        ("coordinator_failover", 8, "rebalance_coordinator_failover"),
        ("join", 9, "rebalance_join"),
        ("unknown", 8, "rebalance"),
        ("join", 7, "rebalance"),
    ],
)
def test_a_hand_over_has_the_cause_of_its_rebalance(findings: Findings, trigger: str, last: int, cause: str) -> None:
    """Where that is known, and the record lies in the rebalance."""
    place = {"cluster": "c", "group_id": "g", "log_partition": 7}
    for number, reason in ((3, "expired"), (7, trigger)):
        findings.add("mart.rebalances", place, log_offset=number, last_log_offset=max(last, number), trigger=reason)
    handed = {
        **SKIP,
        "kind": "reassigned_to_same_member",
        "certain_from": None,
        "certain_to": None,
        "certainty": "likely",
    }
    findings.add("mart.replays", handed, cause="rebalance", estimate_from=10, estimate_to=14)
    findings.add("mart.replays", handed, cause="member_crash", partition=1, estimate_from=10, estimate_to=14)
    assert findings.incidents("causes") == [(["member_crash", cause],)]


def test_a_storm_is_one_of_ten_minutes_or_more(findings: Findings) -> None:
    """Five restarts of a group are told apart, fewer are none; what was read again is an incident of its own."""
    storm = {"cluster": "c", "log_partition": 7, "log_offset": 5, "last_log_offset": 40, "trigger": "join", "rounds": 9}
    storm |= {"from_at": "2026-01-01 00:00:00+00", "rebalances": 20}
    ends = {"short": "2026-01-01 00:09:59+00", "long": "2026-01-01 00:30:00+00", "alone": "2026-01-01 00:30:00+00"}
    for group, to_at in ends.items():
        pattern = "group_restarts" if group == "alone" else "member_returns"
        findings.add("mart.rebalance_storms", storm, group_id=group, pattern=pattern, to_at=to_at)
    handed = {**SKIP, "kind": "handed_over", "certain_from": None, "certain_to": None, "certainty": "likely"}
    findings.add("mart.replays", handed, group_id="long", estimate_from=10, estimate_to=14)
    assert findings.incidents("group_id, kind, severity, estimate_offsets, claim") == [
        ("long", "storm", "medium", None, "rebalanced 20 times in 30 minutes"),
        ("long", "replay", "low", 4, "probably re-read about 4 offsets of t-0"),
        ("alone", "restarts", "low", None, "lost its members and got new ones 9 times in 30 minutes"),
    ]
    few = {"group_id": "few", "pattern": "group_restarts", "to_at": ends["alone"], "rounds": 4}
    findings.add("mart.rebalance_storms", {**storm, **few})
    assert len(findings.incidents("claim")) == 3
    again = {"from_at": "2026-01-01 20:00:00+00", "to_at": "2026-01-01 20:20:00+00", "log_offset": 60}
    findings.add("mart.rebalance_storms", {**storm, **again}, group_id="long", pattern="same_cause")
    assert findings.incidents("claim")[0] == ("rebalanced 20 times in 30 minutes, and one more such time",)


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
        ("finding", 8, f"never read offsets 20 to 29; {FORWARD}"),
    ]


@pytest.mark.parametrize("name", ["findings", "incidents"])
def test_the_columns_are_the_described_ones(findings: Findings, name: str) -> None:
    """Names and order."""
    findings.skip().incidents("*")
    assert tuple(findings.database.table(f"mart.{name}").columns) == TABLES[f"mart.{name}"].column_names
