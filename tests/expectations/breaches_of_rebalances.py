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
    "trigger_source": "text_log",
    "certainty": "proven",
}

SOUND: Final[dict[str, list[Row]]] = {
    SPANS: [
        {**RECORD, "group_type": "classic", "last_log_offset": 9, "before_log_offset": 4, "generations": 2},
        {**RECORD, "log_offset": 12, "group_type": "share", "last_log_offset": 12, "generations": 1},
    ],
    CHANGES: [
        _CHANGE,
        {**_CHANGE, "member_id": "m-2", "change": "left", "source": "text_log"},
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
        {**RECORD, "log_offset": 8, "started_source": "text_log", "state_after": "Empty", "members_after": 0}
        | {"trigger": "unknown"},
    ],
}

SOUND[WHAT_IF] = [
    {**RECORD, "assignor": "range", "is_observed": True, "verdict": "as_expected"}
    | {"partitions_moved": 2, "imbalance": 1, "actual_moved": 2},
    {**RECORD, "assignor": "sticky", "is_observed": False, "partitions_moved": 1, "imbalance": 0, "actual_moved": 2},
    {**RECORD, "assignor": "mine", "is_observed": True, "verdict": "undecided", "reason": "somebody's own"},
]

BREACHES: Final[tuple[tuple[str, str, Row | None], ...]] = (
    (SPANS, "after_what_was_before", {"before_log_offset": 7}),
    (CHANGES, "only_lines_say_how", {"change": "expired"}),
    (CHANGES, "replaced_somebody", {"change": "replaced"}),
    (CHANGES, "others_replaced_nobody", {"replaced_member_id": "m-9"}),
    (MOVES, "taken_from_somebody", {"from_member_id": None}),
    (MOVES, "given_to_somebody", {"to_member_id": None}),
    (MOVES, "lost_has_no_owner", {"kind": "lost"}),
    (MOVES, "taken_up_had_no_owner", {"kind": "gained"}),
    (REBALANCES, "unknown_is_not_certain", {"trigger": "unknown"}),
    (REBALANCES, "cause_has_a_source", {"trigger_source": None}),
    (REBALANCES, "stable_has_members", {"members_after": 0}),
    (REBALANCES, "empty_has_none", {"state_after": "Empty"}),
    (REBALANCES, "all_are_more_than_one", {"pause_total_ms": 89}),
    (WHAT_IF, "doubt_is_explained", {"verdict": "undecided"}),
    (WHAT_IF, "others_need_no_reason", {"reason": "because"}),
)
"""Table, rule, and what of the first sound row is changed; None for the same row a second time."""
