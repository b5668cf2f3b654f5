"""The records of __cluster_metadata in full, one decoded column for each type that occurs.

Put here how a record's frame leads to its layout. What only topics and partitions need is read by
`parsers.messages.cluster_metadata`; the layouts are in `parsers.layouts.cluster.metadata_types`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from parsers.layouts.cluster.cluster_metadata import METADATA_FRAME
from parsers.layouts.cluster.metadata_types import METADATA_TYPES
from parsers.messages.decode import Structs, decode
from parsers.messages.reasons import Reason

if TYPE_CHECKING:
    from parsers.words import ByteArray, Int64Array

_FRAME_VERSION: Final = 1
_LARGEST_VERSION: Final = np.iinfo(np.int16).max
_UNKNOWN: Final = -1


@dataclass(frozen=True)
class MetadataRecords:
    """Metadata records by type; a record that could not be read is in none of them and has a reason."""

    types: Int64Array
    """Type in the frame; -1 where the value is null or has no frame."""
    versions: Int64Array
    error: npt.NDArray[np.int8]
    decoded: dict[int, Structs]


def decode_metadata(buffer: ByteArray, starts: Int64Array, ends: Int64Array) -> MetadataRecords:
    """Decode the values of metadata records that stand in a buffer; a start of -1 is null."""
    frames = decode(METADATA_FRAME, buffer, starts, ends, 0)
    frame_version, types, versions = (
        frames.columns.field(name).to_numpy(zero_copy_only=False) for name in ("frame_version", "api_key", "version")
    )
    is_framed = (starts >= 0) & (frames.error == 0)
    error = np.where(is_framed & (frame_version != _FRAME_VERSION), np.int8(Reason.UNKNOWN_VERSION), frames.error)
    is_framed &= error == 0
    types = np.where(is_framed, types, _UNKNOWN)
    error[is_framed & ~np.isin(types, list(METADATA_TYPES))] = Reason.UNKNOWN_RECORD_TYPE
    bodies, layouts = ends - frames.left_over_bytes, np.minimum(versions, _LARGEST_VERSION).astype(np.int16)
    decoded = {}
    for number in np.unique(types[is_framed & (error == 0)]).tolist():
        of_type = np.where(types == number, bodies, np.int64(-1))
        decoded[number] = decode(METADATA_TYPES[number], buffer, of_type, ends, layouts)
        error = np.maximum(error, decoded[number].error)
    return MetadataRecords(types, np.where(is_framed, versions, _UNKNOWN), error, decoded)
