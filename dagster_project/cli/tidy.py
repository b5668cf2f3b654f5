"""`lagbook tidy`: small files merged, and what dead runs left behind deleted; shown first, done when asked.

Put here the call and what is printed. What may be tidied is decided in `assets.tidying`.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, Final

import click

from dagster_project.cli import exits, options
from dagster_project.cli.terminal import brief, print_columns, to_json

if TYPE_CHECKING:
    from assets.tidying import Tidying

_UNITS: Final = {"m": "minutes", "h": "hours", "d": "days"}
_SHOWN: Final = 20

_HELP: Final = """Merge small files and delete what belongs to no table; without --yes only say what would be done.

Every run adds files. Many small ones make questions slow, so those of one table are merged; their rows stay as they
are, and the next run makes the tables built on them anew. Files that belong to nothing are those of a run that was
killed, and those of a table as it was before; they are deleted when nothing wrote to them for AGE.

AGE is a number and m, h or d, as 90m, 12h or 1d. A run that is under way has files that belong to no table yet: choose
an age that no run reaches.

\b
Examples:
  lagbook tidy --warehouse wh
  lagbook tidy --warehouse wh --yes
  lagbook tidy --warehouse wh --leftovers-after 7d --yes --json"""


def typed_age(text: str) -> timedelta:
    """A length of time, as a number and a unit."""
    said = re.fullmatch(r"([0-9]{1,6})([mhd])", text)
    if said is None:
        raise click.BadParameter(f"{text[:80]!r} is no age: give a number and m, h or d, as 12h.")
    return timedelta(**{_UNITS[said[2]]: int(said[1])})


@click.command(help=_HELP, epilog=exits.MEANINGS)
@click.option("--leftovers-after", type=typed_age, default="1d", metavar="AGE", help="Default: 1d.")
@click.option("--yes", "is_meant", is_flag=True, help="Do it.")
@options.WAREHOUSE
@options.JSON
def tidy(leftovers_after: timedelta, warehouse: str | None, *, is_meant: bool, as_json: bool) -> int:
    """Say what there is to tidy, and do it when it is meant."""
    from assets import tidying
    from dagster_project.settings import open_warehouse

    place = open_warehouse(warehouse)
    work = tidying.look(place, datetime.now(timezone.utc) - leftovers_after)
    if is_meant:
        tidying.tidy(place, work)
    click.echo(to_json(_summary(work, is_done=is_meant), indent=2)) if as_json else _print(work, is_done=is_meant)
    return exits.DONE


def _summary(work: Tidying, *, is_done: bool) -> dict[str, Any]:
    return {
        "is_done": is_done,
        "merges": [
            {"table": merge.table, "files": len(merge.files), "bytes": merge.size_bytes} for merge in work.merges
        ],
        "leftovers": [{"path": leftover.path, "bytes": leftover.size_bytes} for leftover in work.leftovers],
    }


def _print(work: Tidying, *, is_done: bool) -> None:
    if work.is_empty:
        click.echo("Everything is in order.")
        return
    merges = [(merge.table, len(merge.files), merge.size_bytes) for merge in work.merges]
    print_columns([("TABLE", "SMALL FILES", "BYTES"), *merges] if merges else [])
    for leftover in work.leftovers[:_SHOWN]:
        click.echo(f"belongs to nothing: {brief(leftover.path)} ({leftover.size_bytes} bytes)")
    if len(work.leftovers) > _SHOWN:
        click.echo(f"... and {len(work.leftovers) - _SHOWN} more")
    size_bytes = sum(leftover.size_bytes for leftover in work.leftovers)
    merged = f"{sum(len(merge.files) for merge in work.merges)} files into {len(work.merges)}"
    deleted = f"{len(work.leftovers)} files ({size_bytes} bytes)"
    done, proposed = f"Merged {merged}, deleted {deleted}.", f"Would merge {merged} and delete {deleted}: --yes."
    click.echo(done if is_done else proposed)
