"""`lagbook describe`: kafka-consumer-groups' columns for groups, now or at any past instant.

Put here what the command takes. The tables are in `offsets` and `members`, the sentence about a group in `summaries`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import click

from dagster_project.cli import exits, options
from dagster_project.cli.questions import marks
from dagster_project.cli.questions.answers import Answers, open_answers
from dagster_project.cli.questions.basis import note_basis
from dagster_project.cli.questions.group_views.members import member_rows, print_members
from dagster_project.cli.questions.group_views.offsets import (
    lag_rows,
    note_nameless_owners,
    print_offsets,
    with_leader_epochs,
)
from dagster_project.cli.questions.group_views.share_offsets import print_share_offsets, share_rows
from dagster_project.cli.questions.group_views.states import print_states, state_rows
from dagster_project.cli.questions.group_views.summaries import group_summaries, sentence
from dagster_project.cli.questions.refusals import refuse_before_first, refuse_unknown, refuse_unknown_cluster
from dagster_project.cli.terminal import note, print_json_rows
from dagster_project.cli.times import FORMS, typed_time

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from assets.storage.warehouse import Warehouse

Row = dict[str, Any]

_SHARE: Final = "share"
_MOST_SUMMARIES: Final = 10
"""Named groups that have a sentence above the table; of more, `lagbook groups` has a line each."""

_HELP: Final = f"""Lag and owner of every partition of GROUP, in kafka-consumer-groups' columns.

Without --at: as the last record read left it. With --at: as it was at that instant, from the same records. A value
that the records don't tell is `-` (null with --json), never 0. Where a log end was only asked for now and then,
and not at that instant, LOG-END-OFFSET and LAG are `>=5` or `5-9` (null with --json, beside log_end_lower,
log_end_upper, lag_lower and lag_upper). Nor is an offset told where a hole in the log may hide
what was committed (is_known is false with --json), as of a time before a log was read that was compacted since. Of a
time after the last commit that was read, the row is as that commit left it, and is_known is false. What the answer
rests on comes first, on stderr, and a line about each group. Of a group with more than 20 partitions the ten furthest
behind are shown; --all, and --json, show every one.

Share groups have a table of their own, in kafka-share-groups' columns.

--members and --state are the tool's views of the same names, with --verbose as there. What is likely and in no record
ends in `?`: a COORDINATOR (ID) that is only the broker whose log was read, an assignment strategy that is Kafka's
default.

TIME is {FORMS}.

\b
Examples:
  lagbook describe payments --warehouse wh
  lagbook describe payments --members --verbose --at 2026-11-18T02:30 \\
      --warehouse wh
  lagbook describe payments invoices --at 2026-11-18T02:30 --warehouse wh
  lagbook describe --all-groups --at 1795005120000 --json --warehouse wh"""


@dataclass(frozen=True, slots=True)
class _Request:
    """Which groups are meant (every one when none is named), when, and which of the tool's views."""

    groups: tuple[str, ...]
    instant: datetime | None
    cluster: str | None
    view: str
    is_verbose: bool


@click.command(help=_HELP, epilog=exits.MEANINGS)
@click.argument("groups", metavar="[GROUP]...", nargs=-1)
@click.option("--all-groups", is_flag=True, help="Every group that had something committed or owned.")
@click.option("--offsets", "views", flag_value="offsets", multiple=True, help="Offsets and lag; the default.")
@click.option("--members", "views", flag_value="members", multiple=True, help="The members and what they own.")
@click.option("--state", "views", flag_value="state", multiple=True, help="The state, the strategy, and the members.")
@click.option("--verbose", "is_verbose", is_flag=True, help="Epochs too, and with --members the assignments.")
@click.option("--all", "is_whole", is_flag=True, help="Every partition, however many there are.")
@click.option(
    "--at", "instant", type=typed_time, metavar="TIME", help="The instant to look at; default: the last record read."
)
@options.ZONE
@options.CLUSTER
@options.WAREHOUSE
@options.JSON
def describe(
    groups: tuple[str, ...],
    *,
    all_groups: bool,
    views: tuple[str, ...],
    is_verbose: bool,
    is_whole: bool,
    instant: datetime | None,
    cluster: str | None,
    warehouse: str | None,
    as_json: bool,
) -> None:
    """Print what the macros of an instant say of the requested groups."""
    if all_groups == bool(groups):
        raise click.UsageError("Name one GROUP or more, or give --all-groups.", click.get_current_context())
    if len(set(views)) > 1:
        raise click.UsageError("Give one of --offsets, --members and --state.", click.get_current_context())
    request = _Request(groups, instant, cluster, views[0] if views else "offsets", is_verbose)
    place = options.named_warehouse(warehouse)
    with open_answers(place) as answers:
        refuse_unknown_cluster(answers, cluster)
        refuse_unknown(answers, groups)
        rows = _rows(answers, request)
        not_read = refuse_before_first(answers, instant, cluster, groups)
        note_basis(answers, groups, cluster, instant)
        if not as_json:
            _note_summaries(answers, request, place, rows)
    if as_json:
        print_json_rows(_known(row, not_read) for row in rows)
    elif request.view == "offsets":
        _print_offsets(rows, is_whole=is_whole, is_verbose=is_verbose)
    else:
        (print_members if request.view == "members" else print_states)(rows, is_verbose=is_verbose)


def _rows(answers: Answers, request: _Request) -> list[Row]:
    place = (request.groups, request.instant, request.cluster)
    if request.view != "offsets":
        return (member_rows if request.view == "members" else state_rows)(answers, *place)
    rows = list(lag_rows(answers, *place))
    if request.is_verbose:
        rows = with_leader_epochs(answers, rows, request.groups, request.instant)
    return [*rows, *share_rows(answers, *place)]


def _print_offsets(rows: list[Row], *, is_whole: bool, is_verbose: bool) -> None:
    """Print the table of the groups that commit offsets, and that of share groups."""
    shared = [row for row in rows if row.get("group_type") == _SHARE]
    if not shared or len(shared) < len(rows):
        own = [row for row in rows if row.get("group_type") != _SHARE]
        print_offsets(own, is_whole=is_whole, is_verbose=is_verbose)
    if shared:
        print_share_offsets(shared, is_whole=is_whole, is_verbose=is_verbose)


def _known(row: Row, not_read: Collection[str]) -> Row:
    """A row that says of a time after the last commit of its cluster that nothing is known."""
    return {**row, "is_known": row["is_known"] and row["cluster"] not in not_read}


def _note_summaries(answers: Answers, request: _Request, place: Warehouse, rows: list[Row]) -> None:
    """Say of each of a few groups, beside its table, how it is, and which owners the table lacks."""
    if not 0 < len(request.groups) <= _MOST_SUMMARIES:
        return
    dealt_with = marks.hidden_incidents(place, answers, is_new=False).dealt_with
    for row in group_summaries(answers, request.groups, request.instant, request.cluster, dealt_with):
        note(f"lagbook: {sentence(row)}")
    if request.view == "offsets":
        note_nameless_owners(answers, rows, request.groups, request.instant, request.cluster)
