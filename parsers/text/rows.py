"""Records read from text, and the columns made of them: those of a decoded segment, NULL where the text can't say.

Put here what a record is while it is read from text, and how many of them become an Arrow batch. Which text says what
is in `parsers.text.forms`.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pyarrow as pa

from parsers.log.damage.quarantine import QUOTED_BYTES, Trouble
from parsers.messages.arrays.schemas import null_array
from parsers.messages.record_types import KEY_COLUMNS, VALUE_COLUMNS
from parsers.offset_records import PLAIN_COLUMNS, RECORD_SCHEMA, UNDECODED_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Row = dict[str, Any]
"""The fields of a struct by their names here."""

_ACTUAL_BYTES: Final = 64
_NOTHING: Final[dict[str, Any]] = {}


class Unreadable(Exception):  # noqa: N818 - it never leaves the reader: it becomes a row of quarantine
    """A stretch of text that can't be read, in the words of a row of quarantine."""

    def __init__(self, reason: str, expected: str, actual: bytes | str) -> None:
        """Keep what was expected, and the beginning of what was found with everything unprintable escaped."""
        super().__init__(reason)
        self.reason = reason
        self.expected = expected
        self.actual = ascii(actual[:_ACTUAL_BYTES])


class Batch(NamedTuple):
    """What a record takes from its batch; None where the text does not tell."""

    batch_base_offset: int | None = None
    log_leader_epoch: int | None = None
    producer_id: int | None = None
    producer_epoch: int | None = None
    is_transactional: bool | None = None
    is_control: bool | None = None
    delete_horizon_ms: int | None = None
    base_sequence: int | None = None


class KeyValue(NamedTuple):
    """What the text says of one record's key and value."""

    record_type: int | None = None
    key: Mapping[str, Any] = _NOTHING
    is_tombstone: bool | None = None
    value_version: int | None = None
    column: str | None = None
    """Column of the value; None for a tombstone, and for a value that was not printed."""
    value: Row | None = None
    doubt: Unreadable | None = None
    """What could not be read of a record that is there all the same."""


class Line(NamedTuple):
    """What the text says of where a record stood and how large it is; the console forms say nothing of it."""

    log_partition: int | None = None
    log_offset: int | None = None
    timestamp_ms: int | None = None
    key_bytes: int | None = None
    value_bytes: int | None = None
    control_type: str | None = None
    coordinator_epoch: int | None = None


class TextRecord(NamedTuple):
    """One record, as text tells of it."""

    key_value: KeyValue
    line: Line = Line()
    batch: Batch = Batch()


def as_trouble(position: int, size_bytes: int, text: bytes, unreadable: Unreadable, log_offset: int | None) -> Trouble:
    """Word what could not be read as a row of quarantine."""
    return Trouble(
        position,
        size_bytes,
        log_offset,
        unreadable.reason,
        unreadable.expected,
        unreadable.actual,
        text[:QUOTED_BYTES],
    )


_PARTS: Final = tuple(
    {name: (at, PLAIN_COLUMNS[name]) for at, name in enumerate(fields) if name in PLAIN_COLUMNS}
    for fields in (KeyValue._fields, Line._fields, Batch._fields)
)
"""Where the plain columns stand in the parts of a record."""


def record_columns(records: Sequence[TextRecord]) -> pa.RecordBatch:
    """Lay records out as columns."""
    parts: tuple[Sequence[KeyValue | Line | Batch], ...] = (
        [record.key_value for record in records],
        [record.line for record in records],
        [record.batch for record in records],
    )
    columns = {
        name: pa.array(map(itemgetter(at), part), kind)
        for part, names in zip(parts, _PARTS, strict=True)
        for name, (at, kind) in names.items()
    }
    keys = [record.key_value.key for record in records]
    columns |= {name: pa.array([key.get(name) for key in keys], kind) for name, (kind, _) in KEY_COLUMNS.items()}
    columns |= _value_columns(records)
    columns |= {name: null_array(pa.binary(), len(records)) for name in UNDECODED_COLUMNS}
    return pa.RecordBatch.from_pydict(columns, schema=RECORD_SCHEMA)


def _value_columns(records: Sequence[TextRecord]) -> dict[str, pa.Array]:
    rows_of: dict[str, list[int]] = {}
    for row, record in enumerate(records):
        if record.key_value.column is not None:
            rows_of.setdefault(record.key_value.column, []).append(row)
    return {
        name: _scatter(records, rows_of[name], kind) if name in rows_of else null_array(kind, len(records))
        for name, (kind, _) in VALUE_COLUMNS.items()
    }


def _scatter(records: Sequence[TextRecord], rows: list[int], kind: pa.DataType) -> pa.Array:
    """Build the column of one kind of value, null where a record has another."""
    values = pa.array([records[row].key_value.value for row in rows], kind)
    places = np.full(len(records), -1, np.int64)
    places[rows] = np.arange(len(rows))
    return values.take(pa.array(places, mask=places < 0))
