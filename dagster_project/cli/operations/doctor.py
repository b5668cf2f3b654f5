"""`lagbook doctor`: installed versions, the work of the next run, the content of the warehouse, and problems.

Put an examination here when its answer helps to tell why something does not work. It only looks, and repairs nothing.
"""

from __future__ import annotations

import os
import platform
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from dagster_project.cli import exits, options
from dagster_project.cli.operations import advice, proofs, warehouse_files
from dagster_project.cli.operations.doctor_page import print_facts
from dagster_project.cli.questions.answers import cautions, open_file
from dagster_project.cli.terminal import plural, to_json
from parsers.errors import LagbookError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from assets.ingest.plan import Plan
    from assets.storage.warehouse import Warehouse
    from dagster_project.settings import Settings

_BYTES_PER_MEGABYTE: Final = 1_000_000
_MOST_FILES: Final = 20
PACKAGES: Final = (
    "lagbook",
    "pyspark",
    "dagster",
    "duckdb",
    "great-expectations",
    "deltalake",
    "pyarrow",
    "numpy",
    "numba",
    "pandas",
)

_HELP: Final = """Show what a run would work with, and what is missing.

Looks at the installed versions, at Java, at the logs (what would be read, what would be skipped and why) and the
recorder that writes them, at the running cluster if one is named, and at the warehouse (its tables, the last read, the
quarantine with files and positions, the DuckDB file). Says what a run with the same arguments would do, and what would
make answers better. Changes nothing.

With --verify it reads every file of the warehouse and compares it with the digest that was made when it was written.
With --prove N it makes rows again that stayed from earlier runs, of N random partitions of each such table, and
compares them.

\b
Examples:
  lagbook doctor --logs /var/lib/kafka/data --warehouse wh
  lagbook doctor --warehouse wh --verify
  lagbook doctor --warehouse wh --prove 20
  lagbook doctor --json"""


READ_OFFSETS: Final = """
SELECT status, sum(to_offset - from_offset) FROM mart.log_coverage WHERE topic = '__consumer_offsets' GROUP BY ALL
"""
NEVER_SEEN: Final = """
SELECT cluster, topic, partition, from_offset, to_offset FROM mart.log_coverage WHERE status = 'never'
ORDER BY to_offset - from_offset DESC, cluster, topic, partition, from_offset LIMIT 20
"""


@dataclass(slots=True)
class Report:
    """The facts, section by section, and the problems that would stop a run."""

    facts: dict[str, Any] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def attempt(self, look: Callable[[], object]) -> object:
        """The result of an inspection; None, and a problem, when it fails."""
        try:
            return look()
        except LagbookError as error:
            self.problems.append(str(error))
            return None


@click.command(help=_HELP, epilog=exits.MEANINGS)
@click.option("--verify", "is_verifying", is_flag=True, help="Read every file, and compare it with its digest.")
@click.option("--prove", metavar="N", type=click.IntRange(min=1), help="Make N random units again, and compare.")
@options.with_settings
def doctor(settings: Settings, *, is_verifying: bool, prove: int | None, as_json: bool) -> int:
    """Print the report; end with 1 when something is missing that a run needs."""
    report = examine(settings, is_verifying=is_verifying)
    if prove is not None:
        report.facts["proofs"] = report.attempt(
            lambda: proofs.as_facts(report.problems, settings.open_warehouse(), prove)
        )
    if as_json:
        click.echo(to_json({**report.facts, "problems": report.problems}, indent=2))
    else:
        print_facts(report.facts, report.problems)
    return exits.FAILED if report.problems else exits.DONE


def examine(settings: Settings, *, is_verifying: bool = False) -> Report:
    """Look at everything; what fails with a sentence becomes a problem, and the rest is still looked at."""
    report, warehouse = Report(), settings.open_warehouse()
    report.facts["versions"] = {**_versions(report), "java": report.attempt(_java)}
    report.facts["logs"] = report.attempt(lambda: _logs(report, warehouse, settings))
    report.facts["recorders"] = _recorders(report, settings)
    report.facts["cluster"] = report.attempt(lambda: _cluster(report, warehouse, settings))
    report.facts["warehouse"] = {"place": warehouse.url, "is_writable": report.attempt(lambda: _writable(warehouse))}
    report.facts["damaged"] = report.attempt(lambda: _damage(report, warehouse, is_verifying=is_verifying))
    report.facts["tables"] = report.attempt(lambda: warehouse_files.tables(warehouse))
    report.facts["quarantined"] = report.attempt(lambda: warehouse.row_count("raw.quarantine"))
    report.facts["set_aside"] = report.attempt(lambda: advice.set_aside(warehouse))
    report.facts["advice"] = report.attempt(lambda: advice.advice(warehouse))
    report.facts["log_coverage"] = report.attempt(lambda: _completeness(warehouse))
    report.facts["duckdb_file"] = report.attempt(lambda: _duckdb_file(report, warehouse))
    report.facts["last_run"] = report.attempt(lambda: _last_run(warehouse))
    report.facts["at_work"] = report.attempt(lambda: _at_work(warehouse))
    report.facts["next_run"] = report.attempt(lambda: list(_next_run(report, settings, warehouse)))
    return report


def _versions(report: Report) -> dict[str, object]:
    packages = {name: report.attempt(partial(_version, name)) for name in PACKAGES}
    return {"python": platform.python_version(), **packages}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError as error:
        raise LagbookError(f"the Python package {name} is not installed.") from error


def _java() -> str:
    """Version and place of the Java that a run would start."""
    from dagster_project.java import find_java

    return str(find_java())


def _logs(report: Report, warehouse: Warehouse, settings: Settings) -> dict[str, Any] | None:
    """The files that a run would read, and those that it would skip, with reasons; None when no logs are named."""
    from assets.ingest.plan import plan

    if not settings.logs:
        return None
    work = plan(warehouse, replace(settings.sources, live=None))
    report.problems.extend(work.unreadable)
    return {
        "places": list(settings.logs),
        "first_to_read": _first_files(work),
        "settings_new": len(work.configurations),
        "files_to_read": work.files_new,
        "bytes_to_read": work.size_bytes,
        "files_known": work.files_known,
        "unreadable": list(work.unreadable),
        "skipped": [{"path": skipped.path, "reason": skipped.reason} for skipped in work.skipped],
    }


def _first_files(work: Plan) -> list[str]:
    """The paths of the first files that would be read."""
    return [read.segment.path for read in work.reads[:_MOST_FILES]]


def _next_run(report: Report, settings: Settings, warehouse: Warehouse) -> Iterator[str]:
    """What `lagbook run` with the same arguments would do, in sentences."""
    from dagster_project.idle import is_current

    logs, live = report.facts["logs"], report.facts["cluster"]
    if (settings.logs and logs is None) or (settings.live and live is None):
        yield "it would stop: see the problems"
        return
    if logs is None and live is None:
        yield "it would read nothing: name --logs or --bootstrap"
        return
    files, offsets = (logs or {}).get("files_to_read", 0), (live or {}).get("offsets_to_read", 0)
    known, skipped = (logs or {}).get("files_known", 0), len((logs or {}).get("skipped", ()))
    changed = (live or {}).get("partitions_changed", 0) + (logs or {}).get("settings_new", 0)
    parts = [
        *([f"read {plural(files, 'file')} ({logs['bytes_to_read'] / _BYTES_PER_MEGABYTE:,.1f} MB)"] if files else []),
        *([f"read {plural(offsets, 'offset')} of the running cluster"] if offsets else []),
        *(["take in other log ends or settings"] if changed else []),
        *(["bring tables up to date"] if not (files or offsets or changed) and not is_current(warehouse) else []),
    ]
    did = f"it would {' and '.join(parts)}" if parts else "it would find nothing new"
    yield f"{did}; {plural(known, 'file')} known, {skipped:,} skipped"
    if (logs or {}).get("unreadable"):
        yield "it would leave out what can't be read, and end with 1: see the problems"


def _recorders(report: Report, settings: Settings) -> list[dict[str, Any]]:
    """How the recorders of the logs are; one that is not at work, or not well, is a problem."""
    from dagster_project.cli.operations.recorders import recorders_of

    recorders = recorders_of(settings.logs)
    report.problems.extend(f"{one['place']}: {one['sentence']}" for one in recorders if not one["is_healthy"])
    return recorders


def _cluster(report: Report, warehouse: Warehouse, settings: Settings) -> dict[str, Any] | None:
    """The offsets that a run would read from the running cluster; None when none is named."""
    from assets.ingest.live.plan import plan_live

    if settings.live is None:
        return None
    work = plan_live(warehouse, settings.live, settings.cluster, settings.sources.internal_topics)
    report.problems.extend(work.complaints)
    return {
        "place": settings.live.name,
        "client_config": settings.client_config,
        "cluster": work.cluster,
        "client": _version("kafka-python"),
        "partitions_to_read": len(work.reads),
        "offsets_to_read": work.offsets,
        "partitions_changed": work.partitions_changed,
    }


def _writable(warehouse: Warehouse) -> bool | None:
    """Whether a run could write there; None for a URL, which shows it only on a write."""
    if "://" in warehouse.url:
        return None
    place = Path(warehouse.url)
    nearest = next(folder for folder in (place, *place.parents) if folder.exists())
    if not (nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)):
        raise LagbookError(f"{nearest} can't be written, so {place} is no place for a warehouse.")
    return True


def _damage(report: Report, warehouse: Warehouse, *, is_verifying: bool) -> list[dict[str, Any]]:
    """Files and logs of tables that are damaged; each is a problem. Tells beside of how many files were verified."""
    if is_verifying:
        report.attempt(lambda: warehouse_files.verify_duckdb_file(warehouse))
    damages, report.facts["files"] = warehouse_files.damages(warehouse, is_verifying=is_verifying)
    places = [(damage.file.uri if damage.file else damage.table, damage.reason) for damage in damages]
    report.problems.extend(f"{place}: {reason}; see `lagbook repair`." for place, reason in places)
    return [{"place": place, "reason": reason} for place, reason in places]


def _completeness(warehouse: Warehouse) -> dict[str, Any] | None:
    """Numbers of offsets of the offsets topic by coverage, and the gaps; None before the first run."""
    from assets.duckdb.database import in_memory

    if not warehouse.files("mart.log_coverage"):
        return None
    with in_memory(warehouse, ("mart.log_coverage",)) as connection:
        offsets = dict(connection.sql(READ_OFFSETS).fetchall())
        unseen = connection.sql(NEVER_SEEN).fetchall()
    names = ("cluster", "topic", "partition", "from_offset", "to_offset")
    return {
        **{f"offsets_seen_{status}": int(offsets.get(status, 0)) for status in ("whole", "gaps")},
        "offsets_retired": int(offsets.get("retired", 0)),
        "offsets_never_seen": int(offsets.get("never", 0)),
        "never_seen": [dict(zip(names, row, strict=True)) for row in unseen],
    }


def _duckdb_file(report: Report, warehouse: Warehouse) -> dict[str, Any] | None:
    """The age of the DuckDB file, with its cautions as problems; None when there is none yet."""
    from assets.storage import lease

    path = warehouse.duckdb_path
    if not path.exists():
        return None
    with open_file(warehouse) as answers:
        read_at = answers.row("SELECT max(read_at) AS at_last FROM raw.segments")["at_last"]
        if lease.holder(warehouse) is None:  # who is at work brings it up to date
            report.problems.extend(cautions(warehouse, answers.info))
    facts = {"path": str(path), "bytes": path.stat().st_size, "shows": answers.info.url}
    return {**facts, "built_at": answers.info.built_at, "last_read_at": read_at}


def _last_run(warehouse: Warehouse) -> dict[str, Any] | None:
    """The start, end and failure of the last run; None where none is on record."""
    from assets.duckdb import last_run

    run = last_run.read(warehouse)
    return None if run is None else asdict(run)


def _at_work(warehouse: Warehouse) -> dict[str, Any] | None:
    """The process that writes to the warehouse now, and its last sign of life; None where there is none."""
    from assets.storage import lease

    one = lease.holder(warehouse)
    if one is None:
        return None
    return {"host": one.host, "pid": one.pid, "since": one.taken_at, "alive_at": lease.last_sign(warehouse, one)}
