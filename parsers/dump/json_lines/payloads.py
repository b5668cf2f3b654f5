"""Keys, values and headers that belong to no known message, as JSON: base64, or text where it is asked for.

Put here what is written of bytes whose meaning only their producer knows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from parsers.dump.json_lines.contents import Contents
from parsers.dump.json_lines.objects import Texts, collect, lists, objects, pair_of
from parsers.dump.json_lines.values import base64_strings, value_texts
from parsers.log.record_headers import HeaderSpan, header_spans
from parsers.messages.strings import are_utf8, gather
from parsers.spans import pack

if TYPE_CHECKING:
    from parsers.dump.json_lines.contents import Edges
    from parsers.log.records import Records
    from parsers.words import ByteArray


def base64_contents(buffer: ByteArray, keys: Edges, values: Edges) -> Contents:
    """Write keys and values as base64."""
    return Contents(base64_strings(buffer, *keys), base64_strings(buffer, *values))


def text_contents(buffer: ByteArray, keys: Edges, values: Edges) -> Contents:
    """Write keys and values as text; what is no UTF-8 as an object with its base64."""
    return Contents(_as_text(buffer, keys), _as_text(buffer, values))


def header_texts(records: Records) -> Texts:
    """Write the headers of each record as a list: the key as text, the value as base64."""
    counts = records.header_count
    spans = header_spans(records.buffer, records.headers_start, counts)
    keys = (spans[HeaderSpan.KEY_START], spans[HeaderSpan.KEY_END])
    values = (spans[HeaderSpan.VALUE_START], spans[HeaderSpan.VALUE_END])
    pairs = [pair_of("key", _as_text(records.buffer, keys)), pair_of("value", base64_strings(records.buffer, *values))]
    return lists(pa.array(np.append(0, np.cumsum(counts)), pa.int32()), objects(pairs, spans.shape[1]))


def _as_text(buffer: ByteArray, edges: Edges) -> Texts:
    is_text = are_utf8(buffer, pack(*edges))
    if is_text.all():
        return _strings(buffer, edges)
    parts = []
    for rows, write in ((np.flatnonzero(is_text), _strings), (np.flatnonzero(~is_text), _base64_objects)):
        parts.append((rows, write(buffer, (edges[0][rows], edges[1][rows]))))
    return collect(is_text.size, parts)


def _strings(buffer: ByteArray, edges: Edges) -> Texts:
    return value_texts(gather(buffer, pack(*edges), pa.string()))


def _base64_objects(buffer: ByteArray, edges: Edges) -> Texts:
    return objects([pair_of("base64", base64_strings(buffer, *edges))], edges[0].size)
