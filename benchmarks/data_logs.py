"""Logs of data topics in batches of 16 KiB: what is read of them is headers, so that their records are all the same.

Data topics belong here. The offsets topic is written by `benchmarks.generate`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from benchmarks.batches import Row, Stamps, frame, lay_out, write_bodies
from benchmarks.crowd import bits
from benchmarks.encoder import Message
from benchmarks.logs import SEGMENT_BYTES, PartitionLog
from benchmarks.traffic import DAY_MS, START_MS

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.batches import Batches, Bodies
    from parsers.words import Int64Array

RECORDS_PER_BATCH: Final = 16

_VALUE_BYTES: Final = 1008  # with its key and framing, and with the header of the batch, 16 of them are 16 KiB
_VALUES: Final = 3
_BATCHES_PER_CHUNK: Final = 1024


def write_data_log(directory: Path, first_offset: int, batches: int, segment_bytes: int = SEGMENT_BYTES) -> int:
    """Write the log of one partition; give where it ends."""
    log, body = PartitionLog(directory, first_offset, segment_bytes), _body()
    for first in range(0, batches, _BATCHES_PER_CHUNK):
        numbers = np.arange(first, min(batches, first + _BATCHES_PER_CHUNK))
        timestamp_ms = START_MS + numbers * DAY_MS // batches
        log.append(_repeated(body, first_offset + numbers * RECORDS_PER_BATCH, timestamp_ms))
    log.close()
    return log.next_offset


def _repeated(body: Bodies, base_offset: Int64Array, timestamp_ms: Int64Array) -> Batches:
    """Frame the same body once for each offset."""
    count = len(base_offset)
    same = body._replace(starts=np.repeat(body.starts, count), ends=np.repeat(body.ends, count))
    return frame(same, Stamps(base_offset, np.full(count, RECORDS_PER_BATCH), timestamp_ms))


def _body() -> Bodies:
    noise = bits(_VALUES).random_raw(_VALUE_BYTES).astype(np.uint8).tobytes()
    rows = np.zeros((RECORDS_PER_BATCH, len(Row)), np.int64)
    rows[:, Row.VALUE] = 1
    phrases = lay_out([Message(b"key", {}), Message(noise, {})], {}, ())
    return write_bodies(phrases, rows, np.array([RECORDS_PER_BATCH]), "none")
