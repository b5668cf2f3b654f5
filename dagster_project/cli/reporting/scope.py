"""Which group, cluster and time a report is about, found out before anything is drawn.

Put here what a call may mean and when it is refused. What is asked within the scope belongs in `questions`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from dagster_project.cli.exits import CallRefusedError
from dagster_project.cli.questions.refusals import refuse_incident, refuse_unknown, refuse_unknown_cluster
from dagster_project.cli.terminal import brief
from dagster_project.cli.times import moved, show_time

if TYPE_CHECKING:
    from dagster_project.cli.questions.answers import Answers

_SPANS: Final = """
    SELECT cluster, min(seen_at) AS first, max(seen_at) AS last
    FROM (SELECT cluster, effective_at AS seen_at FROM core.commits WHERE group_id = $grp
          UNION ALL SELECT cluster, from_at FROM core.generations WHERE group_id = $grp
          UNION ALL SELECT cluster, seen_at FROM core.ownership WHERE group_id = $grp
          UNION ALL SELECT cluster, written_at FROM core.share_states WHERE group_id = $grp)
    WHERE $cluster IS NULL OR cluster = $cluster
    GROUP BY cluster ORDER BY cluster
"""
_INCIDENT: Final = """
    SELECT cluster, group_id, from_time, detected_at, to_time FROM mart.incidents
    WHERE incident_id = $incident AND ($cluster IS NULL OR cluster = $cluster)
"""
_BEFORE: Final = timedelta(minutes=5)
_AFTER: Final = timedelta(minutes=10)
"""How much is shown around an incident at least: what led to it, and how the group came out of it."""
_SHORTEST: Final = timedelta(seconds=1)
_TICK: Final = timedelta(milliseconds=1)
"""An end that is not included lies so much behind what is last."""


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """The arguments: a group or an incident, and perhaps a time and a cluster."""

    group: str | None
    incident: str | None
    begin: datetime | None
    end: datetime | None
    cluster: str | None


@dataclass(frozen=True, slots=True)
class Scope:
    """The subject of the report: one group of one cluster, from (included) to (excluded) an instant."""

    cluster: str
    group: str
    begin: datetime
    end: datetime
    incident: str | None = None

    @property
    def parameters(self) -> dict[str, object]:
        """The values that every question binds."""
        return {"cluster": self.cluster, "grp": self.group, "begin": self.begin, "until": self.end}


def find_scope(answers: Answers, request: ReportRequest) -> Scope:
    """The scope that a call means; a cluster, group, incident or time that is not there is a sentence."""
    refuse_unknown_cluster(answers, request.cluster)
    if request.incident:
        return _of_incident(answers, request)
    group = request.group or ""
    refuse_unknown(answers, {group})
    span = _span(answers, group, request.cluster)
    begin, end = request.begin or span["first"], request.end or moved(span["last"], _TICK)
    scope = Scope(span["cluster"], group, begin, end)
    if scope.begin > span["last"] or scope.end <= span["first"] or scope.begin >= scope.end:
        raise CallRefusedError(
            f"nothing is known of group {brief(group)} from {show_time(scope.begin)} to {show_time(scope.end)}: its "
            f"records are of {show_time(span['first'])} to {show_time(span['last'])}."
        )
    return _not_too_short(scope)


def _of_incident(answers: Answers, request: ReportRequest) -> Scope:
    rows = list(answers.rows(_INCIDENT, {"incident": request.incident, "cluster": request.cluster}))
    if not rows:
        refuse_incident(answers, request.incident or "", request.cluster)
    incident = rows[0]
    if incident["group_id"] is None:
        raise CallRefusedError(
            f"incident {brief(request.incident or '')} concerns no group, so there is no timeline to draw; "
            "`lagbook audit` tells what is known of it."
        )
    span = _span(answers, incident["group_id"], incident["cluster"])
    first, last = incident["from_time"] or incident["detected_at"], incident["to_time"]
    if first is None or last is None:
        first, last = span["first"], span["last"]
    length = last - first
    begin = request.begin or max(span["first"], moved(first, -max(length / 2, _BEFORE)))
    end = request.end or min(moved(span["last"], _TICK), moved(last, max(2 * length, _AFTER)))
    return _not_too_short(Scope(incident["cluster"], incident["group_id"], begin, end, request.incident))


def _span(answers: Answers, group: str, cluster: str | None) -> dict[str, Any]:
    spans = list(answers.rows(_SPANS, {"grp": group, "cluster": cluster}))
    if len(spans) > 1:
        names = ", ".join(brief(span["cluster"]) for span in spans)
        raise CallRefusedError(f"group {brief(group)} is in several clusters; choose with --cluster: {names}.")
    if not spans:
        where = f"cluster {brief(cluster)}" if cluster else "this warehouse"
        raise CallRefusedError(f"of group {brief(group)} no record of a commit or a generation is in {where}.")
    if spans[0]["first"] is None:
        raise CallRefusedError(f"the records of group {brief(group)} have no times, so there is no timeline to draw.")
    return spans[0]


def _not_too_short(scope: Scope) -> Scope:
    if scope.end - scope.begin >= _SHORTEST:
        return scope
    end = moved(scope.begin, _SHORTEST)
    return Scope(scope.cluster, scope.group, moved(end, -_SHORTEST), end, scope.incident)
