"""`lagbook audit`: what went wrong in a window of time, the worst first: in words, as rows, or for a ticket.

Put here what the command takes and how its answer is printed. What is found, and its sentences, stand in `findings`.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

import click

from dagster_project.cli import exits, options
from dagster_project.cli.exits import CallRefusedError
from dagster_project.cli.questions.answers import Answers, open_answers
from dagster_project.cli.questions.basis import basis_lines, find_basis, note_basis
from dagster_project.cli.questions.findings import (
    KINDS,
    Incident,
    Window,
    count_incidents,
    incidents,
    read_findings,
    without_findings,
)
from dagster_project.cli.questions.not_excluded import not_excluded_lines
from dagster_project.cli.questions.refusals import refuse_unknown, refuse_unknown_cluster, refuse_unknown_topics
from dagster_project.cli.terminal import cell, markdown, print_json_rows, print_sentence
from dagster_project.cli.times import FORMS, show_time, typed_time

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

MOST: Final = 25
"""Incidents that are printed by default."""

_READ: Final = """
    SELECT count(*) AS commits, min(coalesce(effective_at, commit_at)) AS first,
           max(coalesce(effective_at, commit_at)) AS last
    FROM core.commits
    WHERE ($cluster IS NULL OR cluster = $cluster)
      AND (len($groups) = 0 OR list_contains($groups, group_id))
      AND (len($topics) = 0 OR list_contains($topics, topic))
"""

_HELP: Final = f"""What went wrong: which groups read offsets again, or never, or stopped; when, why, how sure that is.

First what the answer rests on: as of when, which share of the history was seen, and of which topics the log end is
known. Then the incidents, the worst first: what is proven, or likely by an estimate; records that were never read weigh
more than records that were read again. `lagbook report --incident ID` makes a page of one. At the end what could not be
excluded, a line for each group, with what would settle it: that is no incident.

Rests on what was committed. What a consumer processed after its last commit is in no record, so an audit without an
incident says that nothing was declared twice or passed over, not that nothing was done twice or lost.

TIME is {FORMS}.

\b
Examples:
  lagbook audit --warehouse wh
  lagbook audit --from 2026-11-18T02:00 --to 2026-11-18T03:00 --warehouse wh
  lagbook audit --group payments --group invoices --topic orders --json --warehouse wh
  lagbook audit --kind skip --markdown --warehouse wh > ticket.md"""


@click.command(help=_HELP, epilog=exits.MEANINGS)
@click.option("--from", "begin", type=typed_time, metavar="TIME", help="Findings of this instant and later.")
@click.option("--to", "end", type=typed_time, metavar="TIME", help="Findings before this instant.")
@click.option("--group", "groups", multiple=True, metavar="GROUP", help="This group alone; may be given several times.")
@click.option("--topic", "topics", multiple=True, metavar="TOPIC", help="This topic alone; may be given several times.")
@click.option("--kind", "kinds", multiple=True, type=click.Choice(list(KINDS)), help="Findings of this kind alone.")
@click.option(
    "--first",
    "most",
    type=click.IntRange(min=1),
    default=MOST,
    show_default=True,
    metavar="NUMBER",
    help="So many incidents, the worst ones; --json prints all.",
)
@options.CLUSTER
@options.WAREHOUSE
@options.JSON
@click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown, for a ticket.")
def audit(
    *,
    begin: datetime | None,
    end: datetime | None,
    groups: tuple[str, ...],
    topics: tuple[str, ...],
    kinds: tuple[str, ...],
    most: int,
    cluster: str | None,
    warehouse: str | None,
    as_json: bool,
    as_markdown: bool,
) -> int:
    """Print the findings of the window; end with 3 when there are any."""
    if begin and end and begin >= end:
        raise click.UsageError("--from has to be before --to.", click.get_current_context())
    if as_json and as_markdown:
        raise click.UsageError("Give --json or --markdown, not both.", click.get_current_context())
    window = Window(begin, end, groups, topics, kinds, cluster)
    with open_answers(options.named_warehouse(warehouse)) as answers:
        refuse_unknown_cluster(answers, cluster)
        refuse_unknown(answers, without_findings(answers, groups))
        refuse_unknown_topics(answers, topics)
        _refuse_unread(answers, window)
        if as_json:
            note_basis(answers, groups, cluster)
            is_found = print_json_rows(read_findings(answers, window))
        else:
            is_found = (print_markdown if as_markdown else print_sentences)(answers, window, most)
    return exits.INCIDENTS if is_found else exits.DONE


def print_sentences(answers: Answers, window: Window, most: int = MOST) -> bool:
    """Print the summary and basis, each incident in three lines, then claims not excluded. True with any incident."""
    counts = count_incidents(answers, window)
    for line in (_summary(answers, window, counts), *basis_lines(answers, window.groups, window.cluster), ""):
        print_sentence(line)
    for incident in islice(incidents(answers, window), most):
        row, (claim, *details) = incident.row, incident.lines
        print_sentence(f"{row['rank']}. {row['severity']}: {claim}")
        for line in details:
            print_sentence(f"   {line}")
    for line in ([""] if counts else []) + list(_closing(answers, window, sum(counts.values()) - most)):
        print_sentence(line)
    return bool(counts)


def print_markdown(answers: Answers, window: Window, most: int) -> bool:
    """Print the summary and basis, the incidents as a table, the findings of each, then claims not excluded."""
    counts = count_incidents(answers, window)
    shown = list(islice(incidents(answers, window), most))
    click.echo("# What Lagbook found\n")
    for line in (_summary(answers, window, counts), *basis_lines(answers, window.groups, window.cluster)):
        click.echo(f"- {markdown(line)}")
    click.echo()
    if shown:
        click.echo("| | severity | what happened | incident |\n|-|-|-|-|")
        for incident in shown:
            row = incident.row
            click.echo(f"| {row['rank']} | {row['severity']} | {markdown(incident.title)} | `{row['incident_id']}` |")
        for line in _markdown_findings(shown):
            click.echo(line)
        click.echo()
    for line in _closing(answers, window, sum(counts.values()) - most):
        click.echo(f"- {markdown(line.strip())}")
    return bool(counts)


def _markdown_findings(shown: Iterable[Incident]) -> Iterable[str]:
    for incident in shown:
        yield f"\n## {incident.row['rank']}. Incident {incident.row['incident_id']}\n"
        for claim, *details in incident.sentences:
            yield f"- {markdown(claim)}"
            yield from (f"  - {markdown(detail)}" for detail in details)
        if incident.left_out:
            yield f"- {incident.left_out} more ranges"


def _summary(answers: Answers, window: Window, counts: Mapping[str, int]) -> str:
    """How many incidents there are; where there is none, in how much of the history."""
    if counts:
        total, parts = sum(counts.values()), ", ".join(f"{count} {severity}" for severity, count in counts.items())
        return f"{total} incident{'' if total == 1 else 's'}: {parts}."
    basis = find_basis(answers, window.groups, window.cluster)
    if basis.is_gap_free:
        return "No incident in the history that was read, which has no gap."
    return f"No incident in the {basis.read_share} of the history that was seen; of the rest nothing is known."


def _closing(answers: Answers, window: Window, left_out: int) -> Iterable[str]:
    """The number of incidents left out, claims not excluded, and the kinds of findings that were searched for."""
    if left_out > 0:
        yield f"{left_out} more incidents, none of them worse; --first shows more, --json all."
    yield from not_excluded_lines(answers, window)
    read = answers.row(_READ, _places(window))
    looked_for = f" for {', '.join(KINDS[kind] for kind in window.kinds)}" if window.kinds else ""
    reach = f"{read['commits']:,} commits and removals, {cell(read['first'])} to {cell(read['last'])}"
    yield f"Looked{looked_for} at {reach}."


def _places(window: Window) -> dict[str, object]:
    return {"cluster": window.cluster, "groups": list(window.groups), "topics": list(window.topics)}


def _refuse_unread(answers: Answers, window: Window) -> None:
    """A window of which nothing was read is refused: to find nothing there would mean nothing."""
    read = answers.row(_READ, _places(window))
    if read["first"] is None:
        return
    if (window.begin and window.begin > read["last"]) or (window.end and window.end <= read["first"]):
        raise CallRefusedError(
            f"nothing is known of that time: what was read is of {show_time(read['first'])}"
            f" to {show_time(read['last'])}."
        )
