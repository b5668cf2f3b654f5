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


def write_data_log(
    directory: Path, first_offset: int, batches: int, segment_bytes: int = SEGMENT_BYTES, *, kinds: int = 1
) -> int:
    """Write the log of one partition, the batches of so many kinds by turns; give where it ends."""
    log, bodies = PartitionLog(directory, first_offset, segment_bytes), _bodies(kinds)
    for first in range(0, batches, _BATCHES_PER_CHUNK):
        numbers = np.arange(first, min(batches, first + _BATCHES_PER_CHUNK))
        timestamp_ms = START_MS + numbers * DAY_MS // batches
        log.append(_repeated(bodies, numbers % kinds, first_offset + numbers * RECORDS_PER_BATCH, timestamp_ms))
    log.close()
    return log.next_offset


def _repeated(bodies: Bodies, kind: Int64Array, base_offset: Int64Array, timestamp_ms: Int64Array) -> Batches:
    """Frame a body of some kind for each offset."""
    same = bodies._replace(starts=bodies.starts[kind], ends=bodies.ends[kind])
    return frame(same, Stamps(base_offset, np.full(len(base_offset), RECORDS_PER_BATCH), timestamp_ms))


def _bodies(kinds: int) -> Bodies:
    rows = np.zeros((kinds * RECORDS_PER_BATCH, len(Row)), np.int64)
    rows[:, Row.VALUE] = 1 + np.arange(len(rows))
    noise = bits(_VALUES).random_raw(len(rows) * _VALUE_BYTES).astype(np.uint8).tobytes()
    values = [Message(noise[at : at + _VALUE_BYTES], {}) for at in range(0, len(noise), _VALUE_BYTES)]
    phrases = lay_out([Message(b"key", {}), *values], {}, ())
    return write_bodies(phrases, rows, np.full(kinds, RECORDS_PER_BATCH), "none")
