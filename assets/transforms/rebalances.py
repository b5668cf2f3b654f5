"""What changed from each written generation of a classic group to the next.

Put here comparisons of two generations. What a single generation was is core and stands in `assets.transforms.groups`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import Window
from pyspark.sql import functions as F

from assets.tables.mart import REBALANCES

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

GROUP: Final = ("cluster", "log_partition", "group_id")
RECORD: Final = ("cluster", "log_partition", "log_offset")


def rebalances(generations: DataFrame, members: DataFrame) -> DataFrame:
    """One row per generation that was written, against the one written before it."""
    owners = members.transform(_owners)
    standing = generations.where("group_type = 'classic' AND state IN ('Stable', 'Empty')").join(
        owners, [*RECORD], how="left"
    )
    return (
        standing.withColumns(_with_before(standing))
        .where("generation_before IS NULL OR generation <> generation_before OR state <> state_before")
        .withColumns(_changes())
        .select(*REBALANCES.column_names)
    )


def _owners(members: DataFrame) -> DataFrame:
    """Per generation: the member ids, and who owns which partition; NULL owners where an assignment can't be read."""
    owned = F.expr(
        "flatten(transform(assigned, a -> transform(a.partitions, p -> "
        "struct(a.topic AS topic, p AS partition, member_id AS member_id))))"
    )
    readable = F.count("assigned") == F.count(F.lit(1))
    return members.groupBy(*RECORD).agg(
        F.array_sort(F.collect_set("member_id")).alias("member_ids"),
        F.when(readable, F.flatten(F.collect_list(owned))).alias("owners"),
    )


def _with_before(standing: DataFrame) -> dict[str, Column]:
    order = Window.partitionBy(*GROUP).orderBy("log_offset")
    none_of = F.array().cast(standing.schema["member_ids"].dataType)
    members_now = F.coalesce(F.col("member_ids"), none_of)
    owners_now = F.when(F.col("state") == "Empty", F.array().cast(standing.schema["owners"].dataType)).otherwise(
        F.col("owners")
    )
    return {
        "member_ids": members_now,
        "owners": owners_now,
        "members_of_before": F.coalesce(F.lag(members_now).over(order), none_of),
        "owners_before": F.lag(owners_now).over(order),
        "generation_before": F.lag("generation").over(order),
        "state_before": F.lag("state").over(order),
        "members_before": F.lag("member_count").over(order),
    }


def _changes() -> dict[str, Column]:
    in_both = F.size(F.array_intersect(_places("owners"), _places("owners_before")))
    kept = F.size(F.array_intersect("owners", "owners_before"))
    comparable = F.col("owners").isNotNull() & F.col("owners_before").isNotNull()
    return {
        "appended_at": F.col("from_at"),
        "joined_at": F.col("state_at"),
        "generation_after": F.col("generation"),
        "state_after": F.col("state"),
        "members_after": F.col("member_count"),
        "members_joined": F.array_except("member_ids", "members_of_before"),
        "members_left": F.array_except("members_of_before", "member_ids"),
        "partitions_kept": F.when(comparable, kept),
        "partitions_moved": F.when(comparable, in_both - kept),
    }


def _places(owners: str) -> Column:
    return F.expr(f"transform({owners}, o -> struct(o.topic AS topic, o.partition AS partition))")
