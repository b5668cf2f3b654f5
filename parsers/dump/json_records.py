"""Records of a slice as lines of JSON: where each stood, its batch, its offset and time, and what it says.

Put here the line of a record, of a batch that has none left, and of a stretch that could not be read. How keys and
values are written belongs to the writer of their topic.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from parsers.dump.json_pieces import LINE_FRAME, PLAIN_FRAME, Objects, Pair, Room, Texts, collected, named, objects
from parsers.dump.json_text import flat_objects, integers, nulls, value_texts
from parsers.dump.on_demand import on_demand
from parsers.log.records import Records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from parsers.dump.json_contents import Edges, Writer
    from parsers.dump.json_pieces import Mask
    from parsers.log.segments import Slice
    from parsers.words import ByteArray, Int64Array

BLOCK_BYTES: Final = 4 << 20
"""Lines that are written at a time: about so many bytes of them, which the processor's caches hold."""

FIRST_RECORDS: Final = 128
"""Records at the start of a file whose lines do not wait for those of the whole slice."""

_SEQUENCES: Final = 1 << 31

_BATCH: Final = {
    "baseOffset": "base_offset",
    "lastOffset": "last_offset",
    "count": "record_count",
    "baseSequence": "base_sequence",
    "producerId": "producer_id",
    "producerEpoch": "producer_epoch",
    "partitionLeaderEpoch": "leader_epoch",
    "isTransactional": "is_transactional",
    "isControl": "is_control",
    "deleteHorizonMs": "delete_horizon_ms",
    "size": "size_bytes",
    "magic": "magic",
    "compresscodec": "codec",
    "crc": "crc",
}
"""What kafka-dump-log calls the columns of a batch."""


_control_texts: Callable[[ByteArray, Edges, Edges], Texts] = on_demand("json_metadata", "control_texts")
_header_texts: Callable[[Records], Texts] = on_demand("json_payloads", "header_texts")


@dataclass(frozen=True)
class Lines:
    """Some lines, and how many things in them could not be read."""

    data: ByteArray
    """The lines; to be written before the next ones are asked for, which may be put into the same memory."""
    trouble_count: int


def slice_lines(file: str, piece: Slice, write: Writer, room: Room) -> Iterator[Lines]:
    """Write a slice that was walked with bodies, in the order of the file; a block of records at a time."""
    if piece.records is None:
        return
    count, heads = len(piece.records), _heads(file, piece.batches)
    asides = _asides(file, piece, heads)
    edges = [0, FIRST_RECORDS, count] if piece.start_position == 0 and count > FIRST_RECORDS else [0, count]
    for low, high in pairwise(edges):
        records = _rows(piece.records, slice(low, high)) if len(edges) > 2 else piece.records  # noqa: PLR2004 - not cut
        pairs, trouble_count = _record_pairs(piece.batches, records, heads, write)
        for lines in _blocks(Objects(pairs, high - low), asides.between(low, high, is_last=high == count), room):
            yield replace(lines, trouble_count=lines.trouble_count + trouble_count)
            trouble_count = 0


def _blocks(records: Objects, asides: _Asides, room: Room) -> Iterator[Lines]:
    edges = _block_edges(records.sizes)
    for low, high in pairwise(edges):
        here = asides.between(low, high, is_last=high == edges[-1])
        count = len(here.texts)
        lines = records.write(low, high, PLAIN_FRAME if count else LINE_FRAME, room)
        merged = _merged(lines, here) if count else lines
        yield Lines(merged.data, int(here.is_trouble.sum()))


def one_line(file: str, content: dict[str, Any], trouble_count: int) -> Lines:
    """Write a line of its own."""
    text = json.dumps({"file": file, **content}, separators=(",", ":")) + "\n"
    return Lines(np.frombuffer(text.encode(), np.uint8), trouble_count)


@dataclass(frozen=True)
class _Asides:
    """What stands between the records: stretches that could not be read, and batches without records."""

    texts: Texts
    places: Int64Array
    """The number of records that stand before each."""
    is_trouble: Mask

    def between(self, low: int, high: int, *, is_last: bool) -> _Asides:
        """Give what stands before the records from `low` on, and behind the last one, with the places counted anew."""
        here = np.flatnonzero((self.places >= low) & ((self.places < high) | is_last))
        return _Asides(self.texts.take(here), self.places[here] - low, self.is_trouble[here])


def _heads(file: str, batches: pa.RecordBatch) -> Texts:
    """Write what all records of a batch have in common, once for each batch, to be put into their lines."""
    first, *rest = (_batch_pair(name, batches.column(column)) for name, column in _BATCH.items())
    position = Pair(file_lead(file) + b'"position":', integers(batches.column("position")))
    begin = replace(first, lead=b'"batch":{' + first.lead)
    pairs = [position, begin, *rest, _last_sequence(batches), *_times(batches)]
    return objects(pairs, batches.num_rows, (b"", b"}"))


def file_lead(file: str) -> bytes:
    """Write the name of the file, which stands first on every line."""
    return f'"file":{json.dumps(file)},'.encode()


def _batch_pair(name: str, column: pa.Array) -> Pair:
    """Write a column of batches; a batch that has no such thing has no such pair."""
    present = None if column.null_count == 0 else ~nulls(column)
    values = integers(column) if pa.types.is_integer(column.type) else value_texts(column)
    return named(name, values, is_present=present)


def _last_sequence(batches: pa.RecordBatch) -> Pair:
    base = batches.column("base_sequence")
    span = integers(batches.column("last_offset")) - integers(batches.column("base_offset"))
    return named("lastSequence", (integers(base) + span) % _SEQUENCES, is_present=~nulls(base))


def _times(batches: pa.RecordBatch) -> tuple[Pair, Pair]:
    """Write the largest timestamp under the name of what it is the time of; magic 0 has none."""
    times = batches.column("max_timestamp_ms")
    has_time, times_ms = ~nulls(times), integers(times)
    is_append = batches.column("is_log_append_time").to_numpy(zero_copy_only=False)
    return (
        named("CreateTime", times_ms, is_present=has_time & ~is_append),
        named("LogAppendTime", times_ms, is_present=has_time & is_append),
    )


def _asides(file: str, piece: Slice, heads: Texts) -> _Asides:
    table = piece.quarantine
    batches = np.zeros(0, np.int64) if piece.records is None else piece.records.batch
    empty = np.flatnonzero(np.bincount(batches, minlength=piece.batches.num_rows) == 0)
    of_empty = objects([Pair(b"", heads.take(empty))], empty.size)
    trouble = named("trouble", flat_objects(table.drop_columns(["position"])))
    position = Pair(file_lead(file) + b'"position":', integers(table.column("position")))
    of_troubles = objects([position, trouble], table.num_rows)
    count = empty.size + table.num_rows
    batch_positions = integers(piece.batches.column("position"))
    positions = np.concatenate([batch_positions[empty], integers(table.column("position"))])
    rows = np.arange(count)
    texts = collected(count, [(rows[: empty.size], of_empty), (rows[empty.size :], of_troubles)])
    order = np.argsort(positions, kind="stable")
    places = np.searchsorted(batch_positions[batches], positions[order], side="right")
    return _Asides(texts.take(order), places, order >= empty.size)


def _block_edges(sizes: Int64Array) -> list[int]:
    """Cut the records into blocks of about so many bytes of JSON; there is always one block, even of nothing."""
    blocks = np.cumsum(sizes) // BLOCK_BYTES
    return [0, *(1 + np.flatnonzero(np.diff(blocks))).tolist(), sizes.size]


def _record_pairs(batches: pa.RecordBatch, records: Records, heads: Texts, write: Writer) -> tuple[list[Pair], int]:
    """Write what stands on the line of each record; count what in them could not be read."""
    is_control = batches.column("is_control").to_numpy(zero_copy_only=False)[records.batch]
    base_sequence = integers(batches.column("base_sequence"))[records.batch]
    delta = records.offset - integers(batches.column("base_offset"))[records.batch]
    contents, trouble_count = _contents(records, is_control, write)
    pairs = [
        Pair(b"", heads, via=records.batch),
        named("offset", records.offset),
        named("timestamp", records.timestamp_ms, is_valid=records.timestamp_ms >= 0),
        named("sequence", (base_sequence + delta) % _SEQUENCES, is_present=base_sequence >= 0),
        named("keySize", records.key_end - records.key_start, is_valid=records.key_start >= 0),
        named("valueSize", records.value_end - records.value_start, is_valid=records.value_start >= 0),
        *contents,
    ]
    if records.header_count.any():
        pairs.append(named("headers", _header_texts(records), is_present=records.header_count > 0))
    return pairs, trouble_count


def _contents(records: Records, is_control: Mask, write: Writer) -> tuple[list[Pair], int]:
    """Write what the records say: key and value, or of control records what they control."""
    if not is_control.any():
        contents = write(records.buffer, *_edges(records))
        return [named("key", contents.keys), named("value", contents.values)], contents.trouble_count
    of_data, of_control = (_rows(records, mask) for mask in (~is_control, is_control))
    plain, marked = np.flatnonzero(~is_control), np.flatnonzero(is_control)
    contents = write(records.buffer, *_edges(of_data))
    pairs = [
        named("key", collected(len(records), [(plain, contents.keys)]), is_present=~is_control),
        named("value", collected(len(records), [(plain, contents.values)]), is_present=~is_control),
        named(
            "control",
            collected(len(records), [(marked, _control_texts(records.buffer, *_edges(of_control)))]),
            is_present=is_control,
        ),
    ]
    return pairs, contents.trouble_count


def _rows(records: Records, chosen: Mask | slice) -> Records:
    return Records(records.buffer, np.ascontiguousarray(records.spans[:, chosen]))


def _edges(records: Records) -> tuple[Edges, Edges]:
    return (records.key_start, records.key_end), (records.value_start, records.value_end)


def _merged(lines: Texts, asides: _Asides) -> Texts:
    """Put asides between the objects, each at its place, and write all of them as lines."""
    at = asides.places + np.arange(len(asides.texts))
    total = len(lines) + len(asides.texts)
    is_line = np.ones(total, np.bool_)
    is_line[at] = False
    merged = collected(total, [(np.flatnonzero(is_line), lines), (at, asides.texts)])
    return objects([Pair(b"", merged.inside())], total, LINE_FRAME)
