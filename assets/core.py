"""The core assets: one replay that fills most tables of the core layer, and one short function for each other.

Put here which inputs and which transform make a table. The transform itself belongs in `assets.transforms`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import dagster as dg

from assets.archive import Warehouse
from assets.derive import by_spark
from assets.described import result, table_asset, table_spec
from assets.lazy_spark import LazySpark
from assets.replaying.replay import replay
from assets.replaying.subjects import REPLAYED
from assets.transforms import groups, log_ends

RECORDS: Final = ("raw.offset_records",)
LOG_ENDS: Final = ("raw.batches", "raw.segments", "raw.log_samples")
KINDS: Final = {"spark", "parquet"}

Spark = dg.ResourceParam[LazySpark]
Store = dg.ResourceParam[Warehouse]
Result = dg.MaterializeResult[None]


@dg.multi_asset(specs=[table_spec(name, deps=RECORDS, kinds=KINDS) for name in REPLAYED], name="replay")
def core_replay(spark: Spark, warehouse: Store) -> Iterator[Result]:
    """Replay every partition of the offsets topic that has something new."""
    for made in replay(lambda: spark.session, warehouse):
        yield result(warehouse, made)


@table_asset("core.generations", deps=RECORDS, kinds=KINDS)
def core_generations(spark: Spark, warehouse: Store) -> Result:
    """Make core.generations."""
    return result(warehouse, by_spark(spark, warehouse, "core.generations", RECORDS, groups.generations))


@table_asset("core.members", deps=RECORDS, kinds=KINDS)
def core_members(spark: Spark, warehouse: Store) -> Result:
    """Make core.members."""
    return result(warehouse, by_spark(spark, warehouse, "core.members", RECORDS, groups.members))


@table_asset("core.log_ends", deps=LOG_ENDS, kinds=KINDS)
def core_log_ends(spark: Spark, warehouse: Store) -> Result:
    """Make core.log_ends."""
    return result(warehouse, by_spark(spark, warehouse, "core.log_ends", LOG_ENDS, log_ends.log_ends))


ASSETS: Final = (core_replay, core_generations, core_members, core_log_ends)
