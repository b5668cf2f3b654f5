"""The queries of the cluster's page: one per figure, shown beside it as it was run.

Put queries over all groups of a cluster here. Those about one group belong in `questions`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from dagster_project.cli.exits import CallRefusedError
from dagster_project.cli.questions.refusals import refuse_unknown_cluster
from dagster_project.cli.reporting.questions import Question
from dagster_project.cli.terminal import brief
from dagster_project.cli.times import moved, show_time

if TYPE_CHECKING:
    from dagster_project.cli.questions.answers import Answers

MARKS_MOST: Final = 1_000
_SHORTEST: Final = timedelta(seconds=1)
_SPANS: Final = """
    SELECT cluster, min(seen_at) AS first, max(seen_at) AS last
    FROM (SELECT cluster, effective_at AS seen_at FROM core.commits
          UNION ALL SELECT cluster, from_at FROM core.generations
          UNION ALL SELECT cluster, detected_at FROM mart.incidents)
    WHERE $cluster IS NULL OR cluster = $cluster
    GROUP BY cluster ORDER BY cluster
"""
_IN_TIME: Final = """WHERE cluster = $cluster
  AND coalesce(to_time >= $begin AND coalesce(from_time, detected_at) < $until, TRUE)"""


@dataclass(frozen=True, slots=True)
class ClusterScope:
    """The subject of the page: one cluster, from (included) to (excluded) an instant."""

    cluster: str
    begin: datetime
    end: datetime

    @property
    def parameters(self) -> dict[str, object]:
        """The values that every question binds."""
        return {"cluster": self.cluster, "begin": self.begin, "until": self.end}


def find_cluster(answers: Answers, cluster: str | None, begin: datetime | None, end: datetime | None) -> ClusterScope:
    """The cluster that is named, or the only one, in the time that is known of it, or what was chosen of that."""
    refuse_unknown_cluster(answers, cluster)
    span = _span(list(answers.rows(_SPANS, {"cluster": cluster})))
    first, last = begin or span["first"], end or moved(span["last"], timedelta(milliseconds=1))
    if first > span["last"] or last <= span["first"]:
        raise CallRefusedError(
            f"nothing is known of cluster {brief(span['cluster'])} from {show_time(first)} to {show_time(last)}: its "
            f"records are of {show_time(span['first'])} to {show_time(span['last'])}."
        )
    last = max(last, moved(first, _SHORTEST))
    return ClusterScope(span["cluster"], min(first, moved(last, -_SHORTEST)), last)


def _span(spans: list[dict[str, Any]]) -> dict[str, Any]:
    if len(spans) > 1:
        names = ", ".join(brief(span["cluster"]) for span in spans)
        raise CallRefusedError(f"there are several clusters; choose with --cluster NAME: {names}.")
    if not spans or spans[0]["first"] is None:
        raise CallRefusedError("no commit and no generation with a time was read, so there is nothing to draw.")
    return spans[0]


TOTALS: Final = Question(
    "totals",
    f"""
SELECT severity, kind, count(*) AS incidents, count(DISTINCT group_id) AS groups,
       least(sum(certain_offsets), 9223372036854775807)::BIGINT AS certain_offsets,
       least(sum(estimate_offsets), 9223372036854775807)::BIGINT AS estimate_offsets
FROM mart.incidents
{_IN_TIME}
GROUP BY ALL ORDER BY min(rank)
""",  # noqa: S608 - a constant of this file
)
GROUPS: Final = Question(
    "groups",
    f"""
SELECT group_id, min(rank) AS rank, count(*) AS incidents,
       count(*) FILTER (severity = 'critical') AS critical, count(*) FILTER (severity = 'high') AS high,
       count(*) FILTER (severity = 'medium') AS medium, count(*) FILTER (severity = 'low') AS low
FROM mart.incidents
{_IN_TIME}
GROUP BY ALL ORDER BY rank
""",  # noqa: S608 - a constant of this file
)
INCIDENTS: Final = Question(
    "incidents",
    f"""
SELECT incident_id, rank, severity, kind, group_id, claim, reason, certainty, from_time, detected_at, to_time
FROM mart.incidents
{_IN_TIME}
ORDER BY rank LIMIT {MARKS_MOST}
""",  # noqa: S608 - a constant of this file
)
OTHERS: Final = Question(
    "others",
    f"""
SELECT floor($steps * (epoch_ms(greatest(detected_at, $begin)) - epoch_ms($begin))
             / (epoch_ms($until) - epoch_ms($begin)))::INTEGER AS step, count(*) AS incidents
FROM mart.incidents
{_IN_TIME}
  AND detected_at < $until AND (group_id IS NULL OR NOT list_contains($shown, group_id))
GROUP BY ALL ORDER BY ALL
""",  # noqa: S608 - a constant of this file
)
UNSEEN: Final = Question(
    "unseen",
    """
WITH places AS (
    SELECT DISTINCT group_id, log_partition FROM internal.group_partitions
    WHERE cluster = $cluster AND list_contains($shown, group_id)
),
gaps AS (
    SELECT log_partition, greatest(coalesce(from_at, $begin), $begin) AS from_at,
           least(coalesce(to_at, $until), $until) AS to_at
    FROM core.log_gaps
    WHERE cluster = $cluster AND log_partition >= 0
        AND coalesce(from_at < $until, TRUE) AND coalesce(to_at > $begin, TRUE)
),
steps AS (
    SELECT DISTINCT log_partition, unnest(range(
        floor($steps * (epoch_ms(from_at) - epoch_ms($begin)) / (epoch_ms($until) - epoch_ms($begin)))::INTEGER,
        least(floor($steps * (epoch_ms(to_at) - epoch_ms($begin)) / (epoch_ms($until) - epoch_ms($begin)))::INTEGER + 1,
              $steps)
    )) AS step
    FROM gaps WHERE to_at >= from_at
)
SELECT DISTINCT group_id, step::INTEGER AS step FROM places JOIN steps USING (log_partition) ORDER BY ALL
""",
)
QUESTIONS: Final = (TOTALS, GROUPS, INCIDENTS, OTHERS, UNSEEN)
"""Every query of the page."""
