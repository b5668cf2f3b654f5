"""Lag and owner of each partition of groups: the rows, and the table of `kafka-consumer-groups --describe --offsets`.

Put here how that table is asked for and printed. How lag and owner are worked out belongs in `assets.models`.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from dagster_project.cli.questions.group_views.members import OF_GROUPS, instant_rows
from dagster_project.cli.terminal import NAME, between, note, pasteable, plural, print_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from dagster_project.cli.questions.answers import Answers

Row = dict[str, Any]

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

MOST: Final = 20
"""Partitions of one group that are shown without folding."""
WORST: Final = 10
"""Partitions that are shown of a group that has more."""

_BOUNDS: Final = {"log_end_offset": ("log_end_lower", "log_end_upper"), "lag": ("lag_lower", "lag_upper")}
"""Columns that may be known within bounds only -> the columns of these."""
_SELECT: Final = (
    f"SELECT {', '.join(COLUMNS.values())}, {', '.join(bound for pair in _BOUNDS.values() for bound in pair)},"
    " is_known, cluster, log_start_offset, lost_offsets FROM"
)
_ORDER: Final = "ORDER BY cluster, group_id, topic, partition"
_EPOCHS: Final = """
    SELECT cluster, group_id, topic, partition, leader_epoch FROM {offsets}
    WHERE len($groups) = 0 OR list_contains($groups, group_id)
"""

_NAMELESS: Final = f"""
    SELECT cluster, group_id, topic, partition FROM owner_at(coalesce($instant, 'infinity'::TIMESTAMPTZ){{group}})
    WHERE is_known AND topic = topic_id AND {OF_GROUPS}
"""  # noqa: S608 - a constant of this room


def lag_rows(answers: Answers, groups: tuple[str, ...], instant: datetime | None, cluster: str | None) -> Iterator[Row]:
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


def with_leader_epochs(
    answers: Answers, rows: Iterable[Row], groups: tuple[str, ...], instant: datetime | None
) -> list[Row]:
    """The rows with the leader epoch of each commit, NULL where a commit has none or is not known."""
    offsets = "state_at($instant)" if instant else "mart.offsets_now"
    parameters = {"groups": list(groups), **({"instant": instant} if instant else {})}
    epochs = {_place(row): row["leader_epoch"] for row in answers.rows(_EPOCHS.format(offsets=offsets), parameters)}
    return [{**row, "leader_epoch": epochs.get(_place(row))} for row in rows]


def note_nameless_owners(
    answers: Answers, rows: Iterable[Row], groups: tuple[str, ...], instant: datetime | None, cluster: str | None
) -> None:
    """Say of which partitions the owners are not among the rows, since their topic ids may be any of some topics."""
    shown = {_place(row) for row in rows}
    nameless = [row for row in instant_rows(answers, _NAMELESS, groups, instant, cluster) if _place(row) not in shown]
    if nameless:
        ids = len({row["topic"] for row in nameless})
        note(
            f"lagbook: {plural(len(nameless), 'partition')} {'is' if len(nameless) == 1 else 'are'} owned by"
            f" {plural(ids, 'topic id')} that nothing read so far names, so who owns what is not shown;"
            " partition.metadata of the topics' logs, or a running cluster, names them."
        )


def print_offsets(rows: Sequence[Row], *, is_whole: bool, is_verbose: bool) -> None:
    """Print the table; of a group with many partitions those furthest behind, unless all are wanted."""
    shown = list(rows) if is_whole else folded(rows)
    columns = _columns(rows, is_verbose=is_verbose)
    print_columns([tuple(columns), *([_value(row, name) for name in columns.values()] for row in shown)])
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


def _columns(rows: Iterable[Row], *, is_verbose: bool) -> dict[str, str]:
    """The headings and their columns: the leader epoch when it is asked for, the cluster when there are several."""
    names = list(COLUMNS.items())
    names[3:3] = [("LEADER-EPOCH", "leader_epoch")] if is_verbose else []
    several = len({row["cluster"] for row in rows}) > 1
    return dict([*names, ("CLUSTER", "cluster")] if several else names)


def folded(rows: Iterable[Row]) -> list[Row]:
    """Of each group with many partitions those with the greatest lag, in the table's order; a note says of how many."""
    shown: list[Row] = []
    for (_, group), own in groupby(rows, key=lambda row: (row["cluster"], row["group_id"])):
        partitions = list(own)
        if len(partitions) <= MOST:
            shown += partitions
            continue
        worst = sorted(partitions, key=_badness, reverse=True)[:WORST]
        shown += sorted(worst, key=_place)
        note(
            f"lagbook: {pasteable(group)}: the {WORST} partitions furthest behind of {len(partitions):,};"
            " --all shows every one."
        )
    return shown


def _badness(row: Row) -> tuple[bool, int, int]:
    """What is not known at all is worse than any lag: somebody has to look."""
    return row["lag_lower"] is None, row["lag_lower"] or 0, row["lag_upper"] or 0


def _place(row: Row) -> tuple[str, str, str, int]:
    return row["cluster"], row["group_id"], row["topic"], row["partition"]


def _value(row: Row, name: str) -> object:
    if name in NAME:
        return pasteable(row[name])
    return between(*(row[bound] for bound in _BOUNDS[name])) if name in _BOUNDS else row[name]
