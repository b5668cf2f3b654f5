"""What of offsets that consumers keep themselves a run would read: checkpoints with their batches, declared tables.

Put here what `lagbook doctor` says of them. It only looks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from dagster_project.cli.terminal import brief, cell, plural, safe
from parsers.errors import LagbookError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from assets.ingest.plan import Sources
    from parsers.spark_checkpoints.checkpoint import Batch, Checkpoint

_MOST_RANGES: Final = 10
_LONGEST_PATH: Final = 400


def stores_of(sources: Sources) -> list[dict[str, Any]]:
    """The stores of a run; one that can't be read is a problem of the plan, and left out."""
    return [*_checkpoints(sources), *_tables(sources)]


def _checkpoints(sources: Sources) -> Iterator[dict[str, Any]]:
    from assets.ingest.stores.spark.reader import checkpoints_of

    for files, group in checkpoints_of(sources):
        try:
            content = _read(files)
        except LagbookError:
            continue
        complete = [one.number for one in content.complete]
        yield {
            "kind": "spark_checkpoint",
            "place": files.path,
            "group": group or content.query_id or files.path,
            "first_batch": min(complete, default=None),
            "last_batch": max(complete, default=None),
            "planned": list(_planned(content)),
        }


def _read(files: Any) -> Checkpoint:  # noqa: ANN401 - a checkpoint's files
    from parsers.spark_checkpoints.checkpoint import read_checkpoint

    return read_checkpoint(files)


def _planned(content: Checkpoint) -> Iterator[dict[str, Any]]:
    """The ranges that a restart processes again: from the end of the last complete batch, or unknown, to the plan's."""
    ends = _ends(content.complete[-1]) if content.complete else {}
    for batch in content.planned:
        for (topic, partition), to_offset in sorted(_ends(batch).items()):
            place = {"batch": batch.number, "topic": topic, "partition": partition}
            yield {**place, "from_offset": ends.get((topic, partition)), "to_offset": to_offset}
        ends = _ends(batch)


def _ends(batch: Batch) -> dict[tuple[str, int], int]:
    return {(topic, partition): at for topic, offsets in batch.offsets.items() for partition, at in offsets.items()}


def _tables(sources: Sources) -> Iterator[dict[str, Any]]:
    for one in sources.stores.tables if sources.stores else ():
        place = one.sqlite or "Postgres"
        kind = "a history" if one.is_history else "current rows"
        yield {"kind": "sql_table", "place": place, "name": one.name, "group": one.group_id, "rows": kind}


def print_stores(stores: Sequence[Mapping[str, Any]]) -> None:
    """Print a line for each store, and one for each range of a batch that is planned and not complete."""
    for one in stores:
        if one["kind"] == "sql_table":
            group = f"group {safe(one['group'])}" if one["group"] else "groups of its rows"
            click.echo(f"offsets of {group}: table {safe(one['name'])} in {safe(one['place'])}, {one['rows']}")
            continue
        batches = f"batches {cell(one['first_batch'])} to {cell(one['last_batch'])} are complete"
        state = batches if one["last_batch"] is not None else "no batch is complete"
        click.echo(f"offsets of group {safe(one['group'])}: checkpoint {brief(one['place'], _LONGEST_PATH)}, {state}")
        for planned in one["planned"][:_MOST_RANGES]:
            first = "its beginning" if planned["from_offset"] is None else planned["from_offset"]
            where = f"{brief(planned['topic'])}-{planned['partition']}"
            again = f"a restart processes {where} from {first} to {planned['to_offset']} again"
            click.echo(f"  batch {planned['batch']} is planned and not complete: {again}")
        if (more := len(one["planned"]) - _MOST_RANGES) > 0:
            click.echo(f"  and {plural(more, 'more partition')}")
    if stores:
        click.echo()
