"""`lagbook groups`: every group with its state, lag and incidents, now or at any past instant.

Put here what the command takes and its table. How a group is summed up belongs in `summaries`.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import click

from dagster_project.cli import exits, options
from dagster_project.cli.questions import marks
from dagster_project.cli.questions.answers import open_answers
from dagster_project.cli.questions.basis import find_basis, note_basis
from dagster_project.cli.questions.group_views.summaries import (
    commit_age,
    group_summaries,
    lag_of,
    type_of,
    worst_lag_of,
)
from dagster_project.cli.questions.refusals import refuse_before_first, refuse_unknown_cluster
from dagster_project.cli.terminal import note, pasteable, plural, print_columns, print_json_rows
from dagster_project.cli.times import FORMS, typed_time

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

Row = dict[str, Any]

STATES: Final = (
    "Stable",
    "Empty",
    "PreparingRebalance",
    "CompletingRebalance",
    "Assigning",
    "Reconciling",
    "NotReady",
    "Dead",
)
"""As kafka-consumer-groups --list --state spells them."""
TYPES: Final = ("classic", "consumer", "share", "streams", "simple")

SORTS: Final[dict[str, Callable[[Row], tuple[Any, ...]]]] = {
    "name": lambda row: (row["group_id"], row["cluster"]),
    "lag": lambda row: _most_first(row["lag_lower"]),
    "worst": lambda row: _most_first(row["worst_lag_lower"]),
    "members": lambda row: _most_first(row["member_count"]),
    "partitions": lambda row: _most_first(row["partitions"]),
    "commit": lambda row: (row["last_commit_at"] is not None, row["last_commit_at"]),
    "incidents": lambda row: _most_first(row["incidents"]),
}
"""Name of an order -> its key; what is not known comes first, for somebody has to look at it."""

_HELP: Final = f"""List every group: state, type, members, partitions, lag, last commit, incidents.

As kafka-consumer-groups --list with --state and --type, for now (the last record read) or --at any instant, with what
--describe says of all partitions together. LAG is that of all partitions of the group, WORST that of the one furthest
behind; `>=5` and `5-9` are bounds, `-` is not known. COMMIT is how long before that instant the group committed last,
INCIDENTS how many of `lagbook audit` are its own. In TYPE, `sink` is a sink connector of Kafka Connect, `workers` are
its workers, where that is certain. A name is shown as a shell takes it back.

TIME is {FORMS}.

\b
Examples:
  lagbook groups --warehouse wh
  lagbook groups --state Empty --sort lag --warehouse wh
  lagbook groups --type consumer,share --at 2026-11-18T02:30 --json \\
      --warehouse wh"""


def _typed_list(allowed: Sequence[str]) -> Callable[[click.Context, click.Parameter, tuple[str, ...]], frozenset[str]]:
    """Take a, b and a,b in any case, as kafka-consumer-groups does; refuse what is none of the allowed words."""
    spellings = {word.lower(): word for word in allowed}

    def take(_ctx: click.Context, _option: click.Parameter, texts: tuple[str, ...]) -> frozenset[str]:
        words = [word.strip() for text in texts for word in text.split(",")]
        unknown = [word for word in words if word.lower() not in spellings]
        if unknown:
            raise click.BadParameter(f"{unknown[0]!r} is not one of {', '.join(allowed)}.")
        return frozenset(spellings[word.lower()] for word in words)

    return take


@click.command(help=_HELP, epilog=exits.MEANINGS)
@click.option(
    "--state",
    "states",
    multiple=True,
    callback=_typed_list(STATES),
    metavar="STATE[,STATE]",
    help=f"Groups in these states alone: {', '.join(STATES)}.",
)
@click.option(
    "--type",
    "types",
    multiple=True,
    callback=_typed_list(TYPES),
    metavar="TYPE[,TYPE]",
    help=f"Groups of these types alone: {', '.join(TYPES)}.",
)
@click.option("--sort", type=click.Choice(list(SORTS)), default="name", show_default=True, help="What comes first.")
@click.option(
    "--at", "instant", type=typed_time, metavar="TIME", help="The instant to look at; default: the last record read."
)
@options.ZONE
@options.CLUSTER
@options.WAREHOUSE
@options.JSON
def groups(
    *,
    states: frozenset[str],
    types: frozenset[str],
    sort: str,
    instant: datetime | None,
    cluster: str | None,
    warehouse: str | None,
    as_json: bool,
) -> None:
    """Print a row for each group."""
    place = options.named_warehouse(warehouse)
    with open_answers(place) as answers:
        refuse_unknown_cluster(answers, cluster)
        refuse_before_first(answers, instant, cluster)
        note_basis(answers, (), cluster, instant)
        dealt_with = marks.hidden_incidents(place, answers, is_new=False).dealt_with
        rows = [
            row
            for row in sorted(group_summaries(answers, (), instant, cluster, dealt_with), key=SORTS[sort])
            if (not states or row["state"] in states) and (not types or row["group_type"] in types)
        ]
        as_of = instant or find_basis(answers, (), cluster).newest_at
    if as_json:
        print_json_rows(rows)
    else:
        _print(rows, as_of)


def _most_first(number: int | None) -> tuple[bool, int]:
    return number is not None, -(number or 0)


def _print(rows: Sequence[Row], as_of: datetime | None) -> None:
    several = len({row["cluster"] for row in rows}) > 1
    head = ("GROUP", "STATE", "TYPE", "MEMBERS", "PARTS", "LAG", "WORST", "COMMIT", "INCIDENTS")
    lines = [
        (
            *(pasteable(row["group_id"]), row["state"], type_of(row), row["member_count"], row["partitions"]),
            *(lag_of(row), worst_lag_of(row), commit_age(row, as_of), row["incidents"]),
            *((pasteable(row["cluster"]),) if several else ()),
        )
        for row in rows
    ]
    print_columns([(*head, "CLUSTER") if several else head, *lines])
    states = Counter(row["state"] or "in an unknown state" for row in rows)
    counts = ", ".join(f"{count:,} {state}" for state, count in states.most_common())
    note(f"lagbook: {plural(len(rows), 'group')}{f': {counts}' if counts else ''}.")
