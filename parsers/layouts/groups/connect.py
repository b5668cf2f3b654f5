"""What Kafka Connect's workers say to each other, inside the GroupMetadata of protocol type "connect".

An int16 version, then a struct that is never flexible: 0 is the protocol "default" (eager), 1 "compatible"
(incremental cooperative, KIP-415), 2 "sessioned" (KIP-507; the bytes are those of 1). Task -1 is the connector itself.
"""

from __future__ import annotations

from typing import Final

from parsers.wire import Field, Layout, Wire, since

_CONNECTOR_TASKS: Final = (
    Field("connector", Wire.STRING),
    Field("tasks", Wire.INT32, array=True),
)

CONNECT_METADATA: Final = Layout(
    "ConnectMetadata",
    versions=range(3),
    tolerant=True,
    fields=(
        Field("url", Wire.STRING),
        Field("config_offset", Wire.INT64),
        Field("allocation", Wire.BYTES, versions=since(1), nullable=True),
    ),
)

CONNECT_ASSIGNMENT: Final = Layout(
    "ConnectAssignment",
    versions=range(3),
    tolerant=True,
    fields=(
        Field("error", Wire.INT16),
        Field("leader", Wire.STRING),
        Field("leader_url", Wire.STRING),
        Field("config_offset", Wire.INT64),
        Field("assignment", Wire.STRUCT, array=True, nullable=True, fields=_CONNECTOR_TASKS),
        Field("revoked", Wire.STRUCT, versions=since(1), array=True, nullable=True, fields=_CONNECTOR_TASKS),
        Field("delay", Wire.INT32, versions=since(1), default=0),
    ),
)
