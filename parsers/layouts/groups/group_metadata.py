"""The value of a classic group's state, record type 2 of __consumer_offsets.

Versions 0 to 4: 1 added the rebalance timeout (0.10.1, KIP-62), 2 the time of the state (2.1, KIP-211), 3 static
members (2.3, KIP-345); 4 is flexible (readable since 3.5, KIP-915) and written by no release.
"""

from __future__ import annotations

from typing import Final

from parsers.wire import Field, Layout, Wire, since

GROUP_METADATA: Final = Layout(
    "GroupMetadataValue",
    versions=range(5),
    flexible=since(4),
    fields=(
        Field("protocol_type", Wire.STRING),
        Field("generation", Wire.INT32),
        Field("protocol", Wire.STRING, nullable=True),
        Field("leader", Wire.STRING, nullable=True),
        Field("current_state_timestamp", Wire.INT64, versions=since(2), default=-1),
        Field(
            "members",
            Wire.STRUCT,
            array=True,
            fields=(
                Field("member_id", Wire.STRING),
                Field("group_instance_id", Wire.STRING, versions=since(3), nullable=True),
                Field("client_id", Wire.STRING),
                Field("client_host", Wire.STRING),
                Field("rebalance_timeout", Wire.INT32, versions=since(1), default=-1),
                Field("session_timeout", Wire.INT32),
                Field("subscription", Wire.BYTES),
                Field("assignment", Wire.BYTES),
            ),
        ),
    ),
)
