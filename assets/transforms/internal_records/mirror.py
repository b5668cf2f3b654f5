"""Checkpoints and offset syncs of MirrorMaker 2, out of the records of their topics.

Put here what their fields become. How they stand in the bytes is in `parsers.layouts.mirror_maker`; what follows of
them for a group belongs in the models of `assets.models.mirror`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

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

AT_ONCE: Final = 65_536
CHECKPOINTS_MODEL: Final = "mirror_checkpoint_records"
SYNCS_MODEL: Final = "mirror_offset_sync_records"
PARTS: Final = {
    CHECKPOINTS_MODEL: (Part(CHECKPOINT_KEY), Part(CHECKPOINT_VALUE, is_versioned=True)),
    SYNCS_MODEL: (Part(OFFSET_SYNC_KEY), Part(OFFSET_SYNC_VALUE)),
}
"""How keys and values are read of the records that a model gives."""

CHECKPOINTS_TOPIC: Final = re.compile(r"(?P<alias>.+)\.checkpoints\.internal")
SYNCS_TOPIC: Final = re.compile(r"mm2-offset-syncs\.(?P<alias>.+)\.internal")


def checkpoints(connection: duckdb.DuckDBPyConnection) -> Iterator[pa.RecordBatch]:
    """The rows of core.mirror_checkpoints: every checkpoint that can be read."""
    for records, keys, values in _read(connection, CHECKPOINTS_MODEL):
        yield pa.RecordBatch.from_pydict(
            {
                **_place(records, "checkpoints_topic"),
                "source_alias": _aliases(records["topic"], CHECKPOINTS_TOPIC),
                **_fields(keys),
                **_fields(values),
                "checkpoint_at": instants(records["timestamp_ms"]),
            },
            MIRROR_CHECKPOINTS.schema,
        )


def offset_syncs(connection: duckdb.DuckDBPyConnection) -> Iterator[pa.RecordBatch]:
    """The rows of core.mirror_offset_syncs: every sync that can be read."""
    for records, keys, values in _read(connection, SYNCS_MODEL):
        yield pa.RecordBatch.from_pydict(
            {
                **_place(records, "syncs_topic"),
                "other_alias": _aliases(records["topic"], SYNCS_TOPIC),
                **_fields(keys),
                **_fields(values),
                "synced_at": instants(records["timestamp_ms"]),
            },
            MIRROR_OFFSET_SYNCS.schema,
        )


def _read(
    connection: duckdb.DuckDBPyConnection, model: str
) -> Iterator[tuple[pa.RecordBatch, pa.StructArray, pa.StructArray]]:
    """The records of a model whose parts can be read, with both as structs; the struct of a tombstone is null."""
    key_part, value_part = PARTS[model]
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
