"""Members and states of groups: the tables of `kafka-consumer-groups --describe --members` and `--state`.

Put here their columns. What a member owned at an instant is worked out by the macros `members_at` and
`group_states_at`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from dagster_project.cli.terminal import MISSING, cell, note, pasteable, print_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from dagster_project.cli.questions.answers import Answers

Row = dict[str, Any]

_OF_GROUPS: Final = (
    "($cluster IS NULL OR cluster = $cluster) AND (len($groups) = 0 OR list_contains($groups, group_id))"
)
_MEMBERS: Final = f"""
    SELECT * FROM members_at(coalesce($instant, 'infinity'::TIMESTAMPTZ){{group}})
    WHERE {_OF_GROUPS}
    ORDER BY cluster, group_id, member_id
"""  # noqa: S608 - a constant of this file
_STATES: Final = f"""
    WITH protocols AS (
        SELECT cluster, log_partition, group_id, arg_max(protocol, log_offset) AS protocol
        FROM core.generations
        WHERE {_OF_GROUPS} AND ($instant IS NULL OR from_at <= $instant)
        GROUP BY ALL
    )
    SELECT s.*, if(s.member_count > 0, p.protocol, NULL) AS assignment_strategy
    FROM group_states_at(coalesce($instant, 'infinity'::TIMESTAMPTZ){{group}}) AS s
    LEFT JOIN protocols AS p USING (cluster, log_partition, group_id)
    WHERE {_OF_GROUPS}
    ORDER BY cluster, group_id, log_partition
"""  # noqa: S608 - a constant of this file


def member_rows(answers: Answers, groups: Sequence[str], instant: datetime | None, cluster: str | None) -> list[Row]:
    """The members of these groups, now or at an instant."""
    return _rows(answers, _MEMBERS, groups, instant, cluster)


def state_rows(answers: Answers, groups: Sequence[str], instant: datetime | None, cluster: str | None) -> list[Row]:
    """The state of each of these groups, now or at an instant."""
    return _rows(answers, _STATES, groups, instant, cluster)


def print_members(rows: Sequence[Row], *, is_verbose: bool) -> None:
    """Print a line for each member, in the tool's columns."""
    has_instances = any(row["group_instance_id"] is not None for row in rows)
    head = ["GROUP", "CONSUMER-ID", *(["GROUP-INSTANCE-ID"] if has_instances else []), "HOST", "CLIENT-ID"]
    head += ["#PARTITIONS"]
    if is_verbose:
        head += ["CURRENT-EPOCH", "CURRENT-ASSIGNMENT", "TARGET-EPOCH", "TARGET-ASSIGNMENT"]
    lines = []
    for row in rows:
        instance = [row["group_instance_id"]] if has_instances else []
        line = [pasteable(row["group_id"]), row["member_id"], *instance, row["client_host"], row["client_id"]]
        lines.append([*line, _partition_count(row["assigned"]), *(_epochs(row) if is_verbose else [])])
    print_columns([head, *lines] if rows else [head])
    if not rows:
        note("lagbook: no member of these groups is on record then.")


def print_states(rows: Sequence[Row], *, is_verbose: bool) -> None:
    """Print a line for each group, in the tool's columns; no record names the broker that coordinates."""
    head = ["GROUP", "COORDINATOR (ID)", "ASSIGNMENT-STRATEGY", "STATE"]
    head += ["GROUP-EPOCH", "TARGET-ASSIGNMENT-EPOCH"] if is_verbose else []
    lines = [
        [
            *(pasteable(row["group_id"]), MISSING, row["assignment_strategy"], row["state"]),
            *([_epoch(row, "generation"), _epoch(row, "assignment_epoch")] if is_verbose else []),
            row["member_count"],
        ]
        for row in rows
    ]
    print_columns([[*head, "#MEMBERS"], *lines])


def assignment(topics: Iterable[Row] | None) -> str:
    """Topics and partitions as Kafka 4 prints them: `topic:0,1;topic2:2`; `-` without any."""
    parts = [
        f"{cell(one['topic'] or one['topic_id'])}:{','.join(map(str, sorted(one['partitions'])))}"
        for one in topics or ()
        if one["partitions"]
    ]
    return ";".join(sorted(parts)) or MISSING


def _rows(
    answers: Answers, question: str, groups: Sequence[str], instant: datetime | None, cluster: str | None
) -> list[Row]:
    group = ", $groups[1]" if len(groups) == 1 else ""
    parameters = {"groups": list(groups), "instant": instant, "cluster": cluster}
    return list(answers.rows(question.format(group=group), parameters))


def _partition_count(topics: Iterable[Row] | None) -> int | None:
    return None if topics is None else sum(len(one["partitions"]) for one in topics)


def _epochs(row: Row) -> list[object]:
    return [_epoch(row, "generation"), assignment(row["assigned"]), row["target_epoch"], assignment(row["target"])]


def _epoch(row: Row, name: str) -> object:
    """The epoch of a group of the newer protocols; a classic group has a generation, which the tool doesn't show."""
    return None if row["group_type"] in {None, "classic", "simple"} else row[name]
