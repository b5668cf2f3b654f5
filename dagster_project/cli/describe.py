"""`lagbook describe`: kafka-consumer-groups' columns for a group, now or at any past instant.

Put here how that table is asked for and printed. How lag and owner are worked out belongs in `assets.models`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from dagster_project.cli import exits, options
from dagster_project.cli.answers import Answers, open_answers
from dagster_project.cli.exits import CallRefusedError
from dagster_project.cli.terminal import brief, note, print_columns, print_json_rows
from dagster_project.cli.times import FORMS, show_time, typed_time

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

COLUMNS: Final = {
    "GROUP": "group_id",
    "TOPIC": "topic",
    "PARTITION": "partition",
    "CURRENT-OFFSET": "current_offset",
    "LOG-END-OFFSET": "log_end_offset",
    "LAG": "lag",
    "CONSUMER-ID": "member_id",
    "HOST": "host",
    "CLIENT-ID": "client_id",
}
"""Heading of kafka-consumer-groups -> column of mart.lag_now, in its order."""

_SELECT: Final = f"SELECT {', '.join(COLUMNS.values())}, cluster, log_start_offset, lost FROM"
_ORDER: Final = "ORDER BY cluster, group_id, topic, partition"
_NEAREST: Final = """
    SELECT group_id, group_id = $group AS is_it
    FROM (SELECT group_id FROM core.commits UNION SELECT group_id FROM core.generations)
    ORDER BY is_it DESC, jaro_winkler_similarity(left(group_id, 249), left($group, 249)) DESC, group_id
    LIMIT 3
"""
_REACH: Final = """
    SELECT min(effective_at) AS first, max(effective_at) AS last FROM core.commits
    WHERE $cluster IS NULL OR cluster = $cluster
"""

_HELP: Final = f"""Lag and owner of every partition of GROUP, in kafka-consumer-groups' columns.

Without --at: as the last record read left it. With --at: as it was at that instant, from the same records. A value
that the records don't tell is `-` (null with --json), never 0.

TIME is {FORMS}.

\b
Examples:
  lagbook describe payments --warehouse wh
  lagbook describe payments invoices --at 2026-11-18T02:30 --warehouse wh
  lagbook describe --all-groups --at 1795005120000 --json --warehouse wh"""


@click.command(help=_HELP, epilog=exits.MEANINGS)
@click.argument("groups", metavar="[GROUP]...", nargs=-1)
@click.option("--all-groups", is_flag=True, help="Every group that had something committed or owned.")
@click.option(
    "--at", "instant", type=typed_time, metavar="TIME", help="The instant to look at; default: the last record read."
)
@options.CLUSTER
@options.WAREHOUSE
@options.JSON
def describe(
    groups: tuple[str, ...],
    *,
    all_groups: bool,
    instant: datetime | None,
    cluster: str | None,
    warehouse: str | None,
    as_json: bool,
) -> None:
    """Print the rows of `mart.lag_now`, or of the macro `lag_at`, for the groups asked."""
    if all_groups == bool(groups):
        raise click.UsageError("Name one GROUP or more, or give --all-groups.", click.get_current_context())
    with open_answers(options.duckdb_path(warehouse)) as answers:
        rows = list(lag_rows(answers, groups, instant, cluster))
        refuse_unknown(answers, set(groups).difference(row["group_id"] for row in rows))
        refuse_before_first(answers, instant, cluster)
    if as_json:
        print_json_rows(rows)
    else:
        _print(rows)


def lag_rows(
    answers: Answers, groups: tuple[str, ...], instant: datetime | None, cluster: str | None
) -> Iterator[dict[str, Any]]:
    """The rows for these groups (for every group when none is named), now or at an instant."""
    named = {f"group_{i}": group for i, group in enumerate(groups)}
    wanted = {**named, **({"cluster": cluster} if cluster else {}), **({"instant": instant} if instant else {})}
    conditions = [
        *([f"group_id IN ({', '.join(f'${name}' for name in named)})"] if named else []),
        *(["cluster = $cluster"] if cluster else []),
    ]
    where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    of_one = ", $group_0" if len(named) == 1 else ""
    return answers.rows(
        f"{_SELECT} {f'lag_at($instant{of_one})' if instant else 'mart.lag_now'} {where} {_ORDER}", wanted
    )


def refuse_unknown(answers: Answers, without_rows: set[str]) -> None:
    """Of the groups that have no rows, refuse the one that is in no record at all; name those nearest to it."""
    for group in sorted(without_rows):
        nearest = list(answers.rows(_NEAREST, {"group": group}))
        if not nearest or not nearest[0]["is_it"]:
            names = ", ".join(brief(row["group_id"]) for row in nearest)
            end = f"the nearest are {names}" if names else "no group is"
            raise CallRefusedError(f"group {brief(group)} is not in this warehouse; {end}.")


def refuse_before_first(answers: Answers, instant: datetime | None, cluster: str | None) -> None:
    """Refuse a time before everything known; say beside the answer when the time is after all of it."""
    reach = answers.row(_REACH, {"cluster": cluster})
    if instant is None or reach["first"] is None:
        return
    if instant < reach["first"]:
        raise CallRefusedError(
            f"nothing is known of {show_time(instant)}: the first commit read is of {show_time(reach['first'])}"
        )
    if instant > reach["last"]:
        note(f"lagbook: the last commit read is of {show_time(reach['last'])}; what came after it is not known.")


def _print(rows: list[dict[str, Any]]) -> None:
    several = len({row["cluster"] for row in rows}) > 1
    columns = {**COLUMNS, **({"CLUSTER": "cluster"} if several else {})}
    print_columns([tuple(columns), *([row[name] for name in columns.values()] for row in rows)])
    if not rows:
        note("lagbook: these groups had nothing committed and owned nothing then.")
