"""`lagbook repair`: damaged files of a warehouse, what a repair restores and what is lost; done only with --yes.

Put here the call and what is printed. What damage is, and what is done about it, is said in
`assets.maintenance.integrity` and `assets.maintenance.mending`.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

import click

from dagster_project.cli import exits, options
from dagster_project.cli.exits import CallRefusedError
from dagster_project.cli.terminal import brief, safe, to_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assets.maintenance.lost_reads import LostRead
    from assets.maintenance.mending import Repair

_SHOWN: Final = 20
_HELP: Final = """Find damaged files and logs of tables, and have them made again; without --yes only say so.

A table of core or mart is made again from the raw records by the next run. What is gone from a raw table is read again
by the next run from the logs that still have it: repair forgets that it was read. Where a log is gone as well, the
stretch of it is lost, and named with partition and offsets. The log of a table that can't be read is set back to its
last commit that can, or begun anew; what is in the way is moved to `_damaged` in the table's folder. A DuckDB file
with other bytes than were built is deleted: the next run builds it.

Reads every file, and compares it with the digest that was made when it was written. Ends with 1 when something is
damaged and nothing was done.

\b
Examples:
  lagbook repair --warehouse wh
  lagbook repair --warehouse wh --yes \\
      && lagbook run --logs /var/lib/kafka/data --warehouse wh"""


@click.command(help=_HELP, epilog=exits.MEANINGS)
@click.option("--yes", "is_meant", is_flag=True, help="Do it.")
@options.CLUSTER_OF_FILE
@options.WAREHOUSE
@options.JSON
def repair(warehouse: str | None, *, is_meant: bool, as_json: bool) -> int:
    """Say what is damaged, and mend it when it is meant."""
    from assets.duckdb import file_digest
    from assets.maintenance import mending
    from assets.maintenance.integrity import examine, has_any_table
    from assets.maintenance.verification import Scope, Verification
    from assets.storage.lease import writer_lease
    from dagster_project.settings import Settings

    place = options.named_warehouse(warehouse)
    if not has_any_table(place):
        raise CallRefusedError(f"{place.public_url} is no warehouse: it has no table; `lagbook run` makes them.")
    damages = examine(place, with_footers=True, verification=Verification(place, Scope.ALL))
    work, duckdb_file = mending.look(place, damages), place.duckdb_path
    reason = file_digest.damage(duckdb_file)
    if is_meant and work.damages:
        others = mending.free_leases(place, work)
        with writer_lease(place, Settings.from_environment().wait_s):
            mending.repair(place, others)
    if is_meant and reason:
        duckdb_file.unlink()
    rebuilt = {"path": str(duckdb_file), "reason": reason} if reason else None
    summary = _summary(work, rebuilt, is_done=is_meant)
    click.echo(to_json(summary, indent=2)) if as_json else _print(work, rebuilt, is_done=is_meant)
    return exits.FAILED if (work.damages or reason) and not is_meant else exits.DONE


def _summary(work: Repair, duckdb_file: Mapping[str, str] | None, *, is_done: bool) -> dict[str, Any]:
    return {
        "is_done": is_done,
        "duckdb_file": duckdb_file,
        "damaged": [
            {"table": damage.table, "path": damage.file.uri if damage.file else None, "reason": damage.reason}
            for damage in work.damages
        ],
        "made_again": list(work.remade),
        "to_read_again": [_stretch(lost) for lost in work.lost],
        "rows_lost": [{"table": table, "rows": rows} for table, rows in work.rows_gone],
    }


def _stretch(lost: LostRead) -> dict[str, Any]:
    names = ("cluster", "topic", "partition", "source", "path")
    offsets = {"from_offset": lost.from_offset, "to_offset": lost.to_offset}
    return {**{name: lost.read[name] for name in names}, **offsets, "is_path_there": lost.is_there}


def _print(work: Repair, duckdb_file: Mapping[str, str] | None, *, is_done: bool) -> None:
    if not work.damages and not duckdb_file:
        click.echo("Nothing is damaged.")
        return
    if duckdb_file:
        click.echo(f"damaged: {brief(duckdb_file['path'])}: {duckdb_file['reason']}; the next run builds it anew")
    for damage in work.damages[:_SHOWN]:
        click.echo(f"damaged: {brief(damage.file.uri if damage.file else damage.table)}: {safe(damage.reason)}")
    if len(work.damages) > _SHOWN:
        click.echo(f"... and {len(work.damages) - _SHOWN} more; --json prints all")
    if work.remade:
        click.echo(f"made again from raw by the next run: {', '.join(work.remade)}")
    _print_stretches("read again by the next run with these logs", [lost for lost in work.lost if lost.is_there])
    _print_stretches("LOST, unless a copy of the log is read", [lost for lost in work.lost if not lost.is_there])
    for table, rows in work.rows_gone:
        click.echo(f"LOST: {rows} rows of {table}, which are in no log")
    click.echo("Done; `lagbook run` makes the tables again." if is_done else "Nothing was touched: --yes does it.")


def _print_stretches(heading: str, lost: Sequence[LostRead]) -> None:
    """Partitions with the offsets between the first and the last stretch of them."""
    partitions: dict[tuple[str, str, int], list[LostRead]] = defaultdict(list)
    for one in lost:
        partitions[one.read["cluster"], one.read["topic"], one.read["partition"]].append(one)
    for (cluster, topic, partition), some in partitions.items():
        ends = [one.to_offset for one in some if one.to_offset is not None]
        last = f"to {max(ends) - 1}" if ends else "on"
        first = min(one.from_offset for one in some)
        click.echo(f"{heading}: {brief(cluster)} {brief(topic)}-{partition}, offsets {first} {last}")
