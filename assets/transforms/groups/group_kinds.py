"""The record types of the offsets topic about groups: the kind of group and the kind of record of each.

Put here what follows from the type alone. Its fields are in `parsers.layouts`.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple

import numpy as np

from parsers.layouts.groups.record_types import RECORD_TYPES

COLUMN_OF: Final = {row.id: row.column for row in RECORD_TYPES}


class RecordKind(Enum):
    """What a record is about."""

    GROUP = "the group: its generation or epoch"
    MEMBER = "a member: who it is and what it wants"
    TARGET = "a member: what it is to own"
    CURRENT = "a member: what it owns"
    TARGET_EPOCH = "the group: up to which epoch the targets are complete"
    REGEX = "a regular expression: what it matched"
    TOPOLOGY = "the group: what its tasks read"
    OTHER = "nothing that is kept in core"


class RecordType(NamedTuple):
    """A record type: the kind of group that has it, and the kind of record."""

    group_type: str
    record_kind: RecordKind


KINDS: Final = {
    2: RecordType("classic", RecordKind.GROUP),
    3: RecordType("consumer", RecordKind.GROUP),
    5: RecordType("consumer", RecordKind.MEMBER),
    6: RecordType("consumer", RecordKind.TARGET_EPOCH),
    7: RecordType("consumer", RecordKind.TARGET),
    8: RecordType("consumer", RecordKind.CURRENT),
    10: RecordType("share", RecordKind.MEMBER),
    11: RecordType("share", RecordKind.GROUP),
    12: RecordType("share", RecordKind.TARGET_EPOCH),
    13: RecordType("share", RecordKind.TARGET),
    14: RecordType("share", RecordKind.CURRENT),
    16: RecordType("consumer", RecordKind.REGEX),
    17: RecordType("streams", RecordKind.GROUP),
    19: RecordType("streams", RecordKind.MEMBER),
    20: RecordType("streams", RecordKind.TARGET_EPOCH),
    21: RecordType("streams", RecordKind.TARGET),
    22: RecordType("streams", RecordKind.CURRENT),
    23: RecordType("streams", RecordKind.TOPOLOGY),
}
"""By record type; the others (offset commits, names and states of topics) are not about groups and members."""

GROUP_TYPES: Final = ("classic", "consumer", "share", "streams")

MEMBER_STATES: Final = {
    "consumer": {0: "stable", 1: "unrevoked", 2: "unreleased"},
    "share": {0: "stable", 1: "unrevoked", 2: "unreleased"},
    "streams": {1: "stable", 2: "unrevoked", 3: "unreleased"},
}
"""By the number in a member's record: streams groups count from 1, the others from 0."""

AWAY: Final = -2
"""Member epoch of a static member that left for a while; its assignment stays reserved."""

_LAST_TYPE: Final = max(COLUMN_OF)
RECORD_KIND_OF: Final = np.array([KINDS[t].record_kind.name if t in KINDS else "OTHER" for t in range(_LAST_TYPE + 1)])
GROUP_TYPE_OF: Final = np.array(
    [GROUP_TYPES.index(KINDS[t].group_type) if t in KINDS else -1 for t in range(_LAST_TYPE + 1)]
)
"""By record type: the index in GROUP_TYPES."""
