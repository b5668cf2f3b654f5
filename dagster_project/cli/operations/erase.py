"""`lagbook tidy --erase-group`: erases a group from a warehouse, and `--readmit-group` lets it back in.

Put here what is printed. What is erased, and how, is in `assets.maintenance.erasure`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from dagster_project.cli import exits
from dagster_project.cli.exits import CallRefusedError
from dagster_project.cli.terminal import pasteable, print_columns, safe, to_json

if TYPE_CHECKING:
    from assets.maintenance.erasure import Erasure
    from assets.storage.warehouse import Warehouse


def change_groups(warehouse: Warehouse, erased: str | None, readmitted: str | None, mode: tuple[bool, bool]) -> int:
    """Erase a group or let one back in; `mode` is whether it is meant, and whether JSON is asked for."""
    is_meant, as_json = mode
    if erased is not None and readmitted is not None:
        raise click.UsageError("--erase-group and --readmit-group are two things: give one.")
    if warehouse.open_table("raw.segments") is None:
        raise CallRefusedError(f"{warehouse.url} is no warehouse: nothing was read into it.")
    if readmitted is not None:
        return _readmit(warehouse, readmitted, is_meant=is_meant)
    return _erase(warehouse, str(erased), is_meant=is_meant, as_json=as_json)


def _erase(warehouse: Warehouse, group_id: str, *, is_meant: bool, as_json: bool) -> int:
    from assets.maintenance.erasure import erase, look
    from assets.storage.lease import writer_lease
    from dagster_project.settings import Settings

    work = look(warehouse, group_id)
    if is_meant:
        with writer_lease(warehouse, Settings.from_environment().wait_s):
            erase(warehouse, group_id)
    facts = {"is_done": is_meant, "rows": dict(work.rows), "places": work.places}
    click.echo(to_json(facts, indent=2)) if as_json else _print(work, group_id, is_done=is_meant)
    return exits.DONE


def _print(work: Erasure, group_id: str, *, is_done: bool) -> None:
    print_columns([("TABLE", "ROWS TO ERASE"), *((name, count) for name, count in work.rows if count)])
    for place in work.places:
        click.echo(f"{'deleted' if is_done else 'goes as a whole, and is made again without the group'}: {safe(place)}")
    if work.is_empty:
        click.echo(f"No raw table has a row about {pasteable(group_id)}; a later run would keep it out.")
    if is_done:
        click.echo(f"Erased {pasteable(group_id)}. `lagbook run` makes the tables again, without it.")
    else:
        click.echo("Nothing was changed. It can't be undone: --yes. Logs, recordings and copies elsewhere stay.")


def _readmit(warehouse: Warehouse, group_id: str, *, is_meant: bool) -> int:
    from assets.ingest.erased_groups import read_erased
    from assets.maintenance.erasure import readmit
    from assets.storage.lease import writer_lease
    from dagster_project.settings import Settings

    erased = read_erased(warehouse)
    if erased.digest(group_id) not in erased.digests:
        raise CallRefusedError(f"{pasteable(group_id)} was not erased from {warehouse.url}.")
    if not is_meant:
        click.echo(
            f"Would let {pasteable(group_id)} back in: --yes. What was erased comes back from no log that is known."
        )
        return exits.DONE
    with writer_lease(warehouse, Settings.from_environment().wait_s):
        readmit(warehouse, group_id)
    click.echo(f"{pasteable(group_id)} is let in again: runs keep what they read of it from now on.")
    return exits.DONE
