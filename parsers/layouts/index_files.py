"""The fixed-width files beside a segment: offset, time and transaction index, and the snapshot of producers.

One dtype per file, a row per field in wire order. Where a file ends before its bytes do is said in
`parsers.log.index_files`. Provenance: Kafka's OffsetIndex, TimeIndex, TransactionIndex (AbortedTxn) and
ProducerSnapshot.
"""

from __future__ import annotations

from typing import Final

import numpy as np

OFFSET_INDEX: Final = np.dtype(
    [
        ("relative_offset", ">i4"),  # of the last record of the batch, counted from the segment's base offset
        ("position", ">i4"),  # byte of the segment where that batch begins
    ]
)

TIME_INDEX: Final = np.dtype(
    [
        ("timestamp_ms", ">i8"),  # largest so far
        ("relative_offset", ">i4"),  # of the record that has it
    ]
)

TRANSACTION_INDEX: Final = np.dtype(
    [
        ("version", ">i2"),
        ("producer_id", ">i8"),
        ("first_offset", ">i8"),
        ("last_offset", ">i8"),  # of the ABORT marker
        ("last_stable_offset", ">i8"),
    ]
)

SNAPSHOT_HEADER: Final = np.dtype(
    [
        ("version", ">i2"),
        ("crc", ">u4"),  # CRC-32C over all that follows
        ("entry_count", ">i4"),
    ]
)

SNAPSHOT_ENTRY: Final = np.dtype(
    [
        ("producer_id", ">i8"),
        ("producer_epoch", ">i2"),
        ("last_sequence", ">i4"),  # -1: only a marker was seen
        ("last_offset", ">i8"),
        ("offset_delta", ">i4"),
        ("timestamp_ms", ">i8"),
        ("coordinator_epoch", ">i4"),
        ("current_transaction_first_offset", ">i8"),  # -1: no open transaction
    ]
)

SNAPSHOT_VERSION: Final = 1
SNAPSHOT_CHECKED_FROM: Final = 6
TRANSACTION_INDEX_VERSION: Final = 0
