"""Keys and values that a tool printed as JSON, read by the same format tables as their bytes.

Put here how a JSON object becomes the fields of a layout. Opened subscriptions and assignments are encoded back by
`parsers.text.blobs`.
"""

from __future__ import annotations

import base64
import json
import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from parsers.layouts.groups import consumer_protocol
from parsers.layouts.groups.offsets_key import OFFSETS_KEY
from parsers.layouts.groups.record_types import RECORD_TYPES
from parsers.messages.record_types import kafka_key_name
from parsers.text.blobs import encode
from parsers.text.rows import KeyValue, Row, Unreadable
from parsers.wire import Wire, camel

if TYPE_CHECKING:
    from collections.abc import Callable

    from parsers.wire import Field

    Read = Callable[[Any, list[str]], Any]

_RANGES: Final = {
    Wire.INT8: range(-(1 << 7), 1 << 7),
    Wire.INT16: range(-(1 << 15), 1 << 15),
    Wire.INT32: range(-(1 << 31), 1 << 31),
    Wire.INT64: range(-(1 << 63), 1 << 63),
    Wire.UINT16: range(1 << 16),
}
_SMALL: Final = re.compile("-?[0-9]{1,5}")
_UUID: Final = re.compile("[A-Za-z0-9_-]{22}")
_ABSENT: Final = object()
_DECODER: Final = json.JSONDecoder()
_OPENED: Final = {"subscription": consumer_protocol.SUBSCRIPTION, "assignment": consumer_protocol.ASSIGNMENT}
"""Bytes that a tool opens into objects when it can."""

_LAYOUTS: Final = {row.id: (row.column, row.value) for row in RECORD_TYPES}
_CACHED_KEY_BYTES: Final = 512


class _Column(NamedTuple):
    json_name: str
    name: str
    read: Read | None
    """None where the version does not have the field."""
    default: Any


class _Shape(NamedTuple):
    """A struct in one version: its columns, and the names that must be there."""

    columns: tuple[_Column, ...]
    required: frozenset[str]


def parse_json(raw: bytes) -> Any:  # noqa: ANN401 - JSON is anything
    """Parse one JSON value, which must fill the text."""
    try:
        text = raw.decode().strip()
        value, end = _DECODER.raw_decode(text)
    except UnicodeDecodeError as error:
        raise Unreadable("not utf8", "text in UTF-8", raw[error.start :]) from error
    except ValueError as error:
        raise Unreadable("not json", f"one JSON value ({str(error)[:80]})", raw) from error
    except RecursionError as error:
        raise Unreadable("json too deep", "JSON as deep as a record's", raw) from error
    if end < len(text):
        raise Unreadable("not json", "nothing behind a JSON value", text[end:])
    return value


def value_end(raw: bytes) -> int:
    """Give where the JSON value ends that text begins with."""
    try:
        text = raw.decode("utf-8", "surrogateescape")
        return len(text[: _DECODER.raw_decode(text)[1]].encode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError) as error:
        raise Unreadable("not json", f"one JSON value ({str(error)[:80]})", raw) from error


def object_of(value: Any, *names: str) -> list[Any]:  # noqa: ANN401
    """Give the values of an object that must have these names and no others."""
    if type(value) is dict and len(value) == len(names) and all(map(value.__contains__, names)):
        return [value[name] for name in names]
    raise Unreadable("unknown json", f"an object of {', '.join(names)}", _describe(value))


def read_key(raw: bytes) -> KeyValue:
    """Read the key of a record; a key that was read before is not read again."""
    return _cached_key(raw) if len(raw) <= _CACHED_KEY_BYTES else key_of(parse_json(raw))


@lru_cache(maxsize=8192)
def _cached_key(raw: bytes) -> KeyValue:
    return key_of(parse_json(raw))


def key_of(value: Any) -> KeyValue:  # noqa: ANN401
    """Read the key of a record from its JSON; the record type was called version up to Kafka 4.0."""
    is_typed = isinstance(value, dict) and "type" in value
    number, data = object_of(value, "type" if is_typed else "version", "data")
    record_type = _small(number)
    if record_type not in _LAYOUTS:
        doubt = Unreadable("key: unknown record type", "a record type with a known layout", str(record_type))
        return KeyValue(record_type, doubt=doubt)
    unknown: list[str] = []
    key = _read_struct(_key_shape(record_type), data, unknown)
    return KeyValue(record_type, key, doubt=_doubt(unknown))


def with_value(key: KeyValue, value: Any) -> KeyValue:  # noqa: ANN401
    """Add the value of a record, in JSON; null is a tombstone."""
    if value is None:
        return key._replace(is_tombstone=True)
    number, data = object_of(value, "version", "data")
    version = _small(number)
    if key.record_type not in _LAYOUTS:
        return key._replace(is_tombstone=False, value_version=version)
    column, layout = _LAYOUTS[key.record_type]
    if version not in layout.versions or type(data) is not dict:
        unread = Unreadable("value: unknown version", "a version with a known layout", f"{version}: {_describe(data)}")
        return key._replace(is_tombstone=False, value_version=version, doubt=key.doubt or unread)
    unknown: list[str] = []
    row = _read_struct(_variant(key.record_type, version, data), data, unknown)
    doubt = key.doubt or _doubt(unknown)
    return KeyValue(key.record_type, key.key, False, version, column, row, doubt)  # noqa: FBT003 - a tuple's field


def _doubt(unknown: list[str]) -> Unreadable | None:
    return Unreadable("unknown field", "fields that a layout knows", ", ".join(unknown)) if unknown else None


def _small(value: Any) -> int:  # noqa: ANN401
    """Read a record type or version: kafka-dump-log prints them as strings, the console formatters as numbers."""
    number = int(value) if type(value) is str and _SMALL.fullmatch(value) else value
    if type(number) is int and number in _RANGES[Wire.INT16]:
        return number
    raise Unreadable("unknown json", "a record type or version", str(value)[:32])


def _describe(value: Any) -> str:  # noqa: ANN401
    """Name what stands in place of what was expected, without walking into it."""
    return ", ".join(map(str, list(value)[:8])) if isinstance(value, dict) else str(type(value).__name__)


def _read_text(value: Any) -> str:  # noqa: ANN401
    if type(value) is not str or not (value.isascii() or _is_unicode(value)):
        raise Unreadable("unknown json", "text", _describe(value))
    return value


def _is_unicode(value: str) -> bool:
    """Whether text has no half of a surrogate pair, which no UTF-8 has and no Arrow column takes."""
    return not any("\ud800" <= character <= "\udfff" for character in value)


def _read_uuid(value: Any) -> str:  # noqa: ANN401
    if type(value) is not str or not _UUID.fullmatch(value):
        raise Unreadable("unknown json", "a uuid of 22 characters", str(value)[:32])
    return value


def _read_bytes(value: Any) -> bytes:  # noqa: ANN401
    try:
        return base64.b64decode(_read_text(value), validate=True)
    except ValueError as error:
        raise Unreadable("unknown json", "bytes in base64", str(value)[:32]) from error


_SCALARS: Final[dict[Wire, Callable[[Any], Any]]] = {
    Wire.STRING: _read_text,
    Wire.UUID: _read_uuid,
    Wire.BYTES: _read_bytes,
}


def _reader(field: Field, version: int) -> Read:
    """Make the reader of one field."""
    read = _element_reader(field, version)
    if field.array:
        read = _list_reader(read)
    return _nullable_reader(read) if field.nullable else read


def _element_reader(field: Field, version: int) -> Read:
    if field.wire is Wire.STRUCT:
        shape = _shape(field.fields, version)
        return lambda value, unknown: _read_struct(shape, value, unknown)
    if field.name in _OPENED:
        return lambda value, unknown: _read_blob(field.name, value, unknown)
    if field.wire in _RANGES:
        return _number_reader(_RANGES[field.wire])
    scalar = _SCALARS[field.wire]
    return lambda value, _: scalar(value)


def _number_reader(numbers: range) -> Read:
    low, high = numbers[0], numbers[-1]

    def read_number(value: Any, _: list[str]) -> int:  # noqa: ANN401
        """Read a whole number of the range, or refuse the value."""
        if type(value) is int and low <= value <= high:
            return value
        raise Unreadable("unknown json", f"a whole number from {low} to {high}", str(value)[:32])

    return read_number


def _list_reader(read: Read) -> Read:
    def read_list(value: Any, unknown: list[str]) -> list[Any]:  # noqa: ANN401
        """Read a list element by element, or refuse the value."""
        if type(value) is not list:
            raise Unreadable("unknown json", "a list", _describe(value))
        return [read(element, unknown) for element in value]

    return read_list


def _nullable_reader(read: Read) -> Read:
    return lambda value, unknown: None if value is None else read(value, unknown)


def _shape(fields: tuple[Field, ...], version: int) -> _Shape:
    columns = tuple(
        _Column(
            camel(field.name),
            field.name,
            _reader(field, version) if version in field.versions else None,
            _default(field),
        )
        for field in fields
    )
    required = (camel(field.name) for field in fields if version in field.versions and field.tag is None)
    return _Shape(columns, frozenset(required))


def _default(field: Field) -> Any:  # noqa: ANN401
    """Give what a field holds that a version or a record lacks: what decoding its bytes gives."""
    if field.default != ():
        return field.default
    return [] if field.array else {child.name: _default(child) for child in field.fields}


@cache
def _key_shape(record_type: int) -> _Shape:
    shape = _shape(tuple(field for field in OFFSETS_KEY.fields if record_type in field.versions), record_type)
    columns = tuple(column._replace(json_name=kafka_key_name(record_type, column.name)) for column in shape.columns)
    return _Shape(columns, frozenset(column.json_name for column in columns))


@cache
def _variants(record_type: int, version: int) -> tuple[_Shape, ...]:
    layout = _LAYOUTS[record_type][1]
    drafts = range(-1, -len(layout.drafts) - 1, -1) if version == 0 else ()
    return tuple(_shape(layout.fields, variant) for variant in (version, *drafts))


def _variant(record_type: int, version: int, data: Row) -> _Shape:
    """Choose the fields of a version by what is there: some releases wrote others under the same version."""
    shapes = _variants(record_type, version)
    if len(shapes) == 1:
        return shapes[0]
    return next((shape for shape in shapes if shape.required <= data.keys()), shapes[0])


def _read_struct(shape: _Shape, data: Any, unknown: list[str]) -> Row:  # noqa: ANN401
    if type(data) is not dict or not shape.required <= data.keys():
        raise Unreadable("unknown json", f"an object of {', '.join(sorted(shape.required))}", _describe(data))
    row, known = {}, 0
    for json_name, name, read, default in shape.columns:
        value = _ABSENT if read is None else data.get(json_name, _ABSENT)
        if read is None or value is _ABSENT:
            row[name] = default
        else:
            row[name], known = read(value, unknown), known + 1
    if known < len(data):
        unknown += sorted(data.keys() - {column.json_name for column in shape.columns if column.read})
    return row


def _read_blob(name: str, value: Any, unknown: list[str]) -> bytes:  # noqa: ANN401
    """Take bytes as they are printed, or encode what a tool opened, in the version whose fields it has."""
    if type(value) is not dict:
        return _read_bytes(value)
    shapes = _blob_shapes(name)
    version = next((version for version, shape in enumerate(shapes) if shape.required == value.keys()), len(shapes) - 1)
    return encode(_OPENED[name], version, _read_struct(shapes[version], value, unknown))


@lru_cache
def _blob_shapes(name: str) -> tuple[_Shape, ...]:
    return tuple(_shape(_OPENED[name].fields, version) for version in _OPENED[name].versions)
