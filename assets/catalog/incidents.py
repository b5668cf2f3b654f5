"""The marts of what went wrong: single findings, and the incidents they fold into.

Put columns here that hold for findings of every kind. What only one kind has stays in its own mart, which a finding's
log position leads to.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pyarrow as pa

from assets.catalog.groups import GROUP_ID
from assets.catalog.raw import CLUSTER, LOG_PARTITION
from assets.catalog.table import TIMESTAMP, Column, Table

_INCIDENT_ID: Final = Column(
    "incident_id",
    pa.string(),
    "Twelve hex digits made of cluster, group, story and the log position of its first finding: the same in every "
    "build, unless a log that is read later tells of an earlier finding.",
    required=True,
)
_KIND: Final = Column(
    "kind",
    pa.string(),
    "skip (offsets never read), replay (offsets read again), storm (rebalances close together; not about offsets), "
    "restarts (of all members of a group, over and over), diverged (commits that no log bears out, copies that "
    "differ, groups in another partition), stopped (behind, and for ten minutes of what was read of its cluster no "
    "commit, or none that got further), behind (lag that grew for ten minutes), expiring (offsets that a day later "
    "are gone), transaction (open for longer than brokers allow), cleaner (of the offsets topic, stuck) or produced "
    "(records that producers wrote twice).",
    required=True,
)
_GROUP_ID: Final = replace(GROUP_ID, meaning="Consumer group; NULL where it concerns none, or all.", required=False)
_LOG_PARTITION: Final = replace(
    LOG_PARTITION, meaning=f"{LOG_PARTITION.meaning[:-1]} that shows it; NULL where none does.", required=False
)
_STORY: Final = Column(
    "pattern",
    pa.string(),
    "What findings of one incident have in common, such as set back or overtaken.",
    required=True,
)
_CONFIDENCE: Final = Column(
    "certainty",
    pa.string(),
    "proven: the records say so; likely: an estimate from evidence that names both ends, or concluded from records.",
    required=True,
)
_CAUSE: Final = "admin reset, retention, ...; unknown where the records don't tell."
_ESTIMATE_RECORDS: Final = Column(
    "estimate_records", pa.int64(), "Records in the estimate; NULL unless data segments tell all of them."
)
_EVIDENCE: Final = Column(
    "evidence",
    pa.list_(pa.int64()),
    "Log offsets of all records of the offsets topic it rests on, in order.",
    required=True,
)

FINDINGS: Final = Table(
    "mart",
    "findings",
    "Every finding of every kind in one shape, proven or likely: what an audit lists, and what incidents are made "
    "of. What is only possible is in mart.not_excluded.",
    ("cluster", "log_partition", "log_offset", "group_id", "kind", "claim_kind", "topic", "partition"),
    (
        CLUSTER,
        _INCIDENT_ID,
        _GROUP_ID,
        _KIND,
        _STORY,
        Column("claim_kind", pa.string(), "How it came about, as the mart of its kind says.", required=True),
        Column("topic", pa.string(), "Topic; NULL for what concerns the whole group."),
        Column("partition", pa.int32(), "Partition of it; NULL for what concerns the whole group."),
        Column("claim", pa.string(), "What is claimed, as sure as it is; {} stands for the offsets.", required=True),
        Column("reason", pa.string(), "How it came about, in words.", required=True),
        Column("possible_from", pa.int64(), "First offset that it may concern; NULL where it is not about offsets."),
        Column("possible_to", pa.int64(), "End (half-open) of what it may concern; NULL where there is no limit."),
        Column("certain_from", pa.int64(), "First offset that it surely concerns; NULL while none is sure."),
        Column("certain_to", pa.int64(), "End (half-open) of what it surely concerns; NULL while none is sure."),
        Column("estimate_from", pa.int64(), "First offset that it probably concerns; NULL without an estimate."),
        Column("estimate_to", pa.int64(), "End (half-open) of that; NULL without an estimate."),
        Column("records_possible", pa.int64(), "Records in the possible range; NULL without data segments."),
        Column("records_certain", pa.int64(), "Records in the certain range; NULL without one, or without segments."),
        _ESTIMATE_RECORDS,
        Column(
            "traffic_seconds",
            pa.float64(),
            "How long the topic-partition takes on average to get as many offsets as the estimate, by its batches, "
            "else by the commits of the group; NULL when unknown.",
        ),
        Column(
            "bytes", pa.int64(), "Size of the batches of the possible range, as on disk; NULL without data segments."
        ),
        Column("from_time", TIMESTAMP, "When what stood before was committed or removed; NULL when unknown."),
        Column("occurred_at", TIMESTAMP, "When it happened."),
        Column("cause", pa.string(), _CAUSE, required=True),
        Column(
            "actor",
            pa.string(),
            "Who made the commit: admin, owner, former_owner, simple_consumer, transaction, or unknown; NULL where it "
            "is about no commit.",
        ),
        Column("member_id", pa.string(), "Member who did it; NULL when it was none, or it is not known."),
        Column("client_id", pa.string(), "client.id of that member; NULL when it was none, or it is not known."),
        Column("client_host", pa.string(), "Where that member connects from; NULL when it was none, or not known."),
        _CONFIDENCE,
        _LOG_PARTITION,
        Column("log_offset", pa.int64(), "Log offset of the record that shows it; NULL where none does."),
        _EVIDENCE,
    ),
)

INCIDENTS: Final = Table(
    "mart",
    "incidents",
    "Findings of one group that are of one kind, have one story and are close in time, as incidents that a person "
    "would name; and those of one topic, where they concern no group.",
    ("cluster", "incident_id"),
    (
        CLUSTER,
        _INCIDENT_ID,
        Column(
            "rank",
            pa.int32(),
            "1 for the worst: by severity, then offsets never read before others, then by certain and estimated "
            "offsets, then by time.",
            required=True,
        ),
        Column(
            "severity",
            pa.string(),
            "critical, high, medium or low: by kind, certainty, and how many records or seconds of traffic the "
            "estimate has, as the table in assets/models/incidents/severities.sql says.",
            required=True,
        ),
        _KIND,
        _STORY,
        Column("title", pa.string(), "One line: when, who, what, how much, why, and how sure that is.", required=True),
        _GROUP_ID,
        Column("topics", pa.list_(pa.string()), "Topics it concerns, in order.", required=True),
        Column("partitions", pa.int64(), "Partitions it concerns.", required=True),
        Column("findings", pa.int64(), "Findings that it is made of.", required=True),
        Column("from_time", TIMESTAMP, "When what stood before was committed; NULL when unknown."),
        Column("detected_at", TIMESTAMP, "When its first finding happened; NULL when unknown."),
        Column("to_time", TIMESTAMP, "When its last finding happened; NULL when unknown."),
        Column("certain_offsets", pa.int64(), "Offsets it surely concerns; those of several findings count each time."),
        Column(
            "estimate_offsets",
            pa.int64(),
            "Offsets it probably concerns, the certain ones with them; NULL without any.",
        ),
        Column("possible_offsets", pa.int64(), "Offsets it may concern at most; NULL where there is no limit."),
        _ESTIMATE_RECORDS,
        Column("traffic_seconds", pa.float64(), "The largest of its findings; NULL when unknown."),
        Column(
            "records_certain", pa.int64(), "Records of which it is sure; NULL unless data segments tell all of them."
        ),
        Column("records_possible", pa.int64(), "Records among these; NULL unless data segments tell all of it."),
        Column("bytes", pa.int64(), "Size of the batches that hold them; NULL unless data segments tell all of it."),
        Column("causes", pa.list_(pa.string()), _CAUSE, required=True),
        Column("claim", pa.string(), "What is claimed, as sure as it is, and of how much.", required=True),
        Column("reason", pa.string(), "How its worst finding came about, in words.", required=True),
        Column("actors", pa.list_(pa.string()), "Who made its commits, as in mart.findings.", required=True),
        Column("members", pa.list_(pa.string()), "Members who did it, as far as they are known.", required=True),
        _CONFIDENCE,
        _LOG_PARTITION,
        Column(
            "log_offset", pa.int64(), "Log offset of the record that shows its first finding; NULL where none does."
        ),
        _EVIDENCE,
    ),
)

NOT_EXCLUDED: Final = Table(
    "mart",
    "not_excluded",
    "What is only possible, by group and kind: nothing says that it happened, and nothing excludes it. No incident.",
    ("cluster", "group_id", "kind"),
    (
        CLUSTER,
        GROUP_ID,
        Column(
            "kind",
            pa.string(),
            "replay (read again), skip (never read), diverged (commits ahead of the log) or no_commits (the group "
            "owns partitions and commits nothing, so nothing is known of what it reads).",
            required=True,
        ),
        Column(
            "claims", pa.int64(), "Claims in the mart of the kind; of no_commits the partitions owned.", required=True
        ),
        Column("partitions", pa.int64(), "Partitions that they concern.", required=True),
        Column("topics", pa.list_(pa.string()), "Topics that they concern, in order.", required=True),
        Column("possible_offsets", pa.int64(), "Offsets that they come to at most; NULL where there is no limit."),
        Column(
            "reasons",
            pa.list_(pa.string()),
            "How each may have come about, as the mart of the kind says.",
            required=True,
        ),
        Column(
            "needs",
            pa.list_(pa.string()),
            "What would settle it: data_segments (of topics_to_mount), earlier_copy (of the offsets partition, from "
            "before it was compacted), text_logs (of the coordinator), application_logs (what was processed is in no "
            "log of Kafka).",
            required=True,
        ),
        Column("topics_to_mount", pa.list_(pa.string()), "Topics whose data segments were not read.", required=True),
    ),
)

BASIS: Final = Table(
    "mart",
    "basis",
    "What answers rest on: how much of the history of each partition of the offsets topic was seen, and where the "
    "log end of each data partition that a group has an offset in is known from.",
    ("cluster", "topic", "partition"),
    (
        CLUSTER,
        Column("topic", pa.string(), "__consumer_offsets, or a topic in which a group has an offset.", required=True),
        Column("partition", pa.int32(), "Partition of it.", required=True),
        Column("history_offsets", pa.int64(), "Offsets that its log ever had; NULL for a data topic."),
        Column(
            "unseen_offsets",
            pa.int64(),
            "Those of them that were compacted, deleted or damaged before they were read; NULL for a data topic.",
        ),
        Column(
            "batches_set_aside",
            pa.int64(),
            "Batches of it that could not be read (raw.quarantine); NULL for a data topic.",
        ),
        Column("batches", pa.int64(), "Batches of it that were read, in all copies; NULL for a data topic."),
        Column("newest_record_at", TIMESTAMP, "Timestamp of its last record that was read; NULL for a data topic."),
        Column("last_read_at", TIMESTAMP, "When it was read last; NULL for a data topic."),
        Column(
            "log_ends_from",
            pa.string(),
            "segments (of data), samples (what a broker said), or NULL where the log end is not known; NULL for the "
            "offsets topic.",
        ),
    ),
)
