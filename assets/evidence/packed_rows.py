"""The rows that a claim is made of again: those of its group and topics in the raw tables, and what was made of them.

Put here which rows they are. How the claim is made of them belongs in `assets.evidence.claim_tables`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa

from assets.catalog.raw.external import ZOOKEEPER_EVENTS
from assets.evidence.claim_tables import INTERNAL_RECORDS, RECORDS
from assets.ingest.stores.archive import EXTERNAL
from parsers.errors import LagbookError
from parsers.files.discovery import OFFSETS_TOPIC

if TYPE_CHECKING:
    from collections.abc import Mapping

    import duckdb

    from assets.evidence.claim_scope import ClaimScope

MOST_ROWS: Final = 5_000_000
"""Rows of one table in a pack: whoever verifies it holds them in memory."""
_OF_LOG: Final = "cluster = $cluster AND log_partition = $log_partition"
_OF_TOPICS: Final = "cluster = $cluster AND list_contains($topics, topic)"
_OF_GROUP: Final = "cluster = $cluster AND group_id = $group_id"
_OF_LOGS: Final = f"{_OF_TOPICS} OR (cluster = $cluster AND topic = '{OFFSETS_TOPIC}' AND partition = $log_partition)"
# Of other groups' records it is told that they are there, for a gap may hide anything: where, and when.
_RECORDS: Final = """
    WITH log AS (FROM raw.offset_records WHERE cluster = $cluster AND log_partition = $log_partition)
    SELECT * FROM log WHERE group_id = $group_id OR is_control
    UNION ALL BY NAME
    SELECT cluster, log_partition, log_offset, batch_base_offset, timestamp_ms, false AS is_control
    FROM log WHERE NOT coalesce(group_id = $group_id OR is_control, false)
    ORDER BY log_offset
"""
# The state of a group's share partitions, its checkpoints, and the offset syncs of its topics, for the claims that rest
# on them. Records of others count where a gap may hide something; markers say which transactions were committed.
_INTERNAL_RECORDS: Final = """
    WITH records AS (FROM raw.internal_records WHERE cluster = $cluster),
    own AS (
        SELECT topic, partition, record_offset FROM records
        WHERE group_id = $group_id AND (
            kind = 'share_group_state' AND $kind IN ('archived', 'stuck')
            OR kind = 'mirror_checkpoints' AND $kind = 'failover'
        )
        UNION ALL
        SELECT syncs_topic, log_partition, log_offset FROM core.mirror_offset_syncs
        WHERE cluster = $cluster AND $kind = 'failover' AND list_contains($topics, topic)
    ),
    logs AS (SELECT DISTINCT topic, partition FROM own)
    FROM records SEMI JOIN own USING (topic, partition, record_offset)
    UNION ALL
    FROM records SEMI JOIN logs USING (topic, partition) WHERE is_control
    UNION ALL BY NAME
    SELECT
        cluster, topic, partition, record_offset, kind, batch_base_offset, timestamp_ms, is_transactional, is_control,
        false AS is_tombstone
    FROM records SEMI JOIN logs USING (topic, partition) ANTI JOIN own USING (topic, partition, record_offset)
    WHERE NOT is_control AND kind = 'share_group_state'
    ORDER BY topic, partition, record_offset
"""
_ALIASES: Final = """
    SELECT a.* FROM raw.cluster_aliases AS a
    SEMI JOIN (FROM mart.mirror_flows WHERE target_cluster = $cluster AND $kind = 'failover') AS f
        ON f.source_alias = a.alias
"""
_LIVES: Final = f"{_OF_TOPICS} AND group_id IS NULL"
# Events of neither a group nor a topic are of sessions and files.
_OF_MEMBERS: Final = f"({_OF_LOG} AND coalesce(group_id = $group_id, topic IS NULL)) OR ({_LIVES})"
_RAW: Final = {
    EXTERNAL: f"{_OF_LOG} AND group_id = $group_id",
    ZOOKEEPER_EVENTS.full_name: _OF_MEMBERS,
    "raw.segments": _OF_LOGS,
    "raw.quarantine": _OF_LOGS,
    "raw.retired_ranges": _OF_LOGS,
    "raw.log_offset_samples": _OF_LOGS,
    "raw.batches": _OF_TOPICS,
    "raw.diverged_batches": _OF_TOPICS,
    "raw.coordinator_events": _OF_GROUP,
    "raw.configurations": "cluster = $cluster AND (resource_type <> 'group' OR resource_name = $group_id)",
}
_RECONSTRUCTED: Final = {
    "core.commits": _OF_GROUP,
    "core.generations": _OF_GROUP,
    "core.members": _OF_GROUP,
    "core.ownership": _OF_GROUP,
    "internal.recorded_group_states": _OF_GROUP,
    "internal.topic_id_names": _OF_TOPICS,
    "core.log_gaps": _OF_LOG,
    "core.share_states": f"{_OF_GROUP} AND $kind IN ('archived', 'stuck')",
    ZOOKEEPER_EVENTS.full_name: _LIVES,
}
_CLAIMED: Final = """
    SELECT c.* FROM {table} AS c
    SEMI JOIN (FROM mart.findings WHERE incident_id = $incident AND kind = '{kind}') AS f
        ON f.cluster = c.cluster AND f.group_id = c.group_id AND f.topic = c.topic AND f.partition = c.partition
        AND f.log_partition = c.log_partition AND f.log_offset = c.log_offset AND f.claim_kind = c.kind
"""
_ARCHIVED: Final = """
    SELECT a.* FROM mart.share_archived AS a
    SEMI JOIN (
        SELECT unnest(evidence_elsewhere, recursive := true) FROM mart.findings
        WHERE incident_id = $incident AND kind = 'archived'
    ) AS f ON f.cluster = a.cluster AND f.partition = a.state_partition AND f.record_offset = a.record_offset
    WHERE a.cause <> 'never_delivered'
"""


def _questions(places: Mapping[str, str]) -> dict[str, str]:
    """The rows of each table that a condition holds for."""
    return {name: f"SELECT * FROM {name} WHERE {place}" for name, place in places.items()}  # noqa: S608 - constants


RAW: Final = {
    RECORDS: _RECORDS,
    INTERNAL_RECORDS: _INTERNAL_RECORDS,
    "raw.cluster_aliases": _ALIASES,
    **_questions(_RAW),
}
"""What is taken of each raw table."""
STORES: Final = frozenset({EXTERNAL, ZOOKEEPER_EVENTS.full_name})
"""Those that stores outside Kafka fill."""
HISTORY: Final = frozenset({*STORES, RECORDS, INTERNAL_RECORDS, "raw.cluster_aliases"})
"""Those of which history is reconstructed, and what has names that no pseudonym can stand for."""
RECONSTRUCTED: Final = _questions(_RECONSTRUCTED)
"""What is taken of the tables that the coordinator's replay fills, where the records themselves are not to be shown."""
CLAIM: Final = {
    **_questions(dict.fromkeys(("mart.incidents", "mart.findings"), "incident_id = $incident")),
    "mart.replays": _CLAIMED.format(table="mart.replays", kind="replay"),
    "mart.skips": _CLAIMED.format(table="mart.skips", kind="skip"),
    "mart.share_archived": _ARCHIVED,
}
"""The claim itself: what is made of the rows above."""


def questions(*, is_pseudonymous: bool) -> dict[str, str]:
    """What a pack has of each table that its claim is made of."""
    return {**{name: RAW[name] for name in RAW if name not in HISTORY}, **RECONSTRUCTED} if is_pseudonymous else RAW


def packed_rows(
    connection: duckdb.DuckDBPyConnection, scope: ClaimScope, queries: Mapping[str, str]
) -> dict[str, pa.Table]:
    """The rows that each question gives; more than a pack may have are refused."""
    rows: dict[str, pa.Table] = {}
    for name, question in queries.items():
        parameters = list(scope.parameters(question))
        counting = f"SELECT count(*) FROM ({question})"  # noqa: S608 - a question of this module
        count = sum(connection.execute(counting, one).fetchall()[0][0] for one in parameters)
        if count > MOST_ROWS:
            raise LagbookError(f"{name}: {count:,} rows would be in the pack, which takes {MOST_ROWS:,} at most")
        rows[name] = pa.concat_tables([connection.sql(question, params=one).to_arrow_table() for one in parameters])
    return rows
