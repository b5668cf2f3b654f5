"""What __cluster_metadata (KRaft, KIP-631) tells about topic ids, names and partition counts.

A record's value is a frame of three unsigned varints, then a flexible struct; there is no key. Of topics and
partitions only the fields that come first are read, which no version has changed.
"""

from __future__ import annotations

from typing import Final

from parsers.wire import EVERY, Field, Layout, Wire

METADATA_FRAME: Final = Layout(
    "MetadataRecordFrame",
    versions=range(1),
    fields=(
        Field("frame_version", Wire.UVARINT),
        Field("api_key", Wire.UVARINT),
        Field("version", Wire.UVARINT),
    ),
)

TOPIC: Final = Layout(
    "TopicRecord",
    versions=range(1),
    flexible=EVERY,
    fields=(Field("name", Wire.STRING), Field("topic_id", Wire.UUID)),
)

PARTITION: Final = Layout(
    "PartitionRecord",
    versions=range(1),
    fields=(Field("partition_id", Wire.INT32), Field("topic_id", Wire.UUID)),
)

REMOVE_TOPIC: Final = Layout(
    "RemoveTopicRecord",
    versions=range(1),
    flexible=EVERY,
    fields=(Field("topic_id", Wire.UUID),),
)
