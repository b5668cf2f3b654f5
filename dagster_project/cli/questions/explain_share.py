"""The evidence of a share partition for `lagbook explain`: the questions, and each event in words.

Put here what holds of share groups alone. How events are printed belongs in `explain`; how they are joined in the macro
`explain_share`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from dagster_project.cli.exits import CallRefusedError
from dagster_project.cli.questions.nearest import refuse_unknown_place
from dagster_project.cli.terminal import cell, in_words, pasteable, plural

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dagster_project.cli.questions.answers import Answers

    Row = Mapping[str, Any]

_IS_SHARE: Final = """
    SELECT EXISTS (FROM core.share_states WHERE group_id = $group)
        OR EXISTS (FROM core.group_states WHERE group_id = $group AND group_type = 'share') AS is_share,
        EXISTS (FROM core.commits WHERE group_id = $group AND topic = $topic AND partition = $partition) AS has_commits
"""
_PLACES: Final = """
    SELECT DISTINCT coalesce(n.topic, s.topic_id) AS name, s.partition
    FROM core.share_states AS s
    LEFT JOIN _topic_names() AS n USING (cluster, topic_id)
    WHERE s.group_id = $group
"""
_OF_PLACE: Final = """(
        $group, $topic, $partition, coalesce($begin, '-infinity'::TIMESTAMPTZ), coalesce($end, 'infinity'::TIMESTAMPTZ)
    )
    WHERE ($cluster IS NULL OR cluster = $cluster)"""
_EVIDENCE: Final = f"FROM explain_share{_OF_PLACE}"
_SURROUNDINGS: Final = f"""
    FROM explain{_OF_PLACE} AND event IN ('owned', 'given_up', 'group', 'log_start', 'new_topic')
"""
"""Who was assigned the partition, and what else the records of the offsets topic and of data logs say."""
_STANDS: Final = """
    SELECT
        s.start_offset, s.log_end_offset, s.lag, s.is_known,
        (
            SELECT coalesce(sum(to_offset - from_offset), 0) FROM mart.share_redeliveries AS r
            WHERE r.cluster = s.cluster AND r.group_id = s.group_id AND r.topic_id = s.topic_id
                AND r.partition = s.partition AND r.first_redelivered_at <= coalesce($end, 'infinity'::TIMESTAMPTZ)
        ) AS redelivered,
        (
            SELECT coalesce(sum(to_offset - from_offset), 0) FROM mart.share_archived AS a
            WHERE a.cluster = s.cluster AND a.group_id = s.group_id AND a.topic_id = s.topic_id
                AND a.partition = s.partition AND a.archived_at <= coalesce($end, 'infinity'::TIMESTAMPTZ)
                AND a.cause <> 'never_delivered'
        ) AS given_up
    FROM share_backlog_at(coalesce($end, 'infinity'::TIMESTAMPTZ), grp := $group) AS s
    WHERE coalesce(s.topic, s.topic_id) = $topic AND s.partition = $partition
        AND ($cluster IS NULL OR s.cluster = $cluster)
    ORDER BY s.cluster
"""


def is_of_share_group(answers: Answers, place: Row) -> bool:
    """Whether a group is a share group, which committed no offset there under another type."""
    row = answers.row(_IS_SHARE, {name: place[name] for name in ("group", "topic", "partition")})
    return bool(row["is_share"] and not row["has_commits"])


def share_evidence(answers: Answers, parameters: Row) -> list[dict[str, Any]]:
    """The events of a share partition in the order of their times; a place without any is refused."""
    refuse_unknown_place(
        answers, parameters, _PLACES, _nothing_of(parameters), "no record of __share_group_state names it"
    )
    rows = [*answers.rows(_SURROUNDINGS, dict(parameters)), *answers.rows(_EVIDENCE, dict(parameters))]
    names = list(dict.fromkeys(name for row in rows for name in row))
    ordered = sorted(rows, key=lambda row: (row["occurred_at"] is None, row["occurred_at"]))
    if not any(row.get("record_offset") is not None for row in ordered):
        raise CallRefusedError(f"{_nothing_of(parameters)} in that time.")
    return [{name: row.get(name) for name in names} for row in ordered]


def _nothing_of(place: Row) -> str:
    partition = f"{pasteable(place['topic'])}-{place['partition']}"
    return f"group {pasteable(place['group'])} is a share group, and had no state of {partition}"


def _amount(row: Row) -> str:
    """The offsets of a row: one, a range, or how many there are in several ranges."""
    first, last, offsets = row["from_offset"], row["to_offset"] - 1, row["offsets"]
    if first == last:
        return f"offset {first}"
    if row["ranges"] == 1:
        return f"offsets {first} to {last}"
    return f"{plural(offsets, 'offset')} between {first} and {last}"


def _tell_accepted(row: Row) -> str:
    times = row["delivery_count"]
    delivery = "their first delivery" if times == 1 else f"delivery {times}"
    accepted = f"{_amount(row)} {_were(row)} accepted at {delivery.replace('their', _their(row))}"
    moved = f"; {_moved(row)}" if row["start_offset"] is not None else ""
    return f"{accepted}{moved}{_records(row)}"


def _were(row: Row) -> str:
    return "was" if row["offsets"] == 1 else "were"


def _their(row: Row) -> str:
    return "its" if row["offsets"] == 1 else "their"


def _records(row: Row) -> str:
    return "" if row["records"] == 1 else f" ({row['records']} records, until {cell(row['until_at'])})"


def _moved(row: Row) -> str:
    before, after = cell(row["previous_start_offset"]), cell(row["start_offset"])
    return f"the start offset went from {before} to {after}"


def _tell_returned(row: Row) -> str:
    if not row["delivery_count"]:
        return f"{_amount(row)} {_were(row)} made available, without a delivery so far"
    why = f"released, or {_their(row)} lock expired"
    return f"{_amount(row)} came back after delivery {row['delivery_count']} ({why})"


def _tell_archived(row: Row) -> str:
    offsets, times = f"{_amount(row)} {_were(row)}", row["delivery_count"]
    likely = ", likely" if row["certainty"] == "likely" else ""
    causes = {
        "rejected": f"given up: rejected at delivery {times}{likely}",
        "out_of_attempts": f"given up: out of attempts after delivery {times}{likely}",
        "never_delivered": "passed without a delivery: there was no record for consumers, as of an aborted transaction",
    }
    return f"{offsets} {causes.get(row['cause'], f'given up after delivery {times}, rejected or out of attempts')}"


def _tell_start(row: Row) -> str:
    before, after, passed = cell(row["previous_start_offset"]), cell(row["start_offset"]), row["undelivered_offsets"]
    undelivered = f"past {plural(passed or 0, 'offset')} neither accepted nor given up"
    sentences = {
        "initialized": f"the start offset was set to {after}: the group began to read the partition",
        "reset": f"the start offset was reset from {before} to {after}, which begins all counts anew",
        "records_deleted": f"{_moved(row)}, {undelivered}: records were deleted first",
        "passed_undelivered": f"{_moved(row)}, {undelivered}: deleted, compacted, aborted, or markers",
        "unknown": f"the start offset is {after}; what it was before is not known",
    }
    return sentences.get(row["cause"] or "", _moved(row)) + _records(row)


def _tell_other(row: Row) -> str:
    return f"{_amount(row)} {_were(row)} {in_words(row['event'])}, after delivery {row['delivery_count']}"


def _with_hole(tell: Callable[[Row], str]) -> Callable[[Row], str]:
    """The words of an event of offsets, and that a hole in the log lies before it, where one does."""

    def words(row: Row) -> str:
        return tell(row) + ("" if row["is_gap_free"] else " (behind a hole in the log, which may hide others)")

    return words


SHARE_WORDS: Final[Mapping[str, Callable[[Row], str]]] = {
    "acknowledged": _with_hole(_tell_accepted),
    "available": _with_hole(_tell_returned),
    "archived": _with_hole(_tell_archived),
    "start_offset": _tell_start,
    **dict.fromkeys(("acquired", "archiving", "unknown"), _with_hole(_tell_other)),
}
"""The words of each event of a share partition."""


def print_share_end(answers: Answers, parameters: Mapping[str, object]) -> None:
    """Print start offset, log end and lag at the end, and what was delivered again or given up by then."""
    was = "then was" if parameters["end"] else "is"
    for row in answers.rows(_STANDS, dict(parameters)):
        hidden = "" if row["is_known"] else " (a hole in the log may hide what became of it)"
        click.echo(
            f"So its start offset {was} {cell(row['start_offset'])}{hidden}, the log end {cell(row['log_end_offset'])},"
            f" the lag {cell(row['lag'])}; by then {plural(int(row['redelivered']), 'offset')} had been delivered more"
            f" than once, and {plural(int(row['given_up']), 'offset')} given up."
        )
