"""From group metadata records to generations and their members.

Put here what a classic group's coordinator wrote about the group itself. What changed from one generation to the
next is an answer, and belongs in `assets.transforms.rebalances`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Window
from pyspark.sql import functions as F
from pyspark.sql.pandas.functions import arrow_udf
from pyspark.sql.pandas.types import from_arrow_type
from pyspark.sql.types import ArrayType, StringType

from assets.tables.core import ASSIGNED, GENERATIONS, MEMBERS
from assets.transforms.times import at
from parsers.messages.embedded import open_assignments, open_subscriptions

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

GROUP_METADATA_TYPE: Final = 2
GROUP: Final = ("cluster", "log_partition", "group_id")


def generations(records: DataFrame) -> DataFrame:
    """Every state of a classic group that was written, with the time it stood."""
    return _written(records).select(*GENERATIONS.column_names)


def members(records: DataFrame) -> DataFrame:
    """The members of every written generation, with their embedded bytes opened."""
    member = F.col("member")
    exploded = _written(records).where("member_count > 0").withColumn("member", F.explode("members"))
    return exploded.withColumns(
        {
            "member_id": member.member_id,
            "group_instance_id": member.group_instance_id,
            "client_id": member.client_id,
            "client_host": member.client_host,
            "is_leader": F.coalesce(member.member_id == F.col("leader"), F.expr("false")),
            "session_timeout_ms": member.session_timeout,
            "rebalance_timeout_ms": F.when(member.rebalance_timeout >= 0, member.rebalance_timeout),
            "subscribed_topics": _subscribed_topics(_consumer_bytes(member.subscription)),
            "assigned": _assigned(_consumer_bytes(member.assignment)),
        }
    ).select(*MEMBERS.column_names)


def _written(records: DataFrame) -> DataFrame:
    """One row per group metadata record, with the record that ended its time beside it."""
    is_group = (F.col("record_type") == GROUP_METADATA_TYPE) & F.col("group_id").isNotNull()
    is_read = F.col("is_tombstone") | F.col("group_metadata").isNotNull()
    order = Window.partitionBy(*GROUP).orderBy("log_offset")
    value = F.col("group_metadata")
    member_count = F.size(value.members)
    return (
        records.where(is_group & is_read)
        .withColumns({"from_at": at(F.col("timestamp_ms")), "to_log_offset": F.lead("log_offset").over(order)})
        .withColumns(
            {
                "to_at": F.lead("from_at").over(order),
                "generation": value.generation,
                "state": F.when(F.col("is_tombstone"), "Removed").when(member_count == 0, "Empty").otherwise("Stable"),
                "protocol_type": F.nullif(value.protocol_type, F.lit("")),
                "protocol": value.protocol,
                "leader": value.leader,
                "member_count": F.when(value.isNotNull(), member_count),
                "members": value.members,
                "state_at": at(value.current_state_timestamp),
            }
        )
    )


def _consumer_bytes(embedded: Column) -> Column:
    """The bytes, where there are any and the group speaks the consumer's protocol; others are not ours to open."""
    return F.when((F.col("protocol_type") == "consumer") & (F.length(embedded) > 0), embedded)


def _field(opened: pa.StructArray, name: str) -> pa.Array:
    """A field of what was opened; NULL where the bytes could not be read."""
    return pc.if_else(opened.is_valid(), opened.field(name), None)


def _topics(blobs: pa.Array) -> pa.Array:
    return _field(open_subscriptions(blobs), "topics")


def _partitions(blobs: pa.Array) -> pa.Array:
    return _field(open_assignments(blobs), "assigned_partitions").cast(ASSIGNED)


# Spark's types ask for the kind of function in a third argument; Spark itself warns of it and reads the hints.
_subscribed_topics: Final = arrow_udf(_topics, ArrayType(StringType()))  # type: ignore[call-overload]
_assigned: Final = arrow_udf(_partitions, from_arrow_type(ASSIGNED))  # type: ignore[call-overload]
