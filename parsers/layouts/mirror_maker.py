"""What MirrorMaker 2 (KIP-382) writes beside the records that it copies: checkpoints and offset syncs.

The value of a checkpoint begins with an int16 version, of which 0 is the only one; its key, and both parts of an offset
sync, have none. Nothing is flexible. All of it is the same since 2.4.
"""

from __future__ import annotations

from typing import Final

from parsers.wire import Field, Layout, Wire

CHECKPOINT_KEY: Final = Layout(
    "CheckpointKey",
    versions=range(1),
    fields=(
        Field("group_id", Wire.STRING),
        Field("topic", Wire.STRING),
        Field("partition", Wire.INT32),
    ),
)

CHECKPOINT_VALUE: Final = Layout(
    "CheckpointValue",
    versions=range(1),
    fields=(
        Field("upstream_offset", Wire.INT64),
        Field("downstream_offset", Wire.INT64),
        Field("metadata", Wire.STRING),
    ),
)

OFFSET_SYNC_KEY: Final = Layout(
    "OffsetSyncKey",
    versions=range(1),
    fields=(
        Field("topic", Wire.STRING),
        Field("partition", Wire.INT32),
    ),
)

OFFSET_SYNC_VALUE: Final = Layout(
    "OffsetSyncValue",
    versions=range(1),
    fields=(
        Field("upstream_offset", Wire.INT64),
        Field("downstream_offset", Wire.INT64),
    ),
)
