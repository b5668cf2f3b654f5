"""The records of __consumer_offsets as flat columns: keys, and one struct column for each kind of value.

Put here what is particular to the offsets topic. The table of record types and their fields are in `parsers.layouts`,
how keys and values are read is in `parsers.messages.topic_records`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from parsers.layouts.groups.offsets_key import OFFSETS_KEY, kafka_key_name
from parsers.layouts.groups.record_types import RECORD_TYPES
from parsers.messages.arrays.schemas import arrow_type, layout_type
from parsers.messages.topic_records import Kind, RecordColumns, Topic, Trouble, decode_records, troubles

if TYPE_CHECKING:
    import pyarrow as pa

    from parsers.words import ByteArray, Int64Array

__all__ = [
    "KEY_COLUMNS",
    "OFFSETS",
    "VALUE_COLUMNS",
    "OffsetRecordColumns",
    "Trouble",
    "as_declared",
    "decode_offset_records",
    "kafka_key_name",
    "troubles",
]

OffsetRecordColumns = RecordColumns

_KEY_MEANINGS: Final = {
    "group_id": "Group in the key, whatever its kind; NULL when the key could not be read.",
    "topic": "Topic in the key of an offset commit; NULL for other record types.",
    "partition": "Partition in the key of an offset commit; NULL for other record types.",
    "member_id": "Member in the key of a record about one member; NULL for other record types.",
    "regular_expression": "Regular expression in the key of a resolved subscription; NULL for other record types.",
}

KEY_COLUMNS: Final[dict[str, tuple[pa.DataType, str]]] = {
    field.name: (arrow_type(field), _KEY_MEANINGS[field.name]) for field in OFFSETS_KEY.fields
}
"""The flat columns of all keys: type and meaning. Arrays in memory may hold text as dictionary<int32, string>."""

VALUE_COLUMNS: Final[dict[str, tuple[pa.DataType, str]]] = {
    row.column: (layout_type(row.value), row.meaning) for row in RECORD_TYPES
}
"""One struct column for each kind of value: type and meaning. Arrays in memory may hold text as a dictionary."""

OFFSETS: Final = Topic(
    OFFSETS_KEY,
    {
        row.column: Kind(tuple(same.id for same in RECORD_TYPES if same.column == row.column), row.value)
        for row in RECORD_TYPES
    },
)


def decode_offset_records(
    buffer: ByteArray,
    key_start: Int64Array,
    key_end: Int64Array,
    value_start: Int64Array,
    value_end: Int64Array,
) -> OffsetRecordColumns:
    """Decode keys and values that stand in a buffer; a start of -1 is null. Control records are not for this."""
    return decode_records(OFFSETS, buffer, (key_start, key_end), (value_start, value_end))


def as_declared(array: pa.Array, kind: pa.DataType) -> pa.Array:
    """Cast an array of keys or values, whose text may be a dictionary, to its type in KEY_COLUMNS or VALUE_COLUMNS."""
    return array.cast(kind)
