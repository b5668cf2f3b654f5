"""The rows that a claim is made of again: those of its group and topics in the raw tables, and what was made of them.

Put here which rows they are. How the claim is made of them belongs in `assets.evidence.claim_tables`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from assets.catalog.raw.external import ZOOKEEPER_EVENTS
from assets.evidence.claim_tables import RECORDS
from assets.ingest.stores.archive import EXTERNAL
from parsers.errors import LagbookError
from parsers.files.discovery import OFFSETS_TOPIC

if TYPE_CHECKING:
    from collections.abc import Mapping

    import duckdb
    import pyarrow as pa

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
    "raw.configurations": "cluster = $cluster",
}
_RECONSTRUCTED: Final = {
    "core.commits": _OF_GROUP,
    "core.generations": _OF_GROUP,
    "core.members": _OF_GROUP,
    "core.ownership": _OF_GROUP,
    "internal.recorded_group_states": _OF_GROUP,
    "internal.topic_id_names": _OF_TOPICS,
    "core.log_gaps": _OF_LOG,
    ZOOKEEPER_EVENTS.full_name: _LIVES,
}
_CLAIMED: Final = """
    SELECT c.* FROM {table} AS c
    SEMI JOIN (FROM mart.findings WHERE incident_id = $incident AND kind = '{kind}') AS f
        ON f.cluster = c.cluster AND f.group_id = c.group_id AND f.topic = c.topic AND f.partition = c.partition
        AND f.log_partition = c.log_partition AND f.log_offset = c.log_offset AND f.claim_kind = c.kind
"""


def _questions(places: Mapping[str, str]) -> dict[str, str]:
    """The rows of each table that a condition holds for."""
    return {name: f"SELECT * FROM {name} WHERE {place}" for name, place in places.items()}  # noqa: S608 - constants


RAW: Final = {RECORDS: _RECORDS, **_questions(_RAW)}
"""What is taken of each raw table."""
RECONSTRUCTED: Final = _questions(_RECONSTRUCTED)
"""What is taken of the tables that the coordinator's replay fills, where the records themselves are not to be shown."""
CLAIM: Final = {
    **_questions(dict.fromkeys(("mart.incidents", "mart.findings"), "incident_id = $incident")),
    "mart.replays": _CLAIMED.format(table="mart.replays", kind="replay"),
    "mart.skips": _CLAIMED.format(table="mart.skips", kind="skip"),
}
"""The claim itself: what is made of the rows above."""


@dataclass(frozen=True, slots=True)
class ClaimScope:
    """The incident, and what its rows are found by."""

    incident: str
    kind: str
    cluster: str
    group_id: str
    log_partition: int
    topics: tuple[str, ...]

    @property
    def is_of_store(self) -> bool:
        """Whether it rests on commits of a store outside Kafka."""
        return self.log_partition < 0

    def parameters(self, question: str) -> dict[str, Any]:
        """The values that a question binds."""
        named = {
            "incident": self.incident,
            "cluster": self.cluster,
            "group_id": self.group_id,
            "log_partition": self.log_partition,
            "topics": list(self.topics),
        }
        return {name: value for name, value in named.items() if f"${name}" in question}


def packed_rows(
    connection: duckdb.DuckDBPyConnection, scope: ClaimScope, questions: dict[str, str]
) -> dict[str, pa.Table]:
    """The rows that each question gives; more than a pack may have are refused."""
    rows: dict[str, pa.Table] = {}
    for name, question in questions.items():
        parameters = scope.parameters(question)
        ((count,),) = connection.execute(f"SELECT count(*) FROM ({question})", parameters).fetchall()  # noqa: S608 - a question of this module
        if count > MOST_ROWS:
            raise LagbookError(f"{name}: {count:,} rows would be in the pack, which takes {MOST_ROWS:,} at most")
        rows[name] = connection.sql(question, params=parameters).to_arrow_table()
    return rows
