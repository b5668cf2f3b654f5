"""Keys and values of the internal topics whose keys begin with a record type, as Kafka's JSON.

Put here what stands around the data of such a record. The data itself is written by `parsers.dump.json_lines.messages`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from parsers.dump.json_lines.contents import Contents
from parsers.dump.json_lines.messages import by_version, content_of, message_texts, version_lead, write_trouble
from parsers.dump.json_lines.objects import TEXT, Texts, collect
from parsers.dump.json_lines.values import PLAIN, Dialect
from parsers.layouts.groups.offsets_key import kafka_key_name
from parsers.messages.internal_topics import SHARE_GROUP_STATE, TRANSACTION_STATE
from parsers.messages.record_types import OFFSETS
from parsers.messages.topic_records import decode_records, troubles

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parsers.dump.json_lines.contents import Edges
    from parsers.messages.topic_records import RecordColumns, Topic
    from parsers.words import ByteArray, Int64Array

Rows = tuple["Int64Array", Texts]


def offset_contents(buffer: ByteArray, keys: Edges, values: Edges) -> Contents:
    """Write the keys and values of offsets topics, from columns."""
    return topic_contents(OFFSETS, buffer, keys, values)


def transaction_contents(buffer: ByteArray, keys: Edges, values: Edges) -> Contents:
    """Write the keys and values of the transaction log."""
    return topic_contents(TRANSACTION_STATE, buffer, keys, values)


def share_contents(buffer: ByteArray, keys: Edges, values: Edges) -> Contents:
    """Write the keys and values of the states of shared partitions."""
    return topic_contents(SHARE_GROUP_STATE, buffer, keys, values)


def topic_contents(topic: Topic, buffer: ByteArray, keys: Edges, values: Edges) -> Contents:
    """Write keys and values, each given by its starts and ends in a buffer; a start of -1 is null."""
    columns, count = decode_records(topic, buffer, keys, values), keys[0].size
    of_key, of_value = _troubles(buffer, columns)
    parts = [part for name in topic.kinds if name in columns.decoded for part in _values(columns, name)]
    return Contents(
        keys=collect(count, [*_keys(topic, columns), *of_key]),
        values=collect(count, [*parts, *of_value]),
        trouble_count=sum(len(texts) for _rows, texts in (*of_key, *of_value)),
    )


def _keys(topic: Topic, columns: RecordColumns) -> Iterator[Rows]:
    """Write the keys of each record type, which is what a key has for a version."""
    for record_type, rows in by_version(columns.decoded["key"]):
        dialect = Dialect(partial(kafka_key_name, record_type)) if topic is OFFSETS else PLAIN
        lead = f'"type":{record_type},"data":'
        yield rows, message_texts(lead, columns.decoded["key"], record_type, rows, dialect)


def _values(columns: RecordColumns, name: str) -> Iterator[Rows]:
    decoded = columns.decoded[name]
    for version, rows in by_version(decoded):
        yield rows, message_texts(version_lead(decoded, version), decoded, version, rows)


def _troubles(buffer: ByteArray, columns: RecordColumns) -> tuple[list[Rows], list[Rows]]:
    """Write the keys and the values that could not be read, whose number is small or the topic is another."""
    texts_of_part: dict[str, tuple[list[int], list[str]]] = {"key": ([], []), "value": ([], [])}
    if columns.error.any():
        heads = {"key": ("type", columns.record_type), "value": ("version", columns.value_version)}
        parts = dict(zip(("key", "value"), columns.parts, strict=True))
        for trouble in troubles(buffer, columns):
            (name, numbers), part, row = heads[trouble.part], parts[trouble.part], trouble.row
            content = content_of(buffer, int(part.starts[row]), int(part.ends[row]))
            sentence = (trouble.expected, trouble.actual)
            texts_of_part[trouble.part][0].append(row)
            texts_of_part[trouble.part][1].append(
                write_trouble({name: numbers[row].as_py()}, content, trouble.reason, sentence)
            )
    of_key, of_value = (
        [(np.array(rows), pa.array(texts, TEXT))] if rows else [] for rows, texts in texts_of_part.values()
    )
    return of_key, of_value
