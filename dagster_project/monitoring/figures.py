"""The figures of a warehouse: runs, age, incidents, claims, completeness and lag; a row for each.

Put here what a figure is and the question that it answers. When it is asked belongs to `snapshots`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from itertools import product
from typing import TYPE_CHECKING, Any, Final

from assets.metrics.openmetrics import Family
from dagster_project.cli.terminal import safe
from dagster_project.severities import SEVERITIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from assets.duckdb.last_run import LastRun
    from assets.metrics.openmetrics import Sample
    from dagster_project.cli.questions.answers import Answers

Row = dict[str, Any]

MOST_GROUPS: Final = 100
"""Groups whose lag has series of its own: those with the largest, by name where that is equal."""
LONGEST_LABEL: Final = 249
_DIGEST_LENGTH: Final = 12

MEANINGS: Final = {
    "lagbook_warehouse_readable": "1 when the DuckDB file of the warehouse could be read.",
    "lagbook_last_run_start_timestamp_seconds": "When the last run began.",
    "lagbook_last_run_failed": "1 when the last run failed or was killed.",
    "lagbook_last_good_run_timestamp_seconds": "When a run ended last without a failure, as far as is known.",
    "lagbook_file_built_timestamp_seconds": "When the DuckDB file was built: every figure of a cluster is as of then.",
    "lagbook_newest_record_timestamp_seconds": "Time of the newest record of the offsets topic that was read.",
    "lagbook_open_incidents": "Incidents that nobody acknowledged.",
    "lagbook_reread_offsets": "Offsets read again: proven, or likely by the best estimate, which includes the proven.",
    "lagbook_missed_offsets": "Offsets never read: proven, or likely by the best estimate, which includes the proven.",
    "lagbook_reread_records": "The same in records; missing while the headers of a part of them are not known.",
    "lagbook_missed_records": "The same in records; missing while the headers of a part of them are not known.",
    "lagbook_history_offsets": "Offsets that the logs of the offsets topic had.",
    "lagbook_unseen_offsets": "Those of them that were never read.",
    "lagbook_groups": "Groups with a committed offset.",
    "lagbook_groups_left_out": "Groups without series of their own: their lag is not among the largest.",
    "lagbook_group_lag": "Offsets behind the log end, of all partitions where that is known.",
    "lagbook_group_lag_max": "The same of the partition that is furthest behind.",
    "lagbook_group_lag_seconds": "Seconds behind the log end, of the partition that is furthest behind.",
    "lagbook_group_unknown_partitions": "Partitions whose lag is not known.",
}
"""All figures, in their order; each is a gauge."""

_NEWEST: Final = """
    SELECT cluster, max(newest_record_at) AS newest_at, sum(history_offsets) AS history,
           sum(unseen_offsets) AS unseen
    FROM mart.basis WHERE topic = '__consumer_offsets' GROUP BY cluster ORDER BY cluster
"""
_INCIDENTS: Final = "SELECT cluster, incident_id, severity FROM mart.incidents"
_CLAIMS: Final = """
    SELECT cluster, kind, sum(coalesce(certain_offsets, 0)) AS proven,
           sum(coalesce(estimate_offsets, 0)) AS likely,
           CASE WHEN bool_and(records_certain IS NOT NULL OR coalesce(certain_offsets, 0) = 0)
                THEN sum(coalesce(records_certain, 0)) END AS proven_records,
           CASE WHEN bool_and(estimate_records IS NOT NULL OR coalesce(estimate_offsets, 0) = 0)
                THEN sum(coalesce(estimate_records, 0)) END AS likely_records
    FROM mart.incidents WHERE kind IN ('replay', 'skip') GROUP BY cluster, kind ORDER BY cluster
"""
_GROUPS: Final = """
    WITH lags AS (
        SELECT cluster, group_id, sum(lag) AS lag, max(lag) AS lag_max, max(seconds) AS seconds,
               count(*) FILTER (lag IS NULL) AS unknown
        FROM mart.lag_now GROUP BY cluster, group_id
    )
    SELECT *, count(*) OVER (PARTITION BY cluster) AS groups FROM lags
    QUALIFY row_number() OVER (ORDER BY lag DESC NULLS LAST, cluster, group_id) <= $most
    ORDER BY cluster, group_id
"""
_GROUP_COUNTS: Final = "SELECT cluster, count(DISTINCT group_id) AS groups FROM mart.lag_now GROUP BY cluster"
_KINDS: Final = {"replay": "reread", "skip": "missed"}


@dataclass(slots=True)
class Figures:
    """What a DuckDB file says, as of when it was built."""

    built_s: float
    samples: dict[str, list[Sample]] = field(default_factory=dict)
    severities: dict[str, str] = field(default_factory=dict)
    """The severity of each incident."""
    cluster_of: dict[str, str] = field(default_factory=dict)
    clusters: tuple[str, ...] = ()

    def add(self, name: str, labels: dict[str, str], value: float | None) -> None:
        """Add a sample, unless its value is unknown."""
        if value is not None:
            self.samples.setdefault(name, []).append((labels, value))


def read_figures(answers: Answers, most_groups: int) -> Figures:
    """Everything that does not change while the file stays the same."""
    figures = Figures(answers.info.built_at.timestamp())
    rows = list(answers.rows(_INCIDENTS))
    figures.severities = {row["incident_id"]: row["severity"] for row in rows}
    figures.cluster_of = {row["incident_id"]: row["cluster"] for row in rows}
    history = list(answers.rows(_NEWEST))
    figures.clusters = tuple(sorted({row["cluster"] for row in (*rows, *history)}))
    _add_history(figures, history)
    _add_claims(figures, answers.rows(_CLAIMS))
    _add_groups(figures, list(answers.rows(_GROUPS, {"most": most_groups})), answers.rows(_GROUP_COUNTS))
    return figures


def open_incidents(figures: Figures, dealt_with: frozenset[str]) -> list[Sample]:
    """The number of open incidents of each cluster and severity; also where it is 0."""
    counts = {(cluster, severity): 0 for cluster in figures.clusters for severity in SEVERITIES}
    for incident, severity in figures.severities.items():
        counts[figures.cluster_of[incident], severity] += incident not in dealt_with
    return [({"cluster": label(one), "severity": severity}, count) for (one, severity), count in counts.items()]


def run_samples(run: LastRun | None, failure: str | None, built_s: float | None) -> Iterator[tuple[str, float]]:
    """What is known of the last run, and of the last that went well."""
    if run is not None:
        yield "lagbook_last_run_start_timestamp_seconds", run.started_at.timestamp()
        yield "lagbook_last_run_failed", int(failure is not None)
    good = [built_s, run.ended_at.timestamp() if run and run.ended_at and failure is None else None]
    if known := [one for one in good if one is not None]:
        yield "lagbook_last_good_run_timestamp_seconds", max(known)
    if built_s is not None:
        yield "lagbook_file_built_timestamp_seconds", built_s


def families(samples: Iterable[tuple[str, Sample]], version: str) -> list[Family]:
    """All figures of all warehouses; one without a sample is left out."""
    by_name: dict[str, list[Sample]] = {name: [] for name in MEANINGS}
    for name, sample in samples:
        by_name[name].append(sample)
    build = Family("lagbook_build_info", "gauge", "The release of Lagbook.", [({"version": version}, 1)])
    return [build, *(Family(name, "gauge", MEANINGS[name], shown) for name, shown in by_name.items() if shown)]


def label(name: str) -> str:
    """A name as a label: one that is too long, or that could act on a terminal, is escaped, cut and made unique."""
    if len(name) <= LONGEST_LABEL and name.isprintable():
        return name
    return f"{safe(name)[:LONGEST_LABEL]}~{sha256(name.encode()).hexdigest()[:_DIGEST_LENGTH]}"


def _add_history(figures: Figures, rows: Sequence[Row]) -> None:
    for row in rows:
        labels = {"cluster": label(row["cluster"])}
        newest = row["newest_at"]
        figures.add("lagbook_newest_record_timestamp_seconds", labels, None if newest is None else newest.timestamp())
        figures.add("lagbook_history_offsets", labels, row["history"])
        figures.add("lagbook_unseen_offsets", labels, row["unseen"])


def _add_claims(figures: Figures, rows: Iterable[Row]) -> None:
    """Proven and likely amounts; a cluster without such an incident has 0."""
    by_claim = {(row["cluster"], row["kind"]): row for row in rows}
    nothing = dict.fromkeys(("proven", "likely", "proven_records", "likely_records"), 0)
    for cluster, (kind, word), claim in product(figures.clusters, _KINDS.items(), ("proven", "likely")):
        row, labels = by_claim.get((cluster, kind), nothing), {"cluster": label(cluster), "claim": claim}
        figures.add(f"lagbook_{word}_offsets", labels, row[claim])
        figures.add(f"lagbook_{word}_records", labels, row[f"{claim}_records"])


def _add_groups(figures: Figures, shown: Sequence[Row], counts: Iterable[Row]) -> None:
    for row in counts:
        labels, cluster = {"cluster": label(row["cluster"])}, row["cluster"]
        figures.add("lagbook_groups", labels, row["groups"])
        series = sum(one["cluster"] == cluster for one in shown)
        figures.add("lagbook_groups_left_out", labels, row["groups"] - series)
    for row in shown:
        labels = {"cluster": label(row["cluster"]), "group": label(row["group_id"])}
        figures.add("lagbook_group_lag", labels, row["lag"])
        figures.add("lagbook_group_lag_max", labels, row["lag_max"])
        figures.add("lagbook_group_lag_seconds", labels, row["seconds"])
        figures.add("lagbook_group_unknown_partitions", labels, row["unknown"])
