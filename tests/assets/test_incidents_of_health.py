"""Which states of a group, a log or a cluster are incidents, and which are none, on a few rows each."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest

from tests.assets.folding import SKIP, Findings

if TYPE_CHECKING:
    import duckdb

PLACE = {"cluster": "c", "topic": "t", "partition": 0}
OWN = {**PLACE, "group_id": "g", "log_partition": 7}


@pytest.fixture
def findings(database: duckdb.DuckDBPyConnection) -> Findings:
    """Nothing was found yet."""
    return Findings(database)


def minute(number: int) -> str:
    """An instant in 2026, by minutes."""
    return (datetime(2026, 1, 1, tzinfo=timezone.utc) + timedelta(minutes=number)).isoformat()


def with_verdicts(findings: Findings, *rules: str | None, apart: int = 5, group: str = "g") -> Findings:
    """A group as Burrow's rules judge it at instants so many minutes apart, with the commits and log ends of then.

    Before that it commits every minute for an hour. The log gets 100 longer each time. The group gets on where it is at
    the end, and half as fast where its lag grows.
    """
    for number in range(60):
        before = {**OWN, "group_id": group, "log_offset": number - 60, "committed_offset": 0, "kind": "repeat"}
        findings.add("core.commits", before, effective_at=minute(number - 60))
    offset = 0
    for number, rule in enumerate(rules):
        own = {"cluster": "c", "group_id": group, "worst_topic": "t", "worst_partition": 0, "deciding_rule": rule}
        verdict = {**own, "log_partition": 7, "log_offsets": [number, 10 + number]}
        findings.add("mart.group_status", verdict, as_of=minute(apart * number))
        end = {**PLACE, "log_end_offset": 100 * number, "source": "batch"}
        findings.add("core.log_ends", end, reached_at=minute(apart * number))
        if rule == "commits_stopped":
            continue
        offset = 100 * number if rule == "at_log_end" else offset + 50 * (rule == "lag_never_less")
        committed = {**OWN, "group_id": group, "log_offset": number, "committed_offset": offset, "kind": "advance"}
        findings.add("core.commits", committed, effective_at=minute(apart * number))
    return findings


def standing(findings: Findings, at: int, group: str = "g", lag: int = 5, state: str | None = "Stable") -> Findings:
    """What a group committed last, at a minute, and its last state; the log went on five minutes later."""
    stands = {**OWN, "group_id": group, "log_offset": at, "current_offset": 95, "effective_at": minute(at)}
    findings.add("mart.offsets_now", stands)
    if state is not None:
        values = {"cluster": "c", "group_id": group, "log_partition": 7, "log_offset": at + 1, "state": state}
        findings.add("core.group_states", values, from_at=minute(at + 1))
    findings.add("core.log_ends", PLACE, log_end_offset=95 + lag, source="batch", reached_at=minute(at + 5))
    return findings.add(
        "mart.lag_now", {**PLACE, "group_id": group}, current_offset=95, log_end_offset=95 + lag, lag=lag
    )


@pytest.mark.parametrize(
    ("rule", "folded", "message"),
    [
        (
            "commits_stopped",
            ("stopped", "commits_paused", "medium"),
            "committed nothing for 10 minutes, from 100 to 300",
        ),
        (
            "no_progress",
            ("stopped", "commits_paused", "medium"),
            "committed the same offset for 10 minutes, from 100 to",
        ),
        ("lag_never_less", ("behind", "fell_behind", "low"), "fell behind for 10 minutes, from 50 to 150 offsets"),
    ],
)
def test_ten_minutes_of_a_verdict_are_an_incident(
    findings: Findings, rule: str, folded: tuple[str, ...], message: str
) -> None:
    """From the first instant at which it holds to the last; what is not known at an instant ends it."""
    with_verdicts(findings, "at_log_end", rule, rule, rule, "at_log_end", rule, None, rule, rule, "at_log_end")
    ((title, *actual),) = findings.incidents("title, kind, pattern, severity, findings, log_offset, evidence")
    assert actual == [*folded, 1, 11, [1, 11]]
    assert f"2026-01-01 00:05:00 UTC: group g {message}" in title


def test_less_than_ten_minutes_of_a_verdict_are_none(findings: Findings) -> None:
    """Between two batches any group stops for a while."""
    rules = ("commits_stopped", "commits_stopped", "at_log_end") * 10
    assert with_verdicts(findings, *rules, apart=4).incidents("kind") == []


def test_a_group_that_stops_every_night_is_one_incident(findings: Findings) -> None:
    """A batch that runs once a day is not thirty of them."""
    with_verdicts(findings, "at_log_end", *("commits_stopped", "commits_stopped", "at_log_end") * 5, apart=60)
    ((pattern, count, claim),) = findings.incidents("pattern, findings, claim")
    assert (pattern, count) == ("commits_paused", 5)
    assert claim == "committed nothing for 60 minutes, from 100 to 200 offsets behind in t-0, and 4 more such times"


def test_the_end_of_what_was_read_makes_nobody_stop(findings: Findings) -> None:
    """All groups end together there: who committed as late as any other is not called for."""
    with_verdicts(findings, "at_log_end", *["commits_stopped"] * 9)
    standing(findings, 40)
    assert findings.incidents("kind") == []
    standing(findings, 55, group="other", lag=0)
    assert findings.incidents("group_id, kind, pattern, certain_offsets") == [("g", "stopped", "stopped", 5)]


def test_a_group_that_commits_and_gets_no_further_has_stopped(findings: Findings) -> None:
    """While it stands like that, it is as bad as one that doesn't commit."""
    with_verdicts(findings, "at_log_end", "no_progress", "no_progress", "no_progress")
    ((severity, pattern, title),) = findings.incidents("severity, pattern, title")
    assert (severity, pattern) == ("high", "stopped")
    assert (
        "committed the same offset for 10 minutes, from 100 to 300 offsets behind in t-0; it commits the same offset"
        in title
    )


def test_lag_that_does_not_grow_is_no_falling_behind(findings: Findings) -> None:
    """Or of which nobody knows how it was."""
    with_verdicts(findings, "at_log_end", *["lag_never_less"] * 3, "at_log_end")
    findings.database.execute("UPDATE core.log_ends SET log_end_offset = 300")
    assert findings.incidents("kind") == []
    findings.database.execute("DELETE FROM core.log_ends")
    assert findings.incidents("kind") == []


@pytest.mark.parametrize("rule", ["commits_stopped", "no_progress"])
def test_a_group_behind_a_log_that_stays_as_it_is_does_not_stand_still(findings: Findings, rule: str) -> None:
    """Its lag does not grow, whatever the rule says: nothing came that it could have read."""
    with_verdicts(findings, "at_log_end", rule, rule, rule, "at_log_end")
    assert len(findings.incidents("kind")) == 1
    findings.database.execute("UPDATE core.log_ends SET log_end_offset = 139")
    assert findings.incidents("kind") == []


def test_a_group_without_members_does_not_stand_still(findings: Findings) -> None:
    """It was closed, and started again."""
    with_verdicts(findings, "at_log_end", *["commits_stopped"] * 3, "at_log_end")
    empty = {"cluster": "c", "group_id": "g", "log_partition": 7, "log_offset": 3, "state": "Empty"}
    findings.add("core.group_states", empty, from_at=minute(6), to_at=minute(18), to_log_offset=4)
    assert findings.incidents("kind") == []


def test_a_pause_as_long_as_others_of_its_group_is_no_stand(findings: Findings) -> None:
    """A job that commits once a day commits nothing in between, and has not stopped a day later."""
    with_verdicts(findings, "at_log_end", *["commits_stopped"] * 3, "at_log_end", apart=60)
    standing(standing(findings, 300), 600, group="other", lag=0)
    assert findings.incidents("pattern") == [("stopped",), ("commits_paused",)]
    findings.database.execute("DELETE FROM core.commits WHERE log_offset < 0")
    daily = {**OWN, "log_offset": -1, "committed_offset": 0, "kind": "advance"}
    findings.add("core.commits", daily, effective_at=minute(-240))
    assert findings.incidents("pattern") == []


def test_a_lag_of_what_came_since_the_last_commit_is_not_behind(findings: Findings) -> None:
    """Of a group that reads all that comes it goes up and down; it is behind where a twentieth of it stays unread."""
    with_verdicts(findings, "at_log_end", *["lag_never_less"] * 3, "at_log_end")
    assert len(findings.incidents("kind")) == 1
    later = f"reached_at > '{minute(12)}'"
    findings.database.execute(f"UPDATE core.log_ends SET log_end_offset = 97000 WHERE {later}")  # noqa: S608 - a time of ours
    findings.database.execute("UPDATE core.commits SET committed_offset = 96900 WHERE log_offset = 3")
    assert findings.incidents("kind") == []


def test_one_stand_is_one_finding(findings: Findings) -> None:
    """Also where the verdict was not known, or another partition was worse, for a while: no commit lies between."""
    rules = ("at_log_end", *["commits_stopped"] * 4, None, *["commits_stopped"] * 3, "at_log_end")
    with_verdicts(findings, *rules)
    findings.database.execute("UPDATE mart.group_status SET log_offsets = [7] WHERE deciding_rule = 'commits_stopped'")
    assert findings.incidents("findings, claim") == [
        (1, "committed nothing for 15 minutes, from 100 to 400 offsets behind in t-0")
    ]


def test_a_group_that_commits_meanwhile_did_not_commit_nothing(findings: Findings) -> None:
    """The rule was about another window of commits."""
    with_verdicts(findings, "at_log_end", *["commits_stopped"] * 3, "at_log_end")
    findings.add("core.commits", {**OWN, "log_offset": 2, "committed_offset": 1}, effective_at=minute(12))
    assert findings.incidents("kind") == []


@pytest.mark.parametrize(
    ("state", "pattern", "severity", "message"),
    [
        ("Stable", "stopped", "high", "group g has stopped, 5 offsets of t-0 behind; it has members and has"),
        ("Empty", "closed", "low", "group g has had no members since 2026-01-01 00:02:00 UTC, 5 offsets of t-0 behind"),
        (None, "silent", "low", "group g has stopped committing, about 5 offsets of t-0 behind; it has"),
    ],
)
def test_the_last_state_of_a_silent_group_decides_the_word(
    findings: Findings, state: str | None, pattern: str, severity: str, message: str
) -> None:
    """With members it has stopped; Empty it was closed; without a record of its state nobody knows."""
    standing(standing(findings, 1, state=state), 30, group="other", lag=0)
    ((*actual, title),) = findings.incidents("pattern, severity, title")
    assert actual == [pattern, severity]
    assert message in title


@pytest.mark.parametrize(
    ("state", "certain", "message"),
    [
        ("Stable", 5, "group g has stopped, at least 5 offsets of t-0 behind"),
        (None, 0, "group g has stopped committing, at least 5 offsets of t-0 behind"),
    ],
)
@pytest.mark.parametrize("upper", [None, 110])
def test_where_only_bounds_are_known_a_group_is_behind_by_the_lower_one_at_least(
    findings: Findings, upper: int | None, state: str | None, certain: int, message: str
) -> None:
    """As behind the samples of a cluster whose data segments nobody mounted."""
    standing(standing(findings, 1, state=state), 30, group="other", lag=0)
    findings.database.execute(
        "UPDATE mart.lag_now SET lag_lower = lag, log_end_lower = log_end_offset, log_end_upper = ?, lag = NULL, "
        "log_end_offset = NULL WHERE group_id = 'g'",
        [upper],
    )
    ((title, *actual),) = findings.incidents("title, certain_offsets, estimate_offsets")
    assert message in title
    assert actual == [certain, 5]


@pytest.mark.parametrize(("sampled", "message"), [((95, 100), "stopped"), ((100, 100), "waits")])
def test_samples_show_that_a_log_went_on_where_a_later_one_is_higher(
    findings: Findings, sampled: tuple[int, int], message: str
) -> None:
    """What the first one behind a commit has may have been there before it."""
    standing(standing(findings, 1), 30, group="other", lag=0)
    findings.database.execute("DELETE FROM core.log_ends")
    for at, end in zip((10, 20), sampled, strict=True):
        findings.add("core.log_ends", PLACE, log_end_offset=end, source="live", reached_at=minute(at))
    findings.incidents("title")
    assert findings.database.sql("SELECT claim_kind FROM mart.findings").fetchall() == [(message,)]


@pytest.mark.parametrize(
    ("first", "last", "message"),
    [
        (None, None, "from 50 to 150 offsets behind"),
        ((0, 60), None, "from at most 60 to at least 150 offsets behind"),
        (None, (400, 500), "from at most 50 to at least 250 offsets behind"),
        ((0, 160), None, None),
        ((0, None), None, None),
    ],
)
def test_lag_that_surely_grew_is_told_by_its_bounds(
    findings: Findings, first: tuple[int, int | None] | None, last: tuple[int, int | None] | None, message: str | None
) -> None:
    """At most so much at first, and at least so much at last; where these don't tell, nothing is said."""
    with_verdicts(findings, "at_log_end", *["lag_never_less"] * 3, "at_log_end")
    for at, ends in ((5, first), (15, last)):
        if ends:
            bounds = {**PLACE, "log_end_lower": ends[0], "log_end_upper": ends[1] and ends[1] + (at == 5) * 50}
            findings.add("core.log_end_bounds", bounds, from_at=minute(at), to_at=minute(at + 1), has_commits=True)
    titles = [title for (title,) in findings.incidents("title")]
    assert [message in title for title in titles] == [True] * (message is not None)


def test_a_marker_at_the_end_of_a_log_is_nothing_to_read(findings: Findings) -> None:
    """Who has read all records of a transactional topic may stay an offset behind."""
    standing(standing(findings, 1, lag=1), 30, group="other", lag=0)
    assert findings.incidents("group_id") == [("g",)]
    findings.database.execute("UPDATE mart.lag_now SET records = 0")
    assert findings.incidents("group_id") == []


def test_while_the_log_went_on_is_said_only_where_it_did(findings: Findings) -> None:
    """A backlog that nobody reads is one without new records, too; a group that was closed then is none."""
    standing(standing(findings, 1), 30, group="other", lag=0)
    findings.database.execute("DELETE FROM core.log_ends")
    assert "nothing was appended either" in findings.incidents("title")[0][0]
    findings.database.execute("UPDATE core.group_states SET state = 'Empty'")
    assert findings.incidents("title") == []


@pytest.mark.parametrize(
    "group",
    ["console-consumer-67102", "anonymous.8a1c8c2e-1d6c-4c9b-9f57-0d2a4f0a1b7c", "app-5f2b9c1e7d", "tool-1700000000"],
)
def test_throwaway_groups_that_were_closed_are_no_incidents(findings: Findings, group: str) -> None:
    """Nobody expects them back; while they have members they are groups like any other."""
    standing(standing(findings, 1, group=group, state="Empty"), 30, group="other", lag=0)
    assert findings.incidents("title") == []
    findings.database.execute("UPDATE core.group_states SET state = 'Stable'")
    assert findings.incidents("group_id, pattern") == [(group, "stopped")]


@pytest.mark.parametrize("group", ["payments", "orders-v2", "billing-2026", "anonymous-reader", "feed-deadbeat"])
def test_names_that_people_give_are_no_throwaway_names(findings: Findings, group: str) -> None:
    """Years, versions and words stay."""
    standing(standing(findings, 1, group=group, state="Empty"), 30, group="other", lag=0)
    assert findings.incidents("group_id, pattern") == [(group, "closed")]


@pytest.mark.parametrize(
    ("cause", "pattern", "severity"),
    [
        ("no_members", "closed", "low"),
        ("not_subscribed", "stale_offsets", "low"),
        ("topic_deleted", "stale_offsets", "low"),
    ],
)
def test_what_nobody_wants_to_read_is_abandoned_and_not_stopped(
    findings: Findings, cause: str, pattern: str, severity: str
) -> None:
    """What is left behind on purpose calls for nobody."""
    standing(standing(findings, 1), 30, group="other", lag=0)
    findings.add("mart.stale_offsets", OWN, cause=cause)
    assert findings.incidents("pattern, severity") == [(pattern, severity)]


def test_copies_of_a_log_that_contradict_are_an_incident_of_no_group(findings: Findings) -> None:
    """One for a topic, whatever the broker; those of one epoch are worse than an end that another leader cut off."""
    copy = {**PLACE, "first_at": SKIP["occurred_at"], "certainty": "proven", "from_offset": 90, "to_offset": 95}
    for broker in (1, 2):
        findings.add("mart.log_divergence", copy, kind="copies_differ", broker_id=broker)
    findings.add("mart.log_divergence", copy, kind="copies_differ", partition=1)
    findings.add("mart.log_divergence", copy, kind="truncated_records", topic="u")
    assert findings.incidents("severity, group_id, partitions, findings, evidence") == [
        ("high", None, 2, 2, []),
        ("medium", None, 1, 1, []),
    ]
    titles = [title for (title,) in findings.incidents("title")]
    different = "replicas hold different records under the same offsets and leader epoch; proven"
    other = "a later leader wrote other records at these offsets (unclean leader election, or acks=1); proven"
    assert titles == [
        f"time unknown: replicas of a log differ in 2 partitions of t; {different}",
        f"time unknown: a replica holds records that the log does not have in u-0; {other}",
    ]


def test_groups_in_another_partition_are_one_incident_of_the_cluster(findings: Findings) -> None:
    """When the number of partitions was changed, it concerns them all."""
    for group in ("g", "h"):
        finding = {**OWN, "kind": "group_in_wrong_partition", "topic": "__consumer_offsets", "group_id": group}
        findings.add("mart.log_divergence", finding, log_offset=3, first_at=SKIP["occurred_at"], certainty="likely")
    ((severity, group, title),) = findings.incidents("severity, group_id, title")
    assert (severity, group) == ("medium", None)
    assert "UTC: 2 groups have records in a partition that their ids do not hash to in __consumer_offsets; " in title


def test_a_transaction_that_nobody_ends_is_an_incident(findings: Findings) -> None:
    """Of each group whose commits wait for it, and of the topic whose readers do; not before brokers would end it."""
    hangs = {**PLACE, "producer_id": 4, "first_offset": 50, "last_offset": 60, "last_stable_offset": 50}
    hangs |= {"log_end_offset": 90, "blocked_offsets": 40, "started_at": SKIP["occurred_at"], "is_gap_free": True}
    findings.add("mart.open_transactions", hangs, age_ms=900_000)
    assert findings.incidents("kind") == []
    findings.add("mart.open_transactions", hangs, age_ms=1_200_000)
    findings.add("mart.open_transactions", hangs, age_ms=1_200_000, topic="__consumer_offsets", groups=["g", "h"])
    incidents = findings.incidents("kind, severity, group_id, log_partition, evidence")
    assert sorted(incidents, key=str) == [
        ("transaction", "high", "g", 0, [50, 60]),
        ("transaction", "high", "h", 0, [50, 60]),
        ("transaction", "high", None, None, []),
    ]
    titles = " ".join(title for (title,) in findings.incidents("title"))
    assert "an open transaction hides 40 offsets of t-0 from read_committed consumers; " in titles
    assert "group g has pending commits in a transaction that was open for 20 minutes; " in titles


def test_a_transaction_whose_marker_may_be_unseen_is_less_sure(findings: Findings) -> None:
    """So it ranks lower."""
    hangs = {**PLACE, "producer_id": 4, "first_offset": 50, "last_stable_offset": 50, "blocked_offsets": 40}
    findings.add("mart.open_transactions", hangs, age_ms=1_200_000, is_gap_free=False, log_end_offset=90)
    assert findings.incidents("severity, certainty") == [("medium", "likely")]


def test_a_stuck_cleaner_is_one_incident_of_all_partitions(findings: Findings) -> None:
    """It is one thread that died; where it keeps up, or is only due, nothing is told."""
    for partition, verdict in enumerate(["stuck", "stuck", "due", "keeps_up"]):
        cleaning = {"cluster": "c", "log_partition": partition, "verdict": verdict, "cleanable_to": 900}
        findings.add("mart.offsets_topic_compaction", cleaning, waiting_from=100, waiting_since=SKIP["occurred_at"])
    ((kind, severity, title),) = findings.incidents("kind, severity, title")
    assert (kind, severity) == ("cleaner", "medium")
    assert "UTC: the log cleaner leaves about 1,600 offsets in 2 partitions of __consumer_offsets uncleaned; " in title


def test_what_producers_wrote_twice_is_one_incident_of_the_topic(findings: Findings) -> None:
    """Consumers read it twice whatever they commit. By its numbers it is sure, by its bytes it is likely."""
    for partition, kind in enumerate(["sent_twice", "sent_twice", "same_bytes", "sequence_gap"]):
        wrote = {
            **PLACE,
            "kind": kind,
            "partition": partition,
            "record_count": 20,
            "first_record_at": SKIP["occurred_at"],
        }
        certain = "proven" if kind == "sent_twice" else "likely"
        findings.add("mart.producer_duplicates", wrote, certainty=certain)
    assert findings.incidents("pattern, severity, findings") == [
        ("produced_twice", "medium", 2),
        ("sequence_numbers_missing", "low", 1),
    ]
    assert "producers wrote 40 records twice in t; the log holds the same" in findings.incidents("title")[0][0]


def test_offsets_that_expire_within_a_day_are_an_incident(findings: Findings) -> None:
    """Not later ones, none that are overdue (then the broker keeps them longer), and none whose loss costs nothing."""
    standing(findings, 60, lag=0)
    for partition, (hours, overdue, cost) in enumerate([(2, False, 9), (30, False, 9), (2, True, 9), (2, False, 0)]):
        ends = {**OWN, "partition": partition, "log_offset": partition, "is_overdue": overdue, "latest_offsets": cost}
        findings.add("mart.expiry_forecast", ends, expires_at=minute(60 * hours), earliest_offsets=0)
    ((kind, severity, partitions, title),) = findings.incidents("kind, severity, partitions, title")
    assert (kind, severity, partitions) == ("expiring", "low", 1)
    assert "group g loses its offsets from 2026-01-01 02:00 UTC on; no member subscribes" in title
    assert "the time is by the brokers' offsets.retention.minutes" in title
    findings.database.execute("UPDATE mart.expiry_forecast SET offsets_retention_origin = 'default'")
    assert "if offsets.retention.minutes is the default, a week" in findings.incidents("title")[0][0]
    findings.database.execute("UPDATE mart.expiry_forecast SET expiry_basis = 'explicit'")
    assert "and the commits name this expiry time (expiry); proven" in findings.incidents("title")[0][0]
