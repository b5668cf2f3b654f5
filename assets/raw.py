"""The steps of the raw layer: one reads what is new into the tables, one asks brokers where logs begin and end.

Put here the steps and what they say of themselves. What they read belongs in `assets.ingest.ingest` and
`assets.ingest.live`.
"""

import time
from collections.abc import Sequence
from functools import partial
from typing import Final

from assets.catalog import TABLES
from assets.ingest.broker_files.configuration_files import CONFIGURATIONS
from assets.ingest.broker_files.configurations import keep_configurations
from assets.ingest.broker_files.coordinator_events import COORDINATOR_LOG, keep_lines
from assets.ingest.cluster_aliases import CLUSTER_ALIASES, keep_aliases
from assets.ingest.ingest import RAW, ingest
from assets.ingest.live.patience import WAITS_S, patiently
from assets.ingest.live.recorded import keep_recorded_ends, keep_recorded_settings
from assets.ingest.live.samples import SAMPLES, sample
from assets.ingest.plan import plan
from assets.ingest.stores.archive import EXTERNAL
from assets.ingest.stores.readers import keep_external_commits
from assets.ingest.stores.zookeeper_events import ZOOKEEPER_EVENTS
from assets.maintenance.erasure import finish
from assets.maintenance.mending import heal
from assets.maintenance.retirement import RETIREMENTS
from assets.maintenance.verification import Scope
from assets.materialize import Materialization
from assets.steps.step import PLACES_UNREADABLE, SECONDS, Facts, Results, RunContext, Step, step_of_table
from assets.steps.table_steps import results
from assets.storage.schema_evolution import fit
from parsers.errors import SourceError

STORE_TABLES: Final = (EXTERNAL, ZOOKEEPER_EVENTS)


def _reading(rows_new: int, complaints: Sequence[str]) -> Facts:
    return {"lagbook/rows_new": rows_new, PLACES_UNREADABLE: list(complaints)}


def _step_results(run: RunContext, name: str, rows_new: int, facts: Facts) -> Results:
    """What is shown of a step that reads one table's rows."""
    materialization = Materialization(TABLES[name], run.warehouse.row_count(name), unchanged=not rows_new)
    return results(run, materialization, facts)


def read_logs(run: RunContext) -> Results:
    """Read every segment that is new or grown, and what is new in the running cluster."""
    started = time.monotonic()
    if finish(run.warehouse):
        run.log.warning("an erasure that was cut off was carried to its end")
    for sentence in heal(run.warehouse, Scope.READ_NEXT):
        run.log.warning(sentence)
    work = plan(run.warehouse, run.sources, WAITS_S)
    for sentence in work.unreadable:
        run.log.warning(sentence)
    run.log.info("%d files to read, %d known, %d skipped", work.files_new, work.files_known, len(work.skipped))
    done = ingest(lambda: run.spark.session, run.warehouse, work)
    for sentence in done.unreadable:
        run.log.warning(sentence)
    facts: Facts = {
        "lagbook/files_read": work.files_new,
        "lagbook/bytes_read": work.size_bytes,
        "lagbook/live_partitions_read": len(work.live.reads) if work.live else 0,
        SECONDS: round(time.monotonic() - started, 1),
        PLACES_UNREADABLE: [*work.unreadable, *done.unreadable],
    }
    for name in sorted(RAW):
        rows_new = done.rows[name]
        yield from _step_results(run, name, rows_new, {**facts, "lagbook/rows_new": rows_new})
    if done.complaints:
        raise SourceError("; ".join(done.complaints))


def sample_log_offsets(run: RunContext) -> Results:
    """Ask where logs begin and end. The edge is one of order: after the commits no commit lies beyond the end.

    What recorders asked is read first.
    """
    started, partitions, rows_new = time.monotonic(), 0, 0
    fit(run.warehouse, [TABLES[SAMPLES]])
    run.warehouse.begin(TABLES[SAMPLES])
    rows_recorded, complaints = keep_recorded_ends(run.warehouse)
    try:
        if run.sources.live:
            partitions, rows_new = patiently(partial(sample, run.warehouse, run.sources.live, run.sources.cluster))
    except SourceError as error:
        complaints = (*complaints, str(error))
    for sentence in complaints:
        run.log.warning(sentence)
    rows_new += rows_recorded
    seconds = round(time.monotonic() - started, 1)
    facts: Facts = {"lagbook/partitions": partitions, "lagbook/rows_new": rows_new, SECONDS: seconds}
    yield from _step_results(run, SAMPLES, rows_new, facts)


def show_retired_ranges(run: RunContext) -> Results:
    """Show what was retired, which `lagbook tidy` does."""
    fit(run.warehouse, [TABLES[RETIREMENTS]])
    run.warehouse.begin(TABLES[RETIREMENTS])
    yield from _step_results(run, RETIREMENTS, 0, {})


def read_coordinator_logs(run: RunContext) -> Results:
    """Read what is new in the brokers' text logs, after the segments, which say what cluster it is."""
    started = time.monotonic()
    fit(run.warehouse, [TABLES[COORDINATOR_LOG]])
    lines = keep_lines(run.warehouse, run.sources)
    for sentence in lines.complaints:
        run.log.warning(sentence)
    seconds = round(time.monotonic() - started, 1)
    facts = {
        "lagbook/logs_read": lines.logs_read,
        SECONDS: seconds,
        **_reading(lines.rows_new, lines.complaints),
    }
    yield from _step_results(run, COORDINATOR_LOG, lines.rows_new, facts)


def read_configurations(run: RunContext) -> Results:
    """Read brokers' files and KRaft's log, after the segments, which say where they are and whose."""
    fit(run.warehouse, [TABLES[CONFIGURATIONS]])
    rows_recorded, unread = keep_recorded_settings(run.warehouse)
    rows_of_files, unreadable = keep_configurations(run.warehouse, run.sources)
    rows_new, complaints = rows_recorded + rows_of_files, (*unread, *unreadable)
    for sentence in complaints:
        run.log.warning(sentence)
    yield from _step_results(run, CONFIGURATIONS, rows_new, _reading(rows_new, complaints))


def read_external_stores(run: RunContext) -> Results:
    """Read offsets that consumers keep outside Kafka, after the segments, which say what cluster it is."""
    fit(run.warehouse, [TABLES[name] for name in STORE_TABLES])
    rows = keep_external_commits(run.warehouse, run.sources)
    for sentence in rows.complaints:
        run.log.warning(sentence)
    for name, rows_new in zip(STORE_TABLES, (rows.commits, rows.events), strict=True):
        yield from _step_results(run, name, rows_new, _reading(rows_new, rows.complaints))


def keep_cluster_aliases(run: RunContext) -> Results:
    """Keep what the user says that MirrorMaker's aliases stand for."""
    fit(run.warehouse, [TABLES[CLUSTER_ALIASES]])
    rows_new = keep_aliases(run.warehouse, run.sources.aliases)
    yield from _step_results(run, CLUSTER_ALIASES, rows_new, {"lagbook/rows_new": rows_new})


_SEGMENTS: Final = "raw.segments"
STEPS: Final = (
    Step("ingest", dict.fromkeys(sorted(RAW), frozenset()), frozenset({"spark", "parquet", "kafka"}), read_logs),
    step_of_table(SAMPLES, sample_log_offsets, {"parquet", "kafka"}, EXTERNAL, "raw.offset_records", _SEGMENTS),
    step_of_table(COORDINATOR_LOG, read_coordinator_logs, {"parquet", "kafka"}, _SEGMENTS),
    step_of_table(CONFIGURATIONS, read_configurations, {"parquet", "kafka"}, _SEGMENTS),
    Step(
        "external_stores",
        dict.fromkeys(STORE_TABLES, frozenset({_SEGMENTS})),
        frozenset({"parquet"}),
        read_external_stores,
    ),
    step_of_table(RETIREMENTS, show_retired_ranges, {"parquet"}),
    step_of_table(CLUSTER_ALIASES, keep_cluster_aliases, {"parquet"}),
)
