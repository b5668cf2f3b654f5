"""The records of __cluster_metadata and the control records of any topic, as Kafka's JSON.

Put here what stands around the data of such a record. The data itself is written by `parsers.dump.json_lines.messages`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from parsers.dump.json_lines.contents import Contents
from parsers.dump.json_lines.messages import (
    by_version,
    content_of,
    data_texts,
    message_texts,
    version_lead,
    write_trouble,
)
from parsers.dump.json_lines.objects import TEXT, Texts, collect, objects, pair_of
from parsers.dump.json_lines.values import Dialect, base64_strings, numbers
from parsers.layouts.batch_header import CONTROL_TYPES
from parsers.layouts.cluster.metadata_types import METADATA_TYPES, metadata_type_name
from parsers.messages.control_records import decode_control
from parsers.messages.metadata_records import decode_metadata
from parsers.messages.reasons import EXPECTED, Reason

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parsers.dump.json_lines.contents import Edges
    from parsers.messages.control_records import ControlRecords
    from parsers.messages.decode import Structs
    from parsers.messages.metadata_records import MetadataRecords
    from parsers.words import ByteArray, Int64Array

Rows = tuple["Int64Array", Texts]


def metadata_contents(buffer: ByteArray, keys: Edges, values: Edges) -> Contents:
    """Write metadata records: the key, which Kafka leaves null, as base64, and the value by its type."""
    records = decode_metadata(buffer, *values)
    parts = [part for number in records.decoded for part in _values(records, number)]
    bad = np.flatnonzero(records.error)
    texts = [_trouble(buffer, records, int(row), values) for row in bad]
    return Contents(
        keys=base64_strings(buffer, *keys),
        values=collect(values[0].size, [*parts, (bad, pa.array(texts, TEXT))] if bad.size else parts),
        trouble_count=bad.size,
    )


def _values(records: MetadataRecords, number: int) -> Iterator[Rows]:
    name, decoded = metadata_type_name(METADATA_TYPES[number]), records.decoded[number]
    for version, rows in by_version(decoded):
        lead = f'"type":"{name}",' + version_lead(decoded, version)
        yield rows, message_texts(lead, decoded, version, rows)


def _trouble(buffer: ByteArray, records: MetadataRecords, row: int, values: Edges) -> str:
    start, end = int(values[0][row]), int(values[1][row])
    number, reason = int(records.types[row]), Reason(int(records.error[row]))
    expected = EXPECTED[reason]
    if number in records.decoded and reason is not Reason.UNKNOWN_VERSION:
        expected = f"{records.decoded[number].field(row)}: {expected}"
    heads = {"type": _or_none(number), "version": _or_none(int(records.versions[row]))}
    return write_trouble(
        heads, content_of(buffer, start, end), reason, (expected, buffer[start : min(end, start + 16)].tobytes().hex())
    )


def _or_none(number: int) -> int | None:
    return None if number < 0 else number


def control_texts(buffer: ByteArray, keys: Edges, values: Edges) -> Texts:
    """Write control records: the name of the type and its fields; what is not known, as key and value in base64."""
    records, count = decode_control(buffer, keys, values), keys[0].size
    parts = [(rows, texts) for number, decoded in records.decoded.items() for rows, texts in _texts_of(number, decoded)]
    is_known = np.zeros(count, np.bool_)
    for rows, _texts in parts:
        is_known[rows] = True
    others = np.flatnonzero(~is_known)
    return collect(
        count, [*parts, (others, _unknown(buffer, records, (keys, values), others))] if others.size else parts
    )


def _texts_of(number: int, decoded: Structs) -> Iterator[Rows]:
    lead = f'"type":"{CONTROL_TYPES[number]}",'
    for version, rows in by_version(decoded):
        yield rows, data_texts(decoded, version, rows, Dialect(frame=("{" + lead, "}")))


def _unknown(buffer: ByteArray, records: ControlRecords, parts: tuple[Edges, Edges], rows: Int64Array) -> Texts:
    types = records.types[rows]
    (key_starts, key_ends), (value_starts, value_ends) = parts
    return objects(
        [
            pair_of("type", numbers(types, types < 0)),
            pair_of("key", base64_strings(buffer, key_starts[rows], key_ends[rows])),
            pair_of("value", base64_strings(buffer, value_starts[rows], value_ends[rows])),
        ],
        rows.size,
    )
