"""Key and values of the records of __share_group_state (KIP-932).

Record type 0 is a snapshot, 1 an update. Version 0 alone, flexible. 4.0 wrote the snapshot epoch as uint16 and had no
timestamps: that is the draft. The delivery-complete count came with 4.2.
"""

from __future__ import annotations

from typing import Final

from parsers.wire import EVERY, Field, Layout, Wire, only, since

SHARE_STATE_KEY: Final = Layout(
    "ShareGroupStateKey",
    versions=range(2),
    fields=(
        Field("group_id", Wire.STRING),
        Field("topic_id", Wire.UUID),
        Field("partition", Wire.INT32),
    ),
)

_STATE_BATCHES: Final = Field(
    "state_batches",
    Wire.STRUCT,
    array=True,
    fields=(
        Field("first_offset", Wire.INT64),
        Field("last_offset", Wire.INT64),
        Field("delivery_state", Wire.INT8),
        Field("delivery_count", Wire.INT16),
    ),
)

_COMPLETE_COUNT: Final = Field("delivery_complete_count", Wire.INT32, versions=since(0), tag=0, default=-1)

SHARE_SNAPSHOT: Final = Layout(
    "ShareSnapshotValue",
    versions=range(1),
    flexible=EVERY,
    drafts=("4.0",),
    fields=(
        Field("snapshot_epoch", Wire.INT32, versions=since(0)),
        Field("early_snapshot_epoch", Wire.UINT16, versions=only(-1)),
        Field("state_epoch", Wire.INT32),
        Field("leader_epoch", Wire.INT32),
        Field("start_offset", Wire.INT64),
        _COMPLETE_COUNT,
        Field("create_timestamp", Wire.INT64, versions=since(0)),
        Field("write_timestamp", Wire.INT64, versions=since(0)),
        _STATE_BATCHES,
    ),
)

SHARE_UPDATE: Final = Layout(
    "ShareUpdateValue",
    versions=range(1),
    flexible=EVERY,
    drafts=("4.0",),
    fields=(
        Field("snapshot_epoch", Wire.INT32, versions=since(0)),
        Field("early_snapshot_epoch", Wire.UINT16, versions=only(-1)),
        Field("leader_epoch", Wire.INT32),
        Field("start_offset", Wire.INT64),
        _COMPLETE_COUNT,
        _STATE_BATCHES,
    ),
)
