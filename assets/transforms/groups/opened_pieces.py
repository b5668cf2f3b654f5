"""How many records about groups are opened at a time: by what they take opened, so that a worker's memory is bounded.

Put here where records are parted. What a single record may take is in `claim_bounds`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from parsers.words import Int64Array

PIECE_BYTES: Final = 4 << 20
"""So many bytes of records are opened at a time; opened they take some hundred times as much."""
RECORD_BYTES: Final = 100
"""Bytes of a record besides its value."""
NAME_BYTES: Final = 32
"""A group's name of a multiple of this length counts as often: each of its partitions gets the name."""


def piece_cuts(records: pa.Table) -> list[int]:
    """The rows before which records about groups are parted, in the order of the log."""
    names = _lengths(records["group_id"])
    values = pc.fill_null(records["value_bytes"], 0).to_numpy().astype(np.int64)
    ends = np.cumsum((values + RECORD_BYTES) * (1 + names // NAME_BYTES))
    cuts: list[int] = (np.flatnonzero(np.diff(ends // PIECE_BYTES)) + 1).tolist()
    return cuts


def _lengths(names: pa.ChunkedArray) -> Int64Array:
    """The lengths of names, which are not written out for it where each is stored once."""
    coded = names.combine_chunks()
    if not pa.types.is_dictionary(coded.type):
        coded = coded.dictionary_encode()
    lengths = pc.binary_length(coded.dictionary).take(coded.indices)
    numbers: Int64Array = pc.fill_null(lengths, 0).to_numpy().astype(np.int64)
    return numbers
