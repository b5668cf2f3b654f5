"""A capture is what would have been read of a recording in that way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks.crowd import Shape
from benchmarks.truth.captures import Captures, cluster_of
from benchmarks.truth.cleaner import FOREVER_MS, batches
from benchmarks.truth.recordings import Recording
from benchmarks.truth.warehouses import connect
from tests.benchmarks.conftest import small_broker

if TYPE_CHECKING:
    from pathlib import Path

CLUSTERS = "SELECT DISTINCT cluster FROM raw.offset_records ORDER BY ALL"
PARTITIONS = "SELECT DISTINCT log_partition FROM raw.offset_records ORDER BY ALL"
LAST = """SELECT cluster, log_partition, max(log_offset) AS last FROM raw.offset_records
GROUP BY cluster, log_partition, record_type, group_id, topic, partition ORDER BY cluster, log_partition, last"""


@pytest.fixture(scope="module")
def captures(tmp_path_factory: pytest.TempPathFactory) -> Captures:
    """Of two clusters whose offsets partitions have the same numbers."""
    root = tmp_path_factory.mktemp("recording")
    for brokers, commits in (("brokers-one", 300), ("brokers-two", 400)):
        small_broker(root / brokers / "data", Shape(commits, groups=4, topics=2, log_partitions=2))
        (root / brokers / "data" / "meta.properties").write_text("version=0\nbroker.id=0\n")
    return Captures(Recording("made up", (root,)), tmp_path_factory.mktemp("built"), 60_000)


def test_clusters_are_told_apart(captures: Captures) -> None:
    """By the brokers that a path names, where the log directory does not say what cluster it is of."""
    with connect(captures.warehouse("A")) as connection:
        assert connection.sql(CLUSTERS).fetchall() == [("brokers-one",), ("brokers-two",)]


def test_a_copy_after_the_cleaner_has_the_last_of_every_key(captures: Captures) -> None:
    """Of each cluster its own."""
    with connect(captures.warehouse("A")) as connection:
        last = connection.sql(LAST).fetchall()
    (copies,) = captures.copies([FOREVER_MS])
    retained = [
        (cluster_of(copy), int(folder.name.rpartition("-")[2]), offset)
        for copy in copies
        for folder in copy.glob("__consumer_offsets-*")
        for batch in batches(folder)
        for offset, _, _ in batch.records()
    ]
    assert sorted(retained) == last


def test_what_a_broker_is_about_to_delete_is_gone_after_its_cleaner(tmp_path: Path) -> None:
    """Who copies a log later never sees those files."""
    for part in ("data", "after-cleaner"):
        small_broker(tmp_path / "brokers-one" / part, Shape(300, groups=4, topics=2, log_partitions=2))
    for path in (tmp_path / "brokers-one" / "after-cleaner").glob("__consumer_offsets-0/*.log"):
        path.rename(f"{path}.deleted")
    captures = Captures(Recording("made up", (tmp_path,)), tmp_path / "built", 60_000)
    with connect(captures.warehouse("B")) as connection:
        assert connection.sql(PARTITIONS).fetchall() == [(1,)]


def test_a_cluster_is_what_its_log_directory_says(tmp_path: Path) -> None:
    """Whatever its path names."""
    (tmp_path / "brokers-one").mkdir()
    (tmp_path / "brokers-one" / "meta.properties").write_text("version=1\ncluster.id=abc\n")
    assert cluster_of(tmp_path / "brokers-one") == "abc"
