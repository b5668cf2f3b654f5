"""Lag between two samples of a running cluster, held against what the broker itself said at instants in between.

A producer writes all the time, one group keeps up with it, one does not. Nothing here may depend on how fast that is.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone
from functools import partial
from typing import TYPE_CHECKING, Final

import pytest

from assets.ingest.live.access import Access
from assets.ingest.live.cluster import LiveCluster
from tests.broker.book import Book
from tests.broker.clients import Clients
from tests.broker.cluster import running
from tests.broker.commands import Commands
from tests.broker.conftest import available
from tests.broker.releases import NEWEST
from tests.broker.waiting import wait_until
from tests.whole_run import whole_run

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from tests.broker.cluster import Cluster

pytestmark = pytest.mark.slow

TOPIC: Final = "orders"
PARTITIONS: Final = 2
RECORDS: Final = 1_000_000
LOOKS: Final = 10
GROWTH: Final = 300
"""Records of each partition between two looks at the broker's log ends."""
FAST: Final = "keeps-up"
SLOW: Final = "falls-behind"
OFTEN: Final = {"auto.commit.interval.ms": "100", "max.poll.records": "50"}


@dataclass(frozen=True)
class Look:
    """Where the broker said that logs end, asked not before and answered not after."""

    asked_at: datetime
    answered_at: datetime
    ends: dict[int, int]


@dataclass(frozen=True)
class Scene:
    """A warehouse of three runs against a running cluster, and what the broker said between and after them."""

    book: Book
    looks: list[Look]
    last: dict[int, int]


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """Groups read while a producer writes; the producer stops before the last run."""
    folder = tmp_path_factory.mktemp("live-lag")
    with running(available(NEWEST), folder / "cluster") as cluster:
        clients, commands = Clients(cluster, folder / "clients"), Commands(cluster, folder / "commands")
        commands.create_topic(TOPIC, PARTITIONS)
        producer = clients.start_producing(TOPIC, PARTITIONS, RECORDS, every_ms=2)
        members = [
            clients.member(FAST, TOPIC, settings=OFTEN),
            clients.member(SLOW, TOPIC, delay_ms=20, settings=OFTEN),
        ]
        for member in members:
            member.wait_for(2 * GROWTH)
        looks = []
        for _ in range(2):
            run(cluster, folder)
            looks += list(watched(cluster))
        producer.stop()
        for member in members:
            member.stop()
        run(cluster, folder)
        yield Scene(Book(folder / "warehouse"), looks, look(cluster).ends)


def run(cluster: Cluster, folder: Path) -> None:
    """Read the cluster and sample its log ends."""
    done = whole_run(folder / "warehouse", (), "--bootstrap", cluster.bootstrap)
    assert done.exit_code == 0, done.stderr


def look(cluster: Cluster) -> Look:
    """Ask the broker where the logs end."""
    with LiveCluster(Access(cluster.bootstrap)) as live:
        topic = live.topic(TOPIC)
        assert topic is not None
        asked_at = datetime.now(timezone.utc)
        bounds = live.bounds(topic.partitions)
        answered_at = datetime.now(timezone.utc)
    return Look(
        asked_at, answered_at, {number: bounds[TOPIC, number].high_watermark or 0 for number in range(PARTITIONS)}
    )


def watched(cluster: Cluster) -> Iterator[Look]:
    """Looks with records written between each two."""
    for _ in range(LOOKS):
        before = look(cluster)
        yield before
        wait_until(partial(_has_grown, cluster, before.ends), "records to be written")


def _has_grown(cluster: Cluster, before: Mapping[int, int]) -> bool:
    return all(end >= before[number] + GROWTH for number, end in look(cluster).ends.items())


LAG_AT: Final = """
SELECT group_id, partition, current_offset, log_end_offset, log_end_lower, log_end_upper, lag, lag_lower, lag_upper
FROM lag_at(?) WHERE current_offset IS NOT NULL
"""


def test_the_true_lag_lies_within_the_bounds(scene: Scene) -> None:
    """What the broker said is not below the lower bound when it was asked, nor above the upper when it had answered."""
    inexact = 0
    for look_ in scene.looks:
        for _, partition, current, _, lower, _, _, lag_lower, _ in scene.book.query(LAG_AT, look_.asked_at):
            assert current <= lower <= look_.ends[partition]
            assert lag_lower <= look_.ends[partition] - current
        for _, partition, current, end, _, upper, lag, _, lag_upper in scene.book.query(LAG_AT, look_.answered_at):
            assert upper is None or upper >= look_.ends[partition]
            assert lag_upper is None or lag_upper >= look_.ends[partition] - current
            assert (lag is None) == (end is None)
            inexact += lag is None and upper is not None
    assert inexact > LOOKS


def test_commits_between_samples_raise_the_lower_bound(scene: Scene) -> None:
    """The group that keeps up tells of records that no sample had seen yet, also for the one that falls behind."""
    raised = """
        SELECT count(*) FROM mart.lag AS l
        ASOF JOIN (FROM core.log_ends WHERE source = 'live' AND topic = ?) AS e
            ON l.topic = e.topic AND l.partition = e.partition AND l.as_of >= e.reached_at
        WHERE l.group_id = ? AND l.log_end_lower > e.log_end_offset
    """
    assert all(scene.book.query(raised, TOPIC, group)[0][0] > 0 for group in (FAST, SLOW))


def test_no_commit_is_beyond_the_end_that_is_told(scene: Scene) -> None:
    """At every commit the truth lies in the bounds, and between the answers before and after it."""
    rows = scene.book.query(
        "SELECT as_of, partition, current_offset, log_end_lower, log_end_upper FROM mart.lag WHERE topic = ?", TOPIC
    )
    assert len(rows) > LOOKS
    for as_of, partition, current, lower, upper in rows:
        before = max((one.ends[partition] for one in scene.looks if one.answered_at <= as_of), default=0)
        after = min(
            (one.ends[partition] for one in scene.looks if one.asked_at >= as_of), default=scene.last[partition]
        )
        assert lower is None or current <= lower <= after
        assert upper is None or upper >= before
    assert sum(lower is None for _, _, _, lower, _ in rows) <= len(rows) // 10


def test_at_the_end_lag_is_exact(scene: Scene) -> None:
    """The last sample is the newest that is known: nobody committed since."""
    rows = scene.book.query(
        "SELECT partition, current_offset, log_end_offset, lag FROM mart.lag_now WHERE topic = ?", TOPIC
    )
    assert len(rows) == 2 * PARTITIONS
    for partition, current, end, lag in rows:
        assert (end, lag) == (scene.last[partition], scene.last[partition] - current)
