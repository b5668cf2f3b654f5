"""What cluster metadata tells about topics: ids, names, partitions, removals."""

from __future__ import annotations

from typing import Final

from parsers.messages.cluster_metadata import decode_metadata_records
from tests.parsers.encode import uuid_bytes, uvarint
from tests.parsers.made_messages import laid_out

TOPIC_ID: Final = "ABEiM0RVZneImaq7zN3u_w"


def framed(api_key: int, version: int, body: bytes, frame_version: int = 1) -> bytes:
    """Put the frame of a metadata record before its body."""
    return uvarint(frame_version) + uvarint(api_key) + uvarint(version) + body


def test_metadata_records_tell_topics_and_partitions() -> None:
    """Topics, partitions and removals are read in any version, all else is passed over."""
    topic_id = uuid_bytes(TOPIC_ID)
    records = [
        framed(2, 0, uvarint(2) + b"t" + topic_id + b"\0"),
        framed(3, 2, (5).to_bytes(4, "big") + topic_id + b"more that no one asks for"),
        framed(9, 0, topic_id + b"\0"),
        framed(12, 0, b"a feature"),
        framed(2, 0, uvarint(2) + b"t" + topic_id + b"\0", frame_version=2),
        framed(2, 0, uvarint(9) + b"t"),
        b"",
        None,
    ]
    buffer, starts, ends = laid_out(records)
    columns = decode_metadata_records(buffer, starts, ends)
    nulls = [None] * 7
    topics = [row and {"name": row["name"], "topic_id": row["topic_id"]} for row in columns.topic.to_pylist()]
    assert topics == [{"name": "t", "topic_id": TOPIC_ID}, *nulls]
    partition = {"partition_id": 5, "topic_id": TOPIC_ID}
    assert columns.partition.to_pylist() == [None, partition, *nulls[1:]]
    removed = [row and row["topic_id"] for row in columns.remove_topic.to_pylist()]
    assert removed == [None, None, TOPIC_ID, *nulls[2:]]
