"""Incidents that are dealt with, and those that are new since the last look: `audit --ack`, `--unack` and `--new`.

Put here how an audit uses what people wrote down. Where that is kept belongs in `assets.duckdb.audit_marks`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

import click

from assets.duckdb import audit_marks
from dagster_project.cli.exits import CallRefusedError
from dagster_project.cli.questions.refusals import refuse_incident
from dagster_project.cli.terminal import brief, note, print_json_rows, print_sentence
from dagster_project.cli.times import show_second
from dagster_project.severities import grade
from parsers.errors import WarehouseError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from assets.storage.warehouse import Warehouse
    from dagster_project.cli.questions.answers import Answers

Row = dict[str, Any]

_LONGEST_TITLE: Final = 400
_INCIDENTS: Final = """
    SELECT incident_id, severity, title FROM mart.incidents
    WHERE list_contains($ids, incident_id) AND ($cluster IS NULL OR cluster = $cluster)
    ORDER BY rank
"""


@dataclass(frozen=True, slots=True)
class Hidden:
    """The incidents that an audit leaves out: those dealt with, and with --new those that were listed before."""

    dealt_with: frozenset[str]
    listed: frozenset[str]


def hidden_incidents(warehouse: Warehouse, answers: Answers, *, is_new: bool) -> Hidden:
    """What is left out; an incident that has become graver since somebody dealt with it is not."""
    marks = read_marks(warehouse)
    rows = answers.rows(_INCIDENTS, {"ids": sorted(marks), "cluster": None}) if marks else ()
    return Hidden(dealt_with(marks, rows), audit_marks.listed_incidents(warehouse) if is_new else frozenset())


def read_marks(warehouse: Warehouse) -> dict[str, str]:
    """How grave each incident was when somebody dealt with it."""
    return {mark.incident_id: mark.severity for mark in audit_marks.acknowledgements(warehouse)}


def dealt_with(marks: Mapping[str, str], rows: Iterable[Row]) -> frozenset[str]:
    """Those of the incidents that are dealt with, and have not become graver since."""
    there = ((row["incident_id"], row["severity"]) for row in rows)
    return frozenset(one for one, severity in there if one in marks and grade(severity) <= grade(marks[one]))


def write_looked_at(warehouse: Warehouse, answers: Answers, hidden: Hidden, incident_ids: Collection[str]) -> None:
    """Write down which incidents were listed as new; those that are no incidents any more are forgotten."""
    listed = hidden.listed | frozenset(incident_ids)
    there = [row["incident_id"] for row in answers.rows(_INCIDENTS, {"ids": sorted(listed), "cluster": None})]
    if frozenset(there) == hidden.listed:
        return
    try:
        audit_marks.write_listed(warehouse, there)
    except WarehouseError as error:
        note(f"lagbook: these will be new the next time, too: {error}.")


def acknowledge(
    warehouse: Warehouse, answers: Answers, incident_ids: Sequence[str], remark: str | None, cluster: str | None
) -> None:
    """Write down that these incidents are dealt with; none is when one of them is not there."""
    rows = {row["incident_id"]: row for row in answers.rows(_INCIDENTS, {"ids": incident_ids, "cluster": cluster})}
    for incident_id in incident_ids:
        if incident_id not in rows:
            refuse_incident(answers, incident_id, cluster)
    for incident_id, row in rows.items():
        audit_marks.acknowledge(warehouse, incident_id, row["severity"], remark)
        print_sentence(f"{incident_id} is acknowledged: {brief(row['title'], _LONGEST_TITLE)}")


def take_back(warehouse: Warehouse, incident_ids: Sequence[str]) -> None:
    """Let these incidents count again."""
    for incident_id in incident_ids:
        if not audit_marks.INCIDENT_ID.fullmatch(incident_id) or not audit_marks.take_back(warehouse, incident_id):
            raise CallRefusedError(
                f"incident {brief(incident_id)} is not acknowledged; `lagbook audit --acknowledged` lists what is."
            )
        click.echo(f"{incident_id} is not acknowledged any more.")


def print_acknowledged(warehouse: Warehouse, answers: Answers, *, as_json: bool) -> None:
    """Print what is acknowledged, when, why, and what it was about."""
    marks = audit_marks.acknowledgements(warehouse)
    ids = [mark.incident_id for mark in marks]
    titles = {row["incident_id"]: row["title"] for row in answers.rows(_INCIDENTS, {"ids": ids, "cluster": None})}
    rows = [{**asdict(mark), "title": titles.get(mark.incident_id)} for mark in marks]
    if as_json:
        print_json_rows(rows)
        return
    for row in rows:
        print_sentence(_line(row))
        if row["note"] is not None:
            print_sentence(f"  note: {brief(row['note'], audit_marks.LONGEST_NOTE)}")
    if not rows:
        note("lagbook: no incident is acknowledged.")


def _line(row: Mapping[str, Any]) -> str:
    title = "no incident any more" if row["title"] is None else brief(row["title"], _LONGEST_TITLE)
    when = show_second(datetime.fromisoformat(row["acknowledged_at"]))
    return f"{row['incident_id']}  acknowledged {when} as {row['severity']}: {title}"
