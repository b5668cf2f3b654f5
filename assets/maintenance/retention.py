"""The rules of retention: which old rows of each raw table may go, and which stay since current tables need them.

Put here the rules, a row per table. How rows are taken out is told in `assets.maintenance.retirement`. Core and mart
have no rules: they are made from raw, and hold what it holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

# The newest record of each key, and of a commit that came through a transaction its marker; what waits for a marker;
# unreadable records, since their content is unknown.
_RECORDS: Final = """
WITH latest AS (
    SELECT cluster, log_partition, log_offset, effective_log_offset FROM core.commits
    QUALIFY row_number() OVER (
        PARTITION BY cluster, group_id, topic, partition ORDER BY effective_log_offset DESC, log_offset DESC
    ) = 1
)
SELECT cluster, log_partition, unnest([log_offset, effective_log_offset]) AS log_offset FROM latest
UNION ALL
SELECT cluster, log_partition, log_offset FROM core.record_compaction
WHERE status IN ('current', 'tombstone', 'pending', 'unknown')
UNION ALL
SELECT cluster, log_partition, log_offset FROM raw.offset_records
WHERE undecoded_key IS NOT NULL OR undecoded_value IS NOT NULL
   OR (record_type IS NULL AND NOT coalesce(is_control, false))
"""

# The newest batch gives the log end offset; batches that a group has not consumed yet give its lag.
_BATCHES: Final = """
WITH latest AS (
    SELECT cluster, topic, partition, committed_offset FROM core.commits
    QUALIFY row_number() OVER (
        PARTITION BY cluster, group_id, topic, partition ORDER BY effective_log_offset DESC, log_offset DESC
    ) = 1
),
consumed AS (SELECT cluster, topic, partition, min(committed_offset) AS committed_offset FROM latest GROUP BY ALL)
SELECT cluster, topic, partition, max(base_offset) AS base_offset FROM raw.batches GROUP BY ALL
UNION ALL
SELECT b.cluster, b.topic, b.partition, b.base_offset FROM raw.batches AS b
JOIN consumed AS c USING (cluster, topic, partition) WHERE b.last_offset >= c.committed_offset
"""

# The newest record of each key, and of share partitions all since the newest snapshot, as an update rests on it: its
# key differs from the snapshot's in the first two bytes, which are the record type.
_INTERNAL_RECORDS: Final = """
WITH latest AS (
    SELECT cluster, topic, partition, key, max(record_offset) AS record_offset
    FROM raw.internal_records WHERE NOT is_control AND kind <> 'share_group_state' GROUP BY ALL
),
snapshots AS (
    SELECT cluster, topic, partition, hex(key)[5:] AS share_partition, max(record_offset) AS record_offset
    FROM raw.internal_records WHERE kind = 'share_group_state' AND hex(key)[:4] = '0000' GROUP BY ALL
)
SELECT cluster, topic, partition, record_offset FROM latest
UNION ALL
SELECT r.cluster, r.topic, r.partition, r.record_offset FROM raw.internal_records AS r
JOIN snapshots AS s USING (cluster, topic, partition)
WHERE r.kind = 'share_group_state' AND hex(r.key)[5:] = s.share_partition AND r.record_offset >= s.record_offset
"""

_SAMPLES: Final = """
SELECT cluster, topic, partition, max(sampled_at) AS sampled_at FROM raw.log_offset_samples GROUP BY ALL
"""


# The newest commit or removal of each key.
_EXTERNAL_COMMITS: Final = """
SELECT cluster, log_partition, max(log_offset) AS log_offset
FROM raw.external_commits GROUP BY cluster, log_partition, group_id, topic, partition
"""


@dataclass(frozen=True, slots=True)
class Rule:
    """The age of a table's rows, their identity, and a SELECT of those that stay however old."""

    age: str
    """SQL: the time of a row in milliseconds; it may be any number, since a stranger may have written it."""
    identity: tuple[str, ...] = ()
    stays: str = ""
    reads: tuple[str, ...] = ()
    """The tables that the SELECT reads."""
    topic: str = "topic"
    """SQL: the topic of a row, for raw.retired_ranges."""
    partition: str = "partition"
    offset: str = ""
    """Column of the offset that is retired; none for a table that is no log."""
    lowest_of_age: str = ""
    """Whole-number column whose bounds show that a file has no old rows."""


RULES: Final[Mapping[str, Rule]] = {
    "raw.offset_records": Rule(
        "timestamp_ms",
        ("cluster", "log_partition", "log_offset"),
        _RECORDS,
        ("raw.offset_records", "core.commits", "core.record_compaction"),
        "'__consumer_offsets'",
        "log_partition",
        "log_offset",
        "timestamp_ms",
    ),
    "raw.batches": Rule(
        "max_timestamp_ms",
        ("cluster", "topic", "partition", "base_offset"),
        _BATCHES,
        ("raw.batches", "core.commits"),
        offset="base_offset",
        lowest_of_age="max_timestamp_ms",
    ),
    "raw.log_offset_samples": Rule(
        "epoch_ms(sampled_at)", ("cluster", "topic", "partition", "sampled_at"), _SAMPLES, ("raw.log_offset_samples",)
    ),
    "raw.coordinator_events": Rule("epoch_ms(logged_at)"),
    "raw.diverged_records": Rule("epoch_ms(read_at)"),
    "raw.diverged_batches": Rule("epoch_ms(read_at)"),
    "raw.internal_records": Rule(
        "timestamp_ms",
        ("cluster", "topic", "partition", "record_offset"),
        _INTERNAL_RECORDS,
        ("raw.internal_records",),
        offset="record_offset",
        lowest_of_age="timestamp_ms",
    ),
    "raw.diverged_internal_records": Rule("epoch_ms(read_at)"),
    "raw.external_commits": Rule(
        "if(store_kind = 'zookeeper', timestamp_ms, NULL)",
        ("cluster", "log_partition", "log_offset"),
        _EXTERNAL_COMMITS,
        ("raw.external_commits",),
        lowest_of_age="timestamp_ms",
    ),
    "raw.quarantine": Rule("epoch_ms(read_at)"),
}
"""raw.segments has no rule: it records which files were read, in one row per file. Of the stores outside Kafka only
ZooKeeper counts commits: of the others a commit whose predecessors were retired would look like the first one. Nor has
raw.zookeeper_events a rule: who was a member rests on all that happened since."""
