"""Control records: a key of version and type, and a value for each type.

The markers of transactions (types 0 and 1; KIP-98) are an int16 version and a struct that is not flexible. What KRaft
writes (2 to 6; KIP-595, KIP-630, KIP-853) is flexible, and its first field is the version. Names are in
`parsers.layouts.batch_header`.
"""

from __future__ import annotations

from typing import Final

from parsers.wire import EVERY, Field, Layout, Wire, since

CONTROL_KEY: Final = Layout("ControlRecordKey", versions=range(1), fields=(Field("type", Wire.INT16),), tolerant=True)

END_TRANSACTION_MARKER: Final = Layout(
    "EndTxnMarker",
    versions=range(1),
    fields=(Field("coordinator_epoch", Wire.INT32),),
    tolerant=True,
)

_VERSION: Final = Field("version", Wire.INT16)

_VOTERS: Final = (Field("voter_id", Wire.INT32), Field("voter_directory_id", Wire.UUID, versions=since(1)))

LEADER_CHANGE: Final = Layout(
    "LeaderChangeMessage",
    versions=range(2),
    flexible=EVERY,
    fields=(
        _VERSION,
        Field("leader_id", Wire.INT32),
        Field("voters", Wire.STRUCT, array=True, fields=_VOTERS),
        Field("granting_voters", Wire.STRUCT, array=True, fields=_VOTERS),
    ),
)

SNAPSHOT_HEADER: Final = Layout(
    "SnapshotHeaderRecord",
    versions=range(1),
    flexible=EVERY,
    fields=(_VERSION, Field("last_contained_log_timestamp", Wire.INT64)),
)

SNAPSHOT_FOOTER: Final = Layout("SnapshotFooterRecord", versions=range(1), flexible=EVERY, fields=(_VERSION,))

KRAFT_VERSION: Final = Layout(
    "KRaftVersionRecord",
    versions=range(1),
    flexible=EVERY,
    fields=(_VERSION, Field("k_raft_version", Wire.INT16)),
)

_VOTER_ENDPOINTS: Final = (Field("name", Wire.STRING), Field("host", Wire.STRING), Field("port", Wire.UINT16))

_VOTER_FEATURE: Final = (Field("min_supported_version", Wire.INT16), Field("max_supported_version", Wire.INT16))

KRAFT_VOTERS: Final = Layout(
    "VotersRecord",
    versions=range(1),
    flexible=EVERY,
    fields=(
        _VERSION,
        Field(
            "voters",
            Wire.STRUCT,
            array=True,
            fields=(
                Field("voter_id", Wire.INT32),
                Field("voter_directory_id", Wire.UUID),
                Field("endpoints", Wire.STRUCT, array=True, fields=_VOTER_ENDPOINTS),
                Field("k_raft_version_feature", Wire.STRUCT, fields=_VOTER_FEATURE),
            ),
        ),
    ),
)

CONTROL_VALUES: Final[dict[int, Layout]] = {
    0: END_TRANSACTION_MARKER,
    1: END_TRANSACTION_MARKER,
    2: LEADER_CHANGE,
    3: SNAPSHOT_HEADER,
    4: SNAPSHOT_FOOTER,
    5: KRAFT_VERSION,
    6: KRAFT_VOTERS,
}
