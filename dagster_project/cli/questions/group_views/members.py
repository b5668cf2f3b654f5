"""Members of groups: the table of `kafka-consumer-groups --describe --members`.

Put here its columns. What a member owned at an instant is worked out by the macro `members_at`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from dagster_project.cli.terminal import MISSING, cell, note, pasteable, print_columns

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from datetime import datetime

    from dagster_project.cli.questions.answers import Answers

Row = dict[str, Any]

OF_GROUPS: Final = "($cluster IS NULL OR cluster = $cluster) AND (len($groups) = 0 OR list_contains($groups, group_id))"
_MEMBERS: Final = f"""
    SELECT * FROM members_at(coalesce($instant, 'infinity'::TIMESTAMPTZ){{group}})
    WHERE {OF_GROUPS}
    ORDER BY cluster, group_id, member_id
"""  # noqa: S608 - a constant of this file


def member_rows(answers: Answers, groups: Sequence[str], instant: datetime | None, cluster: str | None) -> list[Row]:
    """The members of these groups, now or at an instant."""
    return instant_rows(answers, _MEMBERS, groups, instant, cluster)


def print_members(rows: Sequence[Row], *, is_verbose: bool) -> None:
    """Print a line for each member, in the tool's columns."""
    has_instances = any(row["group_instance_id"] is not None for row in rows)
    head = ["GROUP", "CONSUMER-ID", *(["GROUP-INSTANCE-ID"] if has_instances else []), "HOST", "CLIENT-ID"]
    head += ["#PARTITIONS"]
    converting = _converting(rows) if is_verbose else frozenset()
    if is_verbose:
        head += ["CURRENT-EPOCH", "CURRENT-ASSIGNMENT", "TARGET-EPOCH", "TARGET-ASSIGNMENT"]
        head += ["UPGRADED"] if converting else []
    lines = []
    for row in rows:
        instance = [row["group_instance_id"]] if has_instances else []
        line = [pasteable(row["group_id"]), row["member_id"], *instance, row["client_host"], row["client_id"]]
        line += [_partition_count(row["assigned"]), *(_epochs(row) if is_verbose else [])]
        lines.append([*line, *([_upgraded(row, converting)] if converting else [])])
    print_columns([head, *lines] if rows else [head])
    if not rows:
        note("lagbook: no member of these groups is on record then.")


def assignment(topics: Iterable[Row] | None) -> str:
    """Topics and partitions as Kafka 4 prints them: `topic:0,1;topic2:2`; `-` without any."""
    parts = [
        f"{cell(one['topic'] or one['topic_id'])}:{','.join(map(str, sorted(one['partitions'])))}"
        for one in topics or ()
        if one["partitions"]
    ]
    return ";".join(sorted(parts)) or MISSING


def instant_rows(
    answers: Answers, question: str, groups: Sequence[str], instant: datetime | None, cluster: str | None
) -> list[Row]:
    """The rows of a question about these groups (about every group when none is named), now or at an instant."""
    group = ", $groups[1]" if len(groups) == 1 else ""
    parameters = {"groups": list(groups), "instant": instant, "cluster": cluster}
    return list(answers.rows(question.format(group=group), parameters))


def _converting(rows: Iterable[Row]) -> frozenset[tuple[str, str]]:
    """The groups, by cluster and name, that have members of the classic protocol and of the newer one."""
    spoken = {(row["cluster"], row["group_id"], row["uses_classic_protocol"]) for row in rows}
    return frozenset((cluster, group) for cluster, group, old in spoken if old and (cluster, group, False) in spoken)


def _upgraded(row: Row, converting: Collection[tuple[str, str]]) -> str | None:
    """Whether a member speaks the newer protocol already, in the tool's words; in a group that converts."""
    if (row["cluster"], row["group_id"]) not in converting or row["uses_classic_protocol"] is None:
        return None
    return "false" if row["uses_classic_protocol"] else "true"


def _partition_count(topics: Iterable[Row] | None) -> int | None:
    return None if topics is None else sum(len(one["partitions"]) for one in topics)


def _epochs(row: Row) -> list[object]:
    return [epoch(row, "generation"), assignment(row["assigned"]), row["target_epoch"], assignment(row["target"])]


def epoch(row: Row, name: str) -> object:
    """The epoch of a group of the newer protocols; a classic group has a generation, which the tool doesn't show."""
    return None if row["group_type"] in {None, "classic", "simple"} else row[name]
