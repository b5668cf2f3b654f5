"""The internal topics whose records are read whole: their kinds, and the topics that are of a kind.

Put here which topics they are, a row per kind, and how a key names a group. What a record of one is as columns belongs
in `parsers.internal_records`; __consumer_offsets is read by a way of its own, `parsers.offset_records`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from parsers.errors import SourceError
from parsers.files.discovery import OFFSETS_TOPIC
from parsers.messages.internal_topics import SHARE_GROUP_STATE
from parsers.messages.named_groups import checkpoint_groups, source_offset_groups
from parsers.messages.topic_records import decode_records

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from parsers.words import ByteArray, Int64Array

    KeyGroups = Callable[[ByteArray, Int64Array, Int64Array], pa.Array]


def _share_groups(buffer: ByteArray, starts: Int64Array, ends: Int64Array) -> pa.Array:
    """The group that each key of __share_group_state names; NULL of a key that can't be read."""
    nothing = np.full(starts.size, -1, np.int64)
    group_ids = decode_records(SHARE_GROUP_STATE, buffer, (starts, ends), (nothing, nothing)).keys["group_id"]
    return group_ids.cast(pa.string())


@dataclass(frozen=True, slots=True)
class InternalTopic:
    """A kind of internal topic: the pattern of its names, with * for any text, and the group that a key names."""

    kind: str
    pattern: str
    meaning: str
    groups: KeyGroups | None = None
    """The group of each key, from a buffer and where the keys begin and end; None where keys name no group."""


INTERNAL_TOPICS: Final = (
    InternalTopic("share_group_state", "__share_group_state", "state of share partitions (KIP-932)", _share_groups),
    InternalTopic(
        "mirror_checkpoints", "*.checkpoints.internal", "checkpoints of MirrorMaker 2 (KIP-382)", checkpoint_groups
    ),
    InternalTopic("mirror_offset_syncs", "mm2-offset-syncs.*.internal", "offset syncs of MirrorMaker 2 (KIP-382)"),
    InternalTopic("connect_offsets", "connect-offsets", "source offsets of Kafka Connect", source_offset_groups),
    InternalTopic(
        "mirror_source_offsets", "mm2-offsets.*.internal", "source offsets of MirrorMaker 2", source_offset_groups
    ),
)


@dataclass(frozen=True, slots=True)
class InternalTopics:
    """The topics whose records are read whole: the declared ones, and topics that a user names."""

    named: tuple[tuple[str, str], ...] = ()
    """Kinds and patterns of names, beside the declared patterns."""

    def of(self, topic: str) -> InternalTopic | None:
        """The kind of a topic; None of a topic of which headers are enough, and of __consumer_offsets."""
        if topic == OFFSETS_TOPIC:
            return None
        by_kind = {one.kind: one for one in INTERNAL_TOPICS}
        patterns = [*self.named, *((one.kind, one.pattern) for one in INTERNAL_TOPICS)]
        return next((by_kind[kind] for kind, pattern in patterns if fnmatchcase(topic, pattern)), None)


DECLARED: Final = InternalTopics()
"""The declared topics alone."""


def named_topics(texts: Sequence[str]) -> InternalTopics:
    """The topics of texts like `KIND=TOPIC`, in which * in a topic stands for any text."""
    kinds = [one.kind for one in INTERNAL_TOPICS]
    pairs = [text.partition("=") for text in texts]
    for (kind, _, pattern), text in zip(pairs, texts, strict=True):
        if kind not in kinds or not pattern:
            message = f"internal topic: expected KIND=TOPIC, with a kind of {', '.join(kinds)}; found {text!r}"
            raise SourceError(message)
    return InternalTopics(tuple((kind, pattern) for kind, _, pattern in pairs))
