"""A sound row of every table about rebalances, and for every rule about them what breaks it.

Put here rows only; the other tables' are in `breaches`.
"""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any, Final

Row = dict[str, Any]

NOON: Final = datetime(2026, 11, 18, 12, tzinfo=timezone.utc)
LATER: Final = datetime(2026, 11, 18, 12, 1, tzinfo=timezone.utc)
GROUP: Final[Row] = {"cluster": "c", "log_partition": 3, "group_id": "billing"}
RECORD: Final[Row] = {**GROUP, "log_offset": 7}

SPANS: Final = "internal.rebalance_spans"
CHANGES: Final = "mart.member_changes"
MOVES: Final = "mart.partition_moves"
REBALANCES: Final = "mart.rebalances"
STORMS: Final = "mart.rebalance_storms"
CHURN: Final = "mart.churn"
WHAT_IF: Final = "mart.assignor_what_if"

_CHANGE: Final[Row] = {**RECORD, "rebalance_log_offset": 7, "member_id": "m-1", "change": "joined", "source": "record"}
_MOVE: Final[Row] = {
    **GROUP,
    "rebalance_log_offset": 7,
    "topic": "orders",
    "partition": 0,
    "kind": "moved",
    "from_member_id": "m-1",
    "to_member_id": "m-2",
    "pause_lower_ms": 5,
    "pause_ms": 90,
}
_REBALANCE: Final[Row] = {
    **RECORD,
    "last_log_offset": 7,
    "started_source": "record",
    "state_after": "Stable",
    "members_after": 2,
    "partitions_moved": 1,
    "partitions_kept": 3,
    "pause_ms": 90,
    "pause_lower_ms": 5,
    "pause_total_ms": 360,
    "trigger": "join",
    "trigger_source": "server.log",
    "certainty": "proven",
}

SOUND: Final[dict[str, list[Row]]] = {
    SPANS: [
        {**RECORD, "group_type": "classic", "last_log_offset": 9, "before_log_offset": 4, "generations": 2},
        {**RECORD, "log_offset": 12, "group_type": "share", "last_log_offset": 12, "generations": 1},
    ],
    CHANGES: [
        _CHANGE,
        {**_CHANGE, "member_id": "m-2", "change": "left", "source": "server.log"},
        {**_CHANGE, "member_id": "m-3", "change": "replaced", "replaced_member_id": "m-4"},
        {**_CHANGE, "member_id": "m-5", "change": "left_or_expired"},
    ],
    MOVES: [
        _MOVE,
        {
            **_MOVE,
            "partition": 1,
            "kind": "lost",
            "to_member_id": None,
            "pause_ms": None,
            "pause_lower_ms": None,
        },
        {**_MOVE, "partition": 2, "kind": "gained", "from_member_id": None, "pause_ms": None, "pause_lower_ms": None},
        {**_MOVE, "partition": 3, "kind": "kept", "to_member_id": "m-1"},
    ],
    REBALANCES: [
        _REBALANCE,
        {**RECORD, "log_offset": 8, "started_source": "server.log", "state_after": "Empty", "members_after": 0}
        | {"trigger": "unknown"},
    ],
    STORMS: [
        {**RECORD, "last_log_offset": 90, "from_at": NOON, "to_at": LATER, "rebalances": 5}
        | {"pattern": "member_returns", "rounds": 3, "repeated": "app at h"}
        | {"worst_member_share": 0.2, "worst_client_host_share": 1.0},
    ],
    CHURN: [
        {
            "cluster": "c",
            "group_id": "billing",
            "dimension": "host",
            "name": "/10.0.0.1",
            "rebalances": 2,
            "share": 0.5,
        }
    ],
}

SOUND[WHAT_IF] = [
    {**RECORD, "assignor": "range", "is_observed": True, "verdict": "as_expected"}
    | {"partitions_moved": 2, "imbalance": 1, "actual_moved": 2},
    {**RECORD, "assignor": "sticky", "is_observed": False, "partitions_moved": 1, "imbalance": 0, "actual_moved": 2},
    {**RECORD, "assignor": "mine", "is_observed": True, "verdict": "can't be told", "reason": "somebody's own"},
]

BREACHES: Final[tuple[tuple[str, str, Row | None], ...]] = (
    (SPANS, "begun_once", None),
    (SPANS, "ends_after_its_beginning", {"last_log_offset": 6}),
    (SPANS, "after_what_was_before", {"before_log_offset": 7}),
    (SPANS, "some_generation", {"generations": -1}),
    (SPANS, "known_group_type", {"group_type": "simple"}),
    (CHANGES, "told_once", None),
    (CHANGES, "known_change", {"change": "vanished"}),
    (CHANGES, "known_source", {"source": "rumour"}),
    (CHANGES, "only_lines_say_how", {"change": "expired"}),
    (CHANGES, "replaced_somebody", {"change": "replaced"}),
    (CHANGES, "others_replaced_nobody", {"replaced_member_id": "m-9"}),
    (MOVES, "moved_once", None),
    (MOVES, "known_fate", {"kind": "sealed"}),
    (MOVES, "taken_from_somebody", {"from_member_id": None}),
    (MOVES, "given_to_somebody", {"to_member_id": None}),
    (MOVES, "lost_has_no_owner", {"kind": "lost"}),
    (MOVES, "taken_up_had_no_owner", {"kind": "gained"}),
    (MOVES, "pause_not_negative", {"pause_ms": -1}),
    (MOVES, "least_not_negative", {"pause_lower_ms": -1}),
    (MOVES, "partition_not_negative", {"partition": -1}),
    (REBALANCES, "told_once", None),
    (REBALANCES, "known_state", {"state_after": "Dead"}),
    (REBALANCES, "known_trigger", {"trigger": "the moon"}),
    (REBALANCES, "known_certainty", {"certainty": "certain"}),
    (REBALANCES, "unknown_is_not_certain", {"trigger": "unknown"}),
    (REBALANCES, "cause_has_a_source", {"trigger_source": None}),
    (REBALANCES, "known_source", {"started_source": "rumour"}),
    (REBALANCES, "stable_has_members", {"members_after": 0}),
    (REBALANCES, "empty_has_none", {"state_after": "Empty"}),
    (REBALANCES, "moved_not_negative", {"partitions_moved": -1}),
    (REBALANCES, "kept_not_negative", {"partitions_kept": -1}),
    (REBALANCES, "pause_not_negative", {"pause_ms": -1}),
    (REBALANCES, "least_not_negative", {"pause_lower_ms": -1}),
    (REBALANCES, "total_not_negative", {"pause_total_ms": -1}),
    (REBALANCES, "all_are_more_than_one", {"pause_total_ms": 89}),
    (STORMS, "begun_once", None),
    (STORMS, "known_pattern", {"pattern": "often"}),
    (STORMS, "enough_for_a_storm", {"rounds": 2}),
    (STORMS, "ends_after_its_beginning", {"from_at": LATER, "to_at": NOON}),
    (STORMS, "share_of_a_whole", {"worst_member_share": 1.5}),
    (STORMS, "host_share_of_a_whole", {"worst_client_host_share": 1.5}),
    (CHURN, "counted_once", None),
    (CHURN, "known_count", {"dimension": "mood"}),
    (CHURN, "had_a_part", {"rebalances": 0}),
    (CHURN, "share_of_a_whole", {"share": 1.5}),
    (WHAT_IF, "asked_once", None),
    (WHAT_IF, "known_verdict", {"verdict": "fine"}),
    (WHAT_IF, "doubt_is_explained", {"verdict": "can't be told"}),
    (WHAT_IF, "others_need_no_reason", {"reason": "because"}),
    (WHAT_IF, "moved_not_negative", {"partitions_moved": -1}),
    (WHAT_IF, "imbalance_not_negative", {"imbalance": -1}),
    (WHAT_IF, "given_moved_not_negative", {"actual_moved": -1}),
)
"""Table, rule, and what of the first sound row is changed; None for the same row a second time."""
