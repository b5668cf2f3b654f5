"""`lagbook reset-plan`: the offsets that undo what happened to a group, in the form that Kafka's own tool takes.

Put here which offsets are meant, and how they and their cost are printed. Nothing is ever changed from here: that is
for a person, with kafka-consumer-groups.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING, Any, Final

import click

from dagster_project.cli import exits, options
from dagster_project.cli.exits import CallRefusedError
from dagster_project.cli.questions.answers import Answers, open_answers
from dagster_project.cli.questions.basis import note_basis
from dagster_project.cli.questions.refusals import refuse_before_first, refuse_unknown, refuse_unknown_cluster
from dagster_project.cli.terminal import brief, cell, note, print_json_rows, safe
from dagster_project.cli.times import FORMS, typed_time

if TYPE_CHECKING:
    from datetime import datetime

Row = dict[str, Any]
Places = dict[str, frozenset[int]]

_PLAIN: Final = re.compile(r"[A-Za-z0-9._-]+")
_TARGETS: Final = {
    "at": "SELECT cluster, topic, partition, current_offset AS target FROM state_at($instant, $group) WHERE is_known",
    "undo_replays": """
        SELECT r.cluster, r.topic, r.partition, max(r.to_offset) AS target
        FROM mart.replays AS r JOIN mart.offsets_now AS n USING (cluster, group_id, topic, partition)
        WHERE r.group_id = $group AND r.kind = 'set_back' AND n.current_offset < r.to_offset
        GROUP BY ALL
    """,
}
"""The target offset of each partition, by the kind of target."""

_PLAN: Final = """
    SELECT * EXCLUDE (group_id)
    FROM cost_of_moves((
        SELECT list({{
            'cluster': cluster, 'group_id': $group, 'topic': topic, 'partition': partition, 'target': target
        }})
        FROM ({targets})
        WHERE $cluster IS NULL OR cluster = $cluster
    ))
    ORDER BY cluster, topic, partition
"""
"""The cost of the plan, from the macro that `reset_cost` uses too."""

_HIDDEN: Final = """
    SELECT topic, partition, last_seen_offset, effective_at FROM state_at($instant, $group)
    WHERE NOT is_known AND ($cluster IS NULL OR cluster = $cluster)
    ORDER BY cluster, topic, partition
"""
"""Partitions whose committed offset at the instant a gap in the log may hide."""
_UNSEEN: Final = "a hole in the log may hide what was committed then"

_HELP: Final = f"""Print the CSV that kafka-consumer-groups --reset-offsets --from-file takes, and what it would cost.

Lagbook changes nothing itself. Say where the group is to go: to the offsets it had --at a TIME, or with --undo-replays
to where it had come before it was set back (mart.replays), for partitions that have not come there again.

The CSV has one line per partition: topic,partition,offset, as the tool's own --export for one group. The cost goes to
stderr: offsets read again or skipped, compared with what is committed now, as records where data segments were read.
An offset below the log start is raised to it, and said. What is not known is said too, never 0; a partition of which a
hole in the log may hide where it stood is left out, and named.

TIME is {FORMS}.

\b
Examples:
  lagbook reset-plan payments --at 2026-11-18T02:30 --warehouse wh > plan.csv
  lagbook reset-plan payments --undo-replays --topic orders:0,3 --warehouse wh > plan.csv
  kafka-consumer-groups --bootstrap-server broker1:9092 --group payments \\
      --reset-offsets --from-file plan.csv --dry-run"""


@dataclass(frozen=True, slots=True)
class Wish:
    """Whose offsets are meant, and when or why; no places are all places."""

    group: str
    instant: datetime | None
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
@click.argument("group")
@click.option("--at", "instant", type=typed_time, metavar="TIME", help="To the offsets that were committed then.")
@click.option("--undo-replays", is_flag=True, help="To where the group had come before it was set back.")
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
    group: str,
    *,
    instant: datetime | None,
    undo_replays: bool,
    places: tuple[tuple[str, frozenset[int]], ...],
    cluster: str | None,
    warehouse: str | None,
    as_json: bool,
) -> None:
    """Print the plan and its cost."""
    if undo_replays == bool(instant):
        raise click.UsageError("Give either --at TIME or --undo-replays.", click.get_current_context())
    wish = Wish(group, instant, _merge(places), cluster)
    with open_answers(options.named_warehouse(warehouse)) as answers:
        rows, hidden = plan_reset(answers, wish), hidden_then(answers, wish)
        if not rows:
            refuse_unknown(answers, {wish.group})
            raise CallRefusedError(_nothing(wish, hidden))
        note_basis(answers, [wish.group], cluster)
    _tell_hidden(hidden)
    if as_json:
        print_json_rows({"group_id": group, **row} for row in rows)
        return
    for line in [csv_line(row) for row in rows]:
        click.echo(line)
    _tell_missing(wish.places, [*rows, *hidden])
    _tell_cost(group, rows)


def hidden_then(answers: Answers, wish: Wish) -> list[Row]:
    """The partitions whose committed offset at the instant is unknown: a gap in the log may hide it."""
    if wish.instant is None:
        return []
    parameters = {"group": wish.group, "cluster": wish.cluster, "instant": wish.instant}
    return [row for row in answers.rows(_HIDDEN, parameters) if _is_meant(row, wish.places)]


def plan_reset(answers: Answers, wish: Wish) -> list[Row]:
    """Where each partition is to go and what that costs; refused where that is not one cluster's."""
    parameters: dict[str, object] = {"group": wish.group, "cluster": wish.cluster}
    refuse_unknown_cluster(answers, wish.cluster)
    if wish.instant:
        refuse_before_first(answers, wish.instant, wish.cluster, {wish.group})
        parameters["instant"] = wish.instant
    question = _PLAN.format(targets=_TARGETS["at" if wish.instant else "undo_replays"])
    rows = [row for row in answers.rows(question, parameters) if _is_meant(row, wish.places)]
    clusters = {row["cluster"] for row in rows}
    if len(clusters) > 1:
        names = ", ".join(brief(name) for name in sorted(clusters))
        raise CallRefusedError(f"group {brief(wish.group)} is in several clusters, so give --cluster: {names}.")
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
        records = "records not known" if row["records"] is None else f"{row['records']} records"
        words = f"{again or skipped} offsets {'read again' if again else 'skipped'} ({records})"
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
        return f"what group {brief(wish.group)} had committed then{where} is not known: {_UNSEEN}."
    what = (
        "had nothing committed then"
        if wish.instant
        else "stands nowhere below where it had come before it was set back"
    )
    return f"group {brief(wish.group)} {what}{where}."


def _tell_hidden(rows: list[Row]) -> None:
    """Name the partitions whose committed offset is unknown."""
    for row in rows:
        last_commit = (
            f"{row['last_seen_offset']} of {cell(row['effective_at'])}"
            if row["last_seen_offset"] is not None
            else "none"
        )
        name = f"{brief(row['topic'])}-{row['partition']}"
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
        name = f"{brief(row['topic'])}-{row['partition']}"
        note(f"lagbook: {name}: {cell(row['current_offset'])} -> {row['offset']}: {cost(row)}")
    again, skipped = (sum(row[name] or 0 for row in rows) for name in ("offsets_again", "offsets_skipped"))
    least = "at least " if any(row["offsets_again"] is None for row in rows) else ""
    note(f"lagbook: in all {least}{again} offsets read again, {least}{skipped} skipped; Lagbook changed nothing.")
    if any(row["member_id"] for row in rows):
        note("lagbook: the group has members; the tool refuses to move it until they have stopped.")
    if any(row["topic"][:1] in "=+-@" for row in rows):
        note("lagbook: a topic's name begins like a formula: don't open the CSV in a spreadsheet.")
    words = f"kafka-consumer-groups --bootstrap-server HOST:PORT --group {quote(group)}"
    note(safe(f"lagbook: next: {words} --reset-offsets --from-file FILE --dry-run"))


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
