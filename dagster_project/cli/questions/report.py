"""`lagbook report`: HTML pages about a group, an incident or a whole cluster, each of which needs nothing but itself.

Put here what the command takes and where its pages go. What is on a page belongs in `reporting`.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from click.core import ParameterSource

from dagster_project.cli import exits, options
from dagster_project.cli.exits import CallRefusedError
from dagster_project.cli.questions.answers import open_answers
from dagster_project.cli.terminal import plural, safe
from dagster_project.cli.times import FORMS, typed_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dagster_project.cli.questions.answers import Answers
    from dagster_project.cli.reporting.cluster_questions import ClusterScope
    from dagster_project.cli.reporting.scope import Scope

Where = tuple[str | None, datetime | None, datetime | None]
"""A cluster, and from when until when; None where it was not named."""
STDOUT: Final = "-"
_HOME: Final = "index.html"
_ONLY: Final = ""
"""What `--cluster` is when it names none."""
_LONGEST_NAME: Final = 60
_DIGEST: Final = 8
_UNFIT: Final = re.compile(r"[^A-Za-z0-9._-]+")

_HELP: Final = f"""Write an HTML page about GROUP, an incident or a cluster: what happened, and what records show it.

On it: what was read twice or never and how sure that is, lag, owners and commits over time, rebalances, the records
behind each claim, and for each figure the SQL that repeats it. The page is one file without scripts that loads
nothing, so it can be mailed, printed, and kept with a ticket.

With --cluster and no GROUP it is about the whole cluster: every incident on one timeline, what was not seen, and a row
for each of the worst groups. With --directory the pages of those groups are written beside it, with links.

It shows the whole time that is known of the group, or an incident with what led to it and how the group came out of
it; --from and --to choose another time. `lagbook audit` lists incidents with their ids. With many partitions those
that matter are drawn one by one and the others folded; the page says so.

TIME is {FORMS}.

\b
Examples:
  lagbook report payments --warehouse wh
  lagbook report payments --from 2026-11-18T02:00 --to 2026-11-18T03:00 \\
      --output payments.html --warehouse wh
  lagbook report --incident 3f2a91c04b7d --warehouse wh
  lagbook report --cluster --directory report --warehouse wh"""


@click.command(help=_HELP, epilog=exits.MEANINGS)
@click.argument("group", required=False)
@click.option("--incident", metavar="ID", help="This incident of mart.incidents, instead of a whole group.")
@click.option("--from", "begin", type=typed_time, metavar="TIME", help="From this instant on; default: all of it.")
@click.option("--to", "end", type=typed_time, metavar="TIME", help="Up to this instant; default: all of it.")
@click.option(
    "--output", metavar="FILE", help="Where the page goes, - for stdout. Default: report-GROUP.html in this directory."
)
@click.option(
    "--directory", metavar="DIR", help="Where the page of a cluster (index.html) and those of its worst groups go."
)
@options.ZONE
@click.option(
    "--cluster",
    is_flag=False,
    flag_value=_ONLY,
    metavar="[NAME]",
    callback=options.take_cluster,
    help="This cluster alone: its cluster.id, the name it was given, or its name in lagbook.toml. Without GROUP: the"
    " page of that cluster, or of the only one.",
)
@options.WAREHOUSE
def report(
    group: str | None,
    *,
    incident: str | None,
    begin: datetime | None,
    end: datetime | None,
    output: str | None,
    directory: str | None,
    cluster: str | None,
    warehouse: str | None,
) -> None:
    """Find out what is meant, make the page, and put it in its place at once."""
    context = click.get_current_context()
    is_of_cluster = _is_given(context, "cluster") and group is None and incident is None
    if not is_of_cluster and (group is None) == (incident is None):
        raise click.UsageError("Name a GROUP, or give --incident ID or --cluster.", context)
    if begin and end and begin >= end:
        raise click.UsageError("--from has to be before --to.", context)
    if directory is not None and (output is not None or not is_of_cluster):
        raise click.UsageError("--directory goes with --cluster, and without --output.", context)
    name = None if cluster == _ONLY else cluster
    with open_answers(options.named_warehouse(warehouse)) as answers:
        if is_of_cluster:
            _write_cluster(answers, (name, begin, end), output, directory)
        else:
            _write_group(answers, group, incident, (name, begin, end), output)


def _is_given(context: click.Context, option: str) -> bool:
    """Whether an option was named, whatever it means: a cluster of lagbook.toml may have no name in the tables."""
    return context.get_parameter_source(option) is not ParameterSource.DEFAULT


def _write_group(answers: Answers, group: str | None, incident: str | None, where: Where, output: str | None) -> None:
    from dagster_project.cli.reporting.page import page
    from dagster_project.cli.reporting.scope import ReportRequest, find_scope

    cluster, begin, end = where
    scope = find_scope(answers, ReportRequest(group, incident, begin, end, cluster))
    _put(page(answers, scope), output or default_name(scope))


def _write_cluster(answers: Answers, where: Where, output: str | None, directory: str | None) -> None:
    """The page of a cluster; with a directory the pages of its worst groups beside it, each reached from it."""
    from dagster_project.cli.reporting.cluster_page import cluster_page, worst_groups
    from dagster_project.cli.reporting.cluster_questions import find_cluster

    scope = find_cluster(answers, *where)
    groups = worst_groups(answers, scope)
    if directory is None:
        _put(cluster_page(answers, scope, groups, {}), output or "report-cluster.html")
        return
    files = _write_groups_of(answers, scope, groups, Path(directory))
    write_whole(Path(directory) / _HOME, cluster_page(answers, scope, groups, files))
    left_out = f" of {len(groups):,}, the worst ones" if len(files) < len(groups) else ""
    pages = f"{_HOME} and the pages of {plural(len(files), 'group')}{left_out}"
    click.echo(f"{pages} are written in {safe(directory)}; open {safe(str(Path(directory) / _HOME))} in any browser.")


def _write_groups_of(
    answers: Answers, scope: ClusterScope, groups: Sequence[dict[str, Any]], folder: Path
) -> dict[str, str]:
    """Write the page of each of the worst groups; returns their file names. One without a time has none."""
    from dagster_project.cli.reporting.cluster_page import GROUPS_MOST
    from dagster_project.cli.reporting.page import page
    from dagster_project.cli.reporting.scope import ReportRequest, find_scope

    _make(folder)
    files = {}
    for row in groups[:GROUPS_MOST]:
        name = row["group_id"]
        try:
            own = find_scope(answers, ReportRequest(name, None, scope.begin, scope.end, scope.cluster))
        except CallRefusedError:
            continue
        files[name] = file_name(name)
        write_whole(folder / files[name], page(answers, own, _HOME))
    return files


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CallRefusedError(f"{safe(str(folder))} can't be made: {error.strerror or error}.") from error


def _put(text: str, output: str) -> None:
    if output == STDOUT:
        click.echo(text)
        return
    write_whole(Path(output), text)
    click.echo(f"{safe(output)} is written; open it in any browser.")


def file_name(group: str) -> str:
    """The name of a group's file among those of other groups, on any system: names that differ in case alone differ."""
    digest = hashlib.sha256(group.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
    return f"group-{_slug(group)}-{digest}.html"


def default_name(scope: Scope) -> str:
    """A file name that any system takes, made of what the page is about."""
    return f"report-{scope.incident or _slug(scope.group)}.html"


def _slug(group: str) -> str:
    return _UNFIT.sub("-", group)[:_LONGEST_NAME].strip("-.") or "group"


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
