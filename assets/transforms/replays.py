"""Where a group was set back, and how much of it was surely read again.

Put here the claim about offsets committed twice and the evidence it needs. Offsets that were skipped are another
claim and need a module of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import Window
from pyspark.sql import functions as F

from assets.tables.claims import REPLAYS

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

KEY: Final = ("cluster", "group_id", "topic", "partition")
STRETCH: Final = (*KEY, "stretch")
WITH_MEMBERS: Final = ("Stable", "Assigning", "Reconciling")


def replays(commits: DataFrame, generations: DataFrame, log_ends: DataFrame) -> DataFrame:
    """Every commit lower than the one before it; certain where only the members can have moved on from it.

    The argument: an offset that is set while the group has no members binds the member that comes next. What members
    commit from there on, without a break, they declare to have read; so does the unbroken stretch of commits before
    the set-back. Their intersection was read twice. Anything else (a member's own seek, a late commit of a former
    owner) looks the same in the log and stays bounded.
    """
    rewound = commits.where("kind = 'rewind'").select(*KEY).distinct()
    stretched = (
        commits.join(rewound, [*KEY], how="left_semi").transform(_with_state, generations).transform(_with_stretches)
    )
    return (
        stretched.transform(_with_evidence)
        .where("kind = 'rewind'")
        .join(log_ends.transform(_last_log_start), ["cluster", "topic", "partition"], how="left")
        .withColumns(_claim())
        .select(*REPLAYS.column_names)
    )


def _with_state(commits: DataFrame, generations: DataFrame) -> DataFrame:
    """The state of the group at each commit, by the last generation written before it."""
    group = ("cluster", "log_partition", "group_id")
    states = generations.select(*group, F.col("log_offset").alias("effective_log_offset"), _known_state())
    before = Window.partitionBy(*group).orderBy("effective_log_offset").rowsBetween(Window.unboundedPreceding, -1)
    both = commits.unionByName(states, allowMissingColumns=True)
    return both.withColumn("state", F.coalesce("state", F.last("state", ignorenulls=True).over(before))).where(
        F.col("kind").isNotNull()
    )


def _known_state() -> Column:
    """The state that a generation stood in; a word where that is not known, so that no older one is taken."""
    return F.coalesce("state", F.lit("unknown")).alias("state")


def _with_stretches(commits: DataFrame) -> DataFrame:
    """Number the unbroken stretches: a new one begins where offsets jump for another reason than members reading on."""
    order = Window.partitionBy(*KEY).orderBy("effective_log_offset", "log_offset")
    reads_on = F.col("kind").isin("advance", "repeat") & F.coalesce(F.col("state").isin(*WITH_MEMBERS), F.expr("false"))
    begins = F.when(reads_on, 0).otherwise(1)
    return commits.withColumns(
        {"stretch": F.sum(begins).over(order), "commit_before_log_offset": F.lag("log_offset").over(order)}
    )


def _with_evidence(commits: DataFrame) -> DataFrame:
    """Beside each commit: where its own stretch ends, and where the stretch before it began."""
    own = Window.partitionBy(*STRETCH)
    order = Window.partitionBy(*KEY).orderBy("effective_log_offset", "log_offset")
    return (
        commits.withColumn(
            "stretch_from", F.first("committed_offset").over(own.orderBy("effective_log_offset", "log_offset"))
        )
        .withColumn("stretch_to", F.max("committed_offset").over(own))
        .withColumn("declared_from", F.lag("stretch_from").over(order))
    )


def _last_log_start(log_ends: DataFrame) -> DataFrame:
    known = log_ends.where("log_start_offset IS NOT NULL")
    return known.groupBy("cluster", "topic", "partition").agg(F.max("log_start_offset").alias("log_start_offset"))


def _claim() -> dict[str, Column]:
    certain_from = F.greatest("committed_offset", "declared_from", "log_start_offset")
    certain_to = F.least("previous_offset", "stretch_to")
    is_certain = (F.col("state") == "Empty") & F.col("declared_from").isNotNull() & (certain_from < certain_to)
    proven = F.coalesce(is_certain, F.expr("false"))
    return {
        "at": F.col("effective_at"),
        "from_offset": F.col("committed_offset"),
        "to_offset": F.col("previous_offset"),
        "certain_from": F.when(proven, certain_from),
        "certain_to": F.when(proven, certain_to),
        "confidence": F.when(proven, "certain").otherwise("bounded"),
        "cause": F.when(F.col("state") == "Empty", "admin reset").otherwise("unknown"),
    }
