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


def judged(findings: Findings, *rules: str | None, apart: int = 5, group: str = "g") -> Findings:
    """A group as Burrow's rules judge it at instants so many minutes apart; it is 100 more behind at each."""
    for number, rule in enumerate(rules):
        own = {"cluster": "c", "group_id": group, "worst_topic": "t", "worst_partition": 0, "worst_rule": rule}
        found = {**own, "log_partition": 7, "log_offsets": [number, 10 + number], "lag": 100 * number}
        findings.add("mart.group_status", found, as_of=minute(apart * number))
    return findings


def standing(findings: Findings, at: int, group: str = "g", lag: int = 5) -> Findings:
    """What a group committed last, at a minute."""
    stands = {**OWN, "group_id": group, "log_offset": at, "current_offset": 95, "effective_at": minute(at)}
    findings.add("mart.offsets_now", stands)
    return findings.add(
        "mart.lag_now", {**PLACE, "group_id": group}, current_offset=95, log_end_offset=95 + lag, lag=lag
    )


@pytest.mark.parametrize(
    ("rule", "folded", "said"),
    [
        ("commits stopped", ("stopped", "stood still", "medium"), "committed nothing for 10 minutes, from 100 to 300"),
        ("no progress", ("stopped", "stood still", "medium"), "committed the same offset for 10 minutes, from 100 to"),
        ("lag never less", ("behind", "fell behind", "low"), "fell behind for 10 minutes, from 100 to 300 offsets"),
    ],
)
def test_ten_minutes_of_a_verdict_are_an_incident(
    findings: Findings, rule: str, folded: tuple[str, ...], said: str
) -> None:
    """From the first instant at which it holds to the last; what is not known at an instant ends it."""
    judged(findings, "at the end", rule, rule, rule, "at the end", rule, None, rule, rule, "at the end")
    ((title, *found),) = findings.incidents("title, kind, story, severity, findings, log_offset, evidence")
    assert found == [*folded, 1, 11, [1, 11]]
    assert f"2026-01-01 00:05:00 UTC: group g {said}" in title


def test_less_than_ten_minutes_of_a_verdict_are_none(findings: Findings) -> None:
    """Between two batches any group stops for a while."""
    rules = ("commits stopped", "commits stopped", "at the end") * 10
    assert judged(findings, *rules, apart=4).incidents("kind") == []


def test_a_group_that_stops_every_night_is_one_incident(findings: Findings) -> None:
    """A batch that runs once a day is not thirty of them."""
    judged(findings, *("commits stopped", "commits stopped", "at the end") * 5, apart=60)
    assert findings.incidents("story, findings") == [("stood still", 5)]


def test_the_end_of_what_was_read_makes_nobody_stop(findings: Findings) -> None:
    """All groups end together there: who committed as late as any other is not called for."""
    judged(findings, "at the end", *["commits stopped"] * 9)
    standing(findings, 40)
    assert findings.incidents("kind") == []
    standing(findings, 55, group="other", lag=0)
    assert findings.incidents("group_id, kind, story, certain_offsets") == [("g", "stopped", "stopped", 5)]


def test_a_group_that_commits_and_gets_no_further_has_stopped(findings: Findings) -> None:
    """While it stands like that, it is as bad as one that doesn't commit."""
    judged(findings, "at the end", "no progress", "no progress", "no progress")
    ((severity, story, title),) = findings.incidents("severity, story, title")
    assert (severity, story) == ("high", "stopped")
    assert "committed the same offset for 10 minutes, from 100 to 300 offsets behind; it commits, and gets no" in title


def test_lag_that_does_not_grow_is_no_falling_behind(findings: Findings) -> None:
    """Or of which nobody knows how it was."""
    judged(findings, "at the end", *["lag never less"] * 3, "at the end")
    findings.database.execute("UPDATE mart.group_status SET lag = 300")
    assert findings.incidents("kind") == []
    findings.database.execute("UPDATE mart.group_status SET lag = NULL")
    assert findings.incidents("kind") == []


@pytest.mark.parametrize(
    ("why", "story", "severity"),
    [("no members", "stopped", "high"), ("not subscribed", "abandoned", "low"), ("topic deleted", "abandoned", "low")],
)
def test_what_nobody_wants_to_read_is_abandoned_and_not_stopped(
    findings: Findings, why: str, story: str, severity: str
) -> None:
    """A group without members may have died, so it has stopped."""
    standing(standing(findings, 1), 30, group="other", lag=0)
    findings.add("mart.abandoned", OWN, why=why)
    assert findings.incidents("story, severity") == [(story, severity)]


def test_copies_of_a_log_that_contradict_are_an_incident_of_no_group(findings: Findings) -> None:
    """One for a topic, whatever the broker; those of one epoch are worse than an end that another leader cut off."""
    copy = {**PLACE, "first_at": SKIP["at"], "certainty": "certain", "from_offset": 90, "to_offset": 95}
    for broker in (1, 2):
        findings.add("mart.diverged", copy, kind="copies differ", broker_id=broker)
    findings.add("mart.diverged", copy, kind="copies differ", partition=1)
    findings.add("mart.diverged", copy, kind="lost end", topic="u")
    assert findings.incidents("severity, group_id, partitions, findings, evidence") == [
        ("high", None, 2, 2, []),
        ("medium", None, 1, 1, []),
    ]
    titles = [title for (title,) in findings.incidents("title")]
    when = "2026-01-01 00:08:00 UTC"
    different = "copies of one leader epoch say different things; certain"
    assert titles == [
        f"{when}: copies of a log differ in up to 10 offsets in 2 partitions of t; {different}",
        f"{when}: a copy has up to 5 offsets of u-0 that its log lost; another leader took over without it; certain",
    ]


def test_groups_in_another_partition_are_one_incident_of_the_cluster(findings: Findings) -> None:
    """When the number of partitions was changed, it concerns them all."""
    for group in ("g", "h"):
        found = {**OWN, "kind": "group in another partition", "topic": "__consumer_offsets", "group_id": group}
        findings.add("mart.diverged", found, log_offset=3, first_at=SKIP["at"], certainty="inferred")
    ((severity, group, title),) = findings.incidents("severity, group_id, title")
    assert (severity, group) == ("medium", None)
    assert "UTC: 2 groups have records in a partition that is not theirs in __consumer_offsets; " in title


def test_a_transaction_that_nobody_ends_is_an_incident(findings: Findings) -> None:
    """Of each group whose commits wait for it, and of the topic whose readers do; not before brokers would end it."""
    hangs = {**PLACE, "producer_id": 4, "first_offset": 50, "last_offset": 60, "last_stable_offset": 50}
    hangs |= {"log_end_offset": 90, "blocked_offsets": 40, "began_at": SKIP["at"], "is_whole": True}
    findings.add("mart.open_transactions", hangs, age_ms=900_000)
    assert findings.incidents("kind") == []
    findings.add("mart.open_transactions", hangs, age_ms=1_200_000)
    findings.add("mart.open_transactions", hangs, age_ms=1_200_000, topic="__consumer_offsets", groups=["g", "h"])
    told = findings.incidents("kind, severity, group_id, log_partition, evidence")
    assert sorted(told, key=str) == [
        ("transaction", "high", "g", 0, [50, 60]),
        ("transaction", "high", "h", 0, [50, 60]),
        ("transaction", "high", None, None, []),
    ]
    titles = " ".join(title for (title,) in findings.incidents("title"))
    assert "a transaction that nobody ended hides up to 40 offsets of t-0 from who reads what is committed; " in titles
    assert "group g has commits that don't count yet, in a transaction that was open for 20 minutes; " in titles


def test_a_transaction_whose_marker_may_be_unseen_is_less_sure(findings: Findings) -> None:
    """So it ranks lower."""
    hangs = {**PLACE, "producer_id": 4, "first_offset": 50, "last_stable_offset": 50, "blocked_offsets": 40}
    findings.add("mart.open_transactions", hangs, age_ms=1_200_000, is_whole=False, log_end_offset=90)
    assert findings.incidents("severity, certainty") == [("medium", "inferred")]


def test_a_stuck_cleaner_is_one_incident_of_all_partitions(findings: Findings) -> None:
    """It is one thread that died; where it keeps up, or is only due, nothing is told."""
    for partition, verdict in enumerate(["stuck", "stuck", "due", "keeps up"]):
        cleaning = {"cluster": "c", "log_partition": partition, "verdict": verdict, "cleanable_until": 900}
        findings.add("mart.offsets_topic_cleaning", cleaning, waiting_from=100, waiting_since=SKIP["at"])
    ((kind, severity, title),) = findings.incidents("kind, severity, title")
    assert (kind, severity) == ("cleaner", "medium")
    assert (
        "UTC: the cleaner is stuck before up to 1,600 offsets in 2 partitions of __consumer_offsets; what it" in title
    )


def test_what_producers_wrote_twice_is_one_incident_of_the_topic(findings: Findings) -> None:
    """Consumers read it twice whatever they commit. By its numbers it is sure, by its bytes it is likely."""
    for partition, kind in enumerate(["sent twice", "sent twice", "same bytes", "sequence gap"]):
        wrote = {**PLACE, "kind": kind, "partition": partition, "record_count": 20, "first_record_at": SKIP["at"]}
        certain = "certain" if kind == "sent twice" else "inferred"
        findings.add("mart.producer_duplicates", wrote, certainty=certain)
    assert findings.incidents("story, severity, findings") == [
        ("produced twice", "medium", 2),
        ("numbers missing", "low", 1),
    ]
    assert "40 records of producers came in twice in t; the same numbers" in findings.incidents("title")[0][0]


def test_offsets_that_expire_within_a_day_are_an_incident(findings: Findings) -> None:
    """Not later ones, none that are overdue (then the broker keeps them longer), and none whose loss costs nothing."""
    standing(findings, 60, lag=0)
    for partition, (hours, overdue, cost) in enumerate([(2, False, 9), (30, False, 9), (2, True, 9), (2, False, 0)]):
        ends = {**OWN, "partition": partition, "log_offset": partition, "is_overdue": overdue, "latest_offsets": cost}
        findings.add("mart.expiry_forecast", ends, expires_at=minute(60 * hours), earliest_offsets=0)
    ((kind, severity, partitions, title),) = findings.incidents("kind, severity, partitions, title")
    assert (kind, severity, partitions) == ("expiring", "low", 1)
    assert "group g loses its offsets from 2026-01-01 02:00 UTC on; nobody subscribes" in title
