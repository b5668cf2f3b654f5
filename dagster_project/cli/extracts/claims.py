"""The ranges of offsets that claims are about, and how many records the tables count in them.

Put here the questions to the warehouse. How records are read belongs in `assets.extraction`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from assets.extraction.log_ranges import NO_END, LogRange, merge
from dagster_project.cli.exits import CallRefusedError
from dagster_project.cli.questions.refusals import (
    refuse_incident,
    refuse_several_clusters,
    refuse_unknown,
    refuse_unknown_cluster,
)
from dagster_project.cli.terminal import brief, pasteable
from parsers.files.discovery import SegmentFile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dagster_project.cli.questions.answers import Answers

CERTAINTIES: Final = ("certain", "likely", "possible")
KINDS: Final = ("replay", "skip")
_RANGES: Final = {
    "certain": "certain_from AS from_offset, certain_to AS to_offset",
    "likely": "coalesce(estimate_from, certain_from) AS from_offset, coalesce(estimate_to, certain_to) AS to_offset",
    "possible": f"possible_from AS from_offset, coalesce(possible_to, {NO_END}) AS to_offset",
}
_OF_INCIDENT: Final = """
    SELECT cluster, kind, topic, partition, {ranges} FROM mart.findings
    WHERE incident_id = $incident AND ($cluster IS NULL OR cluster = $cluster)
"""
_OF_GROUP: Final = """
    SELECT cluster, claim AS kind, topic, partition, {ranges}
    FROM (SELECT 'replay' AS claim, * FROM mart.replays UNION ALL BY NAME SELECT 'skip' AS claim, * FROM mart.skips)
    WHERE group_id = $group AND topic = $topic AND partition = $partition
      AND ($cluster IS NULL OR cluster = $cluster) AND ($kind IS NULL OR claim = $kind)
"""
_COUNTS: Final = """
    WITH extracted AS (
        SELECT cluster, topic, partition::INTEGER AS partition, from_offset::BIGINT AS from_offset,
               to_offset::BIGINT AS to_offset
        FROM (SELECT unnest($ranges, recursive := true))
    )
    SELECT cluster, topic, partition, from_offset, to_offset, records FROM records_in('extracted')
"""
_CLUSTERS: Final = "SELECT DISTINCT cluster FROM raw.segments ORDER BY cluster"
_FILES: Final = """
    SELECT DISTINCT ON (path) broker_id, base_offset, path, size_bytes, file_suffix FROM raw.segments
    WHERE source = 'file' AND cluster = $cluster AND topic = $topic AND partition = $partition
    ORDER BY path, read_at DESC
"""


@dataclass(frozen=True, slots=True)
class ClaimRequest:
    """The claims that are meant: those of an incident, or those of a group about one partition."""

    incident: str | None
    group: str | None
    topic: str | None
    partition: int | None
    certainty: str
    kind: str | None
    cluster: str | None


def claimed_ranges(answers: Answers, request: ClaimRequest) -> list[LogRange]:
    """The ranges that the claims are about, each offset once; a call that means none is refused."""
    refuse_unknown_cluster(answers, request.cluster)
    rows = _incident_rows(answers, request) if request.incident else _group_rows(answers, request)
    ranges = [
        LogRange(row["cluster"], row["topic"], row["partition"], row["from_offset"], row["to_offset"])
        for row in rows
        if row["topic"] is not None and row["from_offset"] is not None and row["from_offset"] < row["to_offset"]
    ]
    if not ranges:
        raise CallRefusedError(_nothing(request, len(rows)))
    return merge(ranges)


def table_counts(answers: Answers, ranges: Sequence[LogRange]) -> dict[LogRange, int | None]:
    """The records that the warehouse counts in each range; None where it does not know."""
    wanted = [
        {
            "cluster": one.cluster,
            "topic": one.topic,
            "partition": one.partition,
            "from_offset": one.from_offset,
            "to_offset": one.to_offset,
        }
        for one in ranges
    ]
    rows = answers.rows(_COUNTS, {"ranges": wanted})
    counts = {LogRange(*(row[name] for name in wanted[0])): row["records"] for row in rows}
    return {one: counts.get(one) for one in ranges}


def files_read(answers: Answers, wanted: LogRange) -> list[SegmentFile]:
    """The segment files of a log that the warehouse was read from, where they were then."""
    cluster, topic, partition = wanted.log
    return [
        SegmentFile(
            cluster=cluster,
            broker_id=row["broker_id"],
            topic=topic,
            partition=partition,
            base_offset=row["base_offset"],
            path=row["path"],
            size_bytes=row["size_bytes"],
            modified_ms=None,
            topic_id=None,
            log_start_offset=None,
            high_watermark=None,
            file_suffix=row["file_suffix"],
        )
        for row in answers.rows(_FILES, {"cluster": cluster, "topic": topic, "partition": partition})
    ]


def clusters_of(answers: Answers) -> list[str]:
    """The clusters of the warehouse."""
    return [row["cluster"] for row in answers.rows(_CLUSTERS)]


def _incident_rows(answers: Answers, request: ClaimRequest) -> list[dict[str, Any]]:
    question = _OF_INCIDENT.format(ranges=_RANGES[request.certainty])
    rows = list(answers.rows(question, {"incident": request.incident, "cluster": request.cluster}))
    if not rows:
        refuse_incident(answers, request.incident or "", request.cluster)
    return rows


def _group_rows(answers: Answers, request: ClaimRequest) -> list[dict[str, Any]]:
    group = request.group or ""
    refuse_unknown(answers, {group})
    refuse_several_clusters(answers, group, request.cluster)
    names = ("group", "topic", "partition", "kind", "cluster")
    question = _OF_GROUP.format(ranges=_RANGES[request.certainty])
    return list(answers.rows(question, {name: getattr(request, name) for name in names}))


def _nothing(request: ClaimRequest, claims: int) -> str:
    """Why there is nothing to extract."""
    if request.incident:
        about = f"incident {brief(request.incident)}"
        reason = f"names no offsets that are {request.certainty}"
        return f"{about} {reason}; try --certainty likely or possible, unless it is not about offsets at all."
    place = f"{pasteable(request.topic or '')}-{request.partition}"
    if not claims:
        return (
            f"there is no claim about group {pasteable(request.group or '')} and {place}; `lagbook audit` lists them."
        )
    return f"no offset of {place} is {request.certainty} in any of the {claims} claims; try another --certainty."
