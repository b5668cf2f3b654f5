"""`lagbook dump`: what stands in a broker's files, one JSON object on a line for each record, or as Parquet.

Put here the call, the streams and the exit code. What a line holds is decided in `parsers.dump.json_lines.files`, and
nothing but `parsers` is imported: the first line is due within a second.
"""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

import click

from dagster_project.cli import exits
from dagster_project.cli.lean import lean
from dagster_project.cli.terminal import note, safe
from dagster_project.loops import delay_reason
from parsers.errors import LagbookError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from parsers.dump.file_kinds import FileKind, TopicKind
    from parsers.dump.json_lines.records import Lines

KINDS: Final = ("offsets", "transactions", "shares", "metadata", "data")
"""The values of `TopicKind`, which is imported only when there is work."""

_HELP: Final = """Show what stands in a broker's files: one JSON object on a line for each record.

Reads segments (.log) of every topic, metadata snapshots (.checkpoint), indexes (.index, .timeindex, .txnindex),
producer snapshots (.snapshot), checkpoints, partition.metadata and meta.properties; also with .swap, .cleaned or
.deleted behind the name; and text that kafka-dump-log or kafka-console-consumer printed of __consumer_offsets. No
cluster is asked and nothing is changed. Archives and pipes can't be read: unpack or save them first.

Which topic a segment belongs to is told by its directory. Keys and values of Kafka's own topics are shown with the
names and values of Kafka's JSON converters, all others as base64. A stretch that can't be read is an object with
"trouble" in its place, and the rest of the file is shown.

\b
Examples:
  lagbook dump /var/lib/kafka/__consumer_offsets-12/*.log
  lagbook dump 00000000000000000000.log --kind offsets \\
      | jq -c 'select(.key.data.group == "payments")'
  lagbook dump orders-0/00000000000000184467.log --text | head
  lagbook dump __consumer_offsets-12/*.log --format parquet \\
      --output commits.parquet

\b
A line of a record has:
  file, position   where its batch begins
  batch            the header of the batch, with the names of kafka-dump-log
  offset, timestamp, sequence, keySize, valueSize, headers
  key, value       {"type": 1, "data": {...}}, {"version": 3, "data": {...}},
                   or base64; null for a tombstone
  control          instead of key and value:
                   {"type": "COMMIT", "coordinatorEpoch": 0}"""

_EPILOG: Final = """\b
Exit codes:
  0    everything could be read; an unfinished batch at the end of a live log
       ("torn") is no trouble
  1    something could not be read: see the lines with "trouble"
  2    the call can't be taken: an option, or a file that is missing or of no
       known kind
  130  interrupted"""


@click.command(help=_HELP, epilog=_EPILOG)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--kind", type=click.Choice(KINDS), help="Read segments as this topic, whatever their directory says.")
@click.option("--text", "as_text", is_flag=True, help="Show keys and values of data as text where they are UTF-8.")
@click.option("--format", "form", type=click.Choice(("json", "parquet")), default="json", show_default=True)
@click.option("--output", type=click.Path(dir_okay=False), help="Write to this file; Parquet needs one.")
def dump(files: tuple[str, ...], kind: str | None, *, as_text: bool, form: str, output: str | None) -> int:
    """Write the lines or the columns; end with 1 when something could not be read."""
    if form == "parquet" and output is None:
        raise click.UsageError("--format parquet needs --output FILE.", click.get_current_context())
    with lean():
        topic = _check(files, kind)
        if reason := delay_reason():
            note(f"lagbook: {reason}")
        _keep_inputs(files, output)
        if form == "parquet":
            from dagster_project.cli.dumping.dump_parquet import write_parquet

            texts = frozenset(file for file in files if _kind(file) is None)
            return _code(write_parquet(files, topic, Path(str(output)), texts))
        with _stream(output) as stream:
            return _code(_write_lines(files, topic, stream, as_text=as_text))


def _keep_inputs(files: Sequence[str], output: str | None) -> None:
    """Refuse to write over a file that is to be read."""
    for file in files if output is not None and Path(output).exists() else ():
        if Path(file).exists() and Path(file).samefile(str(output)):
            raise exits.CallRefusedError(f"{output}: it is one of the files to be read.")


@contextmanager
def _stream(output: str | None) -> Iterator[BinaryIO]:
    """Open what is written to; a reader who went away is told of by `BrokenPipeError`, all else in a sentence."""
    name = output or "standard output"
    try:
        with _open(output) as stream:
            yield stream
            stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise LagbookError(f"{name}: it can't be written: {error.strerror}") from error


def _open(output: str | None) -> AbstractContextManager[BinaryIO]:
    if output is None and sys.stdout is None:
        raise exits.CallRefusedError("standard output is closed: name a file with --output.")
    if output is None:
        return nullcontext(sys.stdout.buffer)
    try:
        return Path(output).open("wb")
    except OSError as error:
        raise exits.CallRefusedError(f"{output}: it can't be written: {error.strerror}") from error


def _check(files: Sequence[str], kind: str | None) -> TopicKind | None:
    """Refuse files that are missing or of no known kind before anything is written; hint at what nobody can know."""
    from parsers.dump.file_kinds import FileKind, TopicKind, parse_file_name

    for file in files:
        is_unknown = _kind(file) is FileKind.SEGMENT and parse_file_name(file).topic is None and kind is None
        if is_unknown:
            note(f"lagbook: {safe(file)}: its directory names no topic, so keys and values are shown as base64;"
                 " `--kind offsets` reads them as those of __consumer_offsets.")  # fmt: skip
    return None if kind is None else TopicKind(kind)


def _kind(file: str) -> FileKind | None:
    """Say what a file is; None for text that a tool printed."""
    from parsers.dump.file_kinds import UnknownKindError, kind_of

    try:
        return kind_of(file)
    except UnknownKindError:
        from dagster_project.cli.dumping.dump_text import is_printed

        if is_printed(file):
            return None
        raise


def _lines(file: str, topic: TopicKind | None, *, as_text: bool) -> Iterator[Lines]:
    if _kind(file) is None:
        from dagster_project.cli.dumping.dump_text import text_lines

        return text_lines(file)
    from parsers.dump.json_lines.files import Reading, file_lines

    return file_lines(file, Reading(topic, as_text))


def _write_lines(files: Sequence[str], topic: TopicKind | None, stream: BinaryIO, *, as_text: bool) -> int:
    """Write the lines of all files as they are read; give how many things could not be."""
    trouble_count = 0
    for file in files:
        for lines in _lines(file, topic, as_text=as_text):
            stream.write(lines.data.data)
            trouble_count += lines.trouble_count
    return trouble_count


def _code(trouble_count: int) -> int:
    return exits.FAILED if trouble_count else exits.DONE
