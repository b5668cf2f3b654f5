"""Records of a slice as lines of JSON: where each stood, its batch, its offset and time, and what it says.

Put here the line of a record, of a batch that has none left, and of a stretch that could not be read. How keys and
values are written belongs to the writer of their topic.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from parsers.dump.commit_lines.keys import are_commit_keys
from parsers.dump.commit_lines.lines import CommitWriter, padded_heads
from parsers.dump.json_lines.metadata import control_texts
from parsers.dump.json_lines.objects import LINE_FRAME, Pair, Texts, bytes_of, collect, nulls, objects, pair_of
from parsers.dump.json_lines.payloads import header_texts
from parsers.dump.json_lines.placed_lines import PlacedLines
from parsers.dump.json_lines.values import flags, flat_objects, integers, numbers, value_texts
from parsers.log.records import Records

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parsers.dump.json_lines.contents import Edges, Writer
    from parsers.dump.json_lines.objects import Mask
    from parsers.log.segments import Slice
    from parsers.words import ByteArray, Int64Array

BLOCK_BYTES: Final = 4 << 20
RECORD_BYTES: Final = 64
"""Records whose lines are written at a time: so many bytes of them, a record taking its own and about so many more."""

COMMITS_AT_A_TIME: Final = 1 << 13
"""Commits whose lines are written at a time: as many as the processor's caches hold."""

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

_HEADED_FRAME: Final = ("", "}\n")
"""What stands around the rest of a line whose head begins it."""

_CONTENTS: Final = ("key", "value", "control")


@dataclass(frozen=True)
class Lines:
    """Some lines, and how many things in them could not be read."""

    data: ByteArray
    """The lines; to be written before the next ones are asked for, which may be put into the same memory."""
    trouble_count: int

    @classmethod
    def of(cls, texts: Texts, trouble_count: int = 0) -> Lines:
        """Take finished lines, each of which ends with a line feed."""
        data, edges = bytes_of(texts)
        return cls(data[edges[0] : edges[-1]], trouble_count)


def one_line(file: str, content: dict[str, Any], trouble_count: int) -> Lines:
    """Write a line of its own."""
    text = json.dumps({"file": file, **content}, separators=(",", ":")) + "\n"
    return Lines(np.frombuffer(text.encode(), np.uint8), trouble_count)


def slice_lines(file: str, piece: Slice, write: Writer, commits: CommitWriter | None = None) -> Iterator[Lines]:
    """Write a slice that was walked with bodies, in the order of the file; a block of records at a time.

    Offset commits are written by `commits` as far as it can; all else by way of columns.
    """
    if piece.records is None:
        return
    count, columns = len(piece.records), _Columns(piece.batches, _heads(file, piece.batches), write)
    asides, trouble_count = _asides(file, piece, columns.heads), piece.quarantine.num_rows
    are_commits = np.zeros(count, np.bool_) if commits is None else _are_commits(piece.batches, piece.records)
    for low, high in pairwise(_block_edges(piece.records, are_commits, is_first=piece.start_position == 0)):
        records, here = _rows(piece.records, slice(low, high)), asides.between(low, high, is_last=high == count)
        is_commit = are_commits[low:high]
        others, other_count = columns.lines(records, np.flatnonzero(~is_commit))
        lines, trouble_count = here.merge(others), trouble_count + other_count
        if commits is None:
            yield Lines.of(lines.texts, trouble_count)
        else:
            yield Lines.of(lines.texts[:0], trouble_count)
            yield from _with_commits(columns, (records, is_commit), lines, commits)
        trouble_count = 0


def _with_commits(
    columns: _Columns, block: tuple[Records, Mask], lines: PlacedLines, commits: CommitWriter
) -> Iterator[Lines]:
    """Write the commits of a block between its other lines, some at a time."""
    (records, is_commit), heads = block, padded_heads(*bytes_of(columns.heads))
    for low, high in pairwise([0, *range(COMMITS_AT_A_TIME, len(records), COMMITS_AT_A_TIME), len(records)]):
        part, is_wanted = _rows(records, slice(low, high)), is_commit[low:high]
        here = lines.between(low, high, is_last=high == len(records))
        straight = commits.write(part, heads, is_wanted)
        missed = np.flatnonzero(is_wanted & straight.is_missing)
        if missed.size:
            others, trouble_count = columns.lines(part, missed)
            here = here.merge(others)
            yield Lines(straight.data[:0], trouble_count)
        yield from (Lines(data, 0) for data in here.splice(straight.data, straight.starts))


def _are_commits(batches: pa.RecordBatch, records: Records) -> Mask:
    """Tell which records are offset commits by their key, and have nothing on their lines but what a commit has."""
    is_odd_batch = flags(batches.column("is_control")) | ~nulls(batches.column("base_sequence"))
    is_plain: Mask = ~is_odd_batch[records.batch] & (records.header_count == 0)
    return are_commit_keys(records) & is_plain


def _block_edges(records: Records, are_commits: Mask, *, is_first: bool) -> list[int]:
    """Cut the records into blocks by those that are no commits; there is always one block, even of nothing."""
    content_bytes = records.key_end - records.key_start + records.value_end - records.value_start
    blocks = np.cumsum(np.where(are_commits, 0, content_bytes + RECORD_BYTES)) // BLOCK_BYTES
    cuts = 1 + np.flatnonzero(np.diff(blocks))
    first = [FIRST_RECORDS] if is_first and len(records) > FIRST_RECORDS else []
    return [0, *sorted({*first, *cuts.tolist()}), len(records)]


@dataclass(frozen=True)
class _Columns:
    """The writer of lines by way of columns: the batches of a slice, what begins their lines, and their contents."""

    batches: pa.RecordBatch
    heads: Texts
    write: Writer

    def lines(self, records: Records, rows: Int64Array) -> tuple[PlacedLines, int]:
        """Write the lines of some rows; count what in them could not be read."""
        chosen = records if rows.size == len(records) else _rows(records, rows)
        pairs, trouble_count = _record_pairs(self.batches, chosen, self.heads, self.write) if rows.size else ((), 0)
        return PlacedLines.of_rows(objects(pairs, rows.size, _HEADED_FRAME), rows), trouble_count


def _heads(file: str, batches: pa.RecordBatch) -> Texts:
    """Write what all records of a batch have in common, once for each batch, to be put into their lines."""
    first, *rest = (_batch_pair(name, batches.column(column)) for name, column in _BATCH.items())
    position = Pair(file_lead(file) + '"position":', value_texts(batches.column("position")))
    begin = Pair('"batch":{' + first.lead, first.texts)
    pairs = [position, begin, *rest, _last_sequence(batches), *_times(batches)]
    return objects(pairs, batches.num_rows)


def file_lead(file: str) -> str:
    """Write the name of the file, which stands first on every line."""
    return f'"file":{json.dumps(file)},'


def _batch_pair(name: str, column: pa.Array) -> Pair:
    """Write a column of batches; a batch that has no such thing has no such pair."""
    return pair_of(name, value_texts(column), is_present=~nulls(column))


def _last_sequence(batches: pa.RecordBatch) -> Pair:
    base = batches.column("base_sequence")
    span = integers(batches.column("last_offset")) - integers(batches.column("base_offset"))
    return pair_of("lastSequence", numbers((integers(base) + span) % _SEQUENCES), is_present=~nulls(base))


def _times(batches: pa.RecordBatch) -> tuple[Pair, Pair]:
    """Write the largest timestamp under the name of what it is the time of; magic 0 has none."""
    times = batches.column("max_timestamp_ms")
    has_time, is_append = ~nulls(times), flags(batches.column("is_log_append_time"))
    return (
        pair_of("CreateTime", value_texts(times), is_present=has_time & ~is_append),
        pair_of("LogAppendTime", value_texts(times), is_present=has_time & is_append),
    )


def _asides(file: str, piece: Slice, heads: Texts) -> PlacedLines:
    """Write what stands between the records: stretches that could not be read, and batches without records."""
    table = piece.quarantine
    batches = np.zeros(0, np.int64) if piece.records is None else piece.records.batch
    empty = np.flatnonzero(np.bincount(batches, minlength=piece.batches.num_rows) == 0)
    of_empty = objects([Pair("", heads.take(pa.array(empty)))], empty.size, _HEADED_FRAME)
    trouble = pair_of("trouble", flat_objects(table.drop_columns(["position"])))
    position = Pair(file_lead(file) + '"position":', value_texts(table.column("position")))
    of_troubles = objects([position, trouble], table.num_rows, LINE_FRAME)
    batch_positions = integers(piece.batches.column("position"))
    parts = ((of_empty, batch_positions[empty]), (of_troubles, integers(table.column("position"))))
    befores = [np.searchsorted(batch_positions[batches], positions, side="right") for _texts, positions in parts]
    return PlacedLines.before_rows(parts, befores)


def _record_pairs(batches: pa.RecordBatch, records: Records, heads: Texts, write: Writer) -> tuple[list[Pair], int]:
    """Write what stands on the line of each record; count what in them could not be read."""
    is_control = flags(batches.column("is_control"))[records.batch]
    contents, trouble_count = _contents(records, is_control, write)
    pairs = [
        Pair("", heads.take(pa.array(records.batch))),
        pair_of("offset", numbers(records.offset)),
        pair_of("timestamp", numbers(records.timestamp_ms, records.timestamp_ms < 0)),
        *_sequences(batches, records),
        pair_of("keySize", numbers(records.key_end - records.key_start, records.key_start < 0)),
        pair_of("valueSize", numbers(records.value_end - records.value_start, records.value_start < 0)),
        *contents,
    ]
    if records.header_count.any():
        pairs.append(pair_of("headers", header_texts(records), is_present=records.header_count > 0))
    return pairs, trouble_count


def _sequences(batches: pa.RecordBatch, records: Records) -> Iterator[Pair]:
    """Write the sequences of records, where a producer has some."""
    base_sequence = batches.column("base_sequence")
    if base_sequence.null_count < len(base_sequence):
        delta = records.offset - integers(batches.column("base_offset"))[records.batch]
        sequence = (integers(base_sequence)[records.batch] + delta) % _SEQUENCES
        yield pair_of("sequence", numbers(sequence), is_present=~nulls(base_sequence)[records.batch])


def _contents(records: Records, is_control: Mask, write: Writer) -> tuple[list[Pair], int]:
    """Write what the records say: key and value, or of control records what they control."""
    if not is_control.any():
        contents = write(records.buffer, *_edges(records))
        return [pair_of("key", contents.keys), pair_of("value", contents.values)], contents.trouble_count
    of_data, of_control = (_rows(records, mask) for mask in (~is_control, is_control))
    contents = write(records.buffer, *_edges(of_data))
    columns = (contents.keys, contents.values, control_texts(records.buffer, *_edges(of_control)))
    pairs = [
        pair_of(name, collect(len(records), [(np.flatnonzero(is_present), texts)]), is_present)
        for name, texts, is_present in zip(_CONTENTS, columns, (~is_control, ~is_control, is_control), strict=True)
    ]
    return pairs, contents.trouble_count


def _rows(records: Records, chosen: Int64Array | Mask | slice) -> Records:
    return Records(records.buffer, np.ascontiguousarray(records.spans[:, chosen]))


def _edges(records: Records) -> tuple[Edges, Edges]:
    return (records.key_start, records.key_end), (records.value_start, records.value_end)
