"""States of groups: the table of `kafka-consumer-groups --describe --state`, with coordinator and assignment strategy.

Put here its columns, and what stands in for a broker's own answer. What a state was at an instant is worked out by the
macro `group_states_at`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from dagster_project.cli.questions.group_views.members import OF_GROUPS, epoch, instant_rows
from dagster_project.cli.terminal import pasteable, print_columns

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from dagster_project.cli.questions.answers import Answers

Row = dict[str, Any]

_DEFAULT_ASSIGNOR: Final = "uniform"
"""What brokers of every release assign by unless `group.consumer.assignors` says otherwise."""
_KAFKAS_ASSIGNOR: Final = re.compile(r"org\.apache\.kafka\.coordinator\.group\.assignor\.(\w+)Assignor")
_STATES: Final = f"""
    WITH protocols AS (
        SELECT cluster, log_partition, group_id, arg_max(protocol, log_offset) AS protocol
        FROM core.generations
        WHERE {OF_GROUPS} AND ($instant IS NULL OR from_at <= $instant)
        GROUP BY ALL
    ),
    votes AS (
        SELECT cluster, group_id, server_assignor, count(*) AS votes
        FROM core.members
        WHERE {OF_GROUPS} AND server_assignor IS NOT NULL AND ($instant IS NULL OR from_at <= $instant)
            AND (to_log_offset IS NULL OR to_at > $instant)
        GROUP BY ALL
    ),
    assignors AS (
        SELECT cluster, group_id, server_assignor
        FROM votes
        QUALIFY row_number() OVER (PARTITION BY cluster, group_id ORDER BY votes DESC, server_assignor) = 1
    ),
    settings AS (
        SELECT
            cluster, arg_max(config_value, read_at) FILTER (config_name = 'group.consumer.assignors') AS named_assignors
        FROM raw.configurations WHERE source IN ('file', 'live') AND resource_type <> 'topic'
        GROUP BY cluster
    ),
    leaders AS (
        SELECT cluster, log_partition, arg_max(broker_id, known_at) AS broker_id
        FROM (
            SELECT cluster, partition AS log_partition, leader_id AS broker_id, sampled_at AS known_at
            FROM raw.log_offset_samples WHERE topic = '__consumer_offsets'
            UNION ALL
            SELECT cluster, partition, broker_id, read_at
            FROM raw.segments WHERE topic = '__consumer_offsets' AND source = 'live'
        )
        WHERE $instant IS NULL OR known_at <= $instant
        GROUP BY ALL
    ),
    lines AS (
        SELECT cluster, group_id, arg_max(broker_id, logged_at) AS broker_id
        FROM raw.coordinator_events
        WHERE {OF_GROUPS} AND event <> 'group_is_unloaded' AND ($instant IS NULL OR logged_at <= $instant)
        GROUP BY ALL
    ),
    logs AS (
        SELECT cluster, partition AS log_partition, any_value(broker_id) AS broker_id
        FROM raw.segments WHERE topic = '__consumer_offsets'
        GROUP BY ALL HAVING count(DISTINCT broker_id) = 1
    )
    SELECT
        s.*, coalesce(e.broker_id, t.broker_id, l.broker_id) AS coordinator_id,
        e.broker_id IS NOT NULL AS is_coordinator_known,
        if(s.member_count > 0, p.protocol, NULL) AS protocol, a.server_assignor,
        c.cluster IS NOT NULL AS is_configuration_known, c.named_assignors
    FROM group_states_at(coalesce($instant, 'infinity'::TIMESTAMPTZ){{group}}) AS s
    LEFT JOIN protocols AS p USING (cluster, log_partition, group_id)
    LEFT JOIN assignors AS a USING (cluster, group_id)
    LEFT JOIN settings AS c USING (cluster)
    LEFT JOIN leaders AS e USING (cluster, log_partition)
    LEFT JOIN lines AS t USING (cluster, group_id)
    LEFT JOIN logs AS l USING (cluster, log_partition)
    WHERE {OF_GROUPS}
    ORDER BY cluster, group_id, log_partition
"""  # noqa: S608 - a constant of this file


def state_rows(answers: Answers, groups: Sequence[str], instant: datetime | None, cluster: str | None) -> list[Row]:
    """The state of each of these groups, now or at an instant."""
    return [_with_strategy(row) for row in instant_rows(answers, _STATES, groups, instant, cluster)]


def print_states(rows: Sequence[Row], *, is_verbose: bool) -> None:
    """Print a line for each group, in the tool's columns; what is likely and in no record ends in a question mark."""
    head = ["GROUP", "COORDINATOR (ID)", "ASSIGNMENT-STRATEGY", "STATE"]
    head += ["GROUP-EPOCH", "TARGET-ASSIGNMENT-EPOCH"] if is_verbose else []
    lines = [
        [
            *(pasteable(row["group_id"]), _coordinator(row), _strategy(row), row["state"]),
            *([epoch(row, "generation"), epoch(row, "assignment_epoch")] if is_verbose else []),
            row["member_count"],
        ]
        for row in rows
    ]
    print_columns([[*head, "#MEMBERS"], *lines])


def _with_strategy(row: Row) -> Row:
    """The row with its assignment strategy, and whether it is known: a default is, where the settings were read."""
    rest = {name: value for name, value in row.items() if name not in {"protocol", "server_assignor"}}
    is_configured, named = rest.pop("is_configuration_known"), rest.pop("named_assignors")
    strategy, is_known = row["server_assignor"] or row["protocol"], True
    if row["group_type"] == "consumer" and not row["server_assignor"]:
        strategy, is_known = _first_assignor(named), is_configured
    return {**rest, "assignment_strategy": strategy, "is_strategy_known": is_known}


def _first_assignor(named: str | None) -> str:
    """The assignor of members that ask for none: the first that the brokers name, as Kafka's tool calls it."""
    first = (named or _DEFAULT_ASSIGNOR).partition(",")[0].strip()
    own = _KAFKAS_ASSIGNOR.fullmatch(first)
    return own[1].lower() if own else first


def _coordinator(row: Row) -> str | None:
    if row["coordinator_id"] is None:
        return None
    return f"({row['coordinator_id']}){'' if row['is_coordinator_known'] else '?'}"


def _strategy(row: Row) -> str | None:
    strategy: str | None = row["assignment_strategy"]
    return strategy if strategy is None or row["is_strategy_known"] else f"{strategy}?"
