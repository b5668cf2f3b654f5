"""The fixed headers of what a segment holds: magic 2 batches, and the entries of magic 0 and 1.

One dtype per format, a row per field in wire order; sizes, limits and attribute bits that belong to them. How a
header is found and checked belongs to `parsers.log.batches`. Provenance: Kafka's DefaultRecordBatch (magic 2 since
0.11), LegacyRecord and Records (magic 1 since 0.10, magic 0 before).
"""

from __future__ import annotations

from typing import Final

import numpy as np

BATCH_HEADER: Final = np.dtype(
    [
        ("base_offset", ">i8"),
        ("length", ">i4"),  # bytes after this field
        ("leader_epoch", ">i4"),  # not covered by the checksum
        ("magic", "i1"),
        ("crc", ">u4"),  # CRC-32C over all that follows
        ("attributes", ">i2"),
        ("last_offset_delta", ">i4"),
        ("base_timestamp_ms", ">i8"),  # the delete horizon, when that attribute is set
        ("max_timestamp_ms", ">i8"),
        ("producer_id", ">i8"),
        ("producer_epoch", ">i2"),
        ("base_sequence", ">i4"),
        ("record_count", ">i4"),
    ]
)

ENTRY_HEADER: Final = np.dtype(
    [
        ("offset", ">i8"),  # of the last inner record, when the entry is a compressed wrapper
        ("length", ">i4"),
        ("crc", ">u4"),  # CRC-32 over all that follows
        ("magic", "i1"),
        ("attributes", "i1"),
        ("timestamp_ms", ">i8"),  # magic 1 only: magic 0 has the key here
    ]
)

LENGTH_AT: Final = 8
LENGTH_END: Final = 12
MAGIC_AT: Final = 16

CHECKED_FROM: Final = {0: 16, 1: 16, 2: 21}  # first byte that the checksum covers, by magic
SMALLEST_LENGTH: Final = {0: 14, 1: 22, 2: 49}  # of the length field, by magic
KEY_AT: Final = {0: 18, 1: 26}  # the key of an entry, by magic
LARGEST_BATCH_BYTES: Final = 256 << 20  # a length beyond this is taken for a broken one

CODEC_BITS: Final = 0x07
LOG_APPEND_TIME: Final = 0x08
TRANSACTIONAL: Final = 0x10
CONTROL: Final = 0x20
DELETE_HORIZON: Final = 0x40

CONTROL_TYPES: Final = {
    0: "ABORT",
    1: "COMMIT",
    2: "LEADER_CHANGE",
    3: "SNAPSHOT_HEADER",
    4: "SNAPSHOT_FOOTER",
    5: "KRAFT_VERSION",
    6: "KRAFT_VOTERS",
}
