"""A row for each group: state, type, members, partitions, total and worst lag, last commit, incidents.

Put here how the rows of groups are summed up from the macros of an instant, and the sentence about one of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from dagster_project.cli.terminal import MISSING, between, pasteable, plural
from dagster_project.cli.times import show_age, show_second

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from dagster_project.cli.questions.answers import Answers

Row = dict[str, Any]

_SUMMARIES: Final = """
    WITH lags AS (
        SELECT
            cluster, group_id, count(*) AS partitions, sum(lag_lower)::HUGEINT AS lag_lower,
            if(count(lag_upper) = count(*), sum(lag_upper)::HUGEINT, NULL) AS lag_upper,
            max(lag_lower) AS worst_lag_lower, if(count(lag_upper) = count(*), max(lag_upper), NULL) AS worst_lag_upper,
            first({{'topic': topic, 'partition': partition}} ORDER BY lag_lower DESC, topic, partition)
                FILTER (lag_lower IS NOT NULL) AS worst
        FROM (
            SELECT cluster, group_id, topic, partition, lag_lower, lag_upper FROM {lags}
            UNION ALL
            SELECT cluster, group_id, topic, partition, lag, lag
            FROM share_backlog_at(coalesce($instant, 'infinity'::TIMESTAMPTZ){group})
        )
        WHERE ($cluster IS NULL OR cluster = $cluster) AND (len($groups) = 0 OR list_contains($groups, group_id))
        GROUP BY cluster, group_id
    ),
    states AS (
        SELECT *
        FROM group_states_at(coalesce($instant, 'infinity'::TIMESTAMPTZ){group})
        WHERE ($cluster IS NULL OR cluster = $cluster) AND (len($groups) = 0 OR list_contains($groups, group_id))
        QUALIFY row_number() OVER (PARTITION BY cluster, group_id ORDER BY from_at DESC NULLS LAST, log_partition) = 1
    ),
    commits AS (
        SELECT cluster, group_id, max(commit_at) AS last_commit_at
        FROM {offsets}
        WHERE ($cluster IS NULL OR cluster = $cluster) AND (len($groups) = 0 OR list_contains($groups, group_id))
        GROUP BY cluster, group_id
    ),
    incidents AS (
        SELECT cluster, group_id, count(*) AS incidents
        FROM mart.incidents
        WHERE
            group_id IS NOT NULL AND ($instant IS NULL OR detected_at <= $instant)
            AND NOT list_contains($without, incident_id)
            AND ($cluster IS NULL OR cluster = $cluster) AND (len($groups) = 0 OR list_contains($groups, group_id))
        GROUP BY cluster, group_id
    )
    SELECT
        cluster, group_id, s.state, s.group_type, k.role AS connect_role, k.connector, s.member_count,
        s.generation, coalesce(l.partitions, 0) AS partitions,
        if(l.lag_lower = l.lag_upper, l.lag_lower, NULL) AS lag, l.lag_lower, l.lag_upper, l.worst_lag_lower,
        l.worst_lag_upper, l.worst.topic AS worst_topic, l.worst.partition AS worst_partition, c.last_commit_at,
        coalesce(i.incidents, 0) AS incidents
    FROM lags AS l
    FULL JOIN states AS s USING (cluster, group_id)
    LEFT JOIN commits AS c USING (cluster, group_id)
    LEFT JOIN incidents AS i USING (cluster, group_id)
    LEFT JOIN connect_groups() AS k USING (cluster, group_id)
    WHERE s.state IS DISTINCT FROM 'Dead' OR l.partitions > 0
    ORDER BY cluster, group_id
"""
"""Sums and maxima of what the macros of an instant say; the coordinator has no group any more that is Dead."""

_CONNECT_ROLES: Final = {"sink_connector": "sink", "workers": "workers"}


def group_summaries(
    answers: Answers,
    groups: Sequence[str],
    instant: datetime | None,
    cluster: str | None,
    dealt_with: Collection[str],
) -> list[Row]:
    """The row of each of these groups (of every group when none is named), now or at an instant, by name.

    Incidents that are dealt with are not counted, as in an audit.
    """
    group = ", $groups[1]" if len(groups) == 1 else ""
    question = _SUMMARIES.format(
        lags=f"lag_at($instant{group})" if instant else "mart.lag_now",
        offsets=f"state_at($instant{group})" if instant else "mart.offsets_now",
        group=group,
    )
    places = {"groups": list(groups), "instant": instant, "cluster": cluster}
    return list(answers.rows(question, {**places, "without": sorted(dealt_with)}))


def lag_of(row: Row) -> str:
    """The lag of all partitions of a group together."""
    return between(row["lag_lower"], row["lag_upper"])


def worst_lag_of(row: Row) -> str:
    """The lag of the partition of a group that is furthest behind."""
    return between(row["worst_lag_lower"], row["worst_lag_upper"])


def commit_age(row: Row, as_of: datetime | None) -> str:
    """How long before the instant of the answer the group committed last."""
    last = row["last_commit_at"]
    return MISSING if last is None or as_of is None else show_age((as_of - last).total_seconds())


def sentence(row: Row) -> str:
    """What `groups` has in columns about one group, and where the greatest lag is."""
    members = "members not known" if row["member_count"] is None else plural(row["member_count"], "member")
    parts = [
        f"{pasteable(row['group_id'])}: {row['state'] or 'state not known'} ({row['group_type'] or 'type not known'})",
        *_connect_words(row),
        members,
        plural(row["partitions"], "partition"),
        _lag_words(row),
    ]
    if row["last_commit_at"] is not None:
        parts.append(f"last commit {show_second(row['last_commit_at'])}")
    return f"{', '.join(parts)}; {plural(row['incidents'], 'incident')}."


def type_of(row: Row) -> str | None:
    """The type of a group, with `sink` for a sink connector of Kafka Connect and `workers` for its workers."""
    kind: str | None = row["group_type"]
    return f"{kind} ({_CONNECT_ROLES[row['connect_role']]})" if kind and row["connect_role"] else kind


def _connect_words(row: Row) -> list[str]:
    if row["connect_role"] is None:
        return []
    return ["Connect workers" if row["connector"] is None else f"sink connector {pasteable(row['connector'])}"]


def _lag_words(row: Row) -> str:
    if row["lag_lower"] is None and row["lag_upper"] is None:
        return "lag not known"
    if row["lag_upper"] == 0:
        return "lag 0"
    where = f"{pasteable(row['worst_topic'])}-{row['worst_partition']}" if row["worst_topic"] is not None else MISSING
    if row["partitions"] == 1:
        return f"lag {lag_of(row)} ({where})"
    return f"lag {lag_of(row)}, at most {worst_lag_of(row)} in one ({where})"
