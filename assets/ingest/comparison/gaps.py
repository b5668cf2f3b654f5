"""Batches of which only headers are read, where offsets are missing between them: which of them are unsound.

Put here the check of their checksums. `assets.ingest.slice_writer` sets an unsound batch aside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from parsers.log.batches import computed_checksum, is_sound, stored_checksum
from parsers.log.damage.quarantine import QUOTED_BYTES, Trouble

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.sources import ByteSource

MOST_GAPS: Final = 16
"""In one slice: more gaps come from the log cleaner, and checking each would read the whole log."""


def unsound_beside_gaps(batches: pa.RecordBatch, source: ByteSource) -> list[Trouble]:
    """The unsound batches before and after a gap, in the order of the log.

    In a log that was never cleaned an offset is missing where a header says another length than its batch has: the
    batches that follow are taken for a part of it.
    """
    first, last = (batches.column(name).to_numpy() for name in ("base_offset", "last_offset"))
    before = np.flatnonzero(first[1:] != last[:-1] + 1)
    doubtful = np.union1d(before, before + 1) if len(before) <= MOST_GAPS else before[:0]
    places = batches.select(["position", "size_bytes", "base_offset"]).take(pa.array(doubtful)).to_pylist()
    troubles = (_trouble(source, *place.values()) for place in places)
    return [trouble for trouble in troubles if trouble is not None]


def is_of(batches: pa.RecordBatch, troubles: list[Trouble]) -> NDArray[np.bool_]:
    """A mask of the batches that have one of these troubles."""
    positions = batches.column("position").to_numpy()
    return np.isin(positions, [trouble.position for trouble in troubles])


def _trouble(source: ByteSource, position: int, size_bytes: int, offset: int) -> Trouble | None:
    """What is wrong with a batch; None when its checksum is right."""
    content = source.read(position, size_bytes)
    if len(content) == size_bytes and is_sound(content, 0, size_bytes):
        return None
    expected, actual = int(stored_checksum(content, 0)), int(computed_checksum(content, 0, len(content)))
    first_bytes = content[:QUOTED_BYTES].tobytes()
    return Trouble(position, size_bytes, offset, "batch checksum", f"{expected:#010x}", f"{actual:#010x}", first_bytes)
