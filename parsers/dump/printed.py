"""What Kafka's tools printed of the offsets topic, as lines of JSON like those of its records.

Put here what such a line holds. How text is read is in `parsers.text`; what it can't say is null.
"""

from __future__ import annotations

import base64
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from parsers.dump.json_members import open_members
from parsers.dump.json_pieces import LINE_FRAME, Pair, Texts, collected, named, objects
from parsers.dump.json_records import Lines, file_lead, one_line
from parsers.dump.json_text import Dialect, bits, integers, nulls, struct_texts, value_texts
from parsers.layouts.group_metadata import GROUP_METADATA
from parsers.layouts.offsets_key import OFFSETS_KEY, kafka_key_name
from parsers.layouts.record_types import RECORD_TYPES
from parsers.wire import camel

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from parsers.dump.json_pieces import Mask
    from parsers.log.quarantine import Trouble
    from parsers.wire import Layout
    from parsers.words import Int64Array

Rows = tuple["Int64Array", Texts]

_LINE: Final = {
    "offset": "log_offset",
    "timestamp": "timestamp_ms",
    "keySize": "key_bytes",
    "valueSize": "value_bytes",
}
_BATCH: Final = {
    "baseOffset": "batch_base_offset",
    "producerId": "producer_id",
    "producerEpoch": "producer_epoch",
    "partitionLeaderEpoch": "log_leader_epoch",
    "isTransactional": "is_transactional",
    "isControl": "is_control",
    "deleteHorizonMs": "delete_horizon_ms",
}
_KEY_NAMES: Final = [one.name for one in OFFSETS_KEY.fields]
_LAYOUTS: Final[dict[str, Layout]] = {row.column: row.value for row in RECORD_TYPES}


def printed_lines(path: str, slices: Iterable[tuple[pa.RecordBatch, Sequence[Trouble]]]) -> Iterator[Lines]:
    """Write what was read of a text, one line for each record, and for what could not be read of it."""
    for records, troubles in slices:
        yield Lines(record_lines(path, records).data, 0)
        for trouble in troubles:
            yield one_line(path, _told(trouble), 1)


def record_lines(path: str, records: pa.RecordBatch) -> Texts:
    """Write records, one line for each."""
    is_control = ~nulls(records.column("control_type"))
    key_struct = pa.StructArray.from_arrays([records.column(one.name) for one in OFFSETS_KEY.fields], _KEY_NAMES)
    nowhere = np.zeros(records.num_rows, np.int64)
    batch, value = _batches(records), collected(records.num_rows, list(_values(records)))
    is_tombstone = bits(records.column("is_tombstone")) & ~nulls(records.column("is_tombstone"))
    pairs = [
        Pair(file_lead(path).rstrip(b","), Texts(batch.data, nowhere, nowhere)),
        named("batch", batch, is_present=batch.ends - batch.starts > len(b"{}")),
        *(_number(name, records.column(column)) for name, column in _LINE.items()),
        named("key", collected(records.num_rows, list(_keys(records, key_struct))), is_present=~is_control),
        named("value", value, is_present=~is_control & (is_tombstone | (value.starts >= 0))),
        named("control", _controls(records), is_present=is_control),
    ]
    return objects(pairs, records.num_rows, LINE_FRAME)


def _number(name: str, column: pa.Array) -> Pair:
    return named(name, integers(column), is_present=~nulls(column))


def _batches(records: pa.RecordBatch) -> Texts:
    columns = {name: records.column(column) for name, column in _BATCH.items()}
    return objects(
        [named(name, _scalars(column), is_present=~nulls(column)) for name, column in columns.items()], records.num_rows
    )


def _scalars(column: pa.Array) -> Texts | Int64Array:
    return value_texts(column) if pa.types.is_boolean(column.type) else integers(column)


def _controls(records: pa.RecordBatch) -> Texts:
    kind = named("type", value_texts(records.column("control_type")))
    return objects([kind, _number("coordinatorEpoch", records.column("coordinator_epoch"))], records.num_rows)


def _keys(records: pa.RecordBatch, keys: pa.StructArray) -> Iterator[Rows]:
    """Write the keys of each record type."""
    for record_type, rows in _groups(records.column("record_type")):
        fields = OFFSETS_KEY.fields_of(record_type or 0) if record_type in OFFSETS_KEY.versions else ()
        frame = (b'{"type":%d,"data":{' % (record_type or 0), b"}}")
        if record_type is not None:
            yield (
                rows,
                struct_texts(fields, keys.take(pa.array(rows)), Dialect(partial(kafka_key_name, record_type), frame)),
            )


def _values(records: pa.RecordBatch) -> Iterator[Rows]:
    """Write the values of each kind and version; where the tool did not print the version, every field there is."""
    for column, layout in _LAYOUTS.items():
        is_here = ~nulls(records.column(column))
        for version, rows in _groups(records.column("value_version"), is_here):
            structs = records.column(column).take(pa.array(rows))
            fields = layout.fields if version is None else layout.fields_of(version)
            given = open_members(structs) if layout is GROUP_METADATA else {}
            lead = b"null" if version is None else b"%d" % version
            yield (
                rows,
                struct_texts(
                    fields, structs, Dialect(frame=(b'{"version":' + lead + b',"data":{', b"}}"), given=given)
                ),
            )


def _groups(column: pa.Array, is_wanted: Mask | None = None) -> Iterator[tuple[int | None, Int64Array]]:
    """Give the numbers that occur, None for null, and the wanted rows of each."""
    wanted = np.arange(len(column)) if is_wanted is None else np.flatnonzero(is_wanted)
    numbers, is_null = integers(column)[wanted], nulls(column)[wanted]
    for number in np.unique(numbers[~is_null]).tolist():
        yield number, wanted[~is_null & (numbers == number)]
    if is_null.any():
        yield None, wanted[is_null]


def _told(trouble: Trouble) -> dict[str, Any]:
    found = {camel(name): value for name, value in asdict(trouble).items() if name != "position"}
    content = base64.b64encode(trouble.bytes).decode()
    return {"position": trouble.position, "trouble": {**found, "bytes": content}}
