"""Decode: a layout, a buffer and a column of spans go in; a column of structs and what went wrong come out.

Put here the order of the work. What a step does is in `parsers.messages.steps.interpreter`, how slots become arrays is
in `parsers.messages.arrays.columns`, what the fields are is in `parsers.layouts`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from parsers.messages.arrays.columns import struct_array
from parsers.messages.arrays.scatter import spread, spread_numbers
from parsers.messages.reasons import Reason
from parsers.messages.steps.cells import POSITION_BITS
from parsers.messages.steps.heads import AnyHeads, HeadSpans, Mask, read_both_heads, read_heads
from parsers.messages.steps.interpreter import Records, run, run_unchecked
from parsers.messages.steps.memory import Image, Slots
from parsers.messages.steps.tree import RECORD_LEVEL
from parsers.spans import frozen

if TYPE_CHECKING:
    import pyarrow as pa

    from parsers.wire import Layout
    from parsers.words import ByteArray, Int64Array

Versions = npt.NDArray[np.int16]
_Edges = tuple["Int64Array", "Int64Array"]


@dataclass(frozen=True)
class Structs:
    """One struct for each span, and for each span that could not be read the reason, the place and the field."""

    columns: pa.StructArray
    """The layout's fields over all versions; null where the span is null (starts below zero) or has trouble."""
    error: npt.NDArray[np.int8]
    """`Reason` of each row, 0 where all is well."""
    version: Versions
    """Layout that was used: the version, or below zero a pre-release layout of version 0."""
    outcomes: Int64Array
    """What `error_at`, `left_over_bytes` and `field` are taken from."""
    image: Image

    @property
    def error_at(self) -> Int64Array:
        """Position in the buffer of what could not be read; 0 where there is no trouble."""
        return np.where(self.error != 0, self.outcomes & (2**POSITION_BITS - 1), 0)

    @property
    def left_over_bytes(self) -> Int64Array:
        """Bytes of the span after the last field that the layout knows; 0 where it could not be read."""
        return np.where(self.error == 0, self.outcomes, 0)

    def spread(self, rows: Int64Array, count: int) -> Structs:
        """Give the same for `count` records of which these are the `rows`; the columns of the others are null."""
        error, version = spread_numbers(self.error, rows, count), spread_numbers(self.version, rows, count)
        outcomes = spread_numbers(self.outcomes, rows, count)
        return Structs(spread(self.columns, rows, count), error, version, outcomes, self.image)

    def field(self, row: int) -> str:
        """Name the field that could not be read in a row, with a dot between levels."""
        return self.image.path(int(self.outcomes[row]) >> POSITION_BITS)


@dataclass(frozen=True)
class Heads:
    """The number that each span begins with, 0 where there is none, and which spans are too short for it."""

    values: Versions
    is_short: Mask
    null_count: int
    short_count: int
    negative_count: int
    """How many spans are null, how many are too short, and how many numbers are below zero."""

    def take(self, rows: Int64Array) -> Heads:
        """Give the heads of some rows; the counts are those of all rows, and at least as high as theirs."""
        return replace(self, values=self.values[rows], is_short=self.is_short[rows])


def int16_heads(buffer: ByteArray, starts: Int64Array, ends: Int64Array) -> Heads:
    """Read the int16 that spans begin with."""
    values, is_short = np.empty(starts.size, np.int16), np.empty(starts.size, np.bool_)
    return Heads(values, is_short, *fill_heads(buffer, starts, ends, values, is_short))


def both_heads(buffer: ByteArray, keys: _Edges, values: _Edges) -> tuple[Heads, Heads]:
    """Read the int16 that keys and values begin with, given by their starts and ends, in one go."""
    counts = np.zeros((2, 3), np.int64)
    key, value = _head_spans(buffer, *keys), _head_spans(buffer, *values)
    read_both_heads(frozen(buffer), key, value, counts)
    return Heads(key.heads, key.is_short, *counts[0].tolist()), Heads(value.heads, value.is_short, *counts[1].tolist())


def _head_spans(buffer: ByteArray, starts: Int64Array, ends: Int64Array) -> HeadSpans:
    _check_spans(buffer, ends)
    return HeadSpans(frozen(starts), frozen(ends), np.empty(starts.size, np.int16), np.empty(starts.size, np.bool_))


def fill_heads(
    buffer: ByteArray, starts: Int64Array, ends: Int64Array, values: AnyHeads, is_short: Mask
) -> tuple[int, int, int]:
    """Read the int16 or int32 at the start of every span that is not null, and tell which are too short for it.

    Give how many are null, how many are too short, and how many of the numbers are below zero.
    """
    _check_spans(buffer, ends)
    return read_heads(frozen(buffer), frozen(starts), frozen(ends), values, is_short)


def _check_spans(buffer: ByteArray, ends: Int64Array) -> None:
    if ends.size and ends.max() > buffer.size:
        raise ValueError(f"span {int(ends.argmax())} ends at {ends.max()}, but the buffer has {buffer.size} bytes")


def decode(
    layout: Layout, buffer: ByteArray, starts: Int64Array, ends: Int64Array, versions: Versions | int
) -> Structs:
    """Read the struct in every span by its version; a span with a negative start is null.

    Nothing is raised for any bytes, and memory is bounded by the bytes that are read.
    """
    stated = np.full(starts.size, versions, np.int16) if isinstance(versions, int) else versions
    _check_spans(buffer, ends)
    return _decode(layout, frozen(buffer), _records(starts, ends, stated, 0))


def decode_versioned(layout: Layout, buffer: ByteArray, starts: Int64Array, ends: Int64Array, heads: Heads) -> Structs:
    """Read the struct behind the int16 version in every span; a span too short for a version has trouble."""
    records = _records(starts, ends, heads.values, 2)
    if heads.short_count or heads.negative_count:
        records.reasons[heads.is_short & (starts >= 0)] = Reason.CUT_SHORT
        records.reasons[(heads.values < 0) & (starts >= 0)] = Reason.UNKNOWN_VERSION
        is_headless = records.reasons != 0
        records.outcomes[is_headless] = starts[is_headless]
    _check_spans(buffer, ends)
    return _decode(layout, frozen(buffer), records)


def _records(starts: Int64Array, ends: Int64Array, versions: Versions, head_bytes: int) -> Records:
    reasons, outcomes = np.zeros(starts.size, np.int8), np.zeros(starts.size, np.int64)
    return Records(frozen(starts), frozen(ends), frozen(versions), head_bytes, reasons, outcomes)


def _decode(layout: Layout, buffer: ByteArray, records: Records) -> Structs:
    if layout.tolerant:
        highest = np.int16(layout.versions.stop - 1)
        records = records._replace(versions=frozen(np.minimum(records.versions, highest)))
    slots = Slots(layout, buffer, records.starts >= 0)
    if layout.drafts:
        records = _with_drafts(slots, records)
    _fill(slots, records)
    columns = struct_array(slots, (records.starts >= 0) & (records.reasons == 0))
    return Structs(columns, records.reasons, records.versions, records.outcomes, slots.image)


def _with_drafts(slots: Slots, records: Records) -> Records:
    """Give records that their version's layout does not read to the last byte to the draft that does, newest first."""
    chosen = records.versions.copy()
    drafts = range(-1, -len(slots.tree.layout.drafts) - 1, -1)
    older = (np.where(records.versions == 0, np.int16(draft), records.versions) for draft in drafts)
    pending = (records.starts >= 0) & (records.reasons == 0)
    for versions in (records.versions, *older):
        trial = _records(np.where(pending, records.starts, -1), records.ends, versions, records.head_bytes)
        run(slots.buffer, slots.memory, trial)
        is_whole = pending & (trial.reasons == 0) & (trial.outcomes == 0)
        chosen[is_whole] = versions[is_whole]
        pending &= ~is_whole
    return records._replace(versions=frozen(chosen))


def _fill(slots: Slots, records: Records) -> None:
    """Read the records; where there are arrays or unknown tags, count their rows first and make room for them."""
    sizes = np.zeros(slots.tree.level_count, np.int64)
    if not slots.image.plan.has_arrays and slots.record_count:
        lowest, highest = int(records.versions.min()), int(records.versions.max())
        slots.leave_out([version for version in slots.tree.versions if lowest <= version <= highest])
        sizes[RECORD_LEVEL] = slots.record_count
    _read(slots, records, sizes)
    if slots.image.plan.has_arrays or slots.counts[1:].any():
        _read(slots, records, slots.counts)


def _read(slots: Slots, records: Records, sizes: Int64Array) -> None:
    """Read the records into new slots; again with all checks when a text turns out not to be UTF-8."""
    slots.reserve(sizes)
    run_unchecked(slots.buffer, slots.memory, records)
    if not slots.number_texts():
        slots.reserve(sizes)
        run(slots.buffer, slots.memory, records)
        slots.number_texts()
