"""The value of an offset commit, record types 0 (up to Kafka 0.8.2) and 1 (since 0.9) of __consumer_offsets.

Versions 0 to 4: 1 carried an expiry time of its own (0.9 to 2.0, and later for requests with a retention time),
2 dropped it (2.1, KIP-211), 3 added the leader epoch (2.1, KIP-320), 4 is flexible (readable since 3.5, KIP-915)
and carries the topic id (written since 4.1, KAFKA-19141).
"""

from __future__ import annotations

from typing import Final

from parsers.wire import ZERO_UUID, Field, Layout, Wire, only, since

OFFSET_COMMIT: Final = Layout(
    "OffsetCommitValue",
    versions=range(5),
    flexible=since(4),
    fields=(
        Field("offset", Wire.INT64),
        Field("leader_epoch", Wire.INT32, versions=since(3), default=-1),
        Field("metadata", Wire.STRING),
        Field("commit_timestamp", Wire.INT64),
        Field("expire_timestamp", Wire.INT64, versions=only(1), default=-1),
        Field("topic_id", Wire.UUID, versions=since(4), tag=0, default=ZERO_UUID),
    ),
)
