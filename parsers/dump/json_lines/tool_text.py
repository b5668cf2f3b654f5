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
import pyarrow.compute as pc

from parsers.dump.json_lines.members import open_members
from parsers.dump.json_lines.objects import LINE_FRAME, Pair, Texts, collect, join_texts, nulls, objects, pair_of
from parsers.dump.json_lines.records import Lines, file_lead, one_line
from parsers.dump.json_lines.values import Dialect, flags, integers, struct_texts, value_texts
from parsers.layouts.groups.group_metadata import GROUP_METADATA
from parsers.layouts.groups.offsets_key import OFFSETS_KEY, kafka_key_name
from parsers.layouts.groups.record_types import RECORD_TYPES
from parsers.wire import camel

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from parsers.dump.json_lines.objects import Mask
    from parsers.log.damage.quarantine import Trouble
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
        yield Lines.of(record_lines(path, records))
        for trouble in troubles:
            yield one_line(path, _trouble_content(trouble), 1)


def record_lines(path: str, records: pa.RecordBatch) -> Texts:
    """Write records, one line for each."""
    is_control = ~nulls(records.column("control_type"))
    key_struct = pa.StructArray.from_arrays([records.column(one.name) for one in OFFSETS_KEY.fields], _KEY_NAMES)
    batch, value = _batches(records), collect(records.num_rows, list(_values(records)))
    is_tombstone = flags(records.column("is_tombstone"))
    pairs = [
        Pair(file_lead(path).rstrip(","), join_texts([""], records.num_rows)),
        pair_of("batch", batch, is_present=~flags(pc.equal(batch, "{}"))),
        *(_pair(name, records.column(column)) for name, column in _LINE.items()),
        pair_of("key", collect(records.num_rows, list(_keys(records, key_struct))), is_present=~is_control),
        pair_of("value", value, is_present=~is_control & (is_tombstone | ~nulls(value))),
        pair_of("control", _controls(records), is_present=is_control),
    ]
    return objects(pairs, records.num_rows, LINE_FRAME)


def _pair(name: str, column: pa.Array) -> Pair:
    return pair_of(name, value_texts(column), is_present=~nulls(column))


def _batches(records: pa.RecordBatch) -> Texts:
    return objects([_pair(name, records.column(column)) for name, column in _BATCH.items()], records.num_rows)


def _controls(records: pa.RecordBatch) -> Texts:
    kind = pair_of("type", value_texts(records.column("control_type")))
    return objects([kind, _pair("coordinatorEpoch", records.column("coordinator_epoch"))], records.num_rows)


def _keys(records: pa.RecordBatch, keys: pa.StructArray) -> Iterator[Rows]:
    """Write the keys of each record type."""
    for record_type, rows in _groups(records.column("record_type")):
        fields = OFFSETS_KEY.fields_of(record_type or 0) if record_type in OFFSETS_KEY.versions else ()
        frame = (f'{{"type":{record_type},"data":{{', "}}")
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
            lead = "null" if version is None else str(version)
            yield (
                rows,
                struct_texts(fields, structs, Dialect(frame=('{"version":' + lead + ',"data":{', "}}"), given=given)),
            )


def _groups(column: pa.Array, is_wanted: Mask | None = None) -> Iterator[tuple[int | None, Int64Array]]:
    """Give the numbers that occur, None for null, and the wanted rows of each."""
    wanted = np.arange(len(column)) if is_wanted is None else np.flatnonzero(is_wanted)
    numbers, is_null = integers(column)[wanted], nulls(column)[wanted]
    for number in np.unique(numbers[~is_null]).tolist():
        yield number, wanted[~is_null & (numbers == number)]
    if is_null.any():
        yield None, wanted[is_null]


def _trouble_content(trouble: Trouble) -> dict[str, Any]:
    fields = {camel(name): value for name, value in asdict(trouble).items() if name != "position"}
    content = base64.b64encode(trouble.bytes).decode()
    return {"position": trouble.position, "trouble": {**fields, "bytes": content}}
