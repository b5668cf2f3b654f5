"""`lagbook run`: read what is new and build every table, by the same steps and rules as Dagster's UI.

Put here how a run is started and summed up for a person. What it does belongs to `assets`, how it is wired to
`dagster_project.plain_run`, how it is followed to `progress`.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO

import click

from dagster_project.cli import exits, options
from dagster_project.cli.exits import CallRefusedError
from dagster_project.cli.lean import import_lean
from dagster_project.cli.operations.run_result import (
    live_words,
    megabytes,
    new_incidents,
    open_incidents,
    print_result,
    summarize,
)
from dagster_project.cli.operations.several_runs import run_each
from dagster_project.cli.progress import Follower, Outcome
from dagster_project.cli.terminal import brief, note, pasteable, plural, safe, to_json
from dagster_project.loops import delay_reason
from parsers.errors import LagbookError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from assets.ingest.plan import Plan
    from assets.storage.warehouse import Warehouse
    from dagster_project.settings import Settings

_LONGEST_SENTENCE: Final = 500
_HELP: Final = """Read what is new in the logs and build every table from it.

Reads brokers' log directories as they are: mounted, copied, or by URL (s3://, gs://, hdfs://). Only files that are new
or have grown are read; a run that finds nothing new changes nothing and says so. It may be killed anywhere and started
again. What can't be decoded becomes a row of raw.quarantine, and the run goes on.

Clusters that lagbook.toml lists are read one after the other, each into its own warehouse, or one of them by --cluster.

With --bootstrap it reads on from a running cluster where the archive stops, and asks where every log begins and ends.
It joins no group, commits nothing and creates no topic; the principal needs Describe and Read on __consumer_offsets.
Needs the extra: pip install 'lagbook[kafka]'. A cluster that can't be reached ends with 2, one that goes away in the
middle for longer than half a minute with 1; the next run goes on where this one stopped.

\b
Examples:
  lagbook run --logs /var/lib/kafka/data --warehouse wh
  lagbook run --bootstrap broker1:9092,broker2:9092 --warehouse wh
  lagbook run --bootstrap broker1:9093 \\
      --client-config client.properties --warehouse wh
  lagbook run --logs broker1/data --logs broker2/data --warehouse wh
  lagbook run --logs s3://backup/kafka --cluster prod-eu \\
      --warehouse s3://lake/lagbook
  lagbook run                                  # every cluster of lagbook.toml
  lagbook run --cluster prod-eu                # one of them"""


@click.command(help=_HELP, epilog=exits.MEANINGS)
@options.with_sources
def run(**words: Any) -> int:  # noqa: ANN401 - what click read
    """Refresh every table; end with 1 when one could not be built."""
    as_json = words.pop("as_json")
    names = options.clusters_to_run(words)
    if len(names) > 1:
        return run_each(names, words, as_json=as_json)
    return refresh(options.settings(words), as_json=as_json)


def refresh(settings: Settings, *, as_json: bool) -> int:
    """Plan, run all steps unless everything is current, and print what became of it; return the exit code."""
    from assets.duckdb import last_run
    from assets.storage.data_files import without_credentials
    from assets.storage.lease import holder
    from dagster_project.idle import is_current

    began, warehouse, started_at = time.monotonic(), settings.open_warehouse(), last_run.now()
    work = _plan(settings, warehouse, started_at)
    log = _log_file(warehouse)
    _note_work(work)
    if work.has_reads and (reason := delay_reason()):
        note(f"lagbook: {reason}")
    before = open_incidents(warehouse)
    if work.is_empty and is_current(warehouse):
        outcome = Outcome()
        last_run.write_nothing_new(warehouse, started_at, next(iter(work.unreadable), None))
    else:
        if other := holder(warehouse):
            note(f"{safe(other.name)} is at work since {safe(other.taken_at)}: waiting for its end")
        outcome = execute(settings, log, reads_logs=work.has_reads)
    losses = _losses(warehouse, outcome, started_at)
    summary = {
        **summarize(work, outcome),
        **losses,
        **outcome.as_json(),
        "new_incidents": new_incidents(before, open_incidents(warehouse)) if outcome.is_changed else [],
        "seconds": round(time.monotonic() - began, 1),
    }
    place = f" --warehouse {pasteable(without_credentials(settings.warehouse))}"
    click.echo(to_json(summary, indent=2)) if as_json else print_result(outcome, summary, place)
    for failure in outcome.failures:
        note(f"lagbook: {failure.table} failed: {failure.reason} (details in {safe(str(log))})")
    for sentence in outcome.partitions_failed:
        note(f"lagbook: {brief(sentence, _LONGEST_SENTENCE)}; it stays as it was, and the other partitions are current")
    for reason in dict.fromkeys((*work.unreadable, *outcome.places_unreadable)):
        note(f"lagbook: {safe(reason)}; the other places were read")
    return exits.FAILED if outcome.is_failed or work.unreadable else exits.DONE


def _note_work(work: Plan) -> None:
    """Say on stderr what is to be read."""
    settings_new = f", settings in {len(work.configurations)} files to read" if work.configurations else ""
    stores_new = f", {plural(len(work.stores), 'store')} of offsets to read" if work.stores else ""
    known = f"{work.files_known} known{settings_new}{stores_new}"
    note(f"{work.files_new} files to read ({megabytes(work.size_bytes)}), {known}")
    if work.live:
        note(f"cluster {safe(work.live.cluster)}: {live_words(work.live)}")


def _plan(settings: Settings, warehouse: Warehouse, started_at: datetime) -> Plan:
    """The work of the run; a failure to plan it goes on record."""
    from assets.duckdb import last_run
    from assets.ingest.plan import plan
    from assets.maintenance.mending import heal

    try:
        for sentence in heal(warehouse):
            note(f"lagbook: {safe(sentence)}")
        return plan(warehouse, settings.sources)
    except LagbookError as error:
        last_run.write_refusal(warehouse, started_at, str(error))
        raise


def _log_file(warehouse: Warehouse) -> Path:
    """The path of the run's log file, beside the DuckDB file; creates warehouse and folder."""
    log = warehouse.duckdb_path.with_name("lagbook-run.log")
    warehouse.make_folder(warehouse.url)
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CallRefusedError(f"{log.parent} can't be written: {error.strerror}") from error
    return log


def _losses(warehouse: Warehouse, outcome: Outcome, started_at: datetime) -> dict[str, Any]:
    """The partitions of which this run quarantined a large share, and other installations that it read."""
    from assets.ingest.losses import losses_since

    losses, installations = losses_since(warehouse, started_at) if outcome.is_changed else ([], [])
    return {
        "batches_set_aside": [asdict(loss) for loss in losses],
        "other_installations": [asdict(one) for one in installations],
    }


def execute(settings: Settings, log: Path, *, reads_logs: bool) -> Outcome:
    """Run all steps in this process, showing progress; all other output goes to the log file.

    Java and its workers start while the steps are loaded.
    """
    with interruptible(), hush(log) as terminal, _progress(terminal) as (show, begin), ExitStack() as stack:
        with import_lean():
            from dagster_project.spark_session import spark_of

            spark = stack.enter_context(spark_of(settings.spark_master, is_needed_soon=reads_logs))
            from dagster_project.plain_run import run_all
        follower = Follower(show, begin)
        try:
            run_all(settings, spark, follower)
        except Exception as error:  # noqa: BLE001 - outside of any step, it has failed all the same
            follower.take_error("the run", error)
        with suppress(OSError):  # a full disk is told of all the same
            for failure in follower.outcome.failures:
                print(failure.table, failure.details, file=sys.stderr, sep="\n")  # noqa: T201 - this is the log file now
    return follower.outcome


@contextmanager
def interruptible() -> Iterator[None]:
    """Let Ctrl-C and `kill` end a run in order, in the background of a script as well, where interrupts are ignored.

    What libraries swallow is raised at the end.
    """
    handlers = {one: signal.signal(one, signal.default_int_handler) for one in (signal.SIGINT, signal.SIGTERM)}
    inbox, outbox = os.pipe()
    os.set_blocking(inbox, False)
    os.set_blocking(outbox, False)
    before = signal.set_wakeup_fd(outbox, warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        for one, handler in handlers.items():
            signal.signal(one, handler)
        os.close(outbox)
        with os.fdopen(inbox, "rb") as received:
            is_interrupted = not {signal.SIGINT, signal.SIGTERM}.isdisjoint(received.read())
    if is_interrupted:
        raise KeyboardInterrupt


@contextmanager
def hush(log: Path) -> Iterator[TextIO]:
    """Send what libraries and child processes write to stderr to the log file; yield the terminal.

    The file descriptor itself is turned round, because Java and Spark's workers inherit it.
    """
    try:
        opened = log.open("w", encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise CallRefusedError(f"{log} can't be written: {error.strerror}, so this is no place for a run.") from error
    with opened as quiet, os.fdopen(os.dup(2), "w") as terminal:
        sys.stderr.flush()
        os.dup2(quiet.fileno(), 2)
        try:
            yield terminal
        finally:
            _flush_or_drop()
            os.dup2(terminal.fileno(), 2)


def _flush_or_drop() -> None:
    """Output that the log file has no room for is dropped."""
    try:
        sys.stderr.flush()
    except OSError:
        with Path(os.devnull).open("w", encoding="utf-8") as nothing:
            os.dup2(nothing.fileno(), 2)
        sys.stderr.flush()


@contextmanager
def _progress(terminal: TextIO) -> Iterator[tuple[Callable[[str], None], Callable[[str], None]]]:
    """Functions that print finished and begun tables: on a terminal in one live line, else in lines."""
    from rich.console import Console
    from rich.text import Text

    if not terminal.isatty():
        yield partial(print, file=terminal, flush=True), lambda _: None
        return
    with Console(file=terminal).status("starting") as status:
        yield lambda line: status.update(Text(line)), lambda step: status.update(Text(f"{step} ..."))
