"""`lagbook tidy`: merges small files and deletes leftovers of dead runs; done only with --yes.

Put here the call and what is printed. What may be tidied is decided in `assets.maintenance.compact_files`.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, Final

import click

from dagster_project.cli import exits, options
from dagster_project.cli.exits import CallRefusedError
from dagster_project.cli.terminal import brief, print_columns, to_json
from dagster_project.cli.times import show_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assets.maintenance.compact_files import Tidying
    from assets.maintenance.retirement import RetiredRows
    from assets.storage.warehouse import Warehouse

_UNITS: Final = {"m": "minutes", "h": "hours", "d": "days"}
_SHOWN: Final = 20

_HELP: Final = """Merge small files, delete what belongs to no table, retire what is old; without --yes only say so.

Every run adds files. Many small ones make questions slow, so those of one table are merged; their rows stay as they
are, and the next run makes the tables built on them anew. Files that belong to nothing are those of a run that was
killed, and those of a table as it was before; they are deleted when for AGE nothing wrote to them, and no table has had
them.

AGE is a number and m, h or d, as 90m, 12h or 1d, at most 2d. A run that is under way has files that belong to no table
yet, and who opened lagbook.duckdb sees the tables as they were then: choose an age that neither reaches.

With --keep-days, rows of the raw tables that are older are retired: raw=400 for all of them, or one, as
raw.batches=30. What the present rests on stays, however old: the newest record of each key, transactions that are open,
and batches that some group has not consumed yet. Core and mart are made from raw, and lose at the next run what it
lost; `mart.log_coverage` says retired of it from then on. What is read again of old logs comes back until it is retired
again.

With --erase-group, every row and record about a group is erased, with the files of earlier versions and
lagbook.duckdb, and nothing else is done; the next run makes the tables again. Later runs keep the group out, until
--readmit-group. It can't be undone, and logs, recordings and copies elsewhere are not touched.

\b
Examples:
  lagbook tidy --warehouse wh
  lagbook tidy --warehouse wh --yes
  lagbook tidy --warehouse wh --leftovers-after 2d --yes --json
  lagbook tidy --warehouse wh --keep-days raw=400 --keep-days raw.batches=30
  lagbook tidy --warehouse wh --erase-group payments --yes"""


def typed_age(text: str) -> timedelta:
    """A length of time, as a number and a unit, within what the logs of tables remember."""
    from assets.storage.warehouse import LOG_REMEMBERS

    match = re.fullmatch(r"([0-9]{1,6})([mhd])", text)
    if match is None:
        raise click.BadParameter(f"{text[:80]!r} is no age: give a number and m, h or d, as 12h.")
    age = timedelta(**{_UNITS[match[2]]: int(match[1])})
    if age > LOG_REMEMBERS:
        raise click.BadParameter(f"{text}: which files a table had is known for {LOG_REMEMBERS.days} days only.")
    return age


def typed_days(texts: Sequence[str]) -> dict[str, int]:
    """How many days each raw table is kept: a layer counts for all its tables, a table for itself."""
    from assets.maintenance.retirement import tables_of

    days: dict[str, int] = {}
    for text in sorted(texts, key=lambda text: text.count(".")):
        named, _, count = text.partition("=")
        tables = tables_of(named)
        if not tables or re.fullmatch(r"[0-9]{1,5}", count) is None:
            names = ", ".join(("raw", *tables_of("raw")))
            raise click.BadParameter(f"{text[:80]!r}: give NAME=DAYS, a NAME of {names}; others keep what raw keeps.")
        days |= dict.fromkeys(tables, int(count))
    return days


@click.command(help=_HELP, epilog=exits.MEANINGS)
@click.option("--leftovers-after", type=typed_age, default="1d", metavar="AGE", help="Default: 1d.")
@click.option(
    "--keep-days", multiple=True, metavar="NAME=DAYS", help="Retire what is older; several times, if need be."
)
@click.option(
    "--erase-group", metavar="GROUP", help="Erase every row and record about this group, for good, and keep it out."
)
@click.option("--readmit-group", metavar="GROUP", help="Let a group back in that was erased.")
@click.option("--yes", "is_meant", is_flag=True, help="Do it.")
@options.CLUSTER_OF_FILE
@options.WAREHOUSE
@options.JSON
def tidy(
    leftovers_after: timedelta,
    keep_days: tuple[str, ...],
    warehouse: str | None,
    *,
    erase_group: str | None,
    readmit_group: str | None,
    is_meant: bool,
    as_json: bool,
) -> int:
    """Say what there is to tidy, and do it when it is meant."""
    if erase_group is not None or readmit_group is not None:
        from dagster_project.cli.operations.erase import change_groups

        return change_groups(options.named_warehouse(warehouse), erase_group, readmit_group, (is_meant, as_json))
    from assets.maintenance import compact_files, retirement
    from assets.storage.lease import writer_lease
    from dagster_project.settings import Settings

    place, days = options.named_warehouse(warehouse), typed_days(keep_days)
    _refuse_no_warehouse(place)
    work = compact_files.look(place, datetime.now(timezone.utc) - leftovers_after)
    old = retirement.look_for_old(place, days) if days else []
    if is_meant:
        with writer_lease(place, Settings.from_environment().wait_s):
            compact_files.tidy(place, work)
            retirement.retire(place, retirement.look_for_old(place, days) if days else [])
    summary = _summary(work, old, is_done=is_meant)
    click.echo(to_json(summary, indent=2)) if as_json else _print(work, old, is_done=is_meant)
    return exits.DONE


def _refuse_no_warehouse(place: Warehouse) -> None:
    """Refuse a place without any table: there all would be in order, and what might be deleted is somebody else's."""
    from assets.catalog import TABLES

    if all(place.open_table(name) is None for name in TABLES):
        raise CallRefusedError(f"{place.url} is no warehouse: it has no table; `lagbook run` makes them.")


def _summary(work: Tidying, old: Sequence[RetiredRows], *, is_done: bool) -> dict[str, Any]:
    return {
        "is_done": is_done,
        "merges": [
            {"table": merge.table, "files": len(merge.files), "bytes": merge.size_bytes} for merge in work.merges
        ],
        "retired": [{"table": one.table, "rows": one.rows, "older_than": one.older_than.isoformat()} for one in old],
        "leftovers": [{"path": leftover.path, "bytes": leftover.size_bytes} for leftover in work.leftovers],
    }


def _print(work: Tidying, old: Sequence[RetiredRows], *, is_done: bool) -> None:
    if work.is_empty and not old:
        click.echo("Everything is in order.")
        return
    merges = [(merge.table, len(merge.files), merge.size_bytes) for merge in work.merges]
    print_columns([("TABLE", "SMALL FILES", "BYTES"), *merges] if merges else [])
    rows = [(one.table, one.rows, show_time(one.older_than)) for one in old]
    print_columns([("TABLE", "OLD ROWS", "OLDER THAN"), *rows] if rows else [])
    for leftover in work.leftovers[:_SHOWN]:
        click.echo(f"belongs to nothing: {brief(leftover.path)} ({leftover.size_bytes} bytes)")
    if len(work.leftovers) > _SHOWN:
        click.echo(f"... and {len(work.leftovers) - _SHOWN} more")
    size_bytes = sum(leftover.size_bytes for leftover in work.leftovers)
    merged = f"{sum(len(merge.files) for merge in work.merges)} files into {len(work.merges)}"
    deleted = f"{len(work.leftovers)} files ({size_bytes} bytes)"
    retired = f"{sum(one.rows for one in old)} old rows"
    done = f"Merged {merged}, deleted {deleted}, retired {retired}."
    click.echo(done if is_done else f"Would merge {merged}, delete {deleted} and retire {retired}: --yes.")
