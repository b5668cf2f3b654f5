"""What a warehouse claims of groups: rows of mart.replays and mart.skips, and the sentences of mart.incidents.

Only reading them belongs here. They are held against the truth in `scores`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from benchmarks.truth.truths import Key

if TYPE_CHECKING:
    import duckdb

KINDS: Final = ("replay", "skip")
Range = tuple[int, float]
"""Half-open; without an end where nothing tells one."""
_ROWS: Final = """
WITH claims AS (
    SELECT 'replay' AS kind, kind AS claim_kind, * EXCLUDE (kind) FROM mart.replays
    UNION ALL BY NAME
    SELECT 'skip' AS kind, kind AS claim_kind, * EXCLUDE (kind) FROM mart.skips
),
findings AS (FROM mart.findings WHERE incident_id IN (SELECT incident_id FROM mart.incidents))
SELECT c.kind, c.group_id, c.topic, c.partition, c.possible_from, c.possible_to, c.certain_from, c.certain_to,
       c.estimate_from, c.estimate_to, epoch_ms(c.from_time) AS from_ms, epoch_ms(c.to_time) AS to_ms, f.incident_id
FROM claims AS c
LEFT JOIN findings AS f
    ON f.kind = c.kind AND f.cluster = c.cluster AND f.group_id = c.group_id
    AND f.topic = c.topic AND f.partition = c.partition AND f.claim_kind = c.claim_kind
    AND f.log_partition = c.log_partition AND f.log_offset = c.log_offset
"""
_INCIDENTS: Final = """
SELECT incident_id, kind, group_id, certain_offsets, estimate_offsets, title
FROM mart.incidents WHERE group_id IS NOT NULL
"""


@dataclass(frozen=True)
class Claim:
    """A row about offsets of one key."""

    kind: str
    key: Key
    possible: Range
    certain: Range | None
    estimate: Range | None
    """None where nothing tells, empty where probably nothing happened."""
    from_ms: float
    to_ms: float
    incident_id: str | None

    @property
    def amount(self) -> float:
        """How many offsets it says: its estimate, else what is certain, else none."""
        return length(self.estimate or self.certain)

    @property
    def certainty(self) -> str:
        """By its ranges."""
        return certainty(length(self.certain), length(self.estimate))


@dataclass(frozen=True)
class Incident:
    """A sentence that a person reads."""

    incident_id: str
    kind: str
    group: str
    certain_offsets: int
    estimate_offsets: int | None
    title: str

    @property
    def certainty(self) -> str:
        """By its amounts."""
        return certainty(self.certain_offsets, self.estimate_offsets or 0)


def certainty(certain: float, estimate: float) -> str:
    """What a claim of so many certain and so many estimated offsets is."""
    return "proven" if certain else "likely" if estimate else "possible"


def length(span: Range | None) -> float:
    """How many offsets are in a range; none in none."""
    return max(span[1] - span[0], 0) if span else 0


def claims(connection: duckdb.DuckDBPyConnection) -> list[Claim]:
    """Every claim about offsets, with the incident that tells it."""
    return [_claim(row) for row in connection.sql(_ROWS).to_arrow_table().to_pylist()]


def _claim(row: dict[str, Any]) -> Claim:
    return Claim(
        row["kind"],
        Key(row["group_id"], row["topic"], row["partition"]),
        _range(row, "possible") or (0, float("inf")),
        _range(row, "certain"),
        _range(row, "estimate"),
        -float("inf") if row["from_ms"] is None else row["from_ms"],
        float("inf") if row["to_ms"] is None else row["to_ms"],
        row["incident_id"],
    )


def _range(row: dict[str, Any], name: str) -> Range | None:
    start, end = row[f"{name}_from"], row[f"{name}_to"]
    if start is None:
        return None
    return start, float("inf") if end is None else end


def incidents(connection: duckdb.DuckDBPyConnection) -> list[Incident]:
    """Every incident of a group, of whatever kind."""
    return [
        Incident(incident_id, kind, group, certain_offsets or 0, estimate_offsets, title)
        for incident_id, kind, group, certain_offsets, estimate_offsets, title in connection.sql(_INCIDENTS).fetchall()
    ]
