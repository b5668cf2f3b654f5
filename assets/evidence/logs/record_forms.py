"""What a batch says of its records: in the offsets topic, and in internal topics whose records are read whole.

Put here in which table the rows of a log are, and how its bytes become such rows. Which records a claim cites is in
`assets.evidence.cited_records`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from assets.catalog.raw.internal_records import INTERNAL_RECORDS
from assets.catalog.raw.records import OFFSET_RECORDS
from parsers.files.discovery import OFFSETS_TOPIC
from parsers.files.internal_topics import INTERNAL_TOPICS
from parsers.internal_records import internal_record_columns
from parsers.offset_records import RECORD_SCHEMA, offset_record_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from assets.evidence.cited_records import Log
    from parsers.log.segments import Slice

    Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class RecordForm:
    """The table that has the records of a log, the names of its columns, and how a batch is decoded."""

    table: str
    places: Mapping[str, str]
    """The columns that name a log, each with the field of `Log` that it is."""
    offset: str
    columns: tuple[str, ...]
    """What a batch says of a record, by itself."""
    decode: Callable[[Slice, str], pa.RecordBatch]
    """The records of a slice; the second argument is the kind of the topic."""

    def differences(self, decoded: Row, packed: Row) -> Iterator[tuple[str, Any, Any]]:
        """The columns in which the bytes of a record and its row differ, with both values."""
        for column in self.columns:
            if decoded.get(column) != packed.get(column):
                yield column, decoded.get(column), packed.get(column)

    def rows(self, tables: Mapping[str, pa.Table], log: Log, offsets: Iterable[int]) -> dict[int, Row]:
        """The rows of records of a log by their offsets."""
        table = tables[self.table]
        is_wanted = pc.is_in(table[self.offset], pa.array(list(offsets), pa.int64()))
        for column, field in self.places.items():
            is_wanted = pc.and_(is_wanted, pc.equal(table[column], getattr(log, field)))
        return {row[self.offset]: row for row in table.filter(is_wanted).select(list(self.columns)).to_pylist()}


def _offset_records(piece: Slice, _kind: str) -> pa.RecordBatch:
    return offset_record_columns(piece)[0]


def _internal_records(piece: Slice, kind: str) -> pa.RecordBatch:
    return internal_record_columns(piece, _TOPICS[kind])[0]


_TOPICS: Final = {one.kind: one for one in INTERNAL_TOPICS}
_OFFSETS_PLACES: Final = {"cluster": "cluster", "log_partition": "partition"}
_INTERNAL_PLACES: Final = {"cluster": "cluster", "topic": "topic", "partition": "partition"}
_OFFSETS: Final = RecordForm(
    OFFSET_RECORDS.full_name,
    _OFFSETS_PLACES,
    "log_offset",
    tuple(name for name in RECORD_SCHEMA.names if name not in _OFFSETS_PLACES),
    _offset_records,
)
_INTERNAL: Final = RecordForm(
    INTERNAL_RECORDS.full_name,
    _INTERNAL_PLACES,
    "record_offset",
    tuple(name for name in INTERNAL_RECORDS.column_names if name not in _INTERNAL_PLACES),
    _internal_records,
)


def form_of(topic: str) -> RecordForm:
    """The form of a topic's records."""
    return _OFFSETS if topic == OFFSETS_TOPIC else _INTERNAL


def kind_of(records: Mapping[int, Row]) -> str:
    """The kind of the internal topic that records are of; one that there is, whatever rows say."""
    named = {row.get("kind") for row in records.values()}
    return next((kind for kind in _TOPICS if kind in named), INTERNAL_TOPICS[0].kind)
