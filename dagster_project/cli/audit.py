"""`lagbook audit`: what went wrong in a window of time, the worst first: in words, as rows, or for a ticket.

Put here what the command takes and how its answer is printed. What is found, and its sentences, stand in `findings`.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

import click

from dagster_project.cli import exits, options
from dagster_project.cli.answers import Answers, open_answers
from dagster_project.cli.exits import CallRefusedError
from dagster_project.cli.findings import KINDS, Incident, Window, count_incidents, found, incidents, without_findings
from dagster_project.cli.refusals import refuse_unknown, refuse_unknown_cluster, refuse_unknown_topics
from dagster_project.cli.terminal import cell, markdown, print_json_rows
from dagster_project.cli.times import FORMS, show_time, typed_time

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

MOST: Final = 25
"""Incidents that are printed unless more are asked for."""

_READ: Final = """
    SELECT count(*) AS commits, min(effective_at) AS first, max(effective_at) AS last FROM core.commits
    WHERE $cluster IS NULL OR cluster = $cluster
"""

_HELP: Final = f"""What went wrong: which groups read offsets again, or never, or stopped; when, why, how sure that is.

Findings are told by incident, the worst incident first: what was surely lost before what was probably lost, and that
before what was perhaps read again. `lagbook report --incident ID` makes a page of one.

Rests on what was committed. What a consumer processed after its last commit is in no record, so an audit that finds
nothing says that nothing was declared twice or passed over, not that nothing was done twice or lost.

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
            is_found = print_json_rows(found(answers, window))
        else:
            is_found = (print_markdown if as_markdown else print_sentences)(answers, window, most)
    return exits.FOUND if is_found else exits.DONE


def print_sentences(answers: Answers, window: Window, most: int = MOST) -> bool:
    """Print each incident with its findings and their evidence; say what was looked at. True when there was any."""
    count = count_incidents(answers, window)
    for incident in islice(incidents(answers, window), most):
        row = incident.row
        click.echo(f"{row['rank']}. {row['severity']}: {incident.title}  [incident {row['incident_id']}]")
        for claim, *details in incident.sentences:
            click.echo("\n        ".join([f"    {claim}", *details]))
        if incident.left_out:
            click.echo(f"    {incident.left_out} more ranges, which --json has")
    if count > most:
        click.echo(f"{count - most} more incidents, none of them worse; --first shows more, --json all.")
    click.echo(_looked_at(answers, window, is_found=count > 0))
    return count > 0


def print_markdown(answers: Answers, window: Window, most: int) -> bool:
    """Print the incidents as a table, and below it the findings of each."""
    count = count_incidents(answers, window)
    shown = list(islice(incidents(answers, window), most))
    click.echo("# What Lagbook found\n")
    if shown:
        click.echo("| | severity | what happened | incident |\n|-|-|-|-|")
        for incident in shown:
            row = incident.row
            click.echo(f"| {row['rank']} | {row['severity']} | {markdown(incident.title)} | `{row['incident_id']}` |")
        for line in _markdown_findings(shown):
            click.echo(line)
        click.echo()
    if count > most:
        click.echo(f"{count - most} more incidents, none of them worse.\n")
    click.echo(markdown(_looked_at(answers, window, is_found=count > 0)))
    return count > 0


def _markdown_findings(shown: Iterable[Incident]) -> Iterable[str]:
    for incident in shown:
        yield f"\n## {incident.row['rank']}. Incident {incident.row['incident_id']}\n"
        for claim, *details in incident.sentences:
            yield f"- {markdown(claim)}"
            yield from (f"  - {markdown(detail)}" for detail in details)
        if incident.left_out:
            yield f"- {incident.left_out} more ranges"


def _looked_at(answers: Answers, window: Window, *, is_found: bool) -> str:
    """What was looked for, and among how much."""
    read = answers.row(_READ, {"cluster": window.cluster})
    looked_for = ", ".join(words for kind, words in KINDS.items() if kind in (window.kinds or KINDS))
    reach = f"{read['commits']} commits and removals, {cell(read['first'])} to {cell(read['last'])}"
    return f"{'Looked for' if is_found else 'Nothing found. Looked for'} {looked_for} among {reach}."


def _refuse_unread(answers: Answers, window: Window) -> None:
    """A window of which nothing was read is refused: to find nothing there would mean nothing."""
    read = answers.row(_READ, {"cluster": window.cluster})
    if read["first"] is None:
        return
    if (window.begin and window.begin > read["last"]) or (window.end and window.end <= read["first"]):
        raise CallRefusedError(
            f"nothing is known of that time: what was read is of {show_time(read['first'])}"
            f" to {show_time(read['last'])}."
        )
