"""What the records of __cluster_metadata tell about topics: ids, names, partitions, removals.

Put here how a metadata record is told from others. The fields are in `parsers.layouts.cluster.cluster_metadata`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from parsers.layouts.cluster.cluster_metadata import METADATA_FRAME, PARTITION, REMOVE_TOPIC, TOPIC
from parsers.messages.decode import decode

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

    from parsers.words import ByteArray, Int64Array

_TOPIC_KEY: Final = 2
_PARTITION_KEY: Final = 3
_REMOVE_TOPIC_KEY: Final = 9
_FRAME_VERSION: Final = 1


@dataclass(frozen=True)
class MetadataColumns:
    """Metadata records as columns; each is null where a record is of another kind or can't be read."""

    topic: pa.StructArray
    """Topic created: name, topic_id."""
    partition: pa.StructArray
    """Partition created: partition_id, topic_id. A topic has as many partitions as there are distinct ones."""
    remove_topic: pa.StructArray
    """Topic removed: topic_id."""


def decode_metadata_records(buffer: ByteArray, starts: Int64Array, ends: Int64Array) -> MetadataColumns:
    """Decode the values of metadata records that stand in a buffer; a start of -1 is null."""
    frames = decode(METADATA_FRAME, buffer, starts, ends, 0)
    is_framed = (starts >= 0) & (frames.error == 0) & _is(frames.columns, "frame_version", _FRAME_VERSION)
    bodies = np.where(is_framed, ends - frames.left_over_bytes, -1)
    kinds = {_TOPIC_KEY: TOPIC, _PARTITION_KEY: PARTITION, _REMOVE_TOPIC_KEY: REMOVE_TOPIC}
    columns = (
        decode(layout, buffer, np.where(_is(frames.columns, "api_key", key), bodies, -1), ends, 0).columns
        for key, layout in kinds.items()
    )
    return MetadataColumns(*columns)


def _is(frames: pa.StructArray, name: str, number: int) -> npt.NDArray[np.bool_]:
    is_equal: npt.NDArray[np.bool_] = frames.field(name).to_numpy(zero_copy_only=False) == number
    return is_equal
