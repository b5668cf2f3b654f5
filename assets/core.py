"""The steps of the core layer: one reconstruction that fills most tables, and one for each table that a model makes.

Put here what the reconstruction reads. What a table is stands in `assets.catalog`, what is computed in
`assets.reconstruct` and `assets.models`, and a model's inputs follow from what it says.
"""

import time
from typing import Final

from assets.catalog import TABLES
from assets.catalog.table import Origin
from assets.reconstruct import damage, topic_id_facts
from assets.reconstruct.reconstruct import replay
from assets.steps.step import PARTITIONS_FAILED, SECONDS, Facts, Results, RunContext, Step
from assets.steps.table_steps import model_step, results

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


def reconstruct(run: RunContext) -> Results:
    """Replay every partition of the offsets topic that has something new; one that fails holds up no other."""
    started = time.monotonic()
    replayed = replay(lambda: run.spark.session, run.warehouse)
    failures = sorted(replayed.failures.values())
    for failure in failures:
        run.log.error(failure)
    facts: Facts = {PARTITIONS_FAILED: failures, SECONDS: round(time.monotonic() - started, 1)}
    for materialization in replayed.tables:
        yield from results(run, materialization, facts)


RECONSTRUCTED: Final = {
    name: frozenset({RECORDS, *FACTS.get(name, ())})
    for name, table in TABLES.items()
    if table.origin is Origin.RECONSTRUCTION
}
STEPS: Final = (
    Step("reconstruct", RECONSTRUCTED, frozenset({"spark", "parquet"}), reconstruct),
    *(
        model_step(table)
        for table in TABLES.values()
        if table.layer in {"core", "internal"} and table.origin is Origin.MODEL
    ),
)
