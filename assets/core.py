"""The core assets: one replay that fills most tables of the core layer, and one short function for each other.

Put here which inputs and which transform make a table. The transform itself belongs in `assets.transforms`.
"""

from collections.abc import Iterator
from typing import Final

import dagster as dg

from assets.archive import Warehouse
from assets.derive import by_model
from assets.described import result, table_asset, table_spec
from assets.lazy_spark import LazySpark
from assets.replaying import damage, naming
from assets.replaying.replay import replay
from assets.replaying.subjects import REPLAYED

RECORDS: Final = ("raw.offset_records",)
STATES: Final = ("core.recorded_states", "raw.coordinator_log")
STORED: Final = ("core.commits", "core.holes", "core.behind_holes", "raw.segments")
TOPICS: Final = ("core.topic_names", "raw.segments", "raw.log_samples")
LOG_ENDS: Final = ("raw.batches", "raw.diverged_batches", "raw.segments", "raw.log_samples")
REACH: Final = ("raw.batches", "raw.diverged_batches", "core.log_ends", "raw.log_samples")
BOUNDS: Final = ("core.commits", "core.log_ends", "core.reach", "raw.log_samples")
REACH_PIECES: Final = """
    SELECT min(topic) AS from_topic, max(topic) AS to_topic
    FROM (
        SELECT topic, sum(count(*)) OVER (ORDER BY topic) // 500000 AS piece
        FROM (SELECT topic FROM raw.batches UNION ALL SELECT topic FROM core.log_ends WHERE source <> 'batch')
        GROUP BY topic
    )
    GROUP BY piece
    ORDER BY piece
"""
"""Topics that have some half a million batches together."""
KINDS: Final = {"spark", "parquet"}

Spark = dg.ResourceParam[LazySpark]
Store = dg.ResourceParam[Warehouse]
Result = dg.MaterializeResult[None]


def _replayed_from(name: str) -> tuple[str, ...]:
    """Who committed is also found by what files and brokers call topic ids; a hole may be damage that was set aside."""
    told_in = {"core.commits": naming.TOLD_IN, "core.holes": damage.TOLD_IN}
    return (*RECORDS, *told_in.get(name, ()))


@dg.multi_asset(specs=[table_spec(name, deps=_replayed_from(name), kinds=KINDS) for name in REPLAYED], name="replay")
def core_replay(context: dg.AssetExecutionContext, spark: Spark, warehouse: Store) -> Iterator[Result]:
    """Replay every partition of the offsets topic that has something new; one that fails holds up no other."""
    replayed = replay(lambda: spark.session, warehouse)
    sentences = sorted(replayed.failures.values())
    for sentence in sentences:
        context.log.error(sentence)
    for made in replayed.made:
        yield result(warehouse, made, {"lagbook/partitions_failed": sentences})


@table_asset("core.group_states", deps=STATES, kinds={"duckdb", "parquet"})
def core_group_states(warehouse: Store) -> Result:
    """Make core.group_states."""
    return result(warehouse, by_model(warehouse, "core.group_states", STATES))


@table_asset("core.topics", deps=TOPICS, kinds={"duckdb", "parquet"})
def core_topics(warehouse: Store) -> Result:
    """Make core.topics."""
    return result(warehouse, by_model(warehouse, "core.topics", TOPICS))


@table_asset("core.log_ends", deps=LOG_ENDS, kinds={"duckdb", "parquet"})
def core_log_ends(warehouse: Store) -> Result:
    """Make core.log_ends."""
    return result(warehouse, by_model(warehouse, "core.log_ends", LOG_ENDS))


@table_asset("core.behind_holes", deps=("core.commits",), kinds={"duckdb", "parquet"})
def core_behind_holes(warehouse: Store) -> Result:
    """Make core.behind_holes."""
    return result(warehouse, by_model(warehouse, "core.behind_holes", ("core.commits",)))


@table_asset("core.stores", deps=STORED, kinds={"duckdb", "parquet"})
def core_stores(warehouse: Store) -> Result:
    """Make core.stores."""
    return result(warehouse, by_model(warehouse, "core.stores", STORED))


@table_asset("core.places", deps=("core.commits",), kinds={"duckdb", "parquet"})
def core_places(warehouse: Store) -> Result:
    """Make core.places."""
    return result(warehouse, by_model(warehouse, "core.places", ("core.commits",)))


@table_asset("core.reach", deps=REACH, kinds={"duckdb", "parquet"})
def core_reach(warehouse: Store) -> Result:
    """Make core.reach, some topics after the other."""
    return result(warehouse, by_model(warehouse, "core.reach", REACH, pieces=REACH_PIECES))


@table_asset("core.log_end_bounds", deps=BOUNDS, kinds={"duckdb", "parquet"})
def core_log_end_bounds(warehouse: Store) -> Result:
    """Make core.log_end_bounds."""
    return result(warehouse, by_model(warehouse, "core.log_end_bounds", BOUNDS))


ASSETS: Final = (
    core_replay,
    core_group_states,
    core_topics,
    core_log_ends,
    core_behind_holes,
    core_stores,
    core_places,
    core_reach,
    core_log_end_bounds,
)
