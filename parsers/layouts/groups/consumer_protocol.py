"""What members of a classic group of protocol type "consumer" say to each other, inside its GroupMetadata.

An int16 version, then a struct that is never flexible: 1 added the owned partitions (client 2.4, KIP-429), 2 the
generation (3.4, KIP-792) and 3 the rack (3.4, KIP-881). The user data of the sticky assignors has no version: the
sticky one's lacked the generation before client 2.3 (KIP-341), the cooperative one's is the generation alone.
"""

from __future__ import annotations

from typing import Final

from parsers.wire import Field, Layout, Wire, since

_TOPIC_PARTITIONS: Final = (
    Field("topic", Wire.STRING),
    Field("partitions", Wire.INT32, array=True),
)

SUBSCRIPTION: Final = Layout(
    "ConsumerProtocolSubscription",
    versions=range(4),
    tolerant=True,
    fields=(
        Field("topics", Wire.STRING, array=True, default=()),
        Field("user_data", Wire.BYTES, nullable=True),
        Field("owned_partitions", Wire.STRUCT, versions=since(1), array=True, default=(), fields=_TOPIC_PARTITIONS),
        Field("generation_id", Wire.INT32, versions=since(2), default=-1),
        Field("rack_id", Wire.STRING, versions=since(3), nullable=True),
    ),
)

ASSIGNMENT: Final = Layout(
    "ConsumerProtocolAssignment",
    versions=range(4),
    tolerant=True,
    fields=(
        Field("assigned_partitions", Wire.STRUCT, array=True, default=(), fields=_TOPIC_PARTITIONS),
        Field("user_data", Wire.BYTES, nullable=True),
    ),
)

STICKY_USER_DATA: Final = Layout(
    "StickyAssignorUserData",
    versions=range(1),
    drafts=("2.2",),
    fields=(
        Field("previous_assignment", Wire.STRUCT, array=True, fields=_TOPIC_PARTITIONS),
        Field("generation", Wire.INT32, versions=since(0), default=-1),
    ),
)

COOPERATIVE_STICKY_USER_DATA: Final = Layout(
    "CooperativeStickyAssignorUserData",
    versions=range(1),
    fields=(Field("generation", Wire.INT32),),
)
