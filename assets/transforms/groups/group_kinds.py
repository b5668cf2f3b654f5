"""Which record of the offsets topic says what about a group: a row per record type.

Put here what follows from the type alone. What its fields are stands in `parsers.layouts`.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple

import numpy as np

from parsers.layouts.groups.record_types import RECORD_TYPES

COLUMN_OF: Final = {row.id: row.column for row in RECORD_TYPES}


class Says(Enum):
    """What a record is about."""

    GROUP = "the group: its generation or epoch"
    MEMBER = "a member: who it is and what it wants"
    TARGET = "a member: what it is to own"
    CURRENT = "a member: what it owns"
    TARGET_EPOCH = "the group: up to which epoch the targets are complete"
    REGEX = "a regular expression: what it matched"
    TOPOLOGY = "the group: what its tasks read"
    OTHER = "nothing that is kept in core"


class Kind(NamedTuple):
    """A record type: the kind of group that has it, and what it says."""

    group_type: str
    says: Says


KINDS: Final = {
    2: Kind("classic", Says.GROUP),
    3: Kind("consumer", Says.GROUP),
    5: Kind("consumer", Says.MEMBER),
    6: Kind("consumer", Says.TARGET_EPOCH),
    7: Kind("consumer", Says.TARGET),
    8: Kind("consumer", Says.CURRENT),
    10: Kind("share", Says.MEMBER),
    11: Kind("share", Says.GROUP),
    12: Kind("share", Says.TARGET_EPOCH),
    13: Kind("share", Says.TARGET),
    14: Kind("share", Says.CURRENT),
    16: Kind("consumer", Says.REGEX),
    17: Kind("streams", Says.GROUP),
    19: Kind("streams", Says.MEMBER),
    20: Kind("streams", Says.TARGET_EPOCH),
    21: Kind("streams", Says.TARGET),
    22: Kind("streams", Says.CURRENT),
    23: Kind("streams", Says.TOPOLOGY),
}
"""By record type; the others (offset commits, names and states of topics) say nothing about groups and members."""

GROUP_TYPES: Final = ("classic", "consumer", "share", "streams")

MEMBER_STATES: Final = {
    "consumer": {0: "stable", 1: "unrevoked", 2: "unreleased"},
    "share": {0: "stable", 1: "unrevoked", 2: "unreleased"},
    "streams": {1: "stable", 2: "unrevoked", 3: "unreleased"},
}
"""What the number in a member's record stands for: streams groups count from 1, the others from 0."""

AWAY: Final = -2
"""Member epoch of a static member that left for a while: what it owns is kept for it."""

_LAST_TYPE: Final = max(COLUMN_OF)
SAYS_OF: Final = np.array([KINDS[t].says.name if t in KINDS else "OTHER" for t in range(_LAST_TYPE + 1)])
GROUP_TYPE_OF: Final = np.array(
    [GROUP_TYPES.index(KINDS[t].group_type) if t in KINDS else -1 for t in range(_LAST_TYPE + 1)]
)
"""By record type: the place in GROUP_TYPES."""
