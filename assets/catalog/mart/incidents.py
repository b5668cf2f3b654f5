"""What went wrong: single findings, and the incidents they fold into.

Put columns here that hold for findings of every kind. What only one kind has stays in its own mart, which a finding's
log position leads to.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pyarrow as pa

from assets.catalog.columns import CLUSTER, GROUP_ID, LOG_PARTITION
from assets.catalog.table import TIMESTAMP, Column, Table

_INCIDENT_ID: Final = Column(
    "incident_id",
    pa.string(),
    "Twelve hex digits made of cluster, group, pattern and the log position of its first finding: the same in every "
    "build, unless a log that is read later tells of an earlier finding.",
    required=True,
)

_KIND: Final = Column(
    "kind",
    pa.string(),
    "What went wrong.",
    values={
        "skip": "offsets never read",
        "replay": "offsets read again",
        "storm": "rebalances close together; not about offsets",
        "restarts": "of all members of a group, over and over",
        "diverged": "commits that no log bears out, copies that differ, groups in another partition",
        "stopped": "behind, and for ten minutes of what was read of its cluster no commit, or none that got further",
        "behind": "lag that grew for ten minutes",
        "expiring": "offsets that a day later are gone",
        "transaction": "open for longer than brokers allow",
        "cleaner": "of the offsets topic, stuck",
        "produced": "records that producers wrote twice",
        "archived": "records that a share group gave up",
        "failover": "offsets never read by a group that went on at the target of MirrorMaker 2",
        "stuck": "records that a share group gets over and over and never accepts",
    },
    required=True,
)

_GROUP_ID: Final = replace(GROUP_ID, meaning="Consumer group; NULL where it concerns none, or all.", required=False)

_LOG_PARTITION: Final = replace(
    LOG_PARTITION, meaning=f"{LOG_PARTITION.meaning[:-1]} that shows it; NULL where none does.", required=False
)

_PATTERN: Final = Column(
    "pattern",
    pa.string(),
    "What findings of one incident have in common, such as set back or overtaken.",
    required=True,
)

_CONFIDENCE: Final = Column(
    "certainty",
    pa.string(),
    "How sure it is.",
    values={
        "proven": "the records say so",
        "likely": "an estimate from evidence that names both ends, or concluded from records",
    },
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

_RECORDS_ELSEWHERE: Final = pa.list_(
    pa.struct(
        [
            ("cluster", pa.string()),
            ("topic", pa.string()),
            ("partition", pa.int32()),
            ("record_offset", pa.int64()),
        ]
    )
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
        _PATTERN,
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
        Column(
            "occurred_at", TIMESTAMP, "When it happened (a reserved word of DuckDB's: write occurred_at in quotes)."
        ),
        Column("cause", pa.string(), _CAUSE, required=True),
        Column(
            "actor",
            pa.string(),
            "Who stood behind it: admin, owner, former owner, simple consumer, transaction, or unknown; NULL where "
            "nobody did it.",
        ),
        Column("member_id", pa.string(), "Member who did it; NULL when it was none, or it is not known."),
        Column("client_id", pa.string(), "client.id of that member; NULL when it was none, or it is not known."),
        Column(
            "client_host", pa.string(), "Where that member connects from; NULL when it was none, or it is not known."
        ),
        _CONFIDENCE,
        _LOG_PARTITION,
        Column(
            "log_offset",
            pa.int64(),
            "Log offset of the record that shows it, of a share group in its partition of __share_group_state; NULL "
            "where none does.",
        ),
        _EVIDENCE,
        Column(
            "evidence_elsewhere",
            _RECORDS_ELSEWHERE,
            "Records of other logs that it rests on: of __share_group_state, or of the source of MirrorMaker 2.",
            required=True,
        ),
    ),
)

INCIDENTS: Final = Table(
    "mart",
    "incidents",
    "Findings of one group that are of one kind, have one pattern and are close in time, as incidents that a person "
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
            minimum=1,
        ),
        Column(
            "severity",
            pa.string(),
            "How bad it is: by kind, certainty, and how many records or seconds of traffic the estimate has, as "
            "the table in assets/models/incidents/intermediate/incident_severities.sql says.",
            values={
                "critical": "surely lost: a hundred records or more, or the end of a log",
                "high": "lost for certain but less, probably lost, or repeated for certain, a hundred or more; or a "
                "group that stopped",
                "medium": "the same, with less of it or less sure",
                "low": "the rest",
            },
            required=True,
        ),
        _KIND,
        _PATTERN,
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
        Column("actors", pa.list_(pa.string()), "Who stood behind it, as in mart.findings.", required=True),
        Column("members", pa.list_(pa.string()), "Members who did it, as far as they are known.", required=True),
        _CONFIDENCE,
        _LOG_PARTITION,
        Column(
            "log_offset", pa.int64(), "Log offset of the record that shows its first finding; NULL where none does."
        ),
        _EVIDENCE,
    ),
)

TABLES: Final = (FINDINGS, INCIDENTS)
