"""Key and value of the records of __transaction_state (KIP-98).

Version 0 is written unless the feature transaction.version is 1 or more (4.0, KIP-890); then 1, which is flexible.
"""

from __future__ import annotations

from typing import Final

from parsers.wire import Field, Layout, Wire, since

TRANSACTION_KEY: Final = Layout(
    "TransactionLogKey",
    versions=range(1),
    fields=(Field("transactional_id", Wire.STRING),),
)

TRANSACTION: Final = Layout(
    "TransactionLogValue",
    versions=range(2),
    flexible=since(1),
    fields=(
        Field("producer_id", Wire.INT64),
        Field("previous_producer_id", Wire.INT64, versions=since(1), tag=0, default=-1),
        Field("next_producer_id", Wire.INT64, versions=since(1), tag=1, default=-1),
        Field("producer_epoch", Wire.INT16),
        Field("next_producer_epoch", Wire.INT16, versions=since(1), tag=3, default=-1),
        Field("transaction_timeout_ms", Wire.INT32),
        Field("transaction_status", Wire.INT8),
        Field(
            "transaction_partitions",
            Wire.STRUCT,
            array=True,
            nullable=True,
            fields=(Field("topic", Wire.STRING), Field("partition_ids", Wire.INT32, array=True)),
        ),
        Field("transaction_last_update_timestamp_ms", Wire.INT64),
        Field("transaction_start_timestamp_ms", Wire.INT64),
        Field("client_transaction_version", Wire.INT16, versions=since(1), tag=2, default=0),
    ),
)

TRANSACTION_STATUSES: Final = (
    "Empty",
    "Ongoing",
    "PrepareCommit",
    "PrepareAbort",
    "CompleteCommit",
    "CompleteAbort",
    "Dead",
    "PrepareEpochFence",
)
"""Names of `transaction_status` by number."""
