"""`lagbook report`: one HTML page about one group or one incident, that needs nothing but itself.

Put here what the command takes and where its page goes. What is on the page belongs in `reporting`.
"""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from dagster_project.cli import exits, options
from dagster_project.cli.exits import CallRefusedError
from dagster_project.cli.questions.answers import open_answers
from dagster_project.cli.terminal import safe
from dagster_project.cli.times import FORMS, typed_time

if TYPE_CHECKING:
    from datetime import datetime

    from dagster_project.cli.reporting.scope import Scope

STDOUT: Final = "-"
_LONGEST_NAME: Final = 60
_UNFIT: Final = re.compile(r"[^A-Za-z0-9._-]+")

_HELP: Final = f"""Write one HTML page about GROUP, or about one incident: what happened, and the records that show it.

On it: what was read twice or never and how sure that is, lag, owners and commits over time, rebalances, the records
behind each claim, and for each figure the SQL that repeats it. The page is one file without scripts that loads
nothing, so it can be mailed, printed, and kept with a ticket.

It shows the whole time that is known of the group, or an incident with what led to it and how the group came out of
it; --from and --to choose another time. `lagbook audit` lists incidents with their ids. With many partitions those
that matter are drawn one by one and the others folded; the page says so.

TIME is {FORMS}.

\b
Examples:
  lagbook report payments --warehouse wh
  lagbook report payments --from 2026-11-18T02:00 --to 2026-11-18T03:00 --output payments.html --warehouse wh
  lagbook report --incident 3f2a91c04b7d --warehouse wh"""


@click.command(help=_HELP, epilog=exits.MEANINGS)
@click.argument("group", required=False)
@click.option("--incident", metavar="ID", help="This incident of mart.incidents, instead of a whole group.")
@click.option("--from", "begin", type=typed_time, metavar="TIME", help="From this instant on; default: all of it.")
@click.option("--to", "end", type=typed_time, metavar="TIME", help="Up to this instant; default: all of it.")
@click.option(
    "--output", metavar="FILE", help="Where the page goes, - for stdout. Default: report-GROUP.html in this directory."
)
@options.ZONE
@options.CLUSTER
@options.WAREHOUSE
def report(
    group: str | None,
    *,
    incident: str | None,
    begin: datetime | None,
    end: datetime | None,
    output: str | None,
    cluster: str | None,
    warehouse: str | None,
) -> None:
    """Find out what is meant, make the page, and put it in its place at once."""
    if (group is None) == (incident is None):
        raise click.UsageError("Name a GROUP, or give --incident ID.", click.get_current_context())
    if begin and end and begin >= end:
        raise click.UsageError("--from has to be before --to.", click.get_current_context())
    from dagster_project.cli.reporting.page import page
    from dagster_project.cli.reporting.scope import ReportRequest, find_scope

    with open_answers(options.named_warehouse(warehouse)) as answers:
        scope = find_scope(answers, ReportRequest(group, incident, begin, end, cluster))
        text = page(answers, scope)
    if output == STDOUT:
        click.echo(text)
        return
    path = Path(output or default_name(scope))
    write_whole(path, text)
    click.echo(f"{safe(str(path))} is written; open it in any browser.")


def default_name(scope: Scope) -> str:
    """A file name that any system takes, made of what the page is about."""
    about = scope.incident or _UNFIT.sub("-", scope.group)[:_LONGEST_NAME].strip("-.") or "group"
    return f"report-{about}.html"


def write_whole(path: Path, text: str) -> None:
    """Write beside the file and swap it in: a reader sees the old page or the new one; a link stays a link.

    Into a pipe or a device it is written as it is: that must stay what it is.
    """
    place = path.resolve()
    beside = None
    try:
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8")
            return
        with tempfile.NamedTemporaryFile(
            "w", dir=place.parent, prefix=".report-", encoding="utf-8", delete=False
        ) as file:
            beside = Path(file.name)
            file.write(text)
        beside.chmod(0o666 & ~_umask())
        beside.replace(place)
    except OSError as error:
        raise CallRefusedError(f"{safe(str(path))} can't be written: {error.strerror or error}.") from error
    finally:
        if beside is not None:
            beside.unlink(missing_ok=True)


def _umask() -> int:
    """What the user's settings take from a new file; it can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
