"""The files in which tools put records of the offsets topic: found, recognised, cut into slices, and read.

Put here what tells one form from another, and the sentences for what can't be taken. Each form is read by its module.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import fs

from parsers.errors import SourceError, VanishedError
from parsers.exports.json_lines import BLOCK_BYTES, layout_of, read_lines
from parsers.exports.parquet import parquet_cuts, read_parquet
from parsers.exports.records import NO_RECORDS, ExportSlice
from parsers.log.damage.quarantine import Trouble
from parsers.sources import open_file, resolve
from parsers.text.dump_log import names_partition
from parsers.text.pieces import open_text
from parsers.text.texts import read_text, recognise_tool

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parsers.sources import ByteSource

_EXPORT: Final = re.compile(r"[^_.].*\.(?:parquet|json|jsonl|ndjson|txt)(?:\.(?:gz|bz2|lz4|zst|xz))?")
_JSON_NAME: Final = re.compile(r"\.(?:json|jsonl|ndjson)(?:\.[a-z0-9]{2,3})?\Z")
_PACKED: Final = (".gz", ".bz2", ".lz4", ".zst", ".xz")
_PARQUET_MAGIC: Final = b"PAR1"
_NEWLINE_BYTES: Final = 1 << 16
_CONSOLE: Final = (
    "kafka-console-consumer printed it with a formatter that tells neither partition nor offset, so nobody can say"
    " which record a line is; `lagbook dump` shows it, and the archive takes segments, what kafka-dump-log prints of"
    " them, or what `kcat -C -t __consumer_offsets -J` writes"
)
_NO_PARTITION: Final = (
    "kafka-dump-log did not print of which partition it is; give it the whole path,"
    " as in --files /data/__consumer_offsets-3/00000000000000000000.log"
)
_UNKNOWN: Final = (
    "it is no segment in a directory named TOPIC-PARTITION, no Parquet, no JSON lines, and no text of Kafka's tools"
)


class Form(str, Enum):
    """How a file holds its records."""

    PARQUET = "parquet"
    JSON = "json"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class ExportFile:
    """A file that may be an export, as it was listed."""

    path: str
    size_bytes: int
    modified_ms: int | None


@dataclass(frozen=True, slots=True)
class FilePart:
    """A part of a file: row groups of Parquet, or the lines that begin between two bytes."""

    start: int
    stop: int


def find_exports(named: str) -> list[ExportFile]:
    """The file that a place is, or the files below it that are called like exports; hidden folders are left alone."""
    place = resolve(named)
    info = place.info()
    if info.type == fs.FileType.File:
        return [_export_file(place.named, info)]
    if info.type != fs.FileType.Directory:
        return []
    files = (one for one in place.below(recursive=True) if one.type == fs.FileType.File)
    named_so = (one for one in files if _is_named_so(one.path.removeprefix(place.inner)))
    return sorted((_export_file(place.child(one.path), one) for one in named_so), key=lambda one: one.path)


def _export_file(path: str, info: fs.FileInfo) -> ExportFile:
    return ExportFile(path, info.size, None if info.mtime_ns is None else info.mtime_ns // 1_000_000)


def _is_named_so(path: str) -> bool:
    *folders, name = path.strip("/").split("/")
    return bool(_EXPORT.fullmatch(name)) and not any(folder.startswith(("_", ".")) for folder in folders)


def examine(file: ExportFile, slice_bytes: int) -> tuple[Form, list[FilePart]]:
    """Tell the form of a file and where it may be cut; a file that can't be taken is refused with the reason."""
    with open_file(file.path) as source:
        if source.read(0, len(_PARQUET_MAGIC)).tobytes() == _PARQUET_MAGIC:
            return Form.PARQUET, [FilePart(*cut) for cut in parquet_cuts(file.path, slice_bytes)]
    head = _head(file.path)
    if not head.strip():
        return Form.JSON, []
    if head.lstrip().startswith(b"{") or _JSON_NAME.search(file.path):
        _refuse_unknown_json(file.path, head)
        return Form.JSON, _line_cuts(file, slice_bytes)
    _refuse_unknown_text(file.path, head)
    return Form.TEXT, [FilePart(0, file.size_bytes)]


def read_export(file: ExportFile, form: Form, cut: FilePart) -> Iterator[ExportSlice]:
    """Read one part of a file."""
    if form is Form.PARQUET:
        yield from read_parquet(file.path, range(cut.start, cut.stop))
    elif form is Form.TEXT:
        yield from map(_in_log_order, read_text(file.path, "dump-log"))
    elif file.path.endswith(_PACKED):
        with open_text(file.path) as (_name, chunks):
            yield from read_lines(file.path, chunks, layout_of(file.path, _first_line(_head(file.path))), 0)
    else:
        yield from _read_cut(file, cut)


def _head(path: str) -> bytes:
    with open_text(path) as (_name, chunks):
        return next(chunks, b"")


def _first_line(head: bytes) -> bytes:
    return head.lstrip().partition(b"\n")[0]


def _refuse_unknown_json(path: str, head: bytes) -> None:
    try:
        layout_of(path, _first_line(head))
    except SourceError:
        if recognise_tool(head) == "console-json":
            raise SourceError(f"{path}: {_CONSOLE}") from None
        raise


def _refuse_unknown_text(path: str, head: bytes) -> None:
    tool = recognise_tool(head)
    if tool is None:
        raise SourceError(f"{path}: {_UNKNOWN}")
    if tool != "dump-log":
        raise SourceError(f"{path}: {_CONSOLE}")
    if not names_partition(head):
        raise SourceError(f"{path}: {_NO_PARTITION}")


def _line_cuts(file: ExportFile, slice_bytes: int) -> list[FilePart]:
    """Cuts anywhere: a line belongs to the part in which it begins. What is packed can't be cut."""
    if file.path.endswith(_PACKED):
        return [FilePart(0, file.size_bytes)]
    starts = range(0, file.size_bytes, slice_bytes)
    return [FilePart(start, min(start + slice_bytes, file.size_bytes)) for start in starts]


def _read_cut(file: ExportFile, cut: FilePart) -> Iterator[ExportSlice]:
    with open_file(file.path) as source:
        layout = layout_of(file.path, _first_line(source.read(0, BLOCK_BYTES).tobytes()))
        begin, end = (_line_begin(source, at, file.size_bytes) for at in (cut.start, cut.stop))
        yield from read_lines(file.path, _chunks(source, begin, end), layout, begin)


def _line_begin(source: ByteSource, at: int, size_bytes: int) -> int:
    """Where the first line at or after a byte begins; a file that has become longer is read as it was listed."""
    position = at - 1
    while 0 <= position < size_bytes:
        piece = source.read(position, _NEWLINE_BYTES).tobytes()
        line_end = piece.find(b"\n")
        if line_end >= 0:
            return min(position + line_end + 1, size_bytes)
        position = position + len(piece) if piece else size_bytes
    return max(position, 0)


def _chunks(source: ByteSource, begin: int, end: int) -> Iterator[bytes]:
    while begin < end:
        chunk = source.read(begin, min(BLOCK_BYTES, end - begin)).tobytes()
        if not chunk:
            raise VanishedError(f"{source.path}: it became shorter while it was read; the next run reads it")
        yield chunk
        begin += len(chunk)


def _in_log_order(outcome: tuple[pa.RecordBatch, list[Trouble]]) -> ExportSlice:
    """The records of text that have a place in a log, in its order; the others are told."""
    records, troubles = outcome
    is_placed = pc.and_(records.column("log_partition").is_valid(), records.column("log_offset").is_valid())
    unplaced = records.num_rows - (is_placed.true_count or 0)
    if unplaced:
        expected = "a line `Dumping .../__consumer_offsets-N/OFFSET.log` before it"
        troubles = [*troubles, Trouble(0, 0, None, "record without a place", expected, f"{unplaced} records", b"")]
        records = records.filter(is_placed)
    if not records.num_rows:
        return ExportSlice(NO_RECORDS, troubles)
    keys = [("log_partition", "ascending"), ("log_offset", "ascending")]
    order = pc.sort_indices(pa.table([records.column(name) for name, _ in keys], [name for name, _ in keys]), keys)
    return ExportSlice(records.take(order), troubles)
