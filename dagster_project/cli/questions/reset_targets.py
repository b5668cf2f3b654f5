"""The offsets to which a group may be reset: for each kind of target the query that has one for each partition.

Put here where a target comes from. What it costs is worked out by the macro `cost_of_moves`, for all of them alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from dagster_project.cli.exits import CallRefusedError
from dagster_project.cli.questions.refusals import refuse_incident
from dagster_project.cli.terminal import brief

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from dagster_project.cli.questions.answers import Answers

_NOT_ANEW: Final = """
    ANTI JOIN (
        SELECT cluster, topic, max(first_seen_at) AS renewed_at FROM core.topics
        GROUP BY ALL HAVING count(DISTINCT topic_id) > 1
    ) AS t ON t.cluster = c.cluster AND t.topic = c.topic AND t.renewed_at > c.occurred_at
"""
"""Offsets of a topic that was deleted and made anew since are offsets of another log."""
_FORWARD: Final = f"""
    SELECT c.cluster, c.topic, c.partition, max({{end}}) AS target
    FROM {{claims}} AS c JOIN mart.offsets_now AS n USING (cluster, group_id, topic, partition) {_NOT_ANEW}
    WHERE c.group_id = $group AND {{condition}} AND n.current_offset < {{end}}
    GROUP BY ALL
"""  # noqa: S608 - constants of this file
"""To where the group had come before it was set back, for partitions that have not come there again."""
_BACK: Final = f"""
    SELECT c.cluster, c.topic, c.partition, min(least(c.certain_from, c.estimate_from)) AS target
    FROM {{claims}} AS c JOIN mart.offsets_now AS n USING (cluster, group_id, topic, partition) {_NOT_ANEW}
    WHERE c.group_id = $group AND {{condition}} AND n.current_offset > least(c.certain_from, c.estimate_from)
    GROUP BY ALL
"""  # noqa: S608 - constants of this file
"""To the first offset that was never read, for partitions that are beyond it."""
_TO_RECORD_TIME: Final = """
    WITH wanted AS (
        SELECT cluster, topic, partition FROM mart.offsets_now
        WHERE group_id = $group AND ($cluster IS NULL OR cluster = $cluster)
    ),
    batches AS (
        SELECT b.cluster, b.topic, b.partition, b.base_offset, b.last_offset, b.max_timestamp_ms
        FROM log_batches() AS b SEMI JOIN wanted USING (cluster, topic, partition)
        WHERE b.lost_to IS NULL AND NOT b.is_control
    ),
    firsts AS (
        SELECT
            cluster, topic, partition,
            min(base_offset) FILTER (max_timestamp_ms >= epoch_ms($instant)) AS first_offset
        FROM batches GROUP BY ALL
    ),
    befores AS (
        SELECT f.cluster, f.topic, f.partition, f.first_offset, max(b.last_offset) + 1 AS next_offset
        FROM firsts AS f
        LEFT JOIN batches AS b
            ON
                b.cluster = f.cluster AND b.topic = f.topic AND b.partition = f.partition
                AND (f.first_offset IS NULL OR b.base_offset < f.first_offset)
        GROUP BY ALL
    )
    SELECT
        w.cluster, w.topic, w.partition,
        coalesce(b.next_offset, if(b.first_offset <= coalesce(e.log_start_offset, 0), b.first_offset, NULL)) AS target
    FROM wanted AS w
    LEFT JOIN befores AS b USING (cluster, topic, partition)
    LEFT JOIN log_ends_at('infinity'::TIMESTAMPTZ) AS e USING (cluster, topic, partition)
"""
"""Behind the last batch before the first one with a record of that time or later, or behind all of them.

Where a part of the log was not read, or inside a batch, that is early and never late."""

_TARGETS: Final = {
    "at": "SELECT cluster, topic, partition, current_offset AS target FROM state_at($instant, $group) WHERE is_known",
    "undo_replays": _FORWARD.format(claims="mart.replays", end="c.to_offset", condition="c.kind = 'set_back'"),
    "undo_skips": _BACK.format(claims="mart.skips", condition="c.certainty <> 'possible'"),
    "incident_replay": _FORWARD.format(
        claims="mart.findings", end="greatest(c.certain_to, c.estimate_to)", condition="c.incident_id = $incident"
    ),
    "incident_skip": _BACK.format(claims="mart.findings", condition="c.incident_id = $incident"),
    "to_datetime": _TO_RECORD_TIME,
    "shift_by": """
        SELECT
            n.cluster, n.topic, n.partition,
            if(n.current_offset IS NULL, NULL, greatest(0, least(
                n.current_offset::HUGEINT + $offset, coalesce(e.log_end_offset, 9223372036854775807)
            )))::BIGINT AS target
        FROM mart.offsets_now AS n LEFT JOIN log_ends_at('infinity'::TIMESTAMPTZ) AS e USING (cluster, topic, partition)
        WHERE n.group_id = $group
    """,
    "to_offset": """
        SELECT n.cluster, n.topic, n.partition, least($offset, e.log_end_offset) AS target
        FROM mart.offsets_now AS n LEFT JOIN log_ends_at('infinity'::TIMESTAMPTZ) AS e USING (cluster, topic, partition)
        WHERE n.group_id = $group
    """,
}
"""The target offset of each partition, by the kind of target; beyond the log end it is the log end, as in the tool."""

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
_PLAN_OF_ALL: Final = """
    SELECT * EXCLUDE (group_id) FROM reset_cost($group, NULL, '{to}')
    WHERE $cluster IS NULL OR cluster = $cluster
    ORDER BY cluster, topic, partition
"""
PLANS: Final = {
    **{kind: _PLAN.format(targets=targets) for kind, targets in _TARGETS.items()},
    "to_earliest": _PLAN_OF_ALL.format(to="earliest"),
    "to_latest": _PLAN_OF_ALL.format(to="latest"),
}
"""Where each partition is to go, and what that costs, by the kind of target."""

NOTHING: Final = {
    "at": "had nothing committed then",
    "undo_replays": "stands nowhere below where it had come before it was set back",
    "undo_skips": "stands nowhere beyond offsets that it never read",
    "incident_replay": "stands nowhere below where it had come before this incident",
    "incident_skip": "stands nowhere beyond offsets that it never read in this incident",
}
"""Why there is no plan, by the kind of target; without a line, because nothing is committed."""

_KINDS: Final = {"replay": "incident_replay", "skip": "incident_skip", "failover": "incident_skip"}
_INCIDENT: Final = "SELECT group_id, cluster, kind FROM mart.incidents WHERE incident_id = $incident"


@dataclass(frozen=True, slots=True)
class Target:
    """Where a group is to go: the kind of target, and what it needs to be worked out."""

    kind: str
    instant: datetime | None = None
    offset: int | None = None
    incident: str | None = None

    @property
    def parameters(self) -> Mapping[str, object]:
        """The values that the query binds."""
        values = {"instant": self.instant, "offset": self.offset, "incident": self.incident}
        return {name: value for name, value in values.items() if f"${name}" in PLANS[self.kind]}


def of_incident(answers: Answers, incident: str) -> tuple[Target, str, str]:
    """What undoes an incident, and its group and cluster; refused when it moved no offset."""
    rows = list(answers.rows(_INCIDENT, {"incident": incident}))
    if not rows:
        refuse_incident(answers, incident, None)
    (row,) = rows
    if row["kind"] not in _KINDS or row["group_id"] is None:
        raise CallRefusedError(
            f"incident {brief(incident)} moved no offset ({row['kind']}), so there is nothing to undo."
        )
    return Target(_KINDS[row["kind"]], incident=incident), row["group_id"], row["cluster"]
