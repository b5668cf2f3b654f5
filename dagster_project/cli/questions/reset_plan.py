"""`lagbook reset-plan`: the offsets that undo what happened to a group, in the form that Kafka's own tool takes.

Put here what the command takes, and how offsets and their cost are printed. Which offsets are meant stands in
`reset_targets`. Nothing is ever changed from here: that is for a person, with kafka-consumer-groups.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import click

from dagster_project.cli import exits, options
from dagster_project.cli.exits import CallRefusedError
from dagster_project.cli.questions.answers import Answers, open_answers
from dagster_project.cli.questions.basis import note_basis
from dagster_project.cli.questions.refusals import (
    refuse_before_first,
    refuse_unknown,
    refuse_unknown_cluster,
    refuse_unknown_topics,
)
from dagster_project.cli.questions.reset_targets import NOTHING, PLANS, Target, of_incident
from dagster_project.cli.terminal import brief, cell, note, pasteable, print_json_rows
from dagster_project.cli.times import FORMS, typed_time

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Row = dict[str, Any]
Places = dict[str, frozenset[int]]

_PLAIN: Final = re.compile(r"[A-Za-z0-9._-]+")
_HIDDEN: Final = """
    SELECT topic, partition, last_seen_offset, effective_at FROM state_at($instant, $group)
    WHERE NOT is_known AND ($cluster IS NULL OR cluster = $cluster)
    ORDER BY cluster, topic, partition
"""
"""Partitions whose committed offset at the instant a gap in the log may hide."""
_LARGEST: Final = (1 << 63) - 1
_UNSEEN: Final = "a hole in the log may hide what was committed then"

_HELP: Final = f"""Print the CSV that kafka-consumer-groups --reset-offsets --from-file takes, and what it would cost.

Lagbook changes nothing itself. Say where the group is to go:
to the offsets that it had --at a TIME; with --undo-replays to where it had come before it was set back, for partitions
that have not come there again; with --undo-skips back to the first offset that it never read; with --incident ID what
undoes that incident; or, as in Kafka's tool, --to-datetime (the time of records, as headers of segments have it),
--shift-by, --to-offset, --to-earliest and --to-latest, for the partitions in which it has an offset.

The CSV has one line per partition: topic,partition,offset, as the tool's own --export for one group. The cost goes to
stderr: offsets read again or skipped, compared with what is committed now, as records where data segments were read.
An offset below the log start is raised to it, and said. What is not known is said too, never 0; a partition of which a
hole in the log may hide where it stood is left out, and named.

TIME is {FORMS}.

\b
Examples:
  lagbook reset-plan payments --at 2026-11-18T02:30 --warehouse wh > plan.csv
  lagbook reset-plan payments --undo-replays --topic orders:0,3 \\
      --warehouse wh > plan.csv
  lagbook reset-plan --incident 3f2a91c04b7d --warehouse wh > plan.csv
  lagbook reset-plan payments --to-datetime 'yesterday 14:00' \\
      --warehouse wh > plan.csv
  kafka-consumer-groups --bootstrap-server broker1:9092 --group payments \\
      --reset-offsets --from-file plan.csv --dry-run"""


@dataclass(frozen=True, slots=True)
class Wish:
    """Whose offsets are meant, and where they are to go; no places are all places."""

    group: str
    target: Target
    places: Places
    cluster: str | None


def typed_place(text: str) -> tuple[str, frozenset[int]]:
    """A topic, or TOPIC:0,1,2 as kafka-consumer-groups takes it."""
    topic, sign, numbers = text.rpartition(":")
    if not sign:
        return text, frozenset()
    if not re.fullmatch(r"[0-9]{1,9}(,[0-9]{1,9})*", numbers):
        raise click.BadParameter(f"{brief(text)} is neither TOPIC nor TOPIC:PARTITION,PARTITION.")
    return topic, frozenset(map(int, numbers.split(",")))


@click.command("reset-plan", help=_HELP, epilog=exits.MEANINGS)
@click.argument("group", required=False)
@click.option("--at", type=typed_time, metavar="TIME", help="To the offsets that were committed then.")
@click.option("--undo-replays", is_flag=True, help="To where the group had come before it was set back.")
@click.option("--undo-skips", is_flag=True, help="To the first offset that the group never read.")
@click.option("--incident", metavar="ID", help="To what undoes this incident, instead of a GROUP.")
@click.option("--to-datetime", type=typed_time, metavar="TIME", help="To the first record of this time or later.")
@click.option(
    "--shift-by",
    type=click.IntRange(-_LARGEST, _LARGEST),
    metavar="NUMBER",
    help="So many offsets on, or back if it is below 0.",
)
@click.option("--to-offset", type=click.IntRange(0, _LARGEST), metavar="OFFSET", help="To this offset.")
@click.option("--to-earliest", is_flag=True, help="To the log start.")
@click.option("--to-latest", is_flag=True, help="To the log end.")
@click.option(
    "--topic",
    "places",
    type=typed_place,
    multiple=True,
    metavar="TOPIC[:0,1]",
    help="This topic alone, or partitions of it; may be given several times.",
)
@options.ZONE
@options.CLUSTER
@options.WAREHOUSE
@options.JSON
def reset_plan(
    group: str | None,
    *,
    places: tuple[tuple[str, frozenset[int]], ...],
    cluster: str | None,
    warehouse: str | None,
    as_json: bool,
    **targets: Any,  # noqa: ANN401 - what click read
) -> None:
    """Print the plan and its cost."""
    target = _typed_target(group, targets)
    with open_answers(options.named_warehouse(warehouse)) as answers:
        if target.incident is not None:
            target, group, cluster = of_incident(answers, target.incident)
        wish = Wish(group or "", target, _merge(places), cluster)
        refuse_unknown(answers, {wish.group})
        rows, hidden = plan_reset(answers, wish), hidden_then(answers, wish)
        if not rows:
            refuse_unknown_topics(answers, list(wish.places))
            raise CallRefusedError(_nothing(wish, hidden))
        note_basis(answers, [wish.group], cluster)
    known = [row for row in rows if row["offset"] is not None]
    _tell_hidden(hidden)
    if as_json:
        print_json_rows({"group_id": wish.group, **row} for row in rows)
        return
    for line in [csv_line(row) for row in known]:
        click.echo(line)
    _tell_unknown(row for row in rows if row["offset"] is None)
    _tell_missing(wish.places, [*rows, *hidden])
    _tell_cost(wish.group, known)


def _typed_target(group: str | None, targets: Mapping[str, Any]) -> Target:
    """The one target that was asked for."""
    context = click.get_current_context()
    chosen = {name: value for name, value in targets.items() if value is not None and value is not False}
    if len(chosen) != 1:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in targets)
        raise click.UsageError(f"Give one of {names}.", context)
    ((kind, value),) = chosen.items()
    if (group is None) == (kind != "incident"):
        reason = "Name a GROUP, or give --incident ID." if group is None else "An --incident ID says whose it is."
        raise click.UsageError(reason, context)
    return Target(
        kind,
        instant=value if kind in {"at", "to_datetime"} else None,
        offset=value if kind in {"shift_by", "to_offset"} else None,
        incident=value if kind == "incident" else None,
    )


def hidden_then(answers: Answers, wish: Wish) -> list[Row]:
    """The partitions whose committed offset at the instant is unknown: a gap in the log may hide it."""
    if wish.target.kind != "at":
        return []
    parameters = {"group": wish.group, "cluster": wish.cluster, "instant": wish.target.instant}
    return [row for row in answers.rows(_HIDDEN, parameters) if _is_meant(row, wish.places)]


def plan_reset(answers: Answers, wish: Wish) -> list[Row]:
    """Where each partition is to go and what that costs; refused where that is not one cluster's."""
    refuse_unknown_cluster(answers, wish.cluster)
    if wish.target.kind == "at":
        refuse_before_first(answers, wish.target.instant, wish.cluster, {wish.group})
    parameters = {"group": wish.group, "cluster": wish.cluster, **wish.target.parameters}
    rows = [row for row in answers.rows(PLANS[wish.target.kind], parameters) if _is_meant(row, wish.places)]
    clusters = {row["cluster"] for row in rows}
    if len(clusters) > 1:
        names = ", ".join(pasteable(name) for name in sorted(clusters))
        raise CallRefusedError(f"group {pasteable(wish.group)} is in several clusters, so give --cluster: {names}.")
    return rows


def csv_line(row: Row) -> str:
    """One line for the tool: a name that could be taken for two is quoted, one that it can't read is refused."""
    topic = row["topic"]
    if "\n" in topic or "\r" in topic:
        raise CallRefusedError(f"topic {brief(topic)} has a line break in its name, which the tool's CSV can't hold.")
    quoted = topic if _PLAIN.fullmatch(topic) else '"' + topic.replace('"', '""') + '"'
    return f"{quoted},{row['partition']},{row['offset']}"


def cost(row: Row) -> str:
    """The cost of the plan, in words."""
    again, skipped, lost = row["offsets_again"], row["offsets_skipped"], row["offsets_lost"]
    if row["current_offset"] is None:
        words = "nothing is committed now, so what that costs is not known"
    elif again or skipped:
        records = "records not known" if row["records"] is None else f"{row['records']:,} records"
        words = f"{again or skipped:,} offsets {'read again' if again else 'skipped'} ({records})"
    else:
        words = "stands there already"
    if row["log_start_offset"] is None:
        return f"{words}; the log start is not known"
    return (
        f"{words}; {lost} offsets below the log start are gone, so it is raised to {row['offset']}" if lost else words
    )


def _nothing(wish: Wish, hidden: list[Row]) -> str:
    """Why there is no plan."""
    where = " in these topics" if wish.places else ""
    if hidden:
        return f"what group {pasteable(wish.group)} had committed then{where} is not known: {_UNSEEN}."
    what = NOTHING.get(wish.target.kind, "has nothing committed now")
    return f"group {pasteable(wish.group)} {what}{where}."


def _tell_unknown(rows: Iterable[Row]) -> None:
    """Name the partitions of which nobody knows where the target is."""
    for row in rows:
        name = f"{pasteable(row['topic'])}-{row['partition']}"
        note(f"lagbook: {name} is not in the plan: what was read does not tell where that is.")


def _tell_hidden(rows: list[Row]) -> None:
    """Name the partitions whose committed offset is unknown."""
    for row in rows:
        last_commit = (
            f"{row['last_seen_offset']} of {cell(row['effective_at'])}"
            if row["last_seen_offset"] is not None
            else "none"
        )
        name = f"{pasteable(row['topic'])}-{row['partition']}"
        note(f"lagbook: {name} is not in the plan: {_UNSEEN} (last commit seen before: {last_commit}).")


def _tell_missing(places: Places, rows: list[Row]) -> None:
    """Name the requested partitions that are not in the plan."""
    planned_places = {(row["topic"], row["partition"]) for row in rows}
    for topic, numbers in places.items():
        lacking = sorted(number for number in numbers if (topic, number) not in planned_places)
        names = [f"{brief(topic)}-{number}" for number in lacking]
        if not numbers and topic not in {planned_topic for planned_topic, _ in planned_places}:
            names = [brief(topic)]
        for name in names:
            note(f"lagbook: {name} is not in the plan: there is nothing of the group to go back to.")


def _tell_cost(group: str, rows: list[Row]) -> None:
    for row in rows:
        name = f"{pasteable(row['topic'])}-{row['partition']}"
        note(f"lagbook: {name}: {cell(row['current_offset'])} -> {row['offset']}: {cost(row)}")
    again, skipped = (sum(row[name] or 0 for row in rows) for name in ("offsets_again", "offsets_skipped"))
    least = "at least " if any(row["offsets_again"] is None for row in rows) else ""
    note(f"lagbook: in all {least}{again:,} offsets read again, {least}{skipped:,} skipped; Lagbook changed nothing.")
    if any(row["member_id"] for row in rows):
        note("lagbook: the group has members; the tool refuses to move it until they have stopped.")
    if any(row["topic"][:1] in "=+-@" for row in rows):
        note("lagbook: a topic's name begins like a formula: don't open the CSV in a spreadsheet.")
    words = f"kafka-consumer-groups --bootstrap-server HOST:PORT --group {pasteable(group)}"
    note(f"lagbook: next: {words} --reset-offsets --from-file FILE --dry-run")


def _merge(places: tuple[tuple[str, frozenset[int]], ...]) -> Places:
    """The requested partitions of each topic; a topic without partitions means all of them."""
    merged: Places = {}
    for topic, numbers in places:
        is_gap_free = not numbers or (topic in merged and not merged[topic])
        merged[topic] = frozenset() if is_gap_free else merged.get(topic, frozenset()) | numbers
    return merged


def _is_meant(row: Row, places: Places) -> bool:
    if not places:
        return True
    numbers = places.get(row["topic"])
    return numbers is not None and (not numbers or row["partition"] in numbers)
