"""How far logs reached, from batch headers and checkpoints."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from assets.tables.core import LOG_ENDS
from assets.transforms.log_ends import log_ends

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession

BATCHES = "cluster string, topic string, partition int, base_offset long, last_offset long, max_timestamp_ms long"
SEGMENTS = (
    "cluster string, topic string, partition int, log_start_offset long, read_at timestamp, "
    "base_offset long, size_bytes long"
)


SAMPLES = (
    "cluster string, topic string, partition int, log_start_offset long, high_watermark long, sampled_at timestamp"
)


def ends(
    spark: SparkSession,
    batches: list[tuple[Any, ...]],
    segments: list[tuple[Any, ...]],
    samples: list[tuple[Any, ...]] | None = None,
) -> list[Row]:
    """The log ends that these rows give."""
    frame = log_ends(
        spark.createDataFrame(batches, BATCHES),
        spark.createDataFrame(segments, SEGMENTS),
        spark.createDataFrame(samples or [], SAMPLES),
    )
    assert tuple(frame.columns) == LOG_ENDS.column_names
    return frame.orderBy("log_end_offset").collect()


def test_every_batch_moves_the_end_and_time_never_goes_back(spark: SparkSession) -> None:
    """A producer's clock that is behind does not make the log shorter at an earlier time."""
    rows = ends(spark, [("c", "t", 0, 0, 4, 2000), ("c", "t", 0, 5, 5, 1000), ("c", "t", 0, 6, 9, 3000)], [])
    assert [(row.log_end_offset, row.reached_at.timestamp()) for row in rows] == [(5, 2.0), (6, 2.0), (10, 3.0)]


def test_a_checkpoint_says_where_the_log_begins_from_then_on(spark: SparkSession) -> None:
    """The earliest read that saw it counts; the offsets topic and partitions without a checkpoint say nothing."""
    early, late = datetime(2026, 1, 1, tzinfo=timezone.utc), datetime(2026, 1, 2, tzinfo=timezone.utc)
    segments = [
        ("c", "t", 0, 7, late, 0, 10),
        ("c", "t", 0, 7, early, 0, 10),
        ("c", "t", 1, None, early, 0, 10),
        ("c", "__consumer_offsets", 0, 7, early, 0, 10),
    ]
    (row,) = ends(spark, [], segments)
    assert (row.topic, row.partition, row.log_start_offset, row.log_end_offset) == ("t", 0, 7, None)
    assert row.source == "checkpoint"


def test_an_empty_segment_says_where_its_log_ends(spark: SparkSession) -> None:
    """A topic that nobody wrote to ends at 0; a log whose last segment was just rolled ends at its name."""
    at = datetime(2026, 1, 1, tzinfo=timezone.utc)
    rows = ends(spark, [], [("c", "t", 0, None, at, 0, 0), ("c", "t", 1, None, at, 50, 0)])
    assert [(row.partition, row.log_end_offset, row.source) for row in rows] == [(0, 0, "segment"), (1, 50, "segment")]


def test_a_broker_says_where_a_log_begins_and_ends(spark: SparkSession) -> None:
    """A sample gives both; one without any offset, and one of the offsets topic, say nothing."""
    at = datetime(2026, 1, 1, tzinfo=timezone.utc)
    samples = [("c", "t", 0, 7, 90, at), ("c", "t", 1, None, None, at), ("c", "__consumer_offsets", 0, 0, 5, at)]
    (row,) = ends(spark, [], [], samples)
    assert (row.topic, row.partition, row.log_start_offset, row.log_end_offset, row.source) == ("t", 0, 7, 90, "live")
    assert row.reached_at.astimezone(timezone.utc) == at
