"""The records of an internal topic as columns: what their keys and values say, and what could not be read.

Put here what holds for every topic whose keys begin with a record type and whose values begin with a version. Which
types a topic has is in `parsers.messages.record_types` and `parsers.messages.internal_topics`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, reduce
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from parsers.messages.arrays.schemas import null_column
from parsers.messages.decode import Heads, Structs, both_heads, decode_versioned
from parsers.messages.kinds import number_kinds
from parsers.messages.reasons import EXPECTED, Reason
from parsers.messages.strings import validity
from parsers.words import ByteArray, Int64Array

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parsers.wire import Layout

Reasons = npt.NDArray[np.int8]
Mask = npt.NDArray[np.bool_]
Edges = tuple[Int64Array, Int64Array]
Number = TypeVar("Number", Reasons, Int64Array)

_ACTUAL_BYTES: Final = 16

_FIELDLESS: Final = frozenset({int(Reason.OK), int(Reason.UNKNOWN_VERSION)})
"""Outcomes that are not about one field."""


@dataclass(frozen=True)
class Kind:
    """A kind of value: the record types that have it, and its layout."""

    record_types: tuple[int, ...]
    layout: Layout


@dataclass(frozen=True, eq=False)
class Topic:
    """An internal topic: the layout of its keys, whose versions are the record types, and its values by column."""

    key: Layout
    kinds: dict[str, Kind]

    @property
    def key_names(self) -> tuple[str, ...]:
        """Names of the fields that keys have, over all record types."""
        return tuple(field.name for field in self.key.fields)


@dataclass(frozen=True)
class Trouble:
    """A key or value that could not be read: where, what was expected there, and what stands there."""

    row: int
    part: str
    """`key` or `value`."""
    reason: Reason
    position: int
    """Position in the buffer that was given."""
    expected: str
    actual: str


@dataclass(frozen=True)
class RecordColumns:
    """Records of an internal topic as columns; a key or value that could not be read is null and has a reason."""

    record_type: pa.Int16Array
    """Record type in the key; null when the key is null or too short."""
    value_version: pa.Int16Array
    """Version of the value; null for a tombstone or a value too short to have one."""
    keys: dict[str, pa.Array]
    """A column for each field that keys have, over all record types."""
    values: dict[str, pa.Array]
    """A column for each kind of value, null where a record is of another kind."""
    key_error: Reasons
    value_error: Reasons
    topic: Topic
    parts: tuple[Part, Part]
    """The keys and the values as they stand in the buffer."""
    decoded: dict[str, Structs]
    """How each part was decoded: `key`, and the columns of values that occur."""

    @property
    def is_tombstone(self) -> pa.BooleanArray:
        """Whether a record has no value."""
        return pa.array(self.parts[1].starts < 0)

    @property
    def key_error_at(self) -> Int64Array:
        """Position in the buffer of what could not be read of each key; 0 where there is no trouble."""
        return self.decoded["key"].error_at

    @property
    def value_error_at(self) -> Int64Array:
        """Position in the buffer of what could not be read of each value; 0 where there is no trouble."""
        of_typeless = np.where(
            _is_typeless(self.topic, self.parts[0]) & (self.value_error != 0), self.parts[1].starts, 0
        )
        return _merge_numbers([of_typeless, *(part.error_at for part in self._values)])

    @property
    def key_left_over_bytes(self) -> Int64Array:
        """Bytes of each key after the last field that its layout knows; 0 where it could not be read."""
        return self.decoded["key"].left_over_bytes

    @property
    def value_left_over_bytes(self) -> Int64Array:
        """Bytes of each value after the last field that its layout knows; 0 where it could not be read."""
        nothing = np.zeros(self.value_error.size, np.int64)
        return _merge_numbers([nothing, *(part.left_over_bytes for part in self._values)])

    @property
    def _values(self) -> list[Structs]:
        return [part for name, part in self.decoded.items() if name != "key"]

    @property
    def error(self) -> Reasons:
        """Reason why a record could not be read in full, 0 where it could: the key's before the value's."""
        return np.where(self.key_error != 0, self.key_error, self.value_error)

    @property
    def error_at(self) -> Int64Array:
        """Position of the trouble in the buffer; meaningless where there is none."""
        return np.where(self.key_error != 0, self.key_error_at, self.value_error_at)


@dataclass(frozen=True)
class Part:
    """The spans of one part of the records, and the int16 that each begins with."""

    starts: Int64Array
    ends: Int64Array
    heads: Heads

    def head_array(self) -> pa.Int16Array:
        """Give the int16 as a column, null where there is none."""
        is_whole = self.heads.null_count == self.heads.short_count == 0
        bitmap = None if is_whole else validity((self.starts >= 0) & ~self.heads.is_short)
        return pa.Array.from_buffers(pa.int16(), self.starts.size, [bitmap, pa.py_buffer(self.heads.values)])


def decode_records(topic: Topic, buffer: ByteArray, keys: Edges, values: Edges) -> RecordColumns:
    """Decode keys and values, each given by its starts and ends in a buffer; a start of -1 is null."""
    key_heads, value_heads = both_heads(buffer, keys, values)
    key, value = Part(*keys, key_heads), Part(*values, value_heads)
    decoded_keys = decode_versioned(topic.key, buffer, key.starts, key.ends, key.heads)
    decoded_values = _decode_values(topic, buffer, key, value)
    key_error = _key_errors(key, decoded_keys)
    return RecordColumns(
        record_type=key.head_array(),
        value_version=value.head_array(),
        keys=dict(zip(topic.key_names, decoded_keys.columns.flatten(), strict=True)),
        values={name: _value_column(topic, name, decoded_values, key.starts.size) for name in topic.kinds},
        key_error=key_error,
        value_error=_value_errors(topic, (key, value), key_error, decoded_values),
        topic=topic,
        parts=(key, value),
        decoded={"key": decoded_keys, **decoded_values},
    )


def troubles(buffer: ByteArray, columns: RecordColumns) -> Iterator[Trouble]:
    """Tell of every key and value that could not be read; for the few rows that have trouble."""
    errors = (columns.key_error, columns.value_error)
    if not any(error.any() for error in errors):
        return
    places = (columns.key_error_at, columns.value_error_at)
    for name, part, error, place in zip(("key", "value"), columns.parts, errors, places, strict=True):
        troubled = [one for title, one in columns.decoded.items() if (title == "key") == (name == "key")]
        troubled = [one for one in troubled if one.error.any()]
        for row in np.flatnonzero(error).tolist():
            reason, at = Reason(int(error[row])), int(place[row])
            actual = buffer[at : min(at + _ACTUAL_BYTES, int(part.ends[row]))].tobytes().hex()
            actual = "null" if part.starts[row] < 0 else actual or "nothing"
            yield Trouble(row, name, reason, at, _expectation(troubled, row, reason), actual)


def _expectation(troubled: list[Structs], row: int, reason: Reason) -> str:
    for decoded in troubled:
        if int(decoded.error[row]) not in _FIELDLESS:
            return f"{decoded.field(row)}: {EXPECTED[reason]}"
    return EXPECTED[reason]


def _decode_values(topic: Topic, buffer: ByteArray, key: Part, value: Part) -> dict[str, Structs]:
    numbers, counts = number_kinds(key.heads.values, _kind_table(topic))
    if key.heads.null_count or key.heads.short_count:
        numbers[(key.starts < 0) | key.heads.is_short] = len(topic.kinds)
    decoded = {}
    for number, (name, kind) in enumerate(topic.kinds.items()):
        if counts[number]:
            columns = _decode_kind(kind.layout, buffer, value, numbers == number)
            decoded.update({name: columns} if columns else {})
    return decoded


@cache
def _kind_table(topic: Topic) -> npt.NDArray[np.uint8]:
    table = np.full(2**16, len(topic.kinds), np.uint8)
    for number, kind in enumerate(topic.kinds.values()):
        table[list(kind.record_types)] = number
    return table


def _decode_kind(layout: Layout, buffer: ByteArray, value: Part, is_kind: Mask) -> Structs | None:
    """Decode the values of a kind where they stand, or apart where they are few; None where all are null."""
    count = int(np.count_nonzero(is_kind))
    if 2 * count > is_kind.size:
        starts = value.starts if count == is_kind.size else np.where(is_kind, value.starts, np.int64(-1))
        return decode_versioned(layout, buffer, starts, value.ends, value.heads) if (starts >= 0).any() else None
    rows = np.flatnonzero(is_kind)
    starts = value.starts[rows]
    if not (starts >= 0).any():
        return None
    apart = decode_versioned(layout, buffer, starts, value.ends[rows], value.heads.take(rows))
    return apart.spread(rows, is_kind.size)


def _key_errors(key: Part, keys: Structs) -> Reasons:
    if not keys.error.any() and not key.heads.null_count:
        return keys.error
    errors: Reasons = keys.error.copy()
    errors[errors == Reason.UNKNOWN_VERSION] = Reason.UNKNOWN_RECORD_TYPE
    errors[key.starts < 0] = Reason.NULL_KEY
    return errors


def _value_errors(topic: Topic, parts: tuple[Part, Part], key_error: Reasons, values: dict[str, Structs]) -> Reasons:
    key, value = parts
    troubled = [decoded.error for decoded in values.values() if decoded.error.any()]
    errors = _merge_numbers([np.zeros(key_error.size, np.int8), *troubled])
    if key_error.any():
        errors[_is_typeless(topic, key) & (value.starts >= 0)] = Reason.UNKNOWN_RECORD_TYPE
    return errors


def _is_typeless(topic: Topic, key: Part) -> Mask:
    """Tell which keys have no record type that is known, so that nobody can say what their value is."""
    types, known = key.heads.values, topic.key.versions
    return (key.starts < 0) | key.heads.is_short | (types < known.start) | (types >= known.stop)


def _merge_numbers(parts: list[Number]) -> Number:
    """Merge what was said of the values of each record type, of which each record has one at most."""
    return reduce(np.maximum, parts)


def _value_column(topic: Topic, name: str, values: dict[str, Structs], count: int) -> pa.Array:
    return values[name].columns if name in values else null_column(topic.kinds[name].layout, count)
