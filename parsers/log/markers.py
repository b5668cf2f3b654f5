"""Control batches: what kind of marker each carries, and the epoch of the transaction coordinator that wrote it.

Only the fixed beginning of a control record belongs here. Which commits a marker makes effective is said in `core`.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from parsers.layouts import batch_header as layout
from parsers.log.bodies import body_table
from parsers.log.headers import NONE, Headers, Markers
from parsers.log.records import Span, record_spans
from parsers.words import ByteArray, Int64Array, big32

_KEY_BYTES: Final = 4
_TRANSACTION_VALUE_BYTES: Final = 6
_EPOCH_AT: Final = 2
_TYPE_BITS: Final = 0xFFFF
_LAST_TRANSACTION_TYPE: Final = 1


def read_markers(buffer: ByteArray, headers: Headers) -> Markers:
    """Read the first record of each control batch: its type, and the coordinator epoch of COMMIT and ABORT."""
    control_type = np.full(len(headers), NONE, np.int64)
    coordinator_epoch = np.full(len(headers), NONE, np.int64)
    control = np.flatnonzero(headers.has(layout.CONTROL) & (headers.codec == 0))
    if len(control):
        spans, _faults = record_spans(buffer, body_table(headers)[control])
        for at in np.flatnonzero(np.diff(spans[Span.BATCH], prepend=NONE)):
            batch = control[spans[Span.BATCH, at]]
            control_type[batch], coordinator_epoch[batch] = _marker(buffer, spans[:, at])
    return Markers(control_type, coordinator_epoch)


def _marker(buffer: ByteArray, span: Int64Array) -> tuple[int, int]:
    """Read key (version, type) and value (version, coordinator epoch) of a control record."""
    key, value = int(span[Span.KEY_START]), int(span[Span.VALUE_START])
    if key < 0 or span[Span.KEY_END] - key < _KEY_BYTES:
        return NONE, NONE
    kind = int(big32(buffer, key)) & _TYPE_BITS
    is_short = value < 0 or span[Span.VALUE_END] - value < _TRANSACTION_VALUE_BYTES
    if kind > _LAST_TRANSACTION_TYPE or is_short:
        return kind, NONE
    return kind, int(big32(buffer, value + _EPOCH_AT))
