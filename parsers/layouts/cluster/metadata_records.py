"""The records of __cluster_metadata (KRaft, KIP-631) about brokers, features, security and the log itself.

A record's value is the frame of `parsers.layouts.cluster.cluster_metadata`, which names type and version, then one of
these structs; all of them are flexible. Types that never left development (6, 13, 16) are not here. Topics and
partitions have a module of their own, as has the table of all types: `parsers.layouts.cluster.metadata_types`.
"""

from __future__ import annotations

from typing import Final

from parsers.wire import EVERY, Field, Layout, Wire, since

_ENDPOINTS: Final = (
    Field("name", Wire.STRING),
    Field("host", Wire.STRING),
    Field("port", Wire.UINT16),
    Field("security_protocol", Wire.INT16),
)

_FEATURES: Final = (
    Field("name", Wire.STRING),
    Field("min_supported_version", Wire.INT16),
    Field("max_supported_version", Wire.INT16),
)

REGISTER_BROKER: Final = Layout(
    "RegisterBrokerRecord",
    versions=range(5),
    flexible=EVERY,
    fields=(
        Field("broker_id", Wire.INT32),
        Field("is_migrating_zk_broker", Wire.BOOL, versions=since(2), default=0),
        Field("incarnation_id", Wire.UUID),
        Field("broker_epoch", Wire.INT64),
        Field("end_points", Wire.STRUCT, array=True, fields=_ENDPOINTS),
        Field("features", Wire.STRUCT, array=True, fields=_FEATURES),
        Field("rack", Wire.STRING, nullable=True),
        Field("fenced", Wire.BOOL),
        Field("in_controlled_shutdown", Wire.BOOL, versions=since(1), default=0),
        Field("log_dirs", Wire.UUID, versions=since(3), array=True, tag=0, default=()),
        Field("cordoned_log_dirs", Wire.UUID, versions=since(4), array=True, nullable=True, tag=1),
    ),
)

UNREGISTER_BROKER: Final = Layout(
    "UnregisterBrokerRecord",
    versions=range(1),
    flexible=EVERY,
    fields=(Field("broker_id", Wire.INT32), Field("broker_epoch", Wire.INT64)),
)

FENCE_BROKER: Final = Layout(
    "FenceBrokerRecord",
    versions=range(1),
    flexible=EVERY,
    fields=(Field("id", Wire.INT32), Field("epoch", Wire.INT64)),
)

UNFENCE_BROKER: Final = Layout(
    "UnfenceBrokerRecord",
    versions=range(1),
    flexible=EVERY,
    fields=(Field("id", Wire.INT32), Field("epoch", Wire.INT64)),
)

BROKER_REGISTRATION_CHANGE: Final = Layout(
    "BrokerRegistrationChangeRecord",
    versions=range(4),
    flexible=EVERY,
    fields=(
        Field("broker_id", Wire.INT32),
        Field("broker_epoch", Wire.INT64),
        Field("fenced", Wire.INT8, tag=0, default=0),
        Field("in_controlled_shutdown", Wire.INT8, versions=since(1), tag=1, default=0),
        Field("log_dirs", Wire.UUID, versions=since(2), array=True, tag=2, default=()),
        Field("cordoned_log_dirs", Wire.UUID, versions=since(3), array=True, nullable=True, tag=3),
    ),
)

REGISTER_CONTROLLER: Final = Layout(
    "RegisterControllerRecord",
    versions=range(1),
    flexible=EVERY,
    fields=(
        Field("controller_id", Wire.INT32),
        Field("incarnation_id", Wire.UUID),
        Field("zk_migration_ready", Wire.BOOL),
        Field("end_points", Wire.STRUCT, array=True, fields=_ENDPOINTS),
        Field("features", Wire.STRUCT, array=True, fields=_FEATURES),
    ),
)

CONFIG: Final = Layout(
    "ConfigRecord",
    versions=range(1),
    flexible=EVERY,
    fields=(
        Field("resource_type", Wire.INT8),
        Field("resource_name", Wire.STRING),
        Field("name", Wire.STRING),
        Field("value", Wire.STRING, nullable=True),
    ),
)

FEATURE_LEVEL: Final = Layout(
    "FeatureLevelRecord",
    versions=range(1),
    flexible=EVERY,
    fields=(Field("name", Wire.STRING), Field("feature_level", Wire.INT16)),
)

PRODUCER_IDS: Final = Layout(
    "ProducerIdsRecord",
    versions=range(1),
    flexible=EVERY,
    fields=(
        Field("broker_id", Wire.INT32),
        Field("broker_epoch", Wire.INT64),
        Field("next_producer_id", Wire.INT64),
    ),
)

CLIENT_QUOTA: Final = Layout(
    "ClientQuotaRecord",
    versions=range(1),
    flexible=EVERY,
    fields=(
        Field(
            "entity",
            Wire.STRUCT,
            array=True,
            fields=(Field("entity_type", Wire.STRING), Field("entity_name", Wire.STRING, nullable=True)),
        ),
        Field("key", Wire.STRING),
        Field("value", Wire.FLOAT64),
        Field("remove", Wire.BOOL),
    ),
)

USER_SCRAM_CREDENTIAL: Final = Layout(
    "UserScramCredentialRecord",
    versions=range(1),
    flexible=EVERY,
    fields=(
        Field("name", Wire.STRING),
        Field("mechanism", Wire.INT8),
        Field("salt", Wire.BYTES),
        Field("stored_key", Wire.BYTES),
        Field("server_key", Wire.BYTES),
        Field("iterations", Wire.INT32),
    ),
)

REMOVE_USER_SCRAM_CREDENTIAL: Final = Layout(
    "RemoveUserScramCredentialRecord",
    versions=range(1),
    flexible=EVERY,
    fields=(Field("name", Wire.STRING), Field("mechanism", Wire.INT8)),
)

DELEGATION_TOKEN: Final = Layout(
    "DelegationTokenRecord",
    versions=range(1),
    flexible=EVERY,
    fields=(
        Field("owner", Wire.STRING),
        Field("requester", Wire.STRING),
        Field("renewers", Wire.STRING, array=True),
        Field("issue_timestamp", Wire.INT64),
        Field("max_timestamp", Wire.INT64),
        Field("expiration_timestamp", Wire.INT64),
        Field("token_id", Wire.STRING),
    ),
)

REMOVE_DELEGATION_TOKEN: Final = Layout(
    "RemoveDelegationTokenRecord",
    versions=range(1),
    flexible=EVERY,
    fields=(Field("token_id", Wire.STRING),),
)

ACCESS_CONTROL_ENTRY: Final = Layout(
    "AccessControlEntryRecord",
    versions=range(1),
    flexible=EVERY,
    fields=(
        Field("id", Wire.UUID),
        Field("resource_type", Wire.INT8),
        Field("resource_name", Wire.STRING),
        Field("pattern_type", Wire.INT8),
        Field("principal", Wire.STRING),
        Field("host", Wire.STRING),
        Field("operation", Wire.INT8),
        Field("permission_type", Wire.INT8),
    ),
)

REMOVE_ACCESS_CONTROL_ENTRY: Final = Layout(
    "RemoveAccessControlEntryRecord",
    versions=range(1),
    flexible=EVERY,
    fields=(Field("id", Wire.UUID),),
)

NO_OP: Final = Layout("NoOpRecord", versions=range(1), flexible=EVERY, fields=())

ZK_MIGRATION_STATE: Final = Layout(
    "ZkMigrationStateRecord",
    versions=range(1),
    flexible=EVERY,
    fields=(Field("zk_migration_state", Wire.INT8),),
)

BEGIN_TRANSACTION: Final = Layout(
    "BeginTransactionRecord",
    versions=range(1),
    flexible=EVERY,
    fields=(Field("name", Wire.STRING, nullable=True, tag=0),),
)

END_TRANSACTION: Final = Layout("EndTransactionRecord", versions=range(1), flexible=EVERY, fields=())

ABORT_TRANSACTION: Final = Layout(
    "AbortTransactionRecord",
    versions=range(1),
    flexible=EVERY,
    fields=(Field("reason", Wire.STRING, nullable=True, tag=0),),
)

CLEAR_ELR: Final = Layout(
    "ClearElrRecord",
    versions=range(1),
    flexible=EVERY,
    fields=(Field("topic_name", Wire.STRING),),
)
