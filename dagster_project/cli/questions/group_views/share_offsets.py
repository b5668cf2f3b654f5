"""Start offset and lag of each partition of share groups: the rows, and the table of `kafka-share-groups --describe`.

Put here how that table is asked for and printed. How start offsets and lag are worked out is in the macro
`share_backlog_at`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from dagster_project.cli.questions.group_views.members import OF_GROUPS, instant_rows
from dagster_project.cli.questions.group_views.offsets import folded
from dagster_project.cli.terminal import NAME, note, pasteable, print_columns

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from dagster_project.cli.questions.answers import Answers

Row = dict[str, Any]

COLUMNS: Final = {
    "GROUP": "group_id",
    "TOPIC": "topic",
    "PARTITION": "partition",
    "START-OFFSET": "start_offset",
    "LAG": "lag",
}
"""Heading of kafka-share-groups -> column of the macro, in its order."""
_ROWS: Final = f"""
    SELECT
        'share' AS group_type, group_id, topic, partition, start_offset, delivery_complete_count, log_end_offset, lag,
        lag AS lag_lower, lag AS lag_upper, leader_epoch, state_epoch, written_at, is_known, cluster
    FROM share_backlog_at(coalesce($instant, 'infinity'::TIMESTAMPTZ){{group}})
    WHERE {OF_GROUPS}
    ORDER BY cluster, group_id, topic, partition
"""  # noqa: S608 - a constant of this file


def share_rows(answers: Answers, groups: Sequence[str], instant: datetime | None, cluster: str | None) -> list[Row]:
    """The share partitions of these groups (of every group when none is named), now or at an instant."""
    return instant_rows(answers, _ROWS, groups, instant, cluster)


def print_share_offsets(rows: Sequence[Row], *, is_whole: bool, is_verbose: bool) -> None:
    """Print the table; of a group with many partitions those furthest behind, unless all are wanted."""
    shown = list(rows) if is_whole else folded(rows)
    columns = list(COLUMNS.items())
    columns[3:3] = [("LEADER-EPOCH", "leader_epoch")] if is_verbose else []
    columns += [("CLUSTER", "cluster")] if len({row["cluster"] for row in rows}) > 1 else []
    heads = [head for head, _name in columns]
    print_columns([heads, *([_value(row, name) for _head, name in columns] for row in shown)])
    unknown = sum(row["lag"] is None for row in rows)
    if unknown:
        note(
            f"lagbook: of {unknown} of these {len(rows)} rows the lag is not known: no log end was read, or the broker"
            " (before 4.2) did not count what was acknowledged."
        )


def _value(row: Row, name: str) -> object:
    return pasteable(row[name]) if name in NAME else row[name]
