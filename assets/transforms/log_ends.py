"""From batch headers, checkpoints and what brokers said to how far each data partition's log reached, over time.

Put here what says where a log began and ended. How far a group is behind it is lag, and belongs in the marts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as F

from assets.tables.core import LOG_ENDS
from assets.transforms.times import at

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

OFFSETS_TOPIC = "__consumer_offsets"


def log_ends(batches: DataFrame, segments: DataFrame, samples: DataFrame) -> DataFrame:
    """One row per batch, and what checkpoints, empty segments and brokers say."""
    logs = segments.where(F.col("topic") != OFFSETS_TOPIC)
    from_files = _from_batches(batches).unionByName(_from_checkpoints(logs)).unionByName(_from_empty_segments(logs))
    return from_files.unionByName(_from_samples(samples.where(F.col("topic") != OFFSETS_TOPIC)))


def _from_batches(batches: DataFrame) -> DataFrame:
    """A log's end moves with every batch; its time is the largest timestamp so far, for producers' clocks run apart."""
    so_far = Window.partitionBy("cluster", "topic", "partition").orderBy("base_offset")
    return batches.select(
        "cluster",
        "topic",
        "partition",
        at(F.max("max_timestamp_ms").over(so_far)).alias("reached_at"),
        F.lit(None).cast("bigint").alias("log_start_offset"),
        F.try_add("last_offset", F.lit(1)).alias("log_end_offset"),
        F.lit("batch").alias("source"),
    ).select(*LOG_ENDS.column_names)


def _from_checkpoints(logs: DataFrame) -> DataFrame:
    """The checkpoint says where the log began when the files were read; before that it is not known."""
    return (
        logs.where("log_start_offset IS NOT NULL")
        .groupBy("cluster", "topic", "partition", "log_start_offset")
        .agg(F.min("read_at").alias("reached_at"))
        .withColumns({"log_end_offset": F.lit(None).cast("bigint"), "source": F.lit("checkpoint")})
        .select(*LOG_ENDS.column_names)
    )


def _from_empty_segments(logs: DataFrame) -> DataFrame:
    """An empty segment is the last of its log: the log ends where the file's name says."""
    return (
        logs.where("size_bytes = 0")
        .groupBy("cluster", "topic", "partition", F.col("base_offset").alias("log_end_offset"))
        .agg(F.min("read_at").alias("reached_at"))
        .withColumns({"log_start_offset": F.lit(None).cast("bigint"), "source": F.lit("segment")})
        .select(*LOG_ENDS.column_names)
    )


def _from_samples(samples: DataFrame) -> DataFrame:
    """A consumer sees a log up to its high watermark; by the time of the sample it had come so far."""
    return (
        samples.where("high_watermark IS NOT NULL OR log_start_offset IS NOT NULL")
        .withColumns({"reached_at": F.col("sampled_at"), "log_end_offset": F.col("high_watermark")})
        .withColumn("source", F.lit("live"))
        .select(*LOG_ENDS.column_names)
    )
