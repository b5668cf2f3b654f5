"""The result of a run: what was read, what does not hold, and which incidents are new, in words and as JSON.

Put here what `lagbook run` prints at its end. How it is started and followed belongs to `run` and `progress`.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import click

from dagster_project.cli.terminal import brief, cell, plural, safe
from parsers.errors import LagbookError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assets.ingest.live.plan import LivePlan
    from assets.ingest.plan import Plan
    from assets.storage.warehouse import Warehouse
    from dagster_project.cli.progress import Outcome

INGEST: Final = "ingest"
"""The step that reads files: when it fails, none of them is part of a table."""
_BYTES_PER_MEGABYTE: Final = 1_000_000
_INCIDENTS: Final = "SELECT incident_id, severity FROM mart.incidents ORDER BY rank"


def live_words(live: LivePlan) -> str:
    """What is to be read from a running cluster."""
    to_read = f"{live.offsets:,} offsets to read in {len(live.reads)} partitions"
    settings = ", other settings" if live.are_settings_new else ""
    return f"{to_read}, {live.partitions_changed} partitions with another log end, log start or leader{settings}"


def summarize(work: Plan, outcome: Outcome) -> dict[str, Any]:
    """What was read, and what was not, as plain values."""
    live = work.live
    return {
        "cluster": live.cluster if live else None,
        "live_offsets": live.offsets if live else None,
        "live_partitions": len(live.reads) if live else None,
        "files_read": work.files_new,
        "bytes_read": work.size_bytes,
        "files_known": work.files_known,
        "places_unreadable": list(dict.fromkeys((*work.unreadable, *outcome.places_unreadable))),
        "files_skipped": [{"path": skipped.path, "reason": skipped.reason} for skipped in work.skipped],
    }


def print_result(outcome: Outcome, summary: dict[str, Any], place: str) -> None:
    """Print what was read, what does not hold, and what is new; `place` is the option that names the warehouse."""
    if not outcome.is_changed and not outcome.is_failed:
        known = f"all {summary['files_known']} files are known" if summary["cluster"] is None else "all is known"
        click.echo(f"Nothing is new: {known}, and every table is current.")
        return
    for reason, count in Counter(skipped["reason"] for skipped in summary["files_skipped"]).items():
        click.echo(f"skipped {count}: {brief(reason)}")
    for check in outcome.checks_failed:
        click.echo(f"{'FAILED' if check.is_blocking else 'warning'}: {check.table} does not hold to {check.check}")
    is_kept = all(failure.table != INGEST for failure in outcome.failures)
    files = f"{summary['files_read']} files {'read' if is_kept else 'to read, of which nothing was kept'}"
    read = f"{files} ({megabytes(summary['bytes_read'])}), {summary['files_known']} known"
    live = f"{summary['live_offsets']:,} offsets of cluster {safe(summary['cluster'])}; " if summary["cluster"] else ""
    quarantined = f"{cell(outcome.rows_of('raw.quarantine'))} rows in quarantine"
    checks = f"{outcome.checks_passed} checks passed, {len(outcome.checks_failed)} failed"
    click.echo(f"{read}; {live}{quarantined}; {checks}; {summary['seconds']} s.")
    for other in summary["other_installations"]:
        contradicted = f"{other['diverged_records']:,} of {other['shared_records']:,} records that both have differ"
        where = f"{safe(other['log_directory'])} is another installation than the one kept as {safe(other['cluster'])}"
        click.echo(f"TWO INSTALLATIONS: {where}: {contradicted}; read each with --cluster NAME, into a new warehouse.")
    if summary["new_incidents"] is not None and not outcome.is_failed:
        click.echo(_new_incidents(summary["new_incidents"], place))
    _print_losses(summary["batches_set_aside"])


def open_incidents(warehouse: Warehouse) -> dict[str, str] | None:
    """The severity of each incident by its id, the worst first; None when no file can tell."""
    from dagster_project.cli.questions.answers import open_file

    if not warehouse.duckdb_path.exists():
        return None
    try:
        with open_file(warehouse) as answers:
            return {row["incident_id"]: row["severity"] for row in answers.rows(_INCIDENTS)}
    except LagbookError:
        return None


def new_incidents(before: Mapping[str, str] | None, after: Mapping[str, str] | None) -> list[dict[str, str]] | None:
    """The incidents that were not there before the run, the worst first; None when nobody can tell."""
    if after is None:
        return None
    return [{"incident_id": key, "severity": grade} for key, grade in after.items() if key not in (before or {})]


def _new_incidents(incidents: Sequence[Mapping[str, str]], place: str) -> str:
    """What the run brought to light, and the command that lists it."""
    if not incidents:
        return "No new incident."
    return f"{plural(len(incidents), 'new incident')}, the worst {incidents[0]['severity']}: lagbook audit{place}"


def _print_losses(losses: list[dict[str, Any]]) -> None:
    """The last line, where a large share of a partition was quarantined: its answers rest on the rest."""
    for worst in losses[:1]:
        of = safe(f"{worst['topic']}-{worst['partition']}")
        more = f", and more than a tenth of {len(losses) - 1} other partitions" if len(losses) > 1 else ""
        share = f"{worst['batches_set_aside']:,} of {worst['batches']:,} batches of {of}"
        click.echo(f"SET ASIDE: {share} could not be read{more}; raw.quarantine says why.")


def megabytes(size_bytes: int) -> str:
    """A size in words."""
    return f"{size_bytes / _BYTES_PER_MEGABYTE:,.1f} MB"
