"""What a claim is about: its incident, its group, and the logs and topics whose rows it is made again of.

Put here how that is found in a warehouse. Which rows these are is decided by `assets.evidence.packed_rows`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    Ask = Callable[[str, Mapping[str, object]], Iterable[dict[str, Any]]]
    """Gives the rows of a question to the warehouse, with the values that it binds."""

_INCIDENT: Final = """
    SELECT incident_id AS incident, kind, cluster, group_id, log_partition FROM mart.incidents
    WHERE incident_id = $incident AND ($cluster IS NULL OR cluster = $cluster)
"""
_TOPICS: Final = """
    WITH topics AS (SELECT DISTINCT topic FROM mart.findings WHERE cluster = $cluster AND incident_id = $incident)
    SELECT topic FROM topics WHERE topic IS NOT NULL
    UNION
    SELECT c.source_topic FROM mart.mirror_checkpoints AS c SEMI JOIN topics USING (topic)
    WHERE $kind = 'failover' AND c.target_cluster = $cluster AND c.group_id = $group_id AND c.source_topic IS NOT NULL
    ORDER BY topic
"""
"""The topics of the findings; and where a group went on at another cluster, what these are called at the source."""
_CLUSTERS: Final = """
    WITH records AS (
        SELECT unnest(evidence_elsewhere) AS record FROM mart.findings
        WHERE cluster = $cluster AND incident_id = $incident
    ),
    logs AS (
        SELECT $cluster AS cluster, $log_partition AS log_partition
        UNION ALL
        SELECT record.cluster, if(record.topic = '__consumer_offsets', record.partition, NULL) FROM records
        UNION ALL
        SELECT cluster, log_partition FROM core.group_states
        WHERE $log_partition IS NULL AND cluster = $cluster AND group_id = $group_id
    )
    SELECT cluster, max(log_partition)::INTEGER AS log_partition FROM logs GROUP BY cluster
    ORDER BY cluster <> $cluster, cluster
"""


@dataclass(frozen=True, slots=True)
class ClusterScope:
    """A cluster, and the partition of its offsets topic that has the group's records, or the number of a store."""

    cluster: str
    log_partition: int | None


@dataclass(frozen=True, slots=True)
class ClaimScope:
    """The incident, and what its rows are found by."""

    incident: str
    kind: str
    cluster: str
    group_id: str
    log_partition: int | None
    topics: tuple[str, ...]
    clusters: tuple[ClusterScope, ...]

    @property
    def is_of_store(self) -> bool:
        """Whether it rests on commits of a store outside Kafka."""
        return self.log_partition is not None and self.log_partition < 0

    def parameters(self, question: str) -> Iterator[dict[str, Any]]:
        """The values that a question binds: once for each cluster, if it asks for one."""
        for one in self.clusters if "$cluster" in question else self.clusters[:1]:
            named = {
                "incident": self.incident,
                "kind": self.kind,
                "cluster": one.cluster,
                "group_id": self.group_id,
                "log_partition": one.log_partition,
                "topics": list(self.topics),
            }
            yield {name: value for name, value in named.items() if f"${name}" in question}


def find_incident(ask: Ask, incident: str, cluster: str | None) -> dict[str, Any] | None:
    """The incident with this id: what of it is in its scope."""
    return next(iter(ask(_INCIDENT, {"incident": incident, "cluster": cluster})), None)


def scope_of(ask: Ask, incident: dict[str, Any]) -> ClaimScope:
    """The scope of an incident that concerns a group."""
    named = {name: incident[name] for name in ("incident", "kind", "cluster", "group_id")}
    place = {name: incident[name] for name in ("incident", "cluster", "group_id", "log_partition")}
    return ClaimScope(
        **incident,
        topics=tuple(row["topic"] for row in ask(_TOPICS, named)),
        clusters=tuple(ClusterScope(**row) for row in ask(_CLUSTERS, place)),
    )
