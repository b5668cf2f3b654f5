"""The small files of a log directory as lines of JSON: indexes, producer snapshots, checkpoints.

Put here what such a line holds. How the files are read is in `parsers.dump.file_entries`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from parsers.dump.file_entries import LARGEST_BYTES, TABLES, TEXTS
from parsers.dump.file_kinds import parse_file_name
from parsers.dump.json_lines.objects import LINE_FRAME, Pair, objects
from parsers.dump.json_lines.objects import pair_of as pair
from parsers.dump.json_lines.records import Lines, file_lead, one_line
from parsers.dump.json_lines.values import flat_objects, numbers
from parsers.errors import SourceError
from parsers.sources import open_file, read_file
from parsers.wire import camel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parsers.dump.file_kinds import FileKind

_BLOCK_ENTRIES: Final = 1 << 14


def entry_lines(path: str, kind: FileKind) -> Iterator[Lines]:
    """Write the entries of a file; one that its own reader refuses becomes a line that says why."""
    with open_file(path) as source:
        size_bytes = source.size_bytes
    try:
        yield from _text_lines(path, kind) if kind in TEXTS else _table_lines(path, kind)
    except SourceError as error:
        trouble = {"sizeBytes": size_bytes, "logOffset": None, "reason": "damaged file", "found": str(error)}
        yield one_line(path, {"position": 0, "trouble": trouble}, 1)


def _table_lines(path: str, kind: FileKind) -> Iterator[Lines]:
    """Write the entries of a file of fixed width, each with the byte where it begins."""
    table = TABLES[kind]
    entries = table.read(read_file(path, LARGEST_BYTES), parse_file_name(path).base_offset, path)
    for first in range(0, entries.num_rows, _BLOCK_ENTRIES):
        block = entries.slice(first, _BLOCK_ENTRIES)
        positions = table.header_bytes + table.entry_bytes * np.arange(first, first + block.num_rows)
        position = Pair(file_lead(path) + '"position":', numbers(positions))
        yield Lines.of(objects([position, pair("entry", flat_objects(block))], block.num_rows, LINE_FRAME))


def _text_lines(path: str, kind: FileKind) -> Iterator[Lines]:
    for entry in TEXTS[kind].read(read_file(path, LARGEST_BYTES), path):
        yield one_line(path, {"entry": {camel(name): value for name, value in entry.items()}}, 0)
