"""The forms of text that Kafka's tools printed of __consumer_offsets: which release, how told, what they say.

Put here what a form is and what it can and can't say. How a line of each form is read is in `parsers.text.console`,
`parsers.text.dump_log` and `parsers.text.payloads`.

Whoever chooses group, client or topic names or commits metadata can write most of a line: all but the JSON forms print
them as they are. A line whose sizes or repeated names contradict it is set aside; the console forms have no sizes, and
metadata there can look like a further line. In every form, times or fields newer than the tool that printed look like
their defaults, and of `subscription` and `assignment` that a tool opened into objects the bytes after the known fields
are gone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

COMMIT: Final = ("group_id", "topic", "partition", "record_type", "is_tombstone")
GROUP: Final = ("group_id", "record_type", "is_tombstone")
LINE: Final = ("log_partition", "log_offset", "timestamp_ms", "key_bytes", "value_bytes")
BATCH: Final = (
    "batch_base_offset",
    "log_leader_epoch",
    "producer_id",
    "producer_epoch",
    "base_sequence",
    "is_transactional",
    "is_control",
    "control_type",
    "coordinator_epoch",
    "delete_horizon_ms",
)
ALL: Final = ("*",)

_OFFSET: Final = ("offset_commit.offset", "offset_commit.metadata")
_TIMED: Final = (*_OFFSET, "offset_commit.commit_timestamp")
_MEMBER_NAMES: Final = tuple(f"group_metadata.members.{name}" for name in ("member_id", "client_id", "client_host"))
_ASSIGNED: Final = (
    *(f"group_metadata.{name}" for name in ("protocol_type", "protocol", "generation", "members")),
    *(f"group_metadata.members.{name}" for name in ("member_id", "assignment")),
)


@dataclass(frozen=True)
class TextForm:
    """One form of text: where it is from, the words it is told by, and the columns it can fill."""

    name: str
    kafka: str
    """Releases whose tool prints it."""
    marks: tuple[bytes, ...]
    """A record of this form has one of these in it: at its start, or between its key and its value."""
    says: tuple[str, ...]
    """Columns it can fill, with a dot between levels; every other column is NULL. A star is every column."""
    but: str = ""
    """What it says only in part."""


OFFSETS_0_8_2: Final = TextForm(
    "console-offsets-0.8.2",
    "0.8.2",
    (b"]::OffsetAndMetadata[",),
    (*COMMIT, "value_version", *_TIMED),
    "metadata NO_METADATA is empty metadata; a tombstone looks like one of type 1, and is read as that",
)
OFFSETS_0_9: Final = TextForm(
    "console-offsets-0.9",
    "0.9 to 2.0",
    (b"]::[OffsetMetadata[",),
    (*COMMIT, *_TIMED, "offset_commit.expire_timestamp"),
    "metadata NO_METADATA is empty metadata; a key of type 0 looks like type 1, and is read as that",
)
OFFSETS_2_1: Final = TextForm(
    "console-offsets-2.1",
    "2.1 to 3.9",
    (b"]::OffsetAndMetadata(",),
    (*COMMIT, *_TIMED, "offset_commit.leader_epoch", "offset_commit.expire_timestamp"),
    "a key of type 0 looks like type 1, and is read as that",
)
GROUPS_0_9: Final = TextForm(
    "console-groups-0.9",
    "0.9 to 0.10.2",
    (b"::[",),
    (
        *GROUP,
        *("group_metadata.protocol_type", "group_metadata.members", "group_metadata.members.session_timeout"),
        *_MEMBER_NAMES,
    ),
)
GROUPS_0_11: Final = TextForm(
    "console-groups-0.11",
    "0.11 to 3.9",
    (b"::GroupMetadata(groupId=",),
    (
        *GROUP,
        *(f"group_metadata.{name}" for name in ("protocol_type", "generation", "protocol", "members")),
        *_MEMBER_NAMES,
        *("group_metadata.members.group_instance_id", "group_metadata.members.session_timeout"),
        "group_metadata.members.rebalance_timeout",
    ),
    "the protocol is told by the members, so not of an empty group",
)
CONSOLE_JSON: Final = TextForm(
    "console-json",
    "3.9 and later",
    (b'{"key":',),
    (
        *GROUP,
        "topic",
        "partition",
        "member_id",
        "regular_expression",
        "value_version",
        "offset_commit.*",
        "group_metadata.*",
    ),
    "up to 4.0 the record type is called version",
)
DUMP_0_9: Final = TextForm(
    "dump-log-0.9",
    "0.9 to 0.11; offsets to 2.4",
    (b"offset::", b"metadata::"),
    (*LINE, *BATCH, *COMMIT, *_OFFSET, *_ASSIGNED),
    "a tombstone has no key; a key of type 0 is read as type 1; of assignments that are no consumer's, only those "
    "whose leading zeros their layout implies",
)
DUMP_1_0: Final = TextForm("dump-log-1.0", "1.0 to 2.4, groups", (b'{"metadata":',), DUMP_0_9.says, DUMP_0_9.but)
DUMP_2_5: Final = TextForm(
    "dump-log-2.5",
    "2.5 to 3.7",
    (b"offset_commit::group=", b"group_metadata::group=", b"unknown::version="),
    DUMP_0_9.says,
    "a key of type 0 is read as type 1; assignments as in 0.9",
)
DUMP_3_8: Final = TextForm(
    "dump-log-3.8",
    "3.8 and later",
    (b'{"type":', b'{"version":'),
    ALL,
    "the version of an opened assignment is not printed: it is encoded as version 0, which has the same fields",
)

FORMS: Final = (
    OFFSETS_0_8_2,
    OFFSETS_0_9,
    OFFSETS_2_1,
    GROUPS_0_9,
    GROUPS_0_11,
    CONSOLE_JSON,
    DUMP_0_9,
    DUMP_1_0,
    DUMP_2_5,
    DUMP_3_8,
)
