"""A sound row of every table of upkeep, and for every rule what breaks it.

Put here rows only, as in `breaches`, which has them all.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any, Final

Row = dict[str, Any]

NOON: Final = datetime(2026, 11, 18, 12, tzinfo=timezone.utc)
WEEK: Final = timedelta(days=7)
OFFSET: Final[Row] = {"cluster": "c", "topic": "orders", "partition": 0, "group_id": "billing", "current_offset": 5}
LOG: Final[Row] = {"cluster": "c", "log_partition": 3}

SOUND: Final[dict[str, list[Row]]] = {
    "mart.commit_cadence": [
        {
            **{name: value for name, value in OFFSET.items() if name != "current_offset"},
            "pattern": "auto_commit",
            "commits": 300,
            "intervals": 256,
            "interval_p50_ms": 5000,
            "interval_p95_ms": 5100,
            "interval_max_ms": 9000,
            "offsets_p50": 10,
            "offsets_p95": 40,
            "no_op_share": 0.5,
            "transactional_share": 0.0,
            "at_once_share": 0.0,
            "auto_commit_ms": 5000,
            "at_risk_ms": 5100,
        },
        {"cluster": "c", "group_id": "new", "topic": "t", "partition": 0, "pattern": "unknown", "commits": 1}
        | {"intervals": 0},
    ],
    "mart.open_transactions": [
        {
            "cluster": "c",
            "topic": "__consumer_offsets",
            "partition": 5,
            "producer_id": 42,
            "first_offset": 152,
            "last_offset": 154,
            "records": 3,
            "age_ms": 0,
            "groups": ["billing"],
            "last_stable_offset": 152,
            "log_end_offset": 160,
            "blocked_offsets": 8,
        },
        {"cluster": "c", "topic": "orders", "partition": 0, "producer_id": 42, "first_offset": 9, "last_offset": 9}
        | {"last_stable_offset": 4},
    ],
    "mart.expiry_forecast": [
        {
            **OFFSET,
            "group_type": "classic",
            "expiry_basis": "since_empty",
            "retention_started_at": NOON,
            "expires_at": NOON + WEEK,
        }
        | {"is_overdue": False, "earliest_offsets": 5, "latest_offsets": 0},
        {**OFFSET, "partition": 1, "group_type": "consumer", "expiry_basis": "subscribed"},
        {**OFFSET, "partition": 2, "group_type": "simple", "expiry_basis": "explicit", "expires_at": NOON},
    ],
    "mart.stale_offsets": [
        {**OFFSET, "cause": "no_members", "group_type": "classic", "lag": 4, "lost_offsets": 0},
        {**OFFSET, "partition": 1, "cause": "topic_deleted", "group_type": "simple", "since": NOON},
    ],
    "mart.offsets_topic_usage": [
        {
            **LOG,
            "group_id": "billing",
            "client_id": "m",
            "kind": "offset_commit",
            "records": 9,
            "bytes": 700,
            "disk_bytes": 900,
            "no_op_commits": 4,
            "superseded_records": 8,
            "superseded_bytes": 640,
            "first_at": NOON,
            "last_at": NOON,
        },
        {**LOG, "kind": "transaction_marker", "records": 1, "bytes": 10},
    ],
    "mart.offsets_topic_compaction": [
        {
            **LOG,
            "verdict": "due",
            "dead_keys": 2,
            "overdue_tombstones": 1,
            "disk_records": 30,
            "log_end_offset": 40,
            "cleanable_to": 20,
            "cleanable_records": 20,
            "cleanable_bytes": 2000,
            "removable_records": 15,
            "removable_bytes": 1500,
            "removable_share": 0.75,
        }
    ],
}


def _broken(
    table: str, number: int = 0, **breaks: tuple[str, object] | None
) -> tuple[tuple[str, str, Row | None], ...]:
    """Rules and what breaks them: (column, value), several of them, or None for a second copy of the row."""
    row = SOUND[table][number]
    return tuple(
        (table, rule, None if change is None else {**row, change[0]: change[1]}) for rule, change in breaks.items()
    )


BREACHES: Final = (
    *_broken(
        "mart.commit_cadence",
        timer_has_a_time=("auto_commit_ms", None),
        too_little_tells_nothing=("intervals", 9),
    ),
    *_broken(
        "mart.open_transactions",
        nothing_open_is_stable=("last_stable_offset", 153),
        data_has_no_groups=("topic", "orders"),
    ),
    *_broken(
        "mart.expiry_forecast",
        kept_does_not_expire=("expiry_basis", "subscribed"),
        empty_since_a_time=("retention_started_at", None),
        expires_after_it_counts=("expires_at", NOON),
        nothing_overdue=("is_overdue", True),
    ),
    *_broken("mart.expiry_forecast", 2, explicit_has_a_time=("expires_at", None)),
    *_broken("mart.stale_offsets", 1, removed_at_a_time=("since", None)),
    *_broken(
        "mart.offsets_topic_usage",
        no_ops_are_commits=("no_op_commits", 10),
        superseded_are_records=("superseded_records", 10),
        superseded_bytes_are_bytes=("superseded_bytes", 701),
    ),
    *_broken(
        "mart.offsets_topic_compaction",
        cleanable_is_there=("disk_records", 19),
        removable_is_cleanable=("removable_records", 21),
        removable_bytes_are_cleanable=("removable_bytes", 2001),
        overdue_are_dead=("overdue_tombstones", 3),
        cleaned_inside=("cleanable_to", 41),
        not_stuck=("verdict", "stuck"),
    ),
)
