"""Names in rows replaced by pseudonyms: the same name has the same one everywhere, and only the key tells which.

Put here which columns have names, which have none, and which have text that may hold any. A column of text that is in
none of these is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
from blake3 import blake3

from parsers.errors import LagbookError, SourceError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

NAMES: Final = {
    "cluster": "cluster",
    "group_id": "group",
    "topic": "topic",
    "subscribed_topics": "topic",
    "topic_id": "topic-id",
    "member_id": "member",
    "leader": "member",
    "client_id": "client",
    "client_host": "host",
    "group_instance_id": "instance",
    "rack_id": "rack",
    "subscribed_regex": "regex",
    "path": "path",
    "source_file": "path",
    "store": "path",
    "protocol": "protocol",
    "server_assignor": "protocol",
}
"""Columns and fields that are names, and of what."""
PLAIN: Final = frozenset(
    {
        *("source", "file_suffix", "expected", "control_type", "codec", "event", "from_state", "to_state"),
        *("resource_type", "config_name", "config_value", "kind", "cause", "actor", "group_type", "state"),
        *("protocol_type", "end_reason", "store_kind", "record_kind", "delivery_state", "previous_state"),
    }
)
"""Columns of text that Kafka or Lagbook chose."""
FREE: Final = frozenset({"metadata", "message", "reason", "found", "bytes"})
"""Columns that may hold anything, and are emptied."""
DIGESTS: Final = frozenset({"blake3", "crc", "first_batch_crc", "last_batch_crc"})
"""Columns by which somebody who guesses bytes could tell that the guess is right: they are emptied, too."""
RESOURCE: Final = "resource_name"
"""The name of a topic or a group, or the number of a broker."""
_RESOURCES: Final = {"topic": "topic", "group": "group"}
"""Types of resources whose names are names."""
_PUBLIC: Final = frozenset(
    {"range", "roundrobin", "sticky", "cooperative-sticky", "uniform", "compatible", "sessioned", "stream", ""}
)
"""Names of protocols that Kafka's clients bring along."""
_LEAST_KEY_BYTES: Final = 16
_DIGITS: Final = 16
_PSEUDONYM: Final = re.compile(rf"(?P<kind>[a-z-]+)-[0-9a-f]{{{_DIGITS}}}")


@dataclass(frozen=True, slots=True)
class Pseudonyms:
    """Gives names their pseudonyms, by a secret key."""

    key: bytes

    def of(self, kind: str, name: str) -> str:
        """The pseudonym of one name."""
        if kind == "protocol" and name in _PUBLIC:
            return name
        return f"{kind}-{pseudonym(f'{kind}:{name}', self.key.hex())}"

    def digest(self, content: bytes) -> str:
        """A digest of bytes that nobody can repeat without the key."""
        return blake3(content, key=self.key).hexdigest()

    def rows(self, table: str, rows: pa.Table) -> pa.Table:
        """The rows of a table with pseudonyms; of free text nothing stays."""
        columns = [self._column(table, field, rows) for field in rows.schema]
        return pa.Table.from_arrays(columns, schema=rows.schema)

    def _column(self, table: str, field: pa.Field, rows: pa.Table) -> pa.ChunkedArray:
        column = rows[field.name]
        if field.name in DIGESTS:
            return pa.chunked_array([pa.nulls(rows.num_rows, field.type)])
        if not _has_text(field.type) or field.name in PLAIN:
            return column
        if field.name in FREE:
            return pa.chunked_array([_emptied(column)], field.type)
        if field.name == RESOURCE:
            return pa.chunked_array([self._resources(rows)], field.type)
        return pa.chunked_array(
            [pa.array([self._value(table, field.name, one) for one in column.to_pylist()], field.type)]
        )

    def _resources(self, rows: pa.Table) -> pa.Array:
        pairs = zip(rows["resource_type"].to_pylist(), rows[RESOURCE].to_pylist(), strict=True)
        return pa.array(
            [self.of(_RESOURCES[kind], name) if kind in _RESOURCES else name for kind, name in pairs], pa.string()
        )

    def _value(self, table: str, name: str, value: Any) -> Any:  # noqa: ANN401 - a value of any column
        """A value with pseudonyms for the names in it, lists and structs included."""
        if isinstance(value, list):
            return [self._value(table, name, one) for one in value]
        if isinstance(value, dict):
            return {field: self._value(table, field, one) for field, one in value.items()}
        if not isinstance(value, (str, bytes)) or name in PLAIN:
            return value
        if name not in NAMES or isinstance(value, bytes):
            raise LagbookError(f"{table}: {name}: nothing says whether its text has names, so there is no pseudonym")
        return self.of(NAMES[name], value)


def names_left(table: str, rows: pa.Table) -> Iterator[str]:
    """The columns of a table in which something is left that a pseudonym has to stand for, in sentences."""
    for field in rows.schema:
        column = rows[field.name]
        is_bare = column.null_count == len(column) if field.name in DIGESTS else True
        if not is_bare or any(_is_left(field.name, row[field.name], row) for row in _rows_with(field, rows)):
            yield f"{table}: {field.name}: expected pseudonyms, found something else"


def _rows_with(field: pa.Field, rows: pa.Table) -> list[dict[str, Any]]:
    """The rows of a column that may have names, with the type of resource where that says of what."""
    if not _has_text(field.type) or field.name in PLAIN or field.name in DIGESTS:
        return []
    names = [field.name, *(["resource_type"] if field.name == RESOURCE else [])]
    return list(rows.select(names).to_pylist())


def _is_left(name: str, value: Any, row: Mapping[str, Any]) -> bool:  # noqa: ANN401 - a value of any column
    """Whether a value has text, in lists and structs too, that no pseudonym is."""
    if isinstance(value, list):
        return any(_is_left(name, one, row) for one in value)
    if isinstance(value, dict):
        return any(_is_left(field, one, row) for field, one in value.items())
    if not value or not isinstance(value, (str, bytes)) or name in PLAIN:
        return False
    if isinstance(value, bytes) or name in FREE:
        return True
    kind = _RESOURCES.get(row["resource_type"]) if name == RESOURCE else NAMES.get(name)
    match = _PSEUDONYM.fullmatch(value)
    is_pseudonym = match is not None and match["kind"] == kind
    return not (is_pseudonym or (kind == "protocol" and value in _PUBLIC) or (name == RESOURCE and kind is None))


def pseudonym(name: str, secret: str) -> str:
    """What the macro `pseudonym` answers, so that rows of SQL and of a pack can be joined."""
    inner = sha256(f"{secret}{name}".encode()).hexdigest()
    return sha256(f"{secret}{inner}".encode()).hexdigest()[:_DIGITS]


def read_key(path: Path) -> Pseudonyms:
    """The pseudonyms of a key file: any secret bytes, at least sixteen; the secret of its names is their SHA-256."""
    try:
        secret = path.read_bytes()
    except OSError as error:
        raise SourceError(f"{path}: the key can't be read: {error.strerror}") from error
    if len(secret) < _LEAST_KEY_BYTES:
        raise SourceError(f"{path}: expected a key of {_LEAST_KEY_BYTES} bytes or more, found {len(secret)}")
    return Pseudonyms(sha256(secret).digest())


def named_columns(schemas: Mapping[str, pa.Schema]) -> dict[str, list[str]]:
    """Of each table, the columns of text that none of the lists above has."""
    known = NAMES.keys() | PLAIN | FREE | DIGESTS | {RESOURCE}
    unknown = {name: [one for one in _texts(schema) if one not in known] for name, schema in schemas.items()}
    return {name: columns for name, columns in unknown.items() if columns}


def _texts(schema: pa.Schema | pa.StructType) -> list[str]:
    """The columns and fields that are text, however deep."""
    names: list[str] = []
    for field in schema:
        kind = field.type.value_type if pa.types.is_list(field.type) else field.type
        if pa.types.is_struct(kind):
            names += _texts(kind)
        elif _has_text(kind):
            names.append(field.name)
    return names


def _has_text(kind: pa.DataType) -> bool:
    if pa.types.is_list(kind):
        return _has_text(kind.value_type)
    if pa.types.is_struct(kind):
        return any(_has_text(field.type) for field in kind)
    return bool(pa.types.is_string(kind) or pa.types.is_binary(kind))


def _emptied(column: pa.ChunkedArray) -> pa.Array:
    """Nothing where there was something; NULL stays NULL."""
    empty: Any = b"" if pa.types.is_binary(column.type) else ""
    return pa.array([None if one is None else empty for one in column.to_pylist()], column.type)
