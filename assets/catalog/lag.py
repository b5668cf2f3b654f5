"""The tables about lag: what stood and what could be read at any time, how far behind groups were, and how bad it was.

Put columns here that say what was left to read. What was committed stands in `core`, what went wrong in `claims`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pyarrow as pa

from assets.catalog.core import COMMITS, LOG_ENDS, PARTITION, TOPIC
from assets.catalog.groups import GROUP_ID
from assets.catalog.holes import IS_KNOWN
from assets.catalog.raw import CLUSTER, LOG_OFFSET, LOG_PARTITION
from assets.catalog.table import TIMESTAMP, Column, Table

_COMMITTED: Final = {
    *("kind", "committed_offset", "effective_at", "commit_at", "leader_epoch", "metadata"),
    *("log_partition", "log_offset", "effective_log_offset"),
}

STORES: Final = Table(
    "internal",
    "offset_snapshots",
    "The offset store at each instant of a regular grid: of every key the newest commit or removal in effect.",
    ("taken_at", "cluster", "group_id", "topic", "partition"),
    (
        Column("taken_at", TIMESTAMP, "The instant: a whole number of steps since 1970.", required=True),
        CLUSTER,
        GROUP_ID,
        TOPIC,
        PARTITION,
        *(column for column in COMMITS.columns if column.name in _COMMITTED),
        Column(
            "ten_from_log_offset",
            pa.int64(),
            "The last ten commits of the key up to the instant took effect at this log offset or behind it; NULL where "
            "there were only removals.",
        ),
        Column(
            "is_known",
            pa.bool_(),
            "It was committed at the instant for certain: no gap of the log (core.log_gaps) may hide a later commit, "
            "or removed, before.",
            required=True,
        ),
    ),
    sought=frozenset({"is_known"}),
)

PLACES: Final = Table(
    "internal",
    "group_partitions",
    "Which partition of the offsets topic holds the commits of a group: one, unless it was written to the wrong one.",
    ("cluster", "group_id", "log_partition"),
    (
        CLUSTER,
        GROUP_ID,
        LOG_PARTITION,
        Column("commits", pa.int64(), "Commits and removals of it there.", required=True),
        Column("first_log_offset", pa.int64(), "Log offset of the first.", required=True),
        Column("last_log_offset", pa.int64(), "Log offset of the last.", required=True),
    ),
)

_THROUGH: Final = "from the beginning of what is known of the log through its end as of this row"

REACH: Final = Table(
    "internal",
    "batch_index",
    "How far the log of each data partition reached, and what of it a consumer could read: a row per batch, and per "
    "word of a broker or a file. Markers and aborted data are nothing to read, whenever they were aborted.",
    ("cluster", "topic", "partition", "log_end_offset", "reached_at", "source"),
    (
        CLUSTER,
        TOPIC,
        PARTITION,
        *(column for column in LOG_ENDS.columns if column.name == "source"),
        Column("log_end_offset", pa.int64(), "Where the log ended then.", required=True),
        Column("reached_at", TIMESTAMP, "When it had come so far, as in core.log_ends; NULL when unknown."),
        Column(
            "is_new_log_end",
            pa.bool_(),
            "No row says of the same time or an earlier one that the log had come as far.",
            required=True,
        ),
        Column("base_offset", pa.int64(), "First offset of the stretch that the row tells of; NULL where it has none."),
        Column("last_offset", pa.int64(), "Its last offset; NULL where it has none."),
        Column(
            "seen_from", pa.int64(), "From here to its end nothing was left unread; before it lies what nobody saw."
        ),
        Column("records_lower", pa.int64(), "The fewest records to read in it."),
        Column("records_upper", pa.int64(), "The most records to read in it: more where a header does not count them."),
        Column("bytes", pa.int64(), "Bytes of the batch; 0 when nothing in it is to be read."),
        Column("earliest_at", TIMESTAMP, "Timestamp of its first record as written; NULL when not said."),
        Column("first_latest_at", TIMESTAMP, "The latest that its first record to read can be of; NULL when not said."),
        Column("latest_at", TIMESTAMP, "Its largest timestamp; NULL when not said."),
        Column("next_offset", pa.int64(), "Where the next stretch begins that may have something to read."),
        Column("next_earliest_at", TIMESTAMP, "The earliest that the first record there can be of; NULL when unknown."),
        Column("next_latest_at", TIMESTAMP, "The latest that it can be of; NULL when unknown."),
        Column("records_lower_through", pa.int64(), f"The fewest records to read {_THROUGH}.", required=True),
        Column("records_upper_through", pa.int64(), f"The most records to read {_THROUGH}.", required=True),
        Column("bytes_through", pa.int64(), f"Bytes of batches with something to read {_THROUGH}.", required=True),
        Column("unseen_through", pa.int64(), f"Offsets that nobody looked into {_THROUGH}.", required=True),
        Column(
            "last_stable_offset",
            pa.int64(),
            "Offset before which no transaction was open then; NULL when a broker did not say.",
        ),
        Column("stable_lower_through", pa.int64(), "As records_lower_through, up to there.", required=True),
        Column("stable_upper_through", pa.int64(), "As records_upper_through, up to there.", required=True),
        Column("stable_bytes_through", pa.int64(), "As bytes_through, up to there.", required=True),
        Column("stable_unseen_through", pa.int64(), "As unseen_through, up to there.", required=True),
    ),
)

LOG_END_BOUNDS: Final = Table(
    "core",
    "log_end_bounds",
    "While the end of a data log is not known exactly, as between two samples: between which offsets it was. At any "
    "other time it is what core.log_ends says. From commits of consumers, too: nobody reads beyond the end.",
    ("cluster", "topic", "partition", "from_at"),
    (
        CLUSTER,
        TOPIC,
        PARTITION,
        Column("from_at", TIMESTAMP, "From this instant on.", required=True),
        Column(
            "to_at",
            TIMESTAMP,
            "Up to this instant, which is not included; NULL where the end was never known again.",
        ),
        Column("log_end_lower", pa.int64(), "The log ended there or further on; NULL when unknown."),
        Column("log_end_upper", pa.int64(), "The log did not end beyond; NULL when unknown."),
        Column(
            "has_commits",
            pa.bool_(),
            "A consumer committed something of the log between the instants before and after at which its end was "
            "known. Without a later instant and without a commit the end that was known last is the newest word of it.",
            required=True,
        ),
    ),
)

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
    ),
    Column("lag_lower", pa.int64(), "At least so many, up to log_end_lower; NULL when unknown."),
    Column("lag_upper", pa.int64(), "At most so many, up to log_end_upper; NULL when unknown."),
    Column("lost_offsets", pa.int64(), "Offsets below the log start that the group had not read; NULL when unknown."),
    Column(
        "records",
        pa.int64(),
        "Records among them: no markers, aborted data or holes; NULL where only bounds are known.",
    ),
    Column("records_lower", pa.int64(), "The fewest that it can be; NULL when unknown."),
    Column("records_upper", pa.int64(), "The most that it can be; NULL when unknown."),
    Column("bytes", pa.int64(), "Bytes of the batches that hold them, the first one whole; NULL unless all were seen."),
    Column(
        "seconds",
        pa.float64(),
        "How old the first of these records was, 0 without any; NULL where only bounds are known.",
    ),
    Column("seconds_lower", pa.float64(), "The least that it can be; NULL when unknown."),
    Column("seconds_upper", pa.float64(), "The most that it can be; NULL when unknown."),
    Column(
        "method",
        pa.string(),
        "log end (nothing is left), batches (their headers were read) or log ends (some of it nobody looked into: "
        "records and seconds have bounds only); NULL when lag is unknown.",
    ),
    Column("last_stable_offset", pa.int64(), "Offset before which no transaction was open; NULL when unknown."),
    *(
        Column(f"stable_{name}", kind, f"As {name}, for who reads committed records only: up to there.")
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
        Column("kind", pa.string(), "commit (when it took effect) or grid.", required=True),
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
        Column("status", pa.string(), "OK, WARN or ERR; NULL when a partition is not known and none is bad."),
        Column("strict_status", pa.string(), "The same where a set-back counts until it is made up for."),
        Column("lag", pa.int64(), "Offsets that it was behind in all; NULL where that of a partition isn't known."),
        Column("partitions", pa.int32(), "Partitions that the group had ever committed.", required=True),
        Column("complete", pa.float64(), "Share of them that had ten commits to look at.", required=True),
        Column("worst_topic", pa.string(), "Topic of the partition that decides.", required=True),
        Column("worst_partition", pa.int32(), "That partition.", required=True),
        Column("worst_rule", pa.string(), "The rule that decided over it; NULL when nothing is known."),
        Column("worst_strict_rule", pa.string(), "The same, judged more strictly."),
        LOG_PARTITION,
        Column(
            "log_offsets", pa.list_(pa.int64()), "The commits of it that were looked at, oldest first.", required=True
        ),
    ),
)

TABLES: Final = (STORES, PLACES, REACH, LOG_END_BOUNDS, LAG_NOW, LAG, GROUP_STATUS)
