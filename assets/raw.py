"""The raw assets: one step reads what is new into the tables, one asks brokers where logs begin and end.

Put here the steps and what they say of themselves. What they read belongs in `assets.ingest.ingest` and
`assets.ingest.live`.
"""

import time
from collections.abc import Sequence
from functools import partial
from typing import Final

import dagster as dg

from assets.asset_specs import Facts, Results, Rules, TableRules, in_sentences, results, table_asset, table_spec
from assets.catalog import TABLES
from assets.ingest.broker_files.configuration_files import CONFIGURATIONS
from assets.ingest.broker_files.configurations import keep_configurations
from assets.ingest.broker_files.coordinator_events import COORDINATOR_LOG, keep_lines
from assets.ingest.cluster_aliases import CLUSTER_ALIASES, keep_aliases
from assets.ingest.ingest import RAW, ingest
from assets.ingest.live.patience import WAITS_S, patiently
from assets.ingest.live.recorded import keep_recorded_ends, keep_recorded_settings
from assets.ingest.live.samples import SAMPLES, sample
from assets.ingest.plan import Sources, plan
from assets.ingest.stores.archive import EXTERNAL
from assets.ingest.stores.readers import keep_external_commits
from assets.ingest.stores.zookeeper_events import ZOOKEEPER_EVENTS
from assets.maintenance.erasure import finish
from assets.maintenance.mending import heal
from assets.maintenance.retirement import RETIREMENTS
from assets.maintenance.verification import Scope
from assets.materialize import Materialization
from assets.spark.lazy_spark import LazySpark
from assets.storage.schema_evolution import fit
from assets.storage.warehouse import Warehouse
from parsers.errors import SourceError

KINDS: Final = {"spark", "parquet", "kafka"}
STORE_TABLES: Final = (EXTERNAL, ZOOKEEPER_EVENTS)


def _reading(rows_new: int, complaints: Sequence[str]) -> Facts:
    return {"lagbook/rows_new": rows_new, "lagbook/places_unreadable": list(complaints)}


def _step_results(warehouse: Warehouse, rules: TableRules, name: str, rows_new: int, facts: Facts) -> Results:
    """What Dagster shows of a step that reads one table's rows."""
    materialization = Materialization(TABLES[name], warehouse.row_count(name), unchanged=not rows_new)
    return results(warehouse, rules, materialization, facts)


@dg.multi_asset(specs=[table_spec(name, kinds=KINDS) for name in sorted(RAW)], name="ingest")
@in_sentences
def raw_ingest(
    context: dg.AssetExecutionContext,
    spark: dg.ResourceParam[LazySpark],
    warehouse: dg.ResourceParam[Warehouse],
    sources: dg.ResourceParam[Sources],
    rules: Rules,
) -> Results:
    """Read every segment that is new or grown, and what is new in the running cluster."""
    started = time.monotonic()
    if finish(warehouse):
        context.log.warning("an erasure that was cut off was carried to its end")
    for sentence in heal(warehouse, Scope.READ_NEXT):
        context.log.warning(sentence)
    work = plan(warehouse, sources, WAITS_S)
    for sentence in work.unreadable:
        context.log.warning(sentence)
    context.log.info("%d files to read, %d known, %d skipped", work.files_new, work.files_known, len(work.skipped))
    done = ingest(lambda: spark.session, warehouse, work)
    for sentence in done.unreadable:
        context.log.warning(sentence)
    facts: Facts = {
        "lagbook/files_read": work.files_new,
        "lagbook/bytes_read": work.size_bytes,
        "lagbook/live_partitions_read": len(work.live.reads) if work.live else 0,
        "lagbook/seconds": round(time.monotonic() - started, 1),
        "lagbook/places_unreadable": [*work.unreadable, *done.unreadable],
    }
    for name in sorted(RAW):
        rows_new = done.rows[name]
        yield from _step_results(warehouse, rules, name, rows_new, {**facts, "lagbook/rows_new": rows_new})
    if done.complaints:
        raise SourceError("; ".join(done.complaints))


@table_asset(SAMPLES, deps=(EXTERNAL, "raw.offset_records", "raw.segments"), kinds={"parquet", "kafka"})
def raw_log_offset_samples(
    context: dg.AssetExecutionContext,
    warehouse: dg.ResourceParam[Warehouse],
    sources: dg.ResourceParam[Sources],
    rules: Rules,
) -> Results:
    """Ask where logs begin and end. The edge is one of order: after the commits no commit lies beyond the end.

    What recorders asked is read first.
    """
    started, partitions, rows_new = time.monotonic(), 0, 0
    fit(warehouse, [TABLES[SAMPLES]])
    warehouse.begin(TABLES[SAMPLES])
    rows_recorded, complaints = keep_recorded_ends(warehouse)
    try:
        if sources.live:
            partitions, rows_new = patiently(partial(sample, warehouse, sources.live, sources.cluster))
    except SourceError as error:
        complaints = (*complaints, str(error))
    for sentence in complaints:
        context.log.warning(sentence)
    rows_new += rows_recorded
    seconds = round(time.monotonic() - started, 1)
    facts: Facts = {"lagbook/partitions": partitions, "lagbook/rows_new": rows_new, "lagbook/seconds": seconds}
    yield from _step_results(warehouse, rules, SAMPLES, rows_new, facts)


@table_asset(RETIREMENTS, deps=(), kinds={"parquet"})
def raw_retired_ranges(warehouse: dg.ResourceParam[Warehouse], rules: Rules) -> Results:
    """Show what was retired, which `lagbook tidy` does."""
    fit(warehouse, [TABLES[RETIREMENTS]])
    warehouse.begin(TABLES[RETIREMENTS])
    yield from _step_results(warehouse, rules, RETIREMENTS, 0, {})


@table_asset(COORDINATOR_LOG, deps=("raw.segments",), kinds={"parquet", "kafka"})
def raw_coordinator_events(
    context: dg.AssetExecutionContext,
    warehouse: dg.ResourceParam[Warehouse],
    sources: dg.ResourceParam[Sources],
    rules: Rules,
) -> Results:
    """Read what is new in the brokers' text logs, after the segments, which say what cluster it is."""
    started = time.monotonic()
    fit(warehouse, [TABLES[COORDINATOR_LOG]])
    lines = keep_lines(warehouse, sources)
    for sentence in lines.complaints:
        context.log.warning(sentence)
    seconds = round(time.monotonic() - started, 1)
    facts = {
        "lagbook/logs_read": lines.logs_read,
        "lagbook/seconds": seconds,
        **_reading(lines.rows_new, lines.complaints),
    }
    yield from _step_results(warehouse, rules, COORDINATOR_LOG, lines.rows_new, facts)


@table_asset(CONFIGURATIONS, deps=("raw.segments",), kinds={"parquet", "kafka"})
def raw_configurations(
    context: dg.AssetExecutionContext,
    warehouse: dg.ResourceParam[Warehouse],
    sources: dg.ResourceParam[Sources],
    rules: Rules,
) -> Results:
    """Read brokers' files and KRaft's log, after the segments, which say where they are and whose."""
    fit(warehouse, [TABLES[CONFIGURATIONS]])
    rows_recorded, unread = keep_recorded_settings(warehouse)
    rows_of_files, unreadable = keep_configurations(warehouse, sources)
    rows_new, complaints = rows_recorded + rows_of_files, (*unread, *unreadable)
    for sentence in complaints:
        context.log.warning(sentence)
    yield from _step_results(warehouse, rules, CONFIGURATIONS, rows_new, _reading(rows_new, complaints))


@dg.multi_asset(
    specs=[table_spec(name, deps=("raw.segments",), kinds={"parquet"}) for name in STORE_TABLES], name="external_stores"
)
@in_sentences
def raw_external_stores(
    context: dg.AssetExecutionContext,
    warehouse: dg.ResourceParam[Warehouse],
    sources: dg.ResourceParam[Sources],
    rules: Rules,
) -> Results:
    """Read offsets that consumers keep outside Kafka, after the segments, which say what cluster it is."""
    fit(warehouse, [TABLES[name] for name in STORE_TABLES])
    rows = keep_external_commits(warehouse, sources)
    for sentence in rows.complaints:
        context.log.warning(sentence)
    for name, rows_new in zip(STORE_TABLES, (rows.commits, rows.events), strict=True):
        yield from _step_results(warehouse, rules, name, rows_new, _reading(rows_new, rows.complaints))


@table_asset(CLUSTER_ALIASES, deps=(), kinds={"parquet"})
def raw_cluster_aliases(
    warehouse: dg.ResourceParam[Warehouse], sources: dg.ResourceParam[Sources], rules: Rules
) -> Results:
    """Keep what the user says that MirrorMaker's aliases stand for."""
    fit(warehouse, [TABLES[CLUSTER_ALIASES]])
    rows_new = keep_aliases(warehouse, sources.aliases)
    yield from _step_results(warehouse, rules, CLUSTER_ALIASES, rows_new, {"lagbook/rows_new": rows_new})


ASSETS: Final = (
    raw_ingest,
    raw_log_offset_samples,
    raw_coordinator_events,
    raw_configurations,
    raw_external_stores,
    raw_retired_ranges,
    raw_cluster_aliases,
)
