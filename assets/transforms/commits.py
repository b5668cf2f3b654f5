"""From records of the offsets topic to the history of commits that took effect.

Put here how a commit becomes effective and how it compares with the one before. What a commit means for a reader of
the data (replays, lag) belongs in the marts' modules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import Window
from pyspark.sql import functions as F

from assets.tables.core import COMMITS
from assets.transforms.times import at

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

OFFSET_COMMIT_TYPES: Final = (0, 1)
NO_TOPIC_ID: Final = "A" * 22
"""How Kafka prints the zero uuid: no topic id was sent."""
KEY: Final = ("cluster", "group_id", "topic", "partition")
LOG: Final = ("cluster", "log_partition")


def commits(records: DataFrame) -> DataFrame:
    """The commits and removals that took effect, each compared with what stood before it."""
    plain = records.where(~F.col("is_transactional")).withColumns(
        {"effective_log_offset": F.col("log_offset"), "effective_ms": F.col("timestamp_ms")}
    )
    effective = plain.unionByName(records.where("is_transactional").transform(_committed))
    return (
        effective.transform(_offset_commits)
        .transform(_without_superseded)
        .transform(_compared)
        .select(*COMMITS.column_names)
    )


def _committed(transactional: DataFrame) -> DataFrame:
    """Records of the transactions that a COMMIT marker ended, effective where the marker stands."""
    marker = F.when(
        F.col("control_type").isin("COMMIT", "ABORT"),
        F.struct("log_offset", F.col("timestamp_ms").alias("ms"), F.col("control_type").alias("outcome")),
    )
    later = Window.partitionBy(*LOG, "producer_id").orderBy("log_offset").rowsBetween(1, Window.unboundedFollowing)
    return (
        transactional.withColumn("marker", F.first(marker, ignorenulls=True).over(later))
        .where(F.col("marker.outcome") == "COMMIT")
        .withColumns({"effective_log_offset": F.col("marker.log_offset"), "effective_ms": F.col("marker.ms")})
        .drop("marker")
    )


def _offset_commits(records: DataFrame) -> DataFrame:
    is_commit = F.col("record_type").isin(*OFFSET_COMMIT_TYPES) & F.col("group_id").isNotNull()
    is_read = F.col("is_tombstone") | F.col("offset_commit").isNotNull()
    return records.where(is_commit & is_read)


def _in_order() -> tuple[Column, Column]:
    return F.col("effective_log_offset"), F.col("log_offset")


def _without_superseded(effective: DataFrame) -> DataFrame:
    """Drop the pending commits that the coordinator ignored: older than what stood, or replaced meanwhile."""
    order = Window.partitionBy(*KEY).orderBy(*_in_order())
    newest_before = F.max("log_offset").over(order.rowsBetween(Window.unboundedPreceding, -1))
    next_effective = F.lead("effective_log_offset").over(order)
    is_superseded = F.coalesce(newest_before > F.col("log_offset"), F.expr("false"))
    is_replaced = F.coalesce(next_effective == F.col("effective_log_offset"), F.expr("false"))
    return effective.withColumn("ignored", is_superseded | is_replaced).where(~F.col("ignored"))


def _compared(effective: DataFrame) -> DataFrame:
    offset = F.when(~F.col("is_tombstone"), F.col("offset_commit.offset"))
    order = Window.partitionBy(*KEY).orderBy(*_in_order())
    delta = F.try_subtract("committed_offset", "previous_offset")
    return (
        effective.withColumn("committed_offset", offset)
        .withColumn("previous_offset", F.lag("committed_offset").over(order))
        .withColumns(
            {
                "delta": delta,
                "kind": _kind(),
                "effective_at": at(F.col("effective_ms")),
                "commit_at": at(F.col("offset_commit.commit_timestamp")),
                "expire_at": at(F.col("offset_commit.expire_timestamp")),
                "leader_epoch": _known(F.col("offset_commit.leader_epoch")),
                "topic_id": F.nullif(F.col("offset_commit.topic_id"), F.lit(NO_TOPIC_ID)),
                "metadata": F.col("offset_commit.metadata"),
                "producer_id": F.when(F.col("is_transactional"), F.col("producer_id")),
            }
        )
    )


def _kind() -> Column:
    """Compares the offsets, not their difference: a stranger's two offsets may lie too far apart for one."""
    offset, before = F.col("committed_offset"), F.col("previous_offset")
    return (
        F.when(F.col("is_tombstone"), "removed")
        .when(before.isNull(), "first")
        .when(offset > before, "advance")
        .when(offset < before, "rewind")
        .otherwise("repeat")
    )


def _known(number: Column) -> Column:
    """Kafka writes -1 where it does not know; here that is NULL."""
    return F.when(number >= 0, number)
