"""`lagbook describe`: kafka-consumer-groups' columns for a group, now or at any past instant.

Put here how that table is asked for and printed. How lag and owner are worked out belongs in `assets.models`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from dagster_project.cli import exits, options
from dagster_project.cli.questions.answers import Answers, open_answers
from dagster_project.cli.questions.basis import note_basis
from dagster_project.cli.questions.refusals import refuse_before_first, refuse_unknown, refuse_unknown_cluster
from dagster_project.cli.terminal import between, note, print_columns, print_json_rows
from dagster_project.cli.times import FORMS, typed_time

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
    "HOST": "client_host",
    "CLIENT-ID": "client_id",
}
"""Heading of kafka-consumer-groups -> column of mart.lag_now, in its order."""

BOUNDS: Final = {"log_end_offset": ("log_end_lower", "log_end_upper"), "lag": ("lag_lower", "lag_upper")}
"""Columns that may be known within bounds only -> the columns of these."""

_SELECT: Final = (
    f"SELECT {', '.join(COLUMNS.values())}, {', '.join(bound for pair in BOUNDS.values() for bound in pair)},"
    " is_known, cluster, log_start_offset, lost_offsets FROM"
)
_ORDER: Final = "ORDER BY cluster, group_id, topic, partition"
_HELP: Final = f"""Lag and owner of every partition of GROUP, in kafka-consumer-groups' columns.

Without --at: as the last record read left it. With --at: as it was at that instant, from the same records. A value
that the records don't tell is `-` (null with --json), never 0. Where a log end was only asked for now and then,
and not at that instant, LOG-END-OFFSET and LAG are `>=5` or `5-9` (null with --json, beside log_end_lower,
log_end_upper, lag_lower and lag_upper). Nor is an offset told where a hole in the log may hide
what was committed (is_known is false with --json), as of a time before a log was read that was compacted since. Of a
time after the last commit that was read, the row is as that commit left it, and is_known is false. What the answer
rests on comes first, on stderr.

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
    """Print the rows of `mart.lag_now`, or of the macro `lag_at`, for the requested groups."""
    if all_groups == bool(groups):
        raise click.UsageError("Name one GROUP or more, or give --all-groups.", click.get_current_context())
    with open_answers(options.named_warehouse(warehouse)) as answers:
        refuse_unknown_cluster(answers, cluster)
        rows = list(lag_rows(answers, groups, instant, cluster))
        refuse_unknown(answers, set(groups).difference(row["group_id"] for row in rows))
        not_read = refuse_before_first(answers, instant, cluster, groups)
        note_basis(answers, groups, cluster)
    if as_json:
        print_json_rows({**row, "is_known": row["is_known"] and row["cluster"] not in not_read} for row in rows)
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


def _value(row: dict[str, Any], name: str) -> object:
    return between(*(row[bound] for bound in BOUNDS[name])) if name in BOUNDS else row[name]


def _print(rows: list[dict[str, Any]]) -> None:
    several = len({row["cluster"] for row in rows}) > 1
    columns = {**COLUMNS, **({"CLUSTER": "cluster"} if several else {})}
    print_columns([tuple(columns), *([_value(row, name) for name in columns.values()] for row in rows)])
    inexact = sum(row["log_end_offset"] is None and row["log_end_lower"] is not None for row in rows)
    if inexact:
        note(
            f"lagbook: of {inexact} of these {len(rows)} rows the log end is known within bounds only; data segments,"
            " or samples more often, would tell it."
        )
    hidden = sum(not row["is_known"] for row in rows)
    if hidden:
        note(f"lagbook: of {hidden} of these {len(rows)} rows a hole in the log may hide what was committed then.")
    if not rows:
        note("lagbook: these groups had nothing committed and owned nothing then.")
