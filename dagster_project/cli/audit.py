"""`lagbook audit`: what went wrong in a window of time, in plain words or as rows.

Put here how the findings are asked for and printed. The kinds of findings stand in `findings`.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

import click

from dagster_project.cli import exits, options
from dagster_project.cli.answers import Answers, open_answers
from dagster_project.cli.findings import KINDS, Window, found, told
from dagster_project.cli.terminal import cell, print_json_rows
from dagster_project.cli.times import FORMS, typed_time

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from dagster_project.cli.findings import Row

_READ: Final = "SELECT count(*) AS commits, min(effective_at) AS first, max(effective_at) AS last FROM core.commits"

_HELP: Final = f"""Which groups read offsets again, or never: who, what, when, why, and how sure that is.

Rests on what was committed. What a consumer processed after its last commit is in no record, so an audit that finds
nothing says that nothing was declared twice or passed over, not that nothing was done twice or lost.

TIME is {FORMS}.

\b
Examples:
  lagbook audit --warehouse wh
  lagbook audit --from 2026-11-18T02:00 --to 2026-11-18T03:00 --warehouse wh
  lagbook audit --group payments --group invoices --json --warehouse wh"""


@click.command(help=_HELP, epilog=exits.MEANINGS)
@click.option("--from", "begin", type=typed_time, metavar="TIME", help="Findings of this instant and later.")
@click.option("--to", "end", type=typed_time, metavar="TIME", help="Findings before this instant.")
@click.option("--group", "groups", multiple=True, metavar="GROUP", help="This group alone; may be given several times.")
@options.CLUSTER
@options.WAREHOUSE
@options.JSON
def audit(
    begin: datetime | None,
    end: datetime | None,
    groups: tuple[str, ...],
    *,
    cluster: str | None,
    warehouse: str | None,
    as_json: bool,
) -> int:
    """Print the findings of the window; end with 3 when there are any."""
    if begin and end and begin >= end:
        raise click.UsageError("--from has to be before --to.", click.get_current_context())
    with open_answers(options.duckdb_path(warehouse)) as answers:
        rows = found(answers, Window(begin, end, groups, cluster))
        is_found = print_json_rows(rows) if as_json else print_sentences(answers, rows)
    return exits.FOUND if is_found else exits.DONE


def print_sentences(answers: Answers, rows: Iterable[Row]) -> bool:
    """Print each finding with its time and its evidence; say what was looked at. True when there was any."""
    sentences = told(rows)
    first = next(sentences, None)
    for together, (sentence, *details) in chain([first] if first else [], sentences):
        click.echo(f"{cell(together[0]['at'])}  {sentence}")
        for detail in details:
            click.echo(f"    {detail}")
    read = answers.row(_READ)
    looked_for = ", ".join(kind.looked_for for kind in KINDS)
    reach = f"{read['commits']} commits and removals, {cell(read['first'])} to {cell(read['last'])}"
    click.echo(f"{'Looked for' if first else 'Nothing found. Looked for'} {looked_for} among {reach}.")
    return first is not None
