"""Decoded messages as JSON: the data of each version, what a layout did not know, and what could not be read.

Put here what every kind of message has in common. Which messages a topic has is in `parsers.dump.json_lines.topics` and
`parsers.dump.json_lines.metadata`; how data is written in `parsers.dump.json_lines.values`.
"""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from parsers.dump.json_lines.members import open_members
from parsers.dump.json_lines.objects import Pair, Texts, nulls, objects, pair_of
from parsers.dump.json_lines.values import PLAIN, Dialect, flat_objects, list_texts, numbers, struct_texts
from parsers.layouts.groups.group_metadata import GROUP_METADATA
from parsers.messages.arrays.schemas import UNKNOWN_TAGS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from parsers.messages.decode import Structs
    from parsers.messages.reasons import Reason
    from parsers.wire import Field, Layout
    from parsers.words import ByteArray, Int64Array

_OPENED: Final[Mapping[str, Callable[[pa.StructArray], dict[str, Texts]]]] = {GROUP_METADATA.name: open_members}
"""Messages with bytes that kafka-dump-log opens, and what opens them."""


def by_version(decoded: Structs) -> Iterator[tuple[int, Int64Array]]:
    """Give the versions of the layout that occur, below zero for a pre-release one, and the rows of each."""
    readable = np.flatnonzero(~nulls(decoded.columns))
    versions = decoded.version[readable]
    for version in np.unique(versions).tolist():
        yield version, readable[versions == version]


def message_texts(lead: str, decoded: Structs, version: int, rows: Int64Array, dialect: Dialect = PLAIN) -> Texts:
    """Write the messages of some rows, all of one version; `lead` stands before their data."""
    unknown = list(_unknown(decoded, rows))
    if not unknown:
        return data_texts(decoded, version, rows, replace(dialect, frame=("{" + lead + "{", "}}")))
    return objects([Pair(lead, data_texts(decoded, version, rows, dialect)), *unknown], rows.size)


def data_texts(decoded: Structs, version: int, rows: Int64Array, dialect: Dialect) -> Texts:
    """Write the data of some rows, all of one version; where most rows are wanted, all of them are written."""
    layout, count = decoded.image.plan.layout, len(decoded.columns)
    is_most = 2 * rows.size > count
    structs = decoded.columns if is_most else decoded.columns.take(pa.array(rows))
    if layout.name in _OPENED:
        dialect = replace(dialect, given=_OPENED[layout.name](structs))
    texts = struct_texts(fields_of(layout, version), structs, dialect)
    return texts.take(pa.array(rows)) if is_most and rows.size < count else texts


@cache
def fields_of(layout: Layout, version: int) -> tuple[Field, ...]:
    """Give the fields of one version, which is asked for again and again."""
    return layout.fields_of(version)


def version_lead(decoded: Structs, version: int) -> str:
    """Name the version before the data, and the release that wrote it, where it wrote version 0 in its own way."""
    if version >= 0:
        return f'"version":{version},"data":'
    release = decoded.image.plan.layout.drafts[-version - 1]
    return f'"version":0,"layout":"{release}","data":'


def _unknown(decoded: Structs, rows: Int64Array) -> Iterator[Pair]:
    """Give what stands in the bytes and is in no field: tagged fields of releases to come, and bytes left over."""
    if decoded.columns.type.get_field_index(UNKNOWN_TAGS) >= 0:
        tags = decoded.columns.field(UNKNOWN_TAGS)
        if tags.null_count < len(tags):
            texts = list_texts(tags, flat_objects(pa.RecordBatch.from_struct_array(tags.values))).take(pa.array(rows))
            yield pair_of("unknownTags", texts, is_present=~nulls(texts))
    left_over_bytes = decoded.left_over_bytes[rows]
    if left_over_bytes.any():
        yield pair_of("leftOverBytes", numbers(left_over_bytes), is_present=left_over_bytes > 0)


def write_trouble(
    numbers: dict[str, int | None], content: bytes | None, reason: Reason, sentence: tuple[str, str]
) -> str:
    """Write a key or value that could not be read: its type or version, its bytes, what was expected and found."""
    expected, actual = sentence
    return json.dumps(
        {
            **numbers,
            "bytes": None if content is None else base64.b64encode(content).decode(),
            "trouble": {"reason": reason.name.lower().replace("_", " "), "expected": expected, "found": actual},
        },
        separators=(",", ":"),
    )


def content_of(buffer: ByteArray, start: int, end: int) -> bytes | None:
    """Give a stretch of the buffer; None where it starts below zero."""
    return None if start < 0 else buffer[start:end].tobytes()
