"""`lagbook notify`: tell the notifiers of lagbook.toml what is new, for those who have cron and no Dagster.

Put here what a person gives and sees. Who is notified of what belongs to `dagster_project.notifications`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from dagster_project.cli import exits, options
from dagster_project.cli.exits import CallRefusedError
from dagster_project.cli.terminal import note, print_json_rows, print_sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assets.storage.warehouse import Warehouse
    from dagster_project.notifications.channel import Notifier
    from dagster_project.notifications.deliveries import Delivery

_HELP: Final = """Notify of new incidents, and of a last run that failed: by webhook, Alertmanager, Slack or email.

Who is notified, and from which severity on, stands in lagbook.toml (LAGBOOK_FILE, else in the current folder), for this
command and for Dagster's sensors alike. Each notifier is sent an incident once; what it was sent is kept beside the
tables. The first look sends nothing: what is there counts as known. What somebody acknowledged (`lagbook audit --ack`)
is not sent. A notifier that is down is sent the same by the next look, and holds up no other.

--dry-run shows what would be sent and changes nothing. --test sends a test message to everyone.

\b
Examples:
  # in a crontab
  lagbook run --logs /var/lib/kafka --warehouse wh; \\
      lagbook notify --warehouse wh
  lagbook notify --dry-run --warehouse wh
  lagbook notify --test --warehouse wh"""


@click.command(help=_HELP, epilog=exits.MEANINGS)
@click.option("--dry-run", "is_dry", is_flag=True, help="Show what would be sent; send and remember nothing.")
@click.option("--test", "is_test", is_flag=True, help="Send a test message to every notifier; remember nothing.")
@options.CLUSTER_OF_FILE
@options.WAREHOUSE
@options.JSON
def notify(warehouse: str | None, *, is_dry: bool, is_test: bool, as_json: bool) -> int:
    """Notify; end with 1 when a notifier failed."""
    from dagster_project.deployment.alerts import declared_alerts

    if is_dry and is_test:
        raise click.UsageError("Give --dry-run or --test, not both.", click.get_current_context())
    notifiers = declared_alerts().notifiers
    if not notifiers:
        raise CallRefusedError(
            "no notifier is named: lagbook.toml (LAGBOOK_FILE, else in the current folder) has no [[alerts.notify]]."
        )
    place = options.named_warehouse(warehouse)
    deliveries = _deliveries(place, notifiers, is_dry=is_dry, is_test=is_test)
    print_json_rows(map(_as_json, deliveries)) if as_json else _print(place, deliveries, is_dry=is_dry, is_test=is_test)
    return exits.FAILED if any(one.error is not None for one in deliveries) else exits.DONE


def _deliveries(place: Warehouse, notifiers: Sequence[Notifier], *, is_dry: bool, is_test: bool) -> list[Delivery]:
    from dagster_project.notifications.deliveries import deliver, plan_deliveries, send_test
    from dagster_project.notifications.novelty import read_snapshot
    from dagster_project.notifications.reports import failed_last_run

    if is_test:
        return send_test(notifiers, place)
    failure = failed_last_run(place)
    snapshot = None if failure and not place.duckdb_path.exists() else read_snapshot(place)
    work = plan_deliveries if is_dry else deliver
    return work(place, notifiers, snapshot, failure)


def _print(place: Warehouse, deliveries: Sequence[Delivery], *, is_dry: bool, is_test: bool) -> None:
    """Print what came of each delivery; failures go to stderr."""
    from dagster_project.notifications.reports import outcome_words

    for one in deliveries:
        if one.error is not None:
            note(f"lagbook: {outcome_words(one)}")
        elif is_test:
            click.echo(f"{one.notifier.name}: a test message was sent to {one.notifier.channel.place}")
        elif is_dry and (one.incidents or one.note.waiting):
            _print_plan(place, one)
        else:
            click.echo(outcome_words(one))


def _print_plan(place: Warehouse, one: Delivery) -> None:
    """Print what would be sent."""
    from dagster_project.notifications.novelty import read_incidents
    from dagster_project.notifications.wording import title

    click.echo(f"{one.notifier.name} ({one.notifier.kind}, {one.notifier.channel.place}) would be sent:")
    rows = read_incidents(place, one.incidents) if one.incidents else {}
    for row in (rows[key] for key in one.incidents if key in rows):
        print_sentence(f"  {row['severity']} {row['incident_id']} {title(row)}")
    for failure in one.note.waiting:
        print_sentence(f"  failed run: {title({'title': failure.sentence})}")


def _as_json(one: Delivery) -> dict[str, Any]:
    return {
        "notifier": one.notifier.name,
        "kind": one.notifier.kind,
        "place": one.notifier.channel.place,
        "severity": one.notifier.severity,
        "is_first_look": one.is_first_look,
        "new_incidents": one.incidents,
        "failed_runs": [failure.failure_id for failure in one.note.waiting],
        "incidents_sent": one.sent,
        "failed_runs_sent": one.failures_sent,
        "error": one.error,
    }
