"""What `kafka-dump-log` printed, read in order: files, batches, records, and lines that say nothing of records.

Put here what follows what. What the words of a line mean is in `parsers.text.lines`, what stands behind `key:` in
`parsers.text.payloads`.

Up to Kafka 3.7 ids and metadata are printed as they are, line breaks included, so that whoever chooses an id can write
what looks like further lines. A record that breaks off is told by its sizes, and behind it nothing is believed up to
the batch that begins where its batch ends; where lines name no batches (up to 2.2), up to another position.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.text.lines import (
    BatchLine,
    batch_line_of,
    batch_of,
    fields_of,
    is_valid,
    number,
    read_batch_line,
    record_line,
    split_line,
)
from parsers.text.numbers import whole
from parsers.text.payloads import MOST_UNSURE_BYTES, Sizes, has_unsized_end, is_unescaped, read_payload, without_key
from parsers.text.pieces import PIECE_BYTES, Piece
from parsers.text.rows import Batch, KeyValue, TextRecord, Unreadable, as_trouble

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parsers.log.damage.quarantine import Trouble
    from parsers.text.lines import Fields

_UNKNOWN: Final = "unknown line"
_RECORD: Final = b"| "
_BATCH: Final = b"baseOffset: "
_OLD: Final = b"offset: "
_FILE: Final = b"Dumping "
_ASIDE: Final = (
    *(b"Log starting offset: ", b"Starting offset: ", b"Found ", b"Non-consecutive offsets in ", b"Mismatches in :"),
    *(b"  Index offset: ", b"timestamp: ", b"version: ", b"producerId: "),
)
"""Lines that say nothing of records: headings, warnings, and entries of other files."""

_START: Final = re.compile(
    rb"\| (?:offset: |key: \S)|baseOffset: |offset: \d|Dumping |Log starting offset: |Starting offset: "
    rb"|Non-consecutive |Mismatches in |  Index offset: |timestamp: \d|version: \d|producerId: "
)
"""How lines begin; any other line goes on with an id or metadata of the line before. What is cut off in front of such a
beginning, line break included, is more than a size leaves unsure."""

_MOST_LINES: Final = 2 * MOST_UNSURE_BYTES
_PARTITION: Final = re.compile(rb"(?:\A|[/\\ ])__consumer_offsets-(\d{1,9})[/\\]\d{20}\.log\Z")
_LEAST_BYTES: Final = 256
"""What a line that waits takes of memory, however short it is."""
_INDEX_ENTRY: Final = frozenset({"offset:", "position:"})


def names_partition(text: bytes) -> bool:
    """Whether a heading of the text says of which partition of the offsets topic it is."""
    return any(_PARTITION.search(line.rstrip(b"\r")) for line in text.split(b"\n") if line.startswith(_FILE))


def entries(pieces: Iterator[Piece]) -> Iterator[tuple[Piece, list[Piece]]]:
    """Put a line and those together that may go on with it."""
    first: Piece | None = None
    more: list[Piece] = []
    more_bytes = 0
    for piece in pieces:
        if first is not None and not _START.match(piece.text) and more_bytes < PIECE_BYTES:
            more.append(piece)
            more_bytes += len(piece.text) + _LEAST_BYTES
            continue
        if first is not None:
            yield first, more
        first, more, more_bytes = piece, [], 0
    if first is not None:
        yield first, more


class DumpReader:
    """Reads a dump in order: what a line says of a file or a batch holds for the records behind it."""

    def __init__(self) -> None:
        """Start without a file and a batch."""
        self._log_partition: int | None = None
        self._is_segment = True
        self._current = BatchLine()
        self._is_cut = False
        """A record of this batch broke off."""

    def read(self, pieces: Iterator[Piece]) -> Iterator[TextRecord | Trouble]:
        """Read records, and what can't be read."""
        for first, more in entries(pieces):
            try:
                record, stray_lines = self._line(first, more)
            except Unreadable as unreadable:
                yield trouble_of([first, *more], unreadable)
                continue
            if record is not None:
                yield record
            if stray_lines or (record is not None and record.key_value.doubt):
                yield from self._asides(first, record, stray_lines)

    def _asides(self, first: Piece, record: TextRecord | None, stray_lines: list[Piece]) -> Iterator[Trouble]:
        """Tell what of a record was not read, and which lines behind it belong to nothing."""
        if record is not None and record.key_value.doubt:
            yield trouble_of([first], record.key_value.doubt, record.line.log_offset)
        for stray in stray_lines:
            if stray.text.strip() and not stray.text.startswith(_ASIDE) and self._is_segment:
                yield trouble_of([stray], _unknown(stray.text))

    def _line(self, first: Piece, more: list[Piece]) -> tuple[TextRecord | None, list[Piece]]:
        """Read a line; give its record, if it is one, and the lines behind that do not belong to it."""
        text = whole_text(first).rstrip(b"\r")
        if text.startswith(_FILE):
            self._open(text)
        elif not self._is_segment:
            return None, more
        elif text.startswith(_RECORD):
            return self._record(text[1:], more)
        elif text.startswith(_BATCH):
            self._begin(read_batch_line(text))
        elif text.startswith(_OLD):
            return self._old(text, more)
        elif text and not text.startswith(_ASIDE):
            raise _unknown(text)
        return None, more

    def _open(self, text: bytes) -> None:
        match = _PARTITION.search(text)
        self._log_partition = whole(match[1].decode(), 32) if match else None
        self._is_segment = not text.endswith((b".index", b".timeindex", b".txnindex", b".snapshot"))
        self._current, self._is_cut = BatchLine(), False

    def _begin(self, batch: BatchLine) -> None:
        """Take the line of a batch; behind a record that broke off, only the batch that follows its batch."""
        if self._is_cut and (batch.position is None or batch.position != self._current.end_position):
            raise _after_break(f"one at {batch.position}")
        self._current, self._is_cut = batch, False

    def _old(self, text: bytes, more: list[Piece]) -> tuple[TextRecord | None, list[Piece]]:
        """Take a line that begins with an offset: an index entry, a batch of magic 0 or 1, a record of up to 2.2."""
        fields = fields_of(split_line(text)[0])
        if fields.keys() == _INDEX_ENTRY:
            return None, more
        if "size:" in fields:
            self._begin(batch_line_of(fields))
            return None, more
        position = number(fields, "position:")
        self._is_cut = self._is_cut and position in {None, self._current.position}
        self._current = BatchLine(position=position)
        return self._record(b" " + text, more)

    def _record(self, text: bytes, more: list[Piece]) -> tuple[TextRecord, list[Piece]]:
        line, sizes, content, fields = record_line(self._log_partition, text)
        if self._is_cut:
            raise _after_break("a record")
        if not (self._current.is_valid and is_valid(fields)):
            raise Unreadable("checksum", "a batch that kafka-dump-log found valid", text)
        try:
            key_value, stray_lines = _read_key_value(content, more, sizes)
        except Unreadable:
            self._is_cut = is_unescaped(content)
            raise
        return TextRecord(key_value, line, self._batch_of(line.log_offset, fields)), stray_lines

    def _batch_of(self, offset: int | None, fields: Fields) -> Batch:
        """Give the batch that a record stands in; where its line is missing, what the record itself says of it."""
        current = self._current
        is_inside = offset is None or current.first_offset <= offset <= current.last_offset
        return current.batch if is_inside and current.last_offset >= 0 else batch_of(fields)


def whole_text(piece: Piece) -> bytes:
    """Give the text of a piece, unless it was too large to be kept."""
    if piece.is_whole:
        return piece.text
    raise Unreadable("line too long", f"at most {PIECE_BYTES} bytes", piece.text)


def trouble_of(pieces: list[Piece], unreadable: Unreadable, log_offset: int | None = None) -> Trouble:
    """Word what could not be read of some lines in a row."""
    first, last = pieces[0], pieces[-1]
    size_bytes = last.position + last.size_bytes - first.position
    return as_trouble(first.position, size_bytes, b"\n".join(piece.text for piece in pieces), unreadable, log_offset)


def _read_key_value(content: bytes, more: list[Piece], sizes: Sizes) -> tuple[KeyValue, list[Piece]]:
    """Read key and payload from one line or, where ids and metadata may have line breaks, as many as the sizes say."""
    if not content and sizes.value is None:
        raise Unreadable(_UNKNOWN, "a record with a key or a size", content)
    if not content:
        return without_key(sizes), more
    if not (more and is_unescaped(content)):
        return read_payload(content, sizes), more
    if sizes.key is None or has_unsized_end(content):
        raise Unreadable("ambiguous line", "sizes that tell where the record ends", content)
    texts = [content, *(whole_text(piece) for piece in more)]
    outcomes = [
        (outcome, lines)
        for lines in {*range(1, min(len(texts), _MOST_LINES) + 1), len(texts)}
        if (outcome := _outcome(b"\n".join(texts[:lines]), sizes))
    ]
    if len(outcomes) != 1:
        raise Unreadable("ambiguous line" if outcomes else _UNKNOWN, "one end that fits the sizes", content)
    key_value, lines = outcomes[0]
    return key_value, more[lines - 1 :]


def _outcome(text: bytes, sizes: Sizes) -> KeyValue | None:
    try:
        return read_payload(text, sizes)
    except Unreadable:
        return None


def _unknown(text: bytes) -> Unreadable:
    return Unreadable(_UNKNOWN, "a line of kafka-dump-log", text)


def _after_break(actual: str) -> Unreadable:
    return Unreadable("line after a broken one", "the batch behind that of the record that broke off", actual)
