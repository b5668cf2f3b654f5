"""The key of every record of __consumer_offsets: an int16 record type, then a struct that is never flexible.

The record type was called the version of the key until Kafka 4.1, and one table holds all of them as versions still.
Kafka's own names have `group` for ids 0 to 2 and `groupId` from 3 on (KIP-848); here both are `group_id`.
"""

from __future__ import annotations

from typing import Final

from parsers.wire import Field, Layout, Wire, among, between, camel, only

OFFSETS_KEY: Final = Layout(
    "OffsetsKey",
    versions=range(25),
    fields=(
        Field("group_id", Wire.STRING),
        Field("topic", Wire.STRING, versions=between(0, 1)),
        Field("partition", Wire.INT32, versions=between(0, 1)),
        Field("member_id", Wire.STRING, versions=among(5, 7, 8, 10, 13, 14, 19, 21, 22)),
        Field("regular_expression", Wire.STRING, versions=only(16)),
    ),
)

_LAST_OF_GROUP: Final = 2
"""Last record type whose key names its group `group`; later ones say `groupId`."""


def kafka_key_name(record_type: int, column: str) -> str:
    """Give the name that Kafka's JSON has for a column of the key."""
    return "group" if column == "group_id" and record_type <= _LAST_OF_GROUP else camel(column)
