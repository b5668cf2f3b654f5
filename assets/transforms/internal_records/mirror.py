"""Checkpoints and offset syncs of MirrorMaker 2, out of the records of their topics.

Put here what their fields become. How they stand in the bytes is in `parsers.layouts.mirror_maker`; what follows of
them for a group belongs in the models of `assets.models.mirror`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from assets import models
from assets.arrays.times import instants
from assets.catalog.core.mirror import MIRROR_CHECKPOINTS, MIRROR_OFFSET_SYNCS
from assets.transforms.declaration import Transform
from parsers.layouts.mirror_maker import CHECKPOINT_KEY, CHECKPOINT_VALUE, OFFSET_SYNC_KEY, OFFSET_SYNC_VALUE
from parsers.messages.plain_records import Part, read_part

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

    from assets.catalog import Table

AT_ONCE: Final = 65_536
CHECKPOINTS_MODEL: Final = "mirror_checkpoint_records"
SYNCS_MODEL: Final = "mirror_offset_sync_records"


class Format(NamedTuple):
    """How the records of one kind of topic are read, and the columns that they become beside their fields."""

    parts: tuple[Part, Part]
    """Key and value."""
    table: Table
    topic: str
    alias: str
    aliases: re.Pattern[str]
    """The names of such topics, which have the alias."""
    time: str


FORMATS: Final = {
    CHECKPOINTS_MODEL: Format(
        parts=(Part(CHECKPOINT_KEY), Part(CHECKPOINT_VALUE, is_versioned=True)),
        table=MIRROR_CHECKPOINTS,
        topic="checkpoints_topic",
        alias="source_alias",
        aliases=re.compile(r"(?P<alias>.+)\.checkpoints\.internal"),
        time="checkpoint_at",
    ),
    SYNCS_MODEL: Format(
        parts=(Part(OFFSET_SYNC_KEY), Part(OFFSET_SYNC_VALUE)),
        table=MIRROR_OFFSET_SYNCS,
        topic="syncs_topic",
        alias="other_alias",
        aliases=re.compile(r"mm2-offset-syncs\.(?P<alias>.+)\.internal"),
        time="synced_at",
    ),
}
"""By the model that gives the records."""


def checkpoints(connection: duckdb.DuckDBPyConnection) -> Iterator[pa.RecordBatch]:
    """The rows of core.mirror_checkpoints: every checkpoint that can be read."""
    return _rows(connection, CHECKPOINTS_MODEL)


def offset_syncs(connection: duckdb.DuckDBPyConnection) -> Iterator[pa.RecordBatch]:
    """The rows of core.mirror_offset_syncs: every sync that can be read."""
    return _rows(connection, SYNCS_MODEL)


def _rows(connection: duckdb.DuckDBPyConnection, model: str) -> Iterator[pa.RecordBatch]:
    form = FORMATS[model]
    for records, keys, values in _read(connection, model):
        yield pa.RecordBatch.from_pydict(
            {
                **_place(records, form.topic),
                form.alias: _aliases(records["topic"], form.aliases),
                **_fields(keys),
                **_fields(values),
                form.time: instants(records["timestamp_ms"]),
            },
            form.table.schema,
        )


def _read(
    connection: duckdb.DuckDBPyConnection, model: str
) -> Iterator[tuple[pa.RecordBatch, pa.StructArray, pa.StructArray]]:
    """The records of a model whose parts can be read, with both as structs; the struct of a tombstone is null."""
    key_part, value_part = FORMATS[model].parts
    for records in connection.sql(models.select(model)).to_arrow_reader(AT_ONCE):
        keys, _ = read_part(key_part, records["key"])
        values, _ = read_part(value_part, records["value"])
        is_whole = pc.and_(keys.is_valid(), pc.or_(values.is_valid(), records["is_tombstone"]))
        yield records.filter(is_whole), keys.filter(is_whole), values.filter(is_whole)


def _place(records: pa.RecordBatch, topic: str) -> dict[str, pa.Array]:
    named = {"cluster": "cluster", topic: "topic", "log_partition": "partition", "log_offset": "record_offset"}
    return {own: records[column] for own, column in named.items()}


def _fields(structs: pa.StructArray) -> dict[str, pa.Array]:
    """The fields of structs, null where a struct is."""
    columns = dict(zip((field.name for field in structs.type), structs.flatten(), strict=True))
    is_text = {name: pa.types.is_dictionary(column.type) for name, column in columns.items()}
    return {name: column.cast(pa.string()) if is_text[name] else column for name, column in columns.items()}


def _aliases(topics: pa.Array, pattern: re.Pattern[str]) -> pa.Array:
    """The alias in each topic's name; NULL of a name that a user has told of."""
    encoded = topics.dictionary_encode()
    matches = [pattern.fullmatch(name) for name in encoded.dictionary.to_pylist()]
    names = pa.array([match["alias"] if match else None for match in matches], pa.string())
    return names.take(encoded.indices)


CHECKPOINTS: Final = Transform(checkpoints, (CHECKPOINTS_MODEL,))
OFFSET_SYNCS: Final = Transform(offset_syncs, (SYNCS_MODEL,))
