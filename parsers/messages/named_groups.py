"""The groups that keys of internal topics name, which an erasure has to find: those of MirrorMaker 2 and of Connect.

Put here what finds a group in a key. Which topics have such keys is in `parsers.files.internal_topics`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pyarrow as pa

from parsers.layouts.mirror_maker import CHECKPOINT_KEY
from parsers.messages.decode import decode

if TYPE_CHECKING:
    from parsers.words import ByteArray, Int64Array


def checkpoint_groups(buffer: ByteArray, starts: Int64Array, ends: Int64Array) -> pa.Array:
    """The group of each key of a checkpoint; NULL of a key that can't be read."""
    group_ids, *_ = decode(CHECKPOINT_KEY, buffer, starts, ends, 0).columns.flatten()
    return group_ids.cast(pa.string())


def source_offset_groups(buffer: ByteArray, starts: Int64Array, ends: Int64Array) -> pa.Array:
    """The group in each key of a source offset: MirrorMaker's connector of checkpoints has one for each group."""
    keys = (buffer[max(start, 0) : end].tobytes() for start, end in zip(starts.tolist(), ends.tolist(), strict=True))
    return pa.array(map(_group, keys), pa.string())


def _group(key: bytes) -> str | None:
    if b'"group"' not in key:
        return None
    try:
        _, source_partition = json.loads(key)
        group = source_partition["group"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return group.encode("utf-8", "replace").decode() if isinstance(group, str) else None
