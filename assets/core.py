"""The core assets: one replay that fills most tables of the core layer, and one short function for each other.

Put here which inputs and which transform make a table. The transform itself belongs in `assets.transforms`.
"""

from collections.abc import Iterator
from typing import Final

import dagster as dg

from assets.asset_specs import result, table_asset, table_spec
from assets.materialize import by_model
from assets.reconstruct import damage, topic_id_facts
from assets.reconstruct.projections import REPLAYED
from assets.reconstruct.reconstruct import replay
from assets.spark.lazy_spark import LazySpark
from assets.storage.warehouse import Warehouse

RECORDS: Final = ("raw.offset_records",)
STATES: Final = ("internal.recorded_group_states", "raw.coordinator_events")
STORED: Final = ("core.commits", "core.log_gaps", "internal.commits_after_gaps", "raw.segments")
TOPICS: Final = ("internal.topic_id_names", "raw.segments", "raw.log_offset_samples")
LOG_ENDS: Final = ("raw.batches", "raw.diverged_batches", "raw.segments", "raw.log_offset_samples")
REACH: Final = ("raw.batches", "raw.diverged_batches", "core.log_ends", "raw.log_offset_samples")
BOUNDS: Final = ("core.commits", "core.log_ends", "internal.batch_index", "raw.log_offset_samples")
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
    told_in = {"core.commits": topic_id_facts.SOURCES, "core.log_gaps": damage.SOURCES}
    return (*RECORDS, *told_in.get(name, ()))


@dg.multi_asset(specs=[table_spec(name, deps=_replayed_from(name), kinds=KINDS) for name in REPLAYED], name="replay")
def core_replay(context: dg.AssetExecutionContext, spark: Spark, warehouse: Store) -> Iterator[Result]:
    """Replay every partition of the offsets topic that has something new; one that fails holds up no other."""
    replayed = replay(lambda: spark.session, warehouse)
    sentences = sorted(replayed.failures.values())
    for sentence in sentences:
        context.log.error(sentence)
    for made in replayed.tables:
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


@table_asset("internal.commits_after_gaps", deps=("core.commits",), kinds={"duckdb", "parquet"})
def internal_commits_after_gaps(warehouse: Store) -> Result:
    """Make internal.commits_after_gaps."""
    return result(warehouse, by_model(warehouse, "internal.commits_after_gaps", ("core.commits",)))


@table_asset("internal.offset_snapshots", deps=STORED, kinds={"duckdb", "parquet"})
def internal_offset_snapshots(warehouse: Store) -> Result:
    """Make internal.offset_snapshots."""
    return result(warehouse, by_model(warehouse, "internal.offset_snapshots", STORED))


@table_asset("internal.group_partitions", deps=("core.commits",), kinds={"duckdb", "parquet"})
def internal_group_partitions(warehouse: Store) -> Result:
    """Make internal.group_partitions."""
    return result(warehouse, by_model(warehouse, "internal.group_partitions", ("core.commits",)))


@table_asset("internal.batch_index", deps=REACH, kinds={"duckdb", "parquet"})
def internal_batch_index(warehouse: Store) -> Result:
    """Make internal.batch_index, some topics after the other."""
    return result(warehouse, by_model(warehouse, "internal.batch_index", REACH, pieces=REACH_PIECES))


@table_asset("core.log_end_bounds", deps=BOUNDS, kinds={"duckdb", "parquet"})
def core_log_end_bounds(warehouse: Store) -> Result:
    """Make core.log_end_bounds."""
    return result(warehouse, by_model(warehouse, "core.log_end_bounds", BOUNDS))


ASSETS: Final = (
    core_replay,
    core_group_states,
    core_topics,
    core_log_ends,
    internal_commits_after_gaps,
    internal_offset_snapshots,
    internal_group_partitions,
    internal_batch_index,
    core_log_end_bounds,
)
