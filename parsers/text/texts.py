"""Text that Kafka's tools printed of __consumer_offsets, of any release, as the columns of `parsers.offset_records`.

Put here which tool a text is from, and how its records become batches of columns. What the forms of text are is in
`parsers.text.forms`.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

from parsers.errors import SourceError
from parsers.text.console import read_groups, read_json, read_offsets
from parsers.text.dump_log import DumpReader
from parsers.text.pieces import CHUNK_BYTES, JSON_RECORDS, LINES, cut_pieces, open_text
from parsers.text.rows import TextRecord, record_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

    from parsers.log.damage.quarantine import Trouble
    from parsers.text.pieces import Cutting, Piece, TextSource

MOST_RECORDS: Final = 1 << 16
MOST_TROUBLES: Final = 1 << 12
MOST_TEXT_BYTES: Final = 16 << 20
"""A slice ends with whichever of these is reached first; all three bound its memory."""


class TextSlice(NamedTuple):
    """A stretch of text: its records as columns of `RECORD_SCHEMA`, and what could not be read."""

    records: pa.RecordBatch
    troubles: list[Trouble]


class Tool(NamedTuple):
    """A tool, with one formatter or decoder, and how its text is known and read."""

    start: re.Pattern[bytes]
    cutting: Cutting
    read: Callable[[Iterator[Piece]], Iterator[TextRecord | Trouble]]


TOOLS: Final = {
    "dump-log": Tool(
        re.compile(
            rb"^(?:Dumping |Log starting offset: |Starting offset: |baseOffset: \d|\| offset: \d|\| key: "
            rb"|offset: \d+ position: )",
            re.MULTILINE,
        ),
        LINES,
        lambda pieces: DumpReader().read(pieces),
    ),
    "console-json": Tool(re.compile(rb'\{"key":'), JSON_RECORDS, read_json),
    "console-offsets": Tool(re.compile(rb"^\[[^\n]{1,65536}\]::", re.MULTILINE), LINES, read_offsets),
    "console-groups": Tool(
        re.compile(rb"^[^\n]{1,32767}::(?:NULL|GroupMetadata\(groupId=|\[)", re.MULTILINE), LINES, read_groups
    ),
}
"""The tools by the name that `read_text` takes."""


def read_text(source: TextSource, form: str | None = None) -> Iterator[TextSlice]:
    """Read what a tool printed, from a path, a URL or a stream; without a form, the first lines tell the tool."""
    if form is not None and form not in TOOLS:
        raise SourceError(f"{form}: no form of text, expected one of {', '.join(TOOLS)}")
    with open_text(source) as (name, chunks):
        first = next(chunks, b"")
        if first:
            tool = TOOLS[form or _form_of(name, first)]
            meter = _Meter(chain([first], chunks))
            yield from _slices(tool.read(cut_pieces(iter(meter), tool.cutting)), meter)


def recognise_tool(text: bytes) -> str | None:
    """Tell the tool by the first line that only one of them prints; None where there is no such line."""
    positions = {tool: match.start() for tool, row in TOOLS.items() if (match := row.start.search(text))}
    return min(positions, key=lambda tool: positions[tool]) if positions else None


def _form_of(name: str, text: bytes) -> str:
    form = recognise_tool(text)
    if form is None:
        raise SourceError(f"{name}: the first {CHUNK_BYTES} bytes have no line of {', '.join(TOOLS)}")
    return form


class _Meter:
    """Counts the bytes of text that were taken."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self.taken_bytes = 0

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._chunks:
            self.taken_bytes += len(chunk)
            yield chunk


def _slices(outcomes: Iterator[TextRecord | Trouble], meter: _Meter) -> Iterator[TextSlice]:
    records: list[TextRecord] = []
    troubles: list[Trouble] = []
    end_bytes = MOST_TEXT_BYTES
    for one in outcomes:
        if isinstance(one, TextRecord):
            records.append(one)
        else:
            troubles.append(one)
        if len(records) >= MOST_RECORDS or len(troubles) >= MOST_TROUBLES or meter.taken_bytes > end_bytes:
            yield TextSlice(record_columns(records), troubles)
            records, troubles, end_bytes = [], [], meter.taken_bytes + MOST_TEXT_BYTES
    if records or troubles:
        yield TextSlice(record_columns(records), troubles)
