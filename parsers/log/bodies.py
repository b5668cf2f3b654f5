"""Bodies of batches: inflated where they are compressed, and their records found.

Only the way from batches to their records belongs here: codecs, record framing and old entries have their own modules.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from parsers.layouts import batch_header as layout
from parsers.log.batches import HEADER_BYTES
from parsers.log.damage.quarantine import Trouble, quote_bytes
from parsers.log.headers import Headers
from parsers.log.inflation import inflate_bodies
from parsers.log.legacy import ENTRY_FAULTS, entry_spans
from parsers.log.records import FAULTS, Body, Fault, Records, Span, record_spans

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.log.windows import Window
    from parsers.words import ByteArray, Int64Array

_NEWEST_MAGIC: Final = 2


@dataclass(frozen=True)
class Bodies:
    """What the bodies of the first batches hold, as many batches as memory allows; `headers` are those of the batches.

    The headers of old wrappers are completed with what only their inner entries tell.
    """

    headers: Headers
    records: Records
    troubles: tuple[Trouble, ...]


def read_bodies(window: Window, headers: Headers) -> Bodies:
    """Find the records of the batches."""
    is_old = headers["magic"] < _NEWEST_MAGIC
    if is_old.any():
        return _read_mixed(window, headers, is_old)
    stretches = inflate_bodies(window, headers, body_table(headers))
    spans, faults = record_spans(stretches.buffer, stretches.table)
    taken = headers.take(slice(len(stretches.table)))
    troubles = _word(_Place(window, taken, stretches.buffer), faults, FAULTS)
    return Bodies(taken, Records(stretches.buffer, spans), stretches.troubles + troubles)


def body_table(headers: Headers) -> Int64Array:
    """Lay out what reading the bodies takes: one row of `Body` per batch, a magic 2 body behind its header."""
    table = np.empty((len(headers), len(Body)), np.int64)
    table[:, Body.START] = headers.starts + np.where(headers["magic"] < _NEWEST_MAGIC, 0, HEADER_BYTES)
    table[:, Body.END] = headers.starts + headers.size_bytes
    table[:, Body.RECORD_COUNT] = headers["record_count"]
    table[:, Body.BASE_OFFSET] = headers["base_offset"]
    table[:, Body.LAST_OFFSET_DELTA] = headers["last_offset_delta"]
    table[:, Body.BASE_TIMESTAMP_MS] = headers["base_timestamp_ms"]
    table[:, Body.FIXED_TIMESTAMP] = headers.has(layout.LOG_APPEND_TIME)
    table[:, Body.MAX_TIMESTAMP_MS] = headers["max_timestamp_ms"]
    table[:, Body.MAGIC] = headers["magic"]
    return table


def _read_mixed(window: Window, headers: Headers, is_old: NDArray[np.bool_]) -> Bodies:
    """Find the records where old entries are among the batches."""
    table = body_table(headers)
    outer, faults = entry_spans(window.buffer, _only(table, is_old), False)  # noqa: FBT003 - numba: no keywords
    is_wrapper = is_old & (headers.codec != 0)
    table[is_wrapper, Body.START : Body.END + 1] = 0
    wrapped = outer[:, is_wrapper[outer[Span.BATCH]]]
    table[wrapped[Span.BATCH], Body.START] = wrapped[Span.VALUE_START]
    table[wrapped[Span.BATCH], Body.END] = wrapped[Span.VALUE_END]
    stretches = inflate_bodies(window, headers, table)
    taken = headers.take(slice(len(stretches.table)))
    is_old, is_wrapper = is_old[: len(taken)], is_wrapper[: len(taken)]
    place = _Place(window, taken, stretches.buffer)
    inner, inner_faults = entry_spans(stretches.buffer, _only(stretches.table, is_wrapper), True)  # noqa: FBT003
    newest, newest_faults = record_spans(stretches.buffer, _only(stretches.table, ~is_old))
    plain = outer[:, (outer[Span.BATCH] < len(taken))]
    plain = plain[:, ~is_wrapper[plain[Span.BATCH]]]
    spans = np.concatenate([plain, inner, newest], axis=1)
    spans = spans[:, np.argsort(spans[Span.BATCH], kind="stable")]
    faults = np.concatenate([faults[faults[:, Fault.BATCH] < len(taken)], inner_faults])
    troubles = stretches.troubles + _word(place, faults, ENTRY_FAULTS) + _word(place, newest_faults, FAULTS)
    return Bodies(_complete(taken, inner), Records(stretches.buffer, spans), troubles)


def _only(table: Int64Array, chosen: NDArray[np.bool_]) -> Int64Array:
    """Empty the bodies that are not chosen."""
    return np.where(chosen[:, None], table, 0)


def _complete(headers: Headers, inner: Int64Array) -> Headers:
    """Complete the headers of wrappers: first offset and number of records are told by the inner entries alone."""
    batches, first, counts = np.unique(inner[Span.BATCH], return_index=True, return_counts=True)
    fields = {name: column.copy() for name, column in headers.fields.items()}
    fields["last_offset_delta"][batches] = headers["base_offset"][batches] - inner[Span.OFFSET, first]
    fields["base_offset"][batches] = inner[Span.OFFSET, first]
    fields["base_timestamp_ms"][batches] = inner[Span.TIMESTAMP_MS, first]
    fields["record_count"][batches] = counts
    return Headers(headers.starts, fields)


@dataclass(frozen=True)
class _Place:
    """Where faults are: the window of the file, its batches, and the buffer that the spans count in."""

    window: Window
    headers: Headers
    buffer: ByteArray


def _word(place: _Place, faults: Int64Array, wordings: tuple[tuple[str, str, str], ...]) -> tuple[Trouble, ...]:
    return tuple(_trouble(place, fault, wordings[fault[Fault.KIND]]) for fault in faults)


def _trouble(place: _Place, fault: Int64Array, wording: tuple[str, str, str]) -> Trouble:
    """Word a fault of a record and give it its address: that of its batch, when the body was compressed."""
    reason, expected, actual = wording
    start, end, batch = int(fault[Fault.START]), int(fault[Fault.END]), int(fault[Fault.BATCH])
    actual = actual.format(fault[Fault.ACTUAL])
    at = start
    if start >= len(place.window.buffer):
        at, actual = int(place.headers.starts[batch]), f"{actual} (in the inflated body)"
    return Trouble(
        position=place.window.position + at,
        size_bytes=end - start,
        log_offset=int(place.headers["base_offset"][batch]),
        reason=reason,
        expected=expected.format(fault[Fault.EXPECTED]),
        actual=actual,
        bytes=quote_bytes(place.buffer, start, end),
    )
