"""The page of a group: runs every query once, makes every figure from its rows, and renders the templates.

Put here how the parts come together. What a part says or draws belongs in the module of that part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from dagster_project.cli.questions.basis import find_basis
from dagster_project.cli.questions.findings import Window
from dagster_project.cli.questions.not_excluded import not_excluded_lines
from dagster_project.cli.reporting import questions
from dagster_project.cli.reporting.axes import TimeAxis
from dagster_project.cli.reporting.environment import environment
from dagster_project.cli.reporting.lag_chart import lag_chart
from dagster_project.cli.reporting.ranges import ranges
from dagster_project.cli.reporting.timeline import BANDS_MOST, TimelineRows, choose_lanes, timeline

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dagster_project.cli.questions.answers import Answers
    from dagster_project.cli.reporting.scope import Scope
    from dagster_project.cli.reporting.timeline import Timeline

Row = dict[str, Any]

INCIDENTS_MOST: Final = 12
EVIDENCE_INCIDENTS: Final = 6
EVIDENCE_MOST: Final = 40
REBALANCES_MOST: Final = 60


@dataclass(frozen=True, slots=True)
class Flag:
    """The position of an incident in the figures, with its number in the list."""

    x: float
    number: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """The records behind one incident, as many as the page shows."""

    number: int
    rows: list[Row]
    more: int
    sql: str


def page(answers: Answers, scope: Scope, home: str | None = None) -> str:
    """The whole page as text; `home` is where a link to the cluster's page goes, if it has one."""
    axis = TimeAxis(scope.begin, scope.end)
    incidents = _subject_first(questions.INCIDENTS.ask(answers, scope), scope.incident)
    range_rows = questions.RANGES.ask(answers, scope)
    lag = questions.LAG.ask(answers, scope, steps=questions.STEPS)
    moves = questions.REBALANCES.ask(answers, scope)
    lanes = questions.LANES.ask(answers, scope)
    places = choose_lanes(lanes)
    basis = find_basis(answers, [scope.group], scope.cluster)
    return (
        environment()
        .get_template("page.html")
        .render(
            scope=scope,
            home=home,
            incidents=incidents[:INCIDENTS_MOST],
            incidents_more=max(len(incidents) - INCIDENTS_MOST, 0),
            counts=questions.COUNTS.ask(answers, scope)[0],
            nameless=questions.NAMELESS.ask(answers, scope)[0],
            completeness=questions.COMPLETENESS.ask(answers, scope),
            totals=_totals(incidents),
            basis=basis,
            not_excluded=not_excluded_lines(
                answers, Window(scope.begin, scope.end, groups=(scope.group,), cluster=scope.cluster)
            ),
            flags=_flags(incidents[:INCIDENTS_MOST], axis),
            lag=lag_chart(lag, axis),
            lag_last=next((row for row in reversed(lag) if row["committed"]), None),
            timeline=_timeline(answers, scope, axis, places, folded=len(lanes) - len(places)),
            ranges=ranges(range_rows),
            rebalances=moves[:REBALANCES_MOST],
            rebalance_count=len(moves),
            rebalance_ticks=sorted({axis.x(row["started_at"]) for row in moves}),
            evidence=[
                _evidence(answers, scope, number, row) for number, row in enumerate(incidents[:EVIDENCE_INCIDENTS], 1)
            ],
            sql=_queries(places),
            preparation=questions.preparation(scope),
        )
    )


def _subject_first(incidents: list[Row], incident_id: str | None) -> list[Row]:
    """The incidents, the one that the report is about first."""
    return sorted(incidents, key=lambda row: row["incident_id"] != incident_id) if incident_id else incidents


def _totals(incidents: Sequence[Row]) -> dict[str, Row]:
    """Sums of offsets never read and read again: certain ones, and estimates."""
    by_kind = {kind: [row for row in incidents if row["kind"] == kind] for kind in ("skip", "replay")}
    return {
        kind: {
            "certain": sum(row["certain_offsets"] for row in rows),
            "estimate": sum(row["estimate_offsets"] or 0 for row in rows),
        }
        for kind, rows in by_kind.items()
    }


def _flags(incidents: Sequence[Row], axis: TimeAxis) -> list[Flag]:
    return [Flag(axis.x(row["detected_at"]), n) for n, row in enumerate(incidents, 1) if row["detected_at"] is not None]


def _timeline(
    answers: Answers, scope: Scope, axis: TimeAxis, places: Sequence[tuple[str, int]], *, folded: int
) -> Timeline:
    more = {"places": _names(places), "steps": questions.STEPS, "bands": BANDS_MOST}
    rows = TimelineRows(
        questions.OWNERS.ask(answers, scope, **more),
        questions.OFFSETS.ask(answers, scope, **more),
        questions.MARKS.ask(answers, scope, **more),
        questions.BANDS.ask(answers, scope, **more) if folded else [],
    )
    return timeline(places, rows, axis, folded=folded)


def _names(places: Sequence[tuple[str, int]]) -> list[str]:
    return [f"{topic}-{partition}" for topic, partition in places]


def _evidence(answers: Answers, scope: Scope, number: int, incident: Row) -> Evidence:
    rows = questions.EVIDENCE.ask(answers, scope, incident=incident["incident_id"])
    shown = questions.EVIDENCE.printable(incident=incident["incident_id"])
    return Evidence(number, rows[:EVIDENCE_MOST], max(len(rows) - EVIDENCE_MOST, 0), shown)


def _queries(places: Sequence[tuple[str, int]]) -> dict[str, str]:
    """Every query of the page as a person can repeat it."""
    more = {"steps": questions.STEPS, "bands": BANDS_MOST, "places": _names(places)}
    queries = (
        *(
            questions.INCIDENTS,
            questions.RANGES,
            questions.LAG,
            questions.LANES,
            questions.OWNERS,
            questions.OFFSETS,
            questions.MARKS,
        ),
        *(questions.BANDS, questions.REBALANCES, questions.COMPLETENESS, questions.COUNTS),
    )
    return {question.name: question.printable(**more) for question in queries}
