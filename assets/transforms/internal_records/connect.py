"""Source offsets of Kafka Connect, out of the records of the workers' offset topics.

Put here what is read of a key and a value, and which of two offsets is further. Keys and values are JSON, whatever
converter the workers have for records: a key is the connector's name and its words for a part of the source.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa

from assets import models
from assets.arrays.times import instants
from assets.catalog.core.connect import CONNECT_SOURCE_OFFSETS
from assets.transforms.declaration import Transform

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import duckdb

MODEL: Final = "connect_source_offset_records"
AT_ONCE: Final = 8_192
MOST_DIGITS: Final = 400
"""Longer numbers are no offsets, and Python takes long to read them."""
KEY_FORM: Final = 'a JSON array of a connector\'s name and an object: ["name", {...}]'
VALUE_FORM: Final = "a JSON object, or null"
KEY_LENGTH: Final = 2

Row = dict[str, Any]
Key = tuple[str, str, str, str]


class UnreadableError(ValueError):
    """A key or a value that is no source offset; the message says what is expected."""


class SourceKey(NamedTuple):
    """What a key says: the connector, and the part of the source as JSON with its names in order."""

    connector: str
    source_partition: str


def source_key(text: bytes | None) -> SourceKey:
    """The connector and the source partition that a key names."""
    key = _json(text, KEY_FORM)
    if not isinstance(key, list) or len(key) != KEY_LENGTH or not isinstance(key[0], str):
        raise UnreadableError(KEY_FORM)
    if not isinstance(key[1], dict):
        raise UnreadableError(KEY_FORM)
    return SourceKey(_text(key[0]), _canonical(key[1]))


def source_offset(text: bytes | None, *, is_tombstone: bool) -> dict[str, Any] | None:
    """The source offset in a value; None for a tombstone, and for the JSON null."""
    offset = None if is_tombstone else _json(text, VALUE_FORM)
    if offset is not None and not isinstance(offset, dict):
        raise UnreadableError(VALUE_FORM)
    return offset


def _json(text: bytes | None, form: str) -> object:
    try:
        return json.loads(text or b"", parse_int=_number, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise UnreadableError(form) from error


def _number(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise UnreadableError(VALUE_FORM)
    return int(digits)


def _refuse(constant: str) -> float:
    """NaN and the infinities are no JSON."""
    raise UnreadableError(constant)


def _canonical(value: object) -> str:
    return _text(json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False))


def _text(text: str) -> str:
    """A text that UTF-8 can hold: half of a surrogate pair, which JSON can name, is a question mark."""
    return text.encode("utf-8", "replace").decode()


def movement(before: dict[str, Any] | None, now: dict[str, Any] | None) -> str:
    """How a source offset moved: a value of `kind` in core.connect_source_offsets."""
    if now is None:
        return "removed"
    if before is None:
        return "first"
    if before == now:
        return "repeat"
    if before.keys() != now.keys():
        return "changed"
    pairs = [(before[name], now[name]) for name in now if before[name] != now[name]]
    if not all(_is_number(one) and _is_number(other) for one, other in pairs):
        return "changed"
    ups = {one < other for one, other in pairs}
    return "changed" if len(ups) > 1 else "advance" if ups == {True} else "rewind"


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def source_offsets(connection: duckdb.DuckDBPyConnection) -> Iterator[pa.RecordBatch]:
    """The rows of core.connect_source_offsets: every source offset that can be read, beside the one before it."""
    newest: dict[Key, dict[str, Any] | None] = {}
    for records in connection.sql(models.select(MODEL)).to_arrow_reader(AT_ONCE):
        stored_at = instants(records["timestamp_ms"]).to_pylist()
        rows = [{**row, "stored_at": at} for row, at in zip(records.to_pylist(), stored_at, strict=True)]
        yield pa.RecordBatch.from_pylist(list(_moves(rows, newest)), CONNECT_SOURCE_OFFSETS.schema)


def _moves(records: Iterable[Row], newest: dict[Key, dict[str, Any] | None]) -> Iterator[Row]:
    for record in records:
        try:
            key, now = source_key(record["key"]), source_offset(record["value"], is_tombstone=record["is_tombstone"])
        except UnreadableError:
            continue
        place = (record["cluster"], record["topic"], *key)
        before = newest.get(place)
        newest[place] = now
        yield {
            "cluster": record["cluster"],
            "offsets_topic": record["topic"],
            "log_partition": record["partition"],
            "log_offset": record["record_offset"],
            **key._asdict(),
            "source_offset": None if now is None else _canonical(now),
            "previous_source_offset": None if before is None else _canonical(before),
            "kind": movement(before, now),
            "stored_at": record["stored_at"],
        }


SOURCE_OFFSETS: Final = Transform(source_offsets, (MODEL,))
