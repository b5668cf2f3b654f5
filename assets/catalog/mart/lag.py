"""How far groups are behind, now and at any instant, and how bad that is by Burrow's rules.

Put columns here that say what was left to read. What was committed stands in `offsets`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pyarrow as pa

from assets.catalog.columns import CLUSTER, GROUP_ID, IS_KNOWN, LOG_OFFSET, LOG_PARTITION, PARTITION, TOPIC
from assets.catalog.table import TIMESTAMP, Column, Interval, Origin, Table

_OWNER: Final = (
    Column("member_id", pa.string(), "Member that owns the partition; NULL when nobody does or it can't be known."),
    Column("client_host", pa.string(), "Where that member connects from; NULL when nobody owns the partition."),
    Column("client_id", pa.string(), "client.id of that member; NULL when nobody owns the partition."),
)

_LAG: Final = (
    Column("log_start_offset", pa.int64(), "First offset that can still be read; NULL when unknown."),
    Column("log_end_offset", pa.int64(), "Offset the next record would get; NULL unless it is known exactly."),
    Column("log_end_lower", pa.int64(), "It is that or higher, and not below current_offset; NULL when unknown."),
    Column("log_end_upper", pa.int64(), "It is not higher; NULL when unknown."),
    Column(
        "lag",
        pa.int64(),
        "Offsets still to be read, counted from the log start at the earliest; NULL unless the end is known exactly.",
        minimum=0,
    ),
    Column("lag_lower", pa.int64(), "At least so many, up to log_end_lower; NULL when unknown."),
    Column("lag_upper", pa.int64(), "At most so many, up to log_end_upper; NULL when unknown."),
    Column(
        "lost_offsets",
        pa.int64(),
        "Offsets below the log start that the group had not read; NULL when unknown.",
        minimum=0,
    ),
    Column(
        "records",
        pa.int64(),
        "Records among them: no markers, aborted data or holes; NULL where only bounds are known.",
    ),
    Column("records_lower", pa.int64(), "The fewest that it can be; NULL when unknown.", minimum=0),
    Column("records_upper", pa.int64(), "The most that it can be; NULL when unknown."),
    Column("bytes", pa.int64(), "Bytes of the batches that hold them, the first one whole; NULL unless all were seen."),
    Column(
        "seconds",
        pa.float64(),
        "How old the first of these records was, 0 without any; NULL where only bounds are known.",
    ),
    Column("seconds_lower", pa.float64(), "The least that it can be; NULL when unknown.", minimum=0),
    Column("seconds_upper", pa.float64(), "The most that it can be; NULL when unknown."),
    Column(
        "method",
        pa.string(),
        "How the lag is known; NULL when it is not.",
        values={
            "log_end": "nothing is left",
            "batches": "the headers of all batches were read",
            "log_ends": "some of it nobody looked into: records and seconds have bounds only",
        },
    ),
    Column("last_stable_offset", pa.int64(), "Offset before which no transaction was open; NULL when unknown."),
    *(
        Column(
            f"stable_{name}",
            kind,
            f"As {name}, for who reads committed records only: up to there.",
            minimum=0 if name == "lag" else None,
        )
        for name, kind in (
            ("lag", pa.int64()),
            ("records", pa.int64()),
            ("records_lower", pa.int64()),
            ("records_upper", pa.int64()),
            ("bytes", pa.int64()),
            ("seconds", pa.float64()),
            ("seconds_lower", pa.float64()),
            ("seconds_upper", pa.float64()),
        )
    ),
)

LAG_NOW: Final = Table(
    "mart",
    "lag_now",
    "Lag and owner of every partition that a group had committed or owned at the end of what was read.",
    ("cluster", "group_id", "topic", "partition"),
    (
        CLUSTER,
        GROUP_ID,
        TOPIC,
        PARTITION,
        Column(
            "current_offset",
            pa.int64(),
            "Next offset it will read; NULL when it never committed, and when that is not known.",
        ),
        IS_KNOWN,
        *_LAG,
        *_OWNER,
    ),
    intervals=(
        Interval("lag_lower", "lag_upper", can_be_empty=True),
        Interval("log_start_offset", "log_end_offset", can_be_empty=True, is_promised=False),
    ),
    is_key_promised=False,
)

_BOUNDS: Final = {"records_lower": pa.int64(), "records_upper": pa.int64(), "bytes": pa.int64()} | dict.fromkeys(
    ("seconds_lower", "seconds_upper"), pa.float64()
)

_UNREAD_FROM: Final = "greatest(current_offset, log_start_offset)"

_STABLE: Final = {name: f"if(stable_apart IS NULL, {name}, stable_apart.{name})" for name in _BOUNDS}

_LAG_TO: Final = f"if(current_offset >= 0, {{}} - {_UNREAD_FROM}, NULL)"

_RECORDS: Final = "if({records_lower} = {records_upper}, {records_lower}, NULL)"

_SECONDS: Final = (
    "CASE WHEN {records_upper} = 0 THEN 0"
    " WHEN {records_lower} > 0 AND {seconds_lower} = {seconds_upper} THEN {seconds_upper} END"
)

_DERIVED: Final = {
    "log_end_offset": "if(log_end_lower = log_end_upper, log_end_lower, NULL)",
    "lag": _LAG_TO.format("log_end_offset"),
    "lag_lower": _LAG_TO.format("log_end_lower"),
    "lag_upper": _LAG_TO.format("log_end_upper"),
    "lost_offsets": (
        "if(current_offset >= 0 AND log_start_offset >= 0, greatest(log_start_offset - current_offset, 0), NULL)"
    ),
    "records": _RECORDS.format(**{name: name for name in _BOUNDS}),
    "seconds": _SECONDS.format(**{name: name for name in _BOUNDS}),
    "method": (
        "CASE WHEN bytes IS NULL THEN if(records_lower IS NULL, NULL, 'log_ends')"
        " WHEN records_upper = 0 THEN 'log_end' ELSE 'batches' END"
    ),
    "stable_lag": (
        "if(lag IS NULL OR last_stable_offset IS NULL, NULL, greatest(lag - log_end_offset + last_stable_offset, 0))"
    ),
    **{f"stable_{name}": stable for name, stable in _STABLE.items()},
    "stable_records": _RECORDS.format(**_STABLE),
    "stable_seconds": _SECONDS.format(**_STABLE),
}
"""What the other columns of mart.lag tell: half of what there would be to write for each commit."""

LAG: Final = Table(
    "mart",
    "lag",
    "Lag of every group as of each of its commits, and as of the instants of internal.offset_snapshots.",
    ("cluster", "log_partition", "log_offset", "as_of", "kind", "group_id", "topic", "partition"),
    (
        CLUSTER,
        GROUP_ID,
        TOPIC,
        PARTITION,
        Column("as_of", TIMESTAMP, "The instant.", required=True),
        Column(
            "kind",
            pa.string(),
            "What the instant is.",
            values={
                "commit": "when a commit took effect",
                "grid": "an instant of internal.offset_snapshots",
            },
            required=True,
        ),
        Column("current_offset", pa.int64(), "Next offset the group will read.", required=True),
        *(replace(column, derived=_DERIVED.get(column.name, "")) for column in _LAG),
        Column(
            "stable_apart",
            pa.struct(_BOUNDS),
            "The bounds for who reads committed records only; NULL where they are the same as for everybody.",
        ),
        LOG_PARTITION,
        LOG_OFFSET,
    ),
    ascending=frozenset({"as_of", "log_offset"}),
    origin=Origin.TRANSFORM,
    intervals=(
        Interval("lag_lower", "lag_upper", can_be_empty=True),
        Interval("records_lower", "records_upper", can_be_empty=True),
        Interval("seconds_lower", "seconds_upper", can_be_empty=True),
    ),
)

GROUP_STATUS: Final = Table(
    "mart",
    "group_status",
    "What Burrow would say of each group at instants of internal.offset_snapshots, by which rule, over which commits.",
    ("cluster", "group_id", "as_of"),
    (
        CLUSTER,
        GROUP_ID,
        Column("as_of", TIMESTAMP, "The instant.", required=True),
        Column(
            "status",
            pa.string(),
            "Burrow's status; NULL when a partition is not known and none is bad.",
            values={
                "OK": "every partition is",
                "WARN": "a partition falls behind",
                "ERR": "a partition stopped, stalled or was rewound",
            },
        ),
        Column(
            "strict_status",
            pa.string(),
            "The same where a set-back counts until it is made up for.",
            values={
                "OK": "every partition is",
                "WARN": "a partition falls behind",
                "ERR": "a partition stopped, stalled or was rewound",
            },
        ),
        Column(
            "lag",
            pa.int64(),
            "Offsets that it was behind in all; NULL where that of a partition isn't known.",
            minimum=0,
        ),
        Column("partitions", pa.int32(), "Partitions that the group had ever committed.", required=True),
        Column("complete", pa.float64(), "Share of them that had ten commits to look at.", required=True, minimum=0),
        Column("worst_topic", pa.string(), "Topic of the partition that decides.", required=True),
        Column("worst_partition", pa.int32(), "That partition.", required=True),
        Column("deciding_rule", pa.string(), "The rule that decided over it; NULL when nothing is known."),
        Column("deciding_strict_rule", pa.string(), "The same, judged more strictly."),
        LOG_PARTITION,
        Column(
            "log_offsets", pa.list_(pa.int64()), "The commits of it that were looked at, oldest first.", required=True
        ),
    ),
    origin=Origin.TRANSFORM,
)

TABLES: Final = (LAG_NOW, LAG, GROUP_STATUS)
