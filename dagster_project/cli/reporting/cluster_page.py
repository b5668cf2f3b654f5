"""The page of a cluster: all incidents on one timeline, and a row for each of the worst groups.

Put here how its parts come together. Its queries are in `cluster_questions`, its figure in `cluster_timeline`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from dagster_project.cli.questions.basis import basis_lines, find_basis
from dagster_project.cli.questions.group_views.summaries import group_summaries, worst_lag_of
from dagster_project.cli.reporting import cluster_questions as questions
from dagster_project.cli.reporting.axes import TimeAxis
from dagster_project.cli.reporting.cluster_timeline import timeline
from dagster_project.cli.reporting.environment import environment
from dagster_project.cli.reporting.questions import STEPS, preparation

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dagster_project.cli.questions.answers import Answers
    from dagster_project.cli.reporting.cluster_questions import ClusterScope

Row = dict[str, Any]

GROUPS_MOST: Final = 40
INCIDENTS_MOST: Final = 30
_SEVERITIES: Final = ("critical", "high", "medium", "low")


def worst_groups(answers: Answers, scope: ClusterScope) -> list[Row]:
    """A row for each group: how it is and what happened to it; by its worst incident, then by lag."""
    incidents = {row["group_id"]: row for row in questions.GROUPS.ask(answers, scope)}
    states = {row["group_id"]: row for row in group_summaries(answers, (), None, scope.cluster, ())}
    names = [name for name in {*incidents, *states} if name is not None]
    rows = [_group(name, states.get(name, {}), incidents.get(name, {})) for name in names]
    return sorted(rows, key=lambda row: (row["rank"] is None, row["rank"], -(row["lag_lower"] or 0), row["group_id"]))


def cluster_page(answers: Answers, scope: ClusterScope, groups: Sequence[Row], files: Mapping[str, str]) -> str:
    """The whole page as text; `files` says where links of groups go, of those that have a page."""
    shown = [row["group_id"] for row in groups[:GROUPS_MOST] if row["incidents"]]
    incidents = questions.INCIDENTS.ask(answers, scope)
    more: dict[str, Any] = {"shown": shown, "steps": STEPS}
    drawn = timeline(
        shown,
        incidents,
        questions.OTHERS.ask(answers, scope, **more),
        questions.UNSEEN.ask(answers, scope, **more),
        TimeAxis(scope.begin, scope.end),
    )
    return (
        environment()
        .get_template("cluster.html")
        .render(
            scope=scope,
            basis=find_basis(answers, (), scope.cluster),
            sentences=basis_lines(answers, (), scope.cluster),
            totals=_totals(questions.TOTALS.ask(answers, scope), groups),
            timeline=drawn,
            undrawn=sum(row["incidents"] for row in groups[:GROUPS_MOST])
            - sum(len(lane.marks) for lane in drawn.lanes),
            incidents=incidents[:INCIDENTS_MOST],
            groups=groups[:GROUPS_MOST],
            rest=_rest(groups[GROUPS_MOST:]),
            files=files,
            sql={one.name: one.printable(**more) for one in questions.QUESTIONS},
            preparation=preparation(scope),
        )
    )


def _group(name: str, state: Row, incidents: Row) -> Row:
    """A row of the table; of a group that is gone only its incidents are known."""
    counts = {severity: incidents.get(severity, 0) for severity in _SEVERITIES}
    known = ("state", "group_type", "member_count", "partitions", "lag_lower", "lag_upper", "last_commit_at")
    return {
        **{column: state.get(column) for column in known},
        "group_id": name,
        "rank": incidents.get("rank"),
        "incidents": incidents.get("incidents", 0),
        "worst": next((severity for severity in _SEVERITIES if counts[severity]), None),
        "by_severity": ", ".join(f"{number:,} {severity}" for severity, number in counts.items() if number),
        "worst_lag": worst_lag_of(state) if state else None,
    }


def _totals(rows: Iterable[Row], groups: Sequence[Row]) -> Row:
    """Incidents by severity, and offsets never read and read again: certain ones, and estimates."""
    by_severity = dict.fromkeys(_SEVERITIES, 0)
    kinds = {kind: {"certain": 0, "estimate": 0} for kind in ("skip", "replay")}
    for row in rows:
        by_severity[row["severity"]] += row["incidents"]
        if row["kind"] in kinds:
            kinds[row["kind"]]["certain"] += row["certain_offsets"] or 0
            kinds[row["kind"]]["estimate"] += row["estimate_offsets"] or 0
    return {
        **kinds,
        "by_severity": by_severity,
        "incidents": sum(by_severity.values()),
        "worst": next((severity for severity in _SEVERITIES if by_severity[severity]), None),
        "groups": sum(row["incidents"] > 0 for row in groups),
        "groups_there": len(groups),
    }


def _rest(groups: Sequence[Row]) -> Row | None:
    """The groups without a row of their own as one; where something is not known of some, a sum is `at least`."""
    if not groups:
        return None
    lowers, uppers = ([row[name] for row in groups] for name in ("lag_lower", "lag_upper"))
    return {
        "groups": len(groups),
        "incidents": sum(row["incidents"] for row in groups),
        "member_count": _sum([row["member_count"] for row in groups]),
        "partitions": _sum([row["partitions"] for row in groups]),
        "lag_lower": sum(lag for lag in lowers if lag is not None),
        "lag_upper": _sum(uppers),
        "last_commit_at": max((row["last_commit_at"] for row in groups if row["last_commit_at"]), default=None),
    }


def _sum(numbers: Sequence[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if len(known) == len(numbers) else None
