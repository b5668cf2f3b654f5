"""The core layer of the graph: one reconstruction that fills most tables, and an asset for each that a model makes.

Put here what the reconstruction reads. What a table is stands in `assets.catalog`, what is computed in
`assets.reconstruct` and `assets.models`, and a model's inputs follow from what it says.
"""

import time
from typing import Final

import dagster as dg

from assets.asset_specs import Facts, Results, Rules, in_sentences, model_asset, results, table_spec
from assets.catalog import TABLES
from assets.catalog.table import Origin
from assets.reconstruct import damage, topic_id_facts
from assets.reconstruct.reconstruct import replay
from assets.spark.lazy_spark import LazySpark
from assets.storage.warehouse import Warehouse

RECORDS: Final = "raw.offset_records"
STORES: Final = "raw.external_commits"
NODES: Final = "raw.zookeeper_events"
FACTS: Final = {
    "core.commits": (STORES, NODES, *topic_id_facts.SOURCES),
    "core.log_gaps": (STORES, *damage.SOURCES),
    "core.ownership": (NODES,),
    "core.members": (NODES,),
    "internal.recorded_group_states": (NODES,),
}
"""Besides the records: commits in stores outside Kafka, and members of groups in ZooKeeper; what files and brokers call
topic ids shows who committed; what was set aside leaves a gap."""


@dg.multi_asset(
    specs=[
        table_spec(name, deps=(RECORDS, *FACTS.get(name, ())), kinds={"spark", "parquet"})
        for name, table in TABLES.items()
        if table.origin is Origin.RECONSTRUCTION
    ],
    name="reconstruct",
)
@in_sentences
def core_reconstruct(
    context: dg.AssetExecutionContext,
    spark: dg.ResourceParam[LazySpark],
    warehouse: dg.ResourceParam[Warehouse],
    rules: Rules,
) -> Results:
    """Replay every partition of the offsets topic that has something new; one that fails holds up no other."""
    started = time.monotonic()
    replayed = replay(lambda: spark.session, warehouse)
    failures = sorted(replayed.failures.values())
    for failure in failures:
        context.log.error(failure)
    facts: Facts = {"lagbook/partitions_failed": failures, "lagbook/seconds": round(time.monotonic() - started, 1)}
    for materialization in replayed.tables:
        yield from results(warehouse, rules, materialization, facts)


ASSETS: Final = (
    core_reconstruct,
    *(
        model_asset(table)
        for table in TABLES.values()
        if table.layer in {"core", "internal"} and table.origin is Origin.MODEL
    ),
)
