"""The summary of an extraction: what is in the file, and what is not and why.

Put here the words and the JSON of it. The numbers are counted in `assets.extraction.extract`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from assets.extraction.log_ranges import NO_END
from dagster_project.cli.terminal import brief, note, plural, safe, to_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from assets.extraction.extract import Tally
    from assets.extraction.log_ranges import LogRange
    from dagster_project.cli.extracts.extraction import Extracted

_MOST_SPANS: Final = 1_000
_MOST_SHOWN: Final = 5
_LONGEST_SENTENCE: Final = 500


def summarize(path: Path, result: Extracted, counts: Mapping[LogRange, int | None]) -> dict[str, Any]:
    """The summary as JSON has it."""
    ranges = [_range(tally, counts.get(tally.wanted)) for tally in result.tallies]
    is_whole = all(tally.is_whole for tally in result.tallies) and not any(map(_differs, ranges))
    return {
        "file": str(path),
        "records": sum(one["records"] for one in ranges),
        "keys": result.keys,
        "is_whole": is_whole and not result.errors,
        "not_deserialised": result.errors,
        "ranges": ranges,
        "complaints": result.complaints,
    }


def _range(tally: Tally, table_records: int | None) -> dict[str, Any]:
    wanted, missing = tally.wanted, tally.missing
    return {
        "cluster": wanted.cluster,
        "topic": wanted.topic,
        "partition": wanted.partition,
        "from_offset": wanted.from_offset,
        "to_offset": None if wanted.to_offset == NO_END else wanted.to_offset,
        "records": tally.records,
        "table_records": table_records,
        "bytes": tally.size_bytes,
        "aborted": tally.aborted,
        "undecided": tally.undecided,
        "markers": tally.markers,
        "cleaned": tally.cleaned,
        "diverged": tally.diverged,
        "lost": tally.lost,
        "missing_offsets": sum(end - begin for begin, end in missing),
        "missing": missing[:_MOST_SPANS],
    }


def _differs(one: Mapping[str, Any]) -> bool:
    """Whether the tables count another number of records."""
    return one["table_records"] is not None and one["table_records"] != one["records"]


def print_summary(summary: Mapping[str, Any], *, as_json: bool) -> None:
    """Print the summary; complaints go to stderr."""
    for sentence in summary["complaints"]:
        note(f"lagbook: {brief(sentence, _LONGEST_SENTENCE)}")
    if as_json:
        click.echo(to_json(summary, indent=2))
        return
    for one in summary["ranges"]:
        click.echo(_line(one))
        for sentence in _reservations(one):
            click.echo(f"    {sentence}")
    what = plural(summary["records"], "record")
    if summary["keys"] is not None:
        what = f"{plural(summary['keys'], 'key')} of {what}"
    click.echo(f"{what} in {safe(summary['file'])}")
    if summary["not_deserialised"]:
        count = summary["not_deserialised"]
        click.echo(f"{count:,} keys and values could not be read as they were wanted: see the columns *_error")


def _line(one: Mapping[str, Any]) -> str:
    end = "its end" if one["to_offset"] is None else one["to_offset"] - 1
    count = "" if one["table_records"] is None else f"; the tables count {one['table_records']:,}"
    where = f"{brief(one['topic'])}-{one['partition']}"
    return f"{where}: offsets {one['from_offset']} to {end}: {plural(one['records'], 'record')}{count}"


def _reservations(one: Mapping[str, Any]) -> Iterator[str]:
    """What of the range is not in the file."""
    if one["cleaned"]:
        yield f"{plural(one['cleaned'], 'offset')} without a record: the log cleaner took it"
    if one["aborted"] or one["markers"]:
        aborted = plural(one["aborted"], "record")
        yield f"left out: {aborted} of aborted transactions, {plural(one['markers'], 'marker')}"
    if one["undecided"]:
        yield f"left out: {plural(one['undecided'], 'record')} of transactions without a known end"
    if one["diverged"]:
        yield f"copies contradict each other at {plural(one['diverged'], 'offset')}: the later leader's record counts"
    if one["lost"]:
        yield f"left out: {plural(one['lost'], 'record')} of an earlier leader, which the later one's log does not have"
    if one["missing"]:
        shown = [f"{begin} to {end - 1}" for begin, end in one["missing"][:_MOST_SHOWN]]
        more = ", ..." if len(one["missing"]) > _MOST_SHOWN else ""
        missing = plural(one["missing_offsets"], "offset")
        yield f"MISSING {missing}, in no file that could be read: {', '.join(shown)}{more}"
    if _differs(one):
        yield f"DIFFERS: the tables count {one['table_records']:,}, the log has {one['records']:,} now"
