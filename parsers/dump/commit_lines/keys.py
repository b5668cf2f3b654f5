"""Which records are offset commits, by the record type that their key begins with.

Put here what is asked of many records at once. Their keys and values are read by `parsers.dump.commit_lines.loop`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from parsers.log.records import Records

RECORD_TYPES: Final = range(2)
"""The record types of offset commits: up to Kafka 0.8.2, and since 0.9."""

_HEAD_BYTES: Final = 2


def are_commit_keys(records: Records) -> npt.NDArray[np.bool_]:
    """Tell which records have the key of an offset commit, as far as its record type says."""
    has_type = records.key_end - records.key_start >= _HEAD_BYTES
    starts = np.where(has_type, records.key_start, 0)
    if not len(records.buffer):
        return has_type
    high, low = records.buffer[starts], records.buffer[np.minimum(starts + 1, len(records.buffer) - 1)]
    are_commits: npt.NDArray[np.bool_] = has_type & (high == 0) & (low < RECORD_TYPES.stop)
    return are_commits
