"""The record types of __cluster_metadata: the number in a record's frame and the layout of what follows it.

The fields are in `parsers.layouts.cluster.metadata_partitions` and `parsers.layouts.cluster.metadata_records`.
"""

from __future__ import annotations

from typing import Final

from parsers.layouts.cluster import metadata_partitions as partitions
from parsers.layouts.cluster import metadata_records as records
from parsers.wire import Layout, snake

METADATA_TYPES: Final[dict[int, Layout]] = {
    0: records.REGISTER_BROKER,
    1: records.UNREGISTER_BROKER,
    2: partitions.TOPIC,
    3: partitions.PARTITION,
    4: records.CONFIG,
    5: partitions.PARTITION_CHANGE,
    7: records.FENCE_BROKER,
    8: records.UNFENCE_BROKER,
    9: partitions.REMOVE_TOPIC,
    10: records.DELEGATION_TOKEN,
    11: records.USER_SCRAM_CREDENTIAL,
    12: records.FEATURE_LEVEL,
    14: records.CLIENT_QUOTA,
    15: records.PRODUCER_IDS,
    17: records.BROKER_REGISTRATION_CHANGE,
    18: records.ACCESS_CONTROL_ENTRY,
    19: records.REMOVE_ACCESS_CONTROL_ENTRY,
    20: records.NO_OP,
    21: records.ZK_MIGRATION_STATE,
    22: records.REMOVE_USER_SCRAM_CREDENTIAL,
    23: records.BEGIN_TRANSACTION,
    24: records.END_TRANSACTION,
    25: records.ABORT_TRANSACTION,
    26: records.REMOVE_DELEGATION_TOKEN,
    27: records.REGISTER_CONTROLLER,
    28: records.CLEAR_ELR,
}


def metadata_column(layout: Layout) -> str:
    """Give the column of a type's records: register_broker for RegisterBrokerRecord."""
    return snake(layout.name.removesuffix("Record"))


def metadata_type_name(layout: Layout) -> str:
    """Give Kafka's own name of a type: REGISTER_BROKER_RECORD for RegisterBrokerRecord."""
    return snake(layout.name).upper()
