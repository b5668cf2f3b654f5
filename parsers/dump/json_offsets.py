"""Keys and values of the offsets topic as JSON: commits straight from their bytes, the rest from columns.

Put here how the two ways share a slice. The steps of the first are in `parsers.dump.json_templates`, the other is
`parsers.dump.json_topics`, which is imported when it is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from parsers.dump.json_contents import Contents
from parsers.dump.json_interpreter import LARGEST_RECORD_BYTES, Text, write_records
from parsers.dump.json_pieces import Texts
from parsers.dump.json_templates import offset_program
from parsers.dump.on_demand import on_demand
from parsers.spans import frozen

if TYPE_CHECKING:
    from parsers.dump.json_contents import Edges, Writer
    from parsers.words import ByteArray, Int64Array

_GROWTH: Final = 4
"""So many times its own bytes a record takes as JSON, about."""

_column_contents: Writer = on_demand("json_topics", "offset_contents")


class _Written(NamedTuple):
    data: ByteArray
    used: int
    texts: Int64Array
    """A column of `Text` for each record."""


def offset_contents(buffer: ByteArray, keys: Edges, values: Edges) -> Contents:
    """Write keys and values, each given by its starts and ends in a buffer; a start of -1 is null."""
    written, trouble_count = _write(buffer, keys, values), 0
    others = np.flatnonzero(written.texts[Text.KEY_START] < 0)
    if others.size:
        of_keys, of_values = ((starts[others], ends[others]) for starts, ends in (keys, values))
        rest = _column_contents(buffer, of_keys, of_values)
        trouble_count = rest.trouble_count
        for row, part in ((Text.KEY_START, rest.keys), (Text.VALUE_START, rest.values)):
            written = _with_part(written, others, row, part)
    data = frozen(written.data[: written.used])
    key_starts, key_ends, value_starts, value_ends = written.texts
    return Contents(Texts(data, key_starts, key_ends), Texts(data, value_starts, value_ends), trouble_count)


def _with_part(written: _Written, rows: Int64Array, row_of_starts: int, part: Texts) -> _Written:
    """Put the texts of some records, which were written elsewhere, behind what was written."""
    data, begin, texts = written
    texts[row_of_starts, rows] = np.where(part.starts < 0, -1, part.starts + begin)
    texts[row_of_starts + 1, rows] = part.ends + begin
    end = begin + part.data.size
    if end > data.size:
        return _Written(np.concatenate([data[:begin], part.data]), end, texts)
    data[begin:end] = part.data
    return _Written(data, end, texts)


def _write(buffer: ByteArray, keys: Edges, values: Edges) -> _Written:
    """Write what the steps are sure of; the keys of the other records start below zero."""
    program, count, source = offset_program(), keys[0].size, frozen(buffer)
    edges = (frozen(keys[0]), frozen(keys[1]), frozen(values[0]), frozen(values[1]))
    content_bytes = sum(int(ends.sum()) - int(starts.sum()) for starts, ends in (keys, values))
    most_bytes = program[-1][0] + program[-1][1] * LARGEST_RECORD_BYTES
    data, texts = np.empty(_GROWTH * content_bytes + program[-1][0], np.uint8), np.empty((len(Text), count), np.int64)
    row, at = write_records(data, source, edges, program, (texts, 0, 0))
    while row < count:
        data = np.concatenate([data[:at], np.empty(data.size + most_bytes, np.uint8)])
        row, at = write_records(data, source, edges, program, (texts, row, at))
    return _Written(data, at, texts)
