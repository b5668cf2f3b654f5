"""`lagbook failover`: what a group reads again or misses that goes on at the target of MirrorMaker 2.

Put here what the command takes and its table. How the offsets compare is worked out by the macro `failover_at`.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import click

from dagster_project.cli import exits, options
from dagster_project.cli.exits import CallRefusedError
from dagster_project.cli.questions.answers import Answers, open_answers
from dagster_project.cli.questions.basis import note_basis
from dagster_project.cli.questions.refusals import refuse_before_first, refuse_unknown, refuse_unknown_cluster
from dagster_project.cli.terminal import (
    Shown,
    between,
    in_words,
    note,
    pasteable,
    plural,
    print_columns,
    print_json_rows,
)
from dagster_project.cli.times import FORMS, typed_time

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

Row = dict[str, Any]

_FLOWS: Final = """
    SELECT * FROM mart.mirror_flows WHERE $cluster IS NULL OR $cluster IN (source_cluster, target_cluster)
    ORDER BY target_cluster, checkpoints_topic
"""
_OFFSETS: Final = """
    FROM failover_at(coalesce($instant, 'infinity'::TIMESTAMPTZ){group})
    WHERE $cluster IS NULL OR $cluster IN (source_cluster, cluster)
    ORDER BY source_cluster, cluster, group_id, topic, partition, method DESC
"""
_BASES: Final = {
    "declared": "as its alias was declared",
    "syncs": "it alone has the offset syncs of the checkpoints",
    "commits": "it alone has the commits that checkpoints name",
}
STATUSES: Final = ("at", "behind", "at_or_behind", "ahead", "no_offset", "read_there", "out_of_range", "unknown")
_NO_FLOW: Final = (
    "no checkpoint of MirrorMaker 2 was read: they are in the topic ALIAS.checkpoints.internal of the target cluster,"
    " and both clusters have to be read into one warehouse (docs/how-to/mirrormaker.md)"
)

_STATUS_HELP: Final = f"Partitions of this status alone: {', '.join(STATUSES)}."
_HELP: Final = f"""What GROUP reads again or misses if it goes on at the target of MirrorMaker 2, by partition.

Without GROUP, of every group that committed in a topic that is mirrored. FROM is the offset at the target that the
group goes on from: BY says whether it is committed there (as with sync.group.offsets.enabled), or of the newest
checkpoint, or both. It is compared with the copy of the first record that the group had not read at the source, which
offset syncs place exactly or within bounds. AGAIN are the offsets that are read again, MISSED those that nobody reads;
`3-9`, `>=3` and `<=9` are bounds, `-` is not known. `no offset` means that auto.offset.reset decides, `read there` that
members of the group committed at the target themselves, `out of range` that the log there ends before that offset.

TIME is {FORMS}.

\b
Examples:
  lagbook failover payments --warehouse wh
  lagbook failover --status ahead --warehouse wh
  lagbook failover payments --at 2026-11-18T02:30 --json --warehouse wh"""


@click.command(help=_HELP, epilog=exits.MEANINGS)
@click.argument("group", required=False)
@click.option(
    "--at", "instant", type=typed_time, metavar="TIME", help="The instant of the fail-over; default: the last record."
)
@click.option("--status", type=click.Choice(STATUSES), metavar="STATUS", help=_STATUS_HELP)
@options.ZONE
@options.CLUSTER
@options.WAREHOUSE
@options.JSON
def failover(
    group: str | None,
    *,
    instant: datetime | None,
    status: str | None,
    cluster: str | None,
    warehouse: str | None,
    as_json: bool,
) -> None:
    """Print a row for each partition, and each way to go on that differs."""
    groups = [group] if group else []
    with open_answers(options.named_warehouse(warehouse)) as answers:
        refuse_unknown_cluster(answers, cluster)
        refuse_unknown(answers, groups)
        refuse_before_first(answers, instant, cluster, groups)
        flows = list(answers.rows(_FLOWS, {"cluster": cluster}))
        if not flows:
            raise CallRefusedError(f"{_NO_FLOW}.")
        rows = [row for row in _rows(answers, group, instant, cluster) if status in {None, row["status"]}]
        note_basis(answers, groups, cluster, instant)
    for flow in flows:
        note(f"lagbook: {_flow_words(flow)}.")
    if as_json:
        print_json_rows(rows)
    else:
        _print(rows)


def _rows(answers: Answers, group: str | None, instant: datetime | None, cluster: str | None) -> Iterator[Row]:
    question = _OFFSETS.format(group=", $group" if group else "")
    values = {"instant": instant, "cluster": cluster, **({"group": group} if group else {})}
    return answers.rows(question, values)


def _print(rows: Sequence[Row]) -> None:
    head = ("GROUP", "PARTITION", "FROM", "BY", "STATUS", "AGAIN", "MISSED")
    print_columns([head, *map(_line, _folded(rows))])
    committed = [row for row in rows if row["method"] == "committed"]
    counts = Counter(row["status"] for row in committed)
    words = ", ".join(f"{count:,} {in_words(status)}" for status, count in counts.most_common())
    note(f"lagbook: {plural(len(committed), 'partition')}{f', by what is committed there: {words}' if words else ''}.")


def _flow_words(flow: Row) -> str:
    alias, target = pasteable(flow["source_alias"] or flow["checkpoints_topic"]), pasteable(flow["target_cluster"])
    if flow["source_cluster"] is None:
        return (
            f"{alias} -> {target}: which cluster {alias} is can't be said: read its logs too, or name it with"
            f" `lagbook run --mirror-alias {alias}=CLUSTER`"
        )
    source = pasteable(flow["source_cluster"])
    return f"{alias} -> {target}: {alias} is {source} ({_BASES[flow['source_basis']]})"


def _folded(rows: Sequence[Row]) -> Iterator[Row]:
    """The rows, one for both ways to go on where they begin at the same offset."""
    place = ("source_cluster", "cluster", "group_id", "topic", "partition", "target_offset", "status")
    folded: dict[tuple[Any, ...], Row] = {}
    for row in rows:
        key = tuple(row[name] for name in place)
        folded[key] = {**row, "method": "both"} if key in folded else row
    return iter(folded.values())


def _line(row: Row) -> tuple[object, ...]:
    return (
        *(pasteable(row["group_id"]), Shown(f"{pasteable(row['topic'])}-{row['partition']}"), row["target_offset"]),
        *(row["method"], in_words(row["status"])),
        between(row["read_again_lower"], row["read_again_upper"]),
        between(row["missed_lower"], row["missed_upper"]),
    )
