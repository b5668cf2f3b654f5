"""`lagbook explain`: the ordered evidence behind one offset, in plain words.

Put here how the evidence is queried and printed. How it is joined belongs in the macro `explain`.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

import click

from dagster_project.cli import exits, options
from dagster_project.cli.exits import CallRefusedError
from dagster_project.cli.questions.answers import Answers, open_answers
from dagster_project.cli.questions.basis import note_basis
from dagster_project.cli.questions.explain_share import (
    SHARE_WORDS,
    is_of_share_group,
    print_share_end,
    share_evidence,
)
from dagster_project.cli.questions.nearest import refuse_unknown_place
from dagster_project.cli.questions.refusals import (
    refuse_before_first,
    refuse_several_clusters,
    refuse_unknown,
    refuse_unknown_cluster,
)
from dagster_project.cli.questions.who import member, who
from dagster_project.cli.terminal import between, cell, in_words, note, pasteable, print_json_rows
from dagster_project.cli.times import FORMS, typed_time

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    Row = Mapping[str, Any]

_EVIDENCE: Final = """
    FROM explain(
        $group, $topic, $partition, coalesce($begin, '-infinity'::TIMESTAMPTZ), coalesce($end, 'infinity'::TIMESTAMPTZ)
    )
    WHERE $cluster IS NULL OR cluster = $cluster
"""
_PLACES: Final = """
    SELECT topic AS name, partition FROM core.commits WHERE group_id = $group
    UNION SELECT topic, partition FROM core.ownership WHERE group_id = $group
"""
_STANDS: Final = """
    SELECT current_offset, is_known, log_end_lower, log_end_upper, lag_lower, lag_upper, lost_offsets, member_id,
           client_host
    FROM lag_at(coalesce($end, 'infinity'::TIMESTAMPTZ), $group)
    WHERE topic = $topic AND partition = $partition AND ($cluster IS NULL OR cluster = $cluster)
    ORDER BY cluster
"""

_PASSED: Final = {
    "overtaken_by_log_start": "the log had lost it",
    "skipped_ahead": "its members were told to go on farther ahead",
}
"""How offsets were passed over, in words, by `kind` of mart.skips."""

_HELP: Final = f"""What moved the offset of GROUP in PARTITION of TOPIC: the evidence, in order, in plain words.

Commits, removals and why, who came to own the partition and who gave it up, states of the group, where the log began,
and a topic made anew; each with its place in __consumer_offsets. Commits that read on without anything in between are
told as one. It ends with what stood at the end of that time, or of what was read. --at is another name of --to.

Of a share group: what moved its start offset, which offsets were accepted, came back and were delivered again, and
which were given up and why; each with its place in __share_group_state.

TIME is {FORMS}.

\b
Examples:
  lagbook explain payments orders 3 --warehouse wh
  lagbook explain payments orders 3 --at 2026-11-18T02:30 --warehouse wh
  lagbook explain payments orders 3 --from 2026-11-18T02:00 \\
      --to 2026-11-18T03:00 --json --warehouse wh"""


@click.command(help=_HELP, epilog=exits.MEANINGS)
@click.argument("group")
@click.argument("topic")
@click.argument("partition", type=click.IntRange(min=0))
@click.option("--from", "begin", type=typed_time, metavar="TIME", help="What happened at this instant and later.")
@click.option(
    "--to", "--at", "end", type=typed_time, metavar="TIME", help="What happened up to this instant, and stood then."
)
@click.option(
    "--last",
    type=click.IntRange(min=1),
    default=60,
    show_default=True,
    metavar="NUMBER",
    help="So many events, the last ones; --json prints all.",
)
@options.ZONE
@options.CLUSTER
@options.WAREHOUSE
@options.JSON
def explain(
    group: str,
    topic: str,
    partition: int,
    *,
    begin: datetime | None,
    end: datetime | None,
    last: int,
    cluster: str | None,
    warehouse: str | None,
    as_json: bool,
) -> None:
    """Print the events, then what they led to."""
    if begin and end and begin > end:
        raise click.UsageError("--from has to be before --to.", click.get_current_context())
    place = {"group": group, "topic": topic, "partition": partition, "cluster": cluster}
    parameters = {**place, "begin": begin, "end": end}
    with open_answers(options.named_warehouse(warehouse)) as answers:
        refuse_unknown_cluster(answers, cluster)
        refuse_unknown(answers, {group})
        refuse_several_clusters(answers, group, cluster)
        is_shared = is_of_share_group(answers, place)
        rows = share_evidence(answers, parameters) if is_shared else _commit_evidence(answers, parameters)
        note_basis(answers, [group], cluster, end)
        if as_json:
            print_json_rows(rows)
        else:
            _print(rows[-last:], len(rows))
            print_end = print_share_end if is_shared else _print_end
            print_end(answers, {name: value for name, value in parameters.items() if name != "begin"})


def _commit_evidence(answers: Answers, parameters: dict[str, Any]) -> list[dict[str, Any]]:
    """What moved a committed offset; a place or a time without any evidence is refused."""
    place = {name: parameters[name] for name in ("group", "topic", "partition", "cluster")}
    refuse_before_first(answers, parameters["end"], parameters["cluster"], {parameters["group"]})
    refuse_unknown_place(answers, place, _PLACES, _nothing_of(place), "it has no topic")
    rows = list(answers.rows(_EVIDENCE, parameters))
    if not rows:
        raise CallRefusedError(f"{_nothing_of(place)} in that time.")
    return rows


def _nothing_of(place: Row) -> str:
    partition = f"{pasteable(place['topic'])}-{place['partition']}"
    return f"group {pasteable(place['group'])} committed and owned nothing of {partition}"


def _print(rows: Sequence[Row], count: int) -> None:
    if count > len(rows):
        note(f"lagbook: {count - len(rows)} earlier events are left out; --last shows more, --json all.")
    for row in rows:
        click.echo(f"{cell(row['occurred_at'])}  {_tell(row)}{_place(row)}")


def _place(row: Row) -> str:
    """The record that shows an event: of the offsets topic, of a store outside Kafka, or of __share_group_state."""
    if _is_of_share_state(row):
        return f"  [share state {row['state_partition']}/{row['record_offset']}]"
    log = "store" if (row["log_partition"] or 0) < 0 else row["log_partition"]
    return f"  [{log}/{row['log_offset']}]" if row["log_offset"] is not None else ""


def _is_of_share_state(row: Row) -> bool:
    return row.get("record_offset") is not None


def _tell(row: Row) -> str:
    words = SHARE_WORDS if _is_of_share_state(row) else _WORDS
    return words.get(row["event"], _tell_move)(row)


def _tell_reading(row: Row) -> str:
    steps = "1 commit" if row["commits"] == 1 else f"{row['commits']} commits, until {cell(row['until_at'])}"
    return f"read on from {cell(row['from_offset'])} to {cell(row['to_offset'])} ({steps}){_tell_who(row)}"


def _tell_move(row: Row) -> str:
    before, now = cell(row["from_offset"]), cell(row["to_offset"])
    how = _PASSED.get(row["cause"]) or in_words(row["cause"])
    alone = ", while the group had no members" if row["detail"] == "Empty" else ""
    sentences = {
        "first": f"committed {now}, where nothing stood",
        "passed_over": f"went on from {before} to {now}, and passed over what it had not read ({how})",
        "advance": f"set forward from {before} to {now}",
        "repeat": f"committed {now} again",
        "rewind": f"set back from {before} to {now}",
        "removed": f"{before} was removed ({_tell_cause(row)})",
    }
    return sentences.get(row["event"], f"committed {now}; what stood before is not known") + alone + _tell_who(row)


def _tell_cause(row: Row) -> str:
    """The cause of a removal, and how long the offset had been idle, to compare with the broker's retention."""
    why = "why is not known" if row["cause"] == "unknown" else in_words(row["cause"])
    idle_ms = row["idle_ms"]
    return why if idle_ms is None else f"{why}; it had stood for {timedelta(seconds=idle_ms // 1000)}"


def _tell_who(row: Row) -> str:
    """The actor of a commit, if known; the owner is left out, for an earlier line names it."""
    actor = None if row["actor"] == "owner" else who(row)
    return f", by {actor}" if actor else ""


def _tell_owner(row: Row) -> str:
    generation = "" if row["generation"] is None else f", from generation {row['generation']}"
    return f"owned by {member(row)}{generation}"


def _tell_end(row: Row) -> str:
    how = f": {in_words(row['detail'])}" if row["detail"] else ""
    return f"given up by {cell(row['member_id'])}{how}"


def _tell_state(row: Row) -> str:
    generation = "" if row["generation"] is None else f", generation {row['generation']}"
    state = "in no known state" if row["detail"] is None else cell(row["detail"])
    return f"the group is {state}{generation}"


def _tell_topic(row: Row) -> str:
    return f"the topic was made anew, its id is {cell(row['detail'])}"


def _tell_start(row: Row) -> str:
    return f"the log was found to begin at {cell(row['to_offset'])} ({row['detail']})"


_WORDS: Final[dict[str, Callable[[Row], str]]] = {
    "read_on": _tell_reading,
    "owned": _tell_owner,
    "given_up": _tell_end,
    "group": _tell_state,
    "log_start": _tell_start,
    "new_topic": _tell_topic,
}


def _print_end(answers: Answers, parameters: dict[str, object]) -> None:
    """Print the offset, log end, lag and owner at the end, in each cluster that has the group."""
    was = "then was" if parameters["end"] else "is"
    for row in answers.rows(_STANDS, parameters):
        owner = f"owned by {member(row)}" if row["member_id"] else "nobody is known to own it"
        lost = f", {row['lost_offsets']} offsets lost to the log start" if row["lost_offsets"] else ""
        hidden = "" if row["is_known"] else " (a hole in the log may hide what was committed)"
        click.echo(
            f"So its offset {was} {cell(row['current_offset'])}{hidden}, the log end"
            f" {between(row['log_end_lower'], row['log_end_upper'])}, the lag"
            f" {between(row['lag_lower'], row['lag_upper'])}{lost}; {owner}."
        )
