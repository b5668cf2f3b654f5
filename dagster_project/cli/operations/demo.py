"""`lagbook demo`: a whole run on a recorded incident, ending with its findings and commands to try next.

Put here the recording and the words around it. Reading it is `run`, finding is `audit`: the demo has no path of its
own.
"""

from __future__ import annotations

import json
import shutil
import sys
import tarfile
import tempfile
from importlib.resources import files
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, Final

import click

from dagster_project.cli import exits, options
from dagster_project.cli.exits import CallRefusedError
from dagster_project.cli.questions.answers import Answers, open_answers
from dagster_project.cli.questions.audit_pages import Listing, print_short
from dagster_project.cli.questions.findings import Window, read_findings
from dagster_project.cli.terminal import pasteable
from parsers.errors import WarehouseError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dagster_project.cli.questions.findings import Row

RECORDING: Final = "incident-4.3"
ROOM: Final = Path("demo")
"""Where the demo unpacks and builds, below the current directory."""
INTERESTING_GROUP: Final = "admin-reset"
"""An admin set it back, and later forward over offsets that the group had not read."""
_QUESTION: Final = """SELECT started_at, group_id, members_before, members_after, partitions_moved, trigger
FROM mart.rebalances WHERE members_after < members_before ORDER BY ALL"""
_TRUTH: Final = {"replay": "duplicated", "skip": "missed"}
"""The key of truth.json for a kind of finding."""
_MARTS: Final = {"replay": "mart.replays", "skip": "mart.skips"}
_NEXT: Final = """
What to try next

  1. Ask in SQL when groups lost members, and how many partitions that moved (any DuckDB will do):
     {ask}

  2. See the tables, their checks and how they come about in Dagster's UI, at http://localhost:3000:
     {look}

  3. Get a page about one group, with its timeline and the records behind each claim, for any browser:
     {page}"""

_HELP: Final = """Run everything on a recorded incident and print what was found.

The recording is the log directory of a real Kafka 4.3.1 broker with eight consumer groups: members were killed,
offsets deleted, one group reset by an admin. It is unpacked beside the warehouse. Run it twice: the second run reads
nothing and changes nothing.

\b
Examples:
  lagbook demo
  lagbook demo --warehouse /tmp/lagbook-demo/warehouse"""


@click.command(help=_HELP, epilog=exits.MEANINGS)
@click.option(
    "--warehouse",
    default=str(ROOM / "warehouse"),
    show_default=True,
    metavar="DIR",
    help="A local directory for the tables.",
)
@click.pass_context
def demo(ctx: click.Context, warehouse: str) -> None:
    """Unpack the recording, run on it, print the findings, and name three commands to try."""
    from dagster_project.cli.operations.run import run

    if "://" in warehouse:
        raise CallRefusedError("the demo needs a local directory for its warehouse; `lagbook run` takes URLs.")
    logs = unpack(Path(warehouse).parent)
    click.echo(f"A broker's logs, recorded on Kafka 4.3.1 while things went wrong, are in {logs}.\n")
    code = ctx.invoke(run, logs=(str(logs),), warehouse=warehouse, cluster=None, bootstrap="", as_json=False)
    if code:
        ctx.exit(code)
    with open_answers(options.named_warehouse(warehouse)) as answers:
        _tell(answers, warehouse)
    _print_next(warehouse, str(logs))


def unpack(room: Path) -> Path:
    """Unpack the recording into the folder, whole or not at all; one that is there already is left as it is."""
    logs = room / RECORDING
    if logs.exists():
        return logs
    try:
        room.mkdir(parents=True, exist_ok=True)
        packed = files("dagster_project") / "demo" / f"{RECORDING}.tar.xz"
        with (
            tempfile.TemporaryDirectory(dir=room, prefix=".unpacking-") as beside,
            packed.open("rb") as stream,
            tarfile.open(fileobj=stream, mode="r:xz") as archive,
        ):
            archive.extraction_filter = getattr(tarfile, "data_filter", None)  # Python 3.11.2 and 3.10.11 have none
            archive.extractall(beside)  # noqa: S202 - the recording of this package
            (Path(beside) / "data").rename(logs)
    except OSError as error:
        raise WarehouseError(f"{room} can't be written: {error.strerror or error}.") from error
    return logs


def truth() -> dict[str, dict[str, dict[str, Any]]]:
    """The consumers' own logs of the recording, per group and partition."""
    intervals: dict[str, dict[str, dict[str, Any]]] = json.loads(
        (files("dagster_project") / "demo" / "truth.json").read_text(encoding="utf-8")
    )
    return intervals


def is_confirmed(rows: Iterable[Row]) -> bool:
    """Whether the consumers' own logs show every offset processed twice, or never, that the rows claim for certain."""
    intervals = truth()
    return all(
        any(
            begin <= row["certain_from"] and row["certain_to"] <= end
            for begin, end in intervals[row["group_id"]][str(row["partition"])][_TRUTH[row["kind"]]]
        )
        for row in rows
        if row["kind"] in _TRUTH and row["certain_from"] is not None
    )


def _tell(answers: Answers, warehouse: str) -> None:
    click.echo("\nWhat Lagbook found\n")
    print_short(answers, Listing(Window(), place=f" --warehouse {pasteable(warehouse)}"))
    rows = list(read_findings(answers, Window()))
    click.echo("\nThe consumers of this recording also wrote down every record that they processed. By their own logs,")
    for line in compare(rows, _possible(answers)):
        click.echo(f"  {line}")
    if not is_confirmed(rows):
        click.echo("  so what is proven above DISAGREES; please report this as a bug.")


def _possible(answers: Answers) -> list[Row]:
    """The ranges in which nothing excludes that offsets were read again or never, whatever else is known of them."""
    parts = (
        f"SELECT '{kind}' AS kind, group_id, partition, possible_from, possible_to FROM {table}"  # noqa: S608 - names of this file
        for kind, table in _MARTS.items()
    )
    return list(answers.rows(" UNION ALL ".join(parts)))


def compare(rows: Iterable[Row], possible: Iterable[Row]) -> list[str]:
    """The share of proven and likely offsets that truly happened, and the number that happened without a claim."""
    claims = [row for row in rows if row["kind"] in _TRUTH]
    happened = {
        (kind, group, int(partition), offset)
        for kind, name in _TRUTH.items()
        for group, partitions in truth().items()
        for partition, logs in partitions.items()
        for begin, end in logs[name]
        for offset in range(begin, end)
    }
    proven, likely = _offsets(claims, "certain"), _offsets(claims, "estimate") | _offsets(claims, "certain")
    missed = happened - likely
    hidden = missed - _offsets(possible, "possible")
    return [
        f"{len(proven & happened):,} of {len(proven):,} offsets that are proven above were read again or never read;",
        f"{len(likely & happened):,} of {len(likely):,} that are proven or likely were;",
        f"{len(missed):,} more were, in no incident: {len(missed - hidden):,} where it could not be excluded or is",
        f"ordinary, and {len(hidden):,} where no record of Kafka tells of it.",
    ]


def _offsets(rows: Iterable[Row], part: str) -> set[tuple[str, str, int, int]]:
    """Every offset of a part of these ranges, with its place; a range without an end has none that could be listed."""
    return {
        (row["kind"], row["group_id"], row["partition"], offset)
        for row in rows
        if row[f"{part}_from"] is not None and row[f"{part}_to"] is not None
        for offset in range(row[f"{part}_from"], row[f"{part}_to"])
    }


def _print_next(warehouse: str, logs: str) -> None:
    """Three commands that work when they are pasted here."""
    database, question = json.dumps(str(Path(warehouse) / "lagbook.duckdb")), json.dumps(_QUESTION.replace("\n", " "))
    ask = f"import duckdb; print(duckdb.connect({database}, read_only=True).sql({question}))"
    places = {"LAGBOOK_WAREHOUSE": Path(warehouse), "LAGBOOK_LOGS": Path(logs)}
    settings = " ".join(f"{name}={quote(str(place.absolute()))}" for name, place in places.items())
    page = f"report {INTERESTING_GROUP} --warehouse {quote(warehouse)}"
    click.echo(
        _NEXT.format(
            ask=f"{_runnable('python')} -c {quote(ask)}",
            look=f"{settings} {_runnable('dagster')} dev -m dagster_project.definitions",
            page=f"{_runnable('lagbook')} {page}",
        )
    )


def _runnable(name: str) -> str:
    """How to type a program of this installation: its name where the shell finds the same one, else its path."""
    own = Path(sys.executable).with_name(name)
    if not own.exists():
        return f"{_runnable('python')} -m dagster_project.cli" if name == "lagbook" else name
    return name if shutil.which(name) == str(own) else quote(_from_here(own))


def _from_here(path: Path) -> str:
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
