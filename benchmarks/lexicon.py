"""What a made-up crowd writes: the keys and values of all its records as phrases, numbers left open.

The messages are chosen here. How one is written is `benchmarks.encoder`, how they are put together is
`benchmarks.batches`.
"""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from benchmarks.batches import lay_out
from benchmarks.encoder import Encoder
from benchmarks.traffic import Lexicon
from parsers.layouts.groups.consumer_protocol import ASSIGNMENT, SUBSCRIPTION
from parsers.layouts.groups.group_metadata import GROUP_METADATA
from parsers.layouts.groups.offset_commit import OFFSET_COMMIT
from parsers.layouts.groups.offsets_key import OFFSETS_KEY

if TYPE_CHECKING:
    from benchmarks.batches import Phrases
    from benchmarks.crowd import Crowd, Key
    from benchmarks.encoder import Message

_COMMIT_KEY: Final = Encoder(OFFSETS_KEY, 1)
_OLDER_COMMIT: Final = Encoder(OFFSET_COMMIT, 3)
_NEWER_COMMIT: Final = Encoder(OFFSET_COMMIT, 4)
_STATE_KEY: Final = Encoder(OFFSETS_KEY, 2)
_STATE: Final = Encoder(GROUP_METADATA, 3)
_SUBSCRIPTION: Final = Encoder(SUBSCRIPTION, 3)
_ASSIGNMENT: Final = Encoder(ASSIGNMENT, 3)

_MEMBERS: Final = 2
_METADATA_EVERY: Final = 8
_LEADER_EPOCHS: Final = 3
_NUMBERS: Final = {"offset": 8, "generation": 4}
_TIMESTAMPS: Final = ("commit_timestamp", "current_state_timestamp")


class _CommitContent(NamedTuple):
    """What a commit says beside its numbers."""

    topic: int
    metadata: str


def compile_lexicon(crowd: Crowd) -> tuple[Phrases, Lexicon]:
    """Write every key and value that the crowd needs, each once."""
    contents = sorted({_content(key) for key in crowd.keys})
    topic_ids = [topic_id(topic) for topic in crowd.topics]
    lists = (
        [_commit_key(crowd, key) for key in crowd.keys],
        [_OLDER_COMMIT.message(_commit(*content)) for content in contents],
        [_NEWER_COMMIT.message(_commit(*content) | {"topic_id": topic_ids[content.topic]}) for content in contents],
        [_STATE_KEY.message({"group_id": group}) for group in crowd.groups],
        [_state(crowd, group) for group in range(len(crowd.groups))],
    )
    numbers = {content: number for number, content in enumerate(contents)}
    content_of = np.array([numbers[_content(key)] for key in crowd.keys])
    first = np.cumsum([0, *(len(messages) for messages in lists)])
    key, group = np.arange(len(crowd.keys)), np.arange(len(crowd.groups))
    lexicon = Lexicon(key, first[1] + content_of, first[2] + content_of, first[3] + group, first[4] + group)
    return lay_out([message for messages in lists for message in messages], _NUMBERS, _TIMESTAMPS), lexicon


def topic_id(topic: str) -> str:
    """Give a topic a random-looking id, as Kafka writes it; the same for the same name."""
    return base64.urlsafe_b64encode(hashlib.sha256(topic.encode()).digest()[:16]).decode().rstrip("=")


def _commit_key(crowd: Crowd, key: Key) -> Message:
    values = {"group_id": crowd.groups[key.group], "topic": crowd.topics[key.topic], "partition": key.partition}
    return _COMMIT_KEY.message(values)


def _content(key: Key) -> _CommitContent:
    return _CommitContent(key.topic, "" if key.group % _METADATA_EVERY else f"checkpoint-{key.partition:02d}")


def _commit(topic: int, metadata: str) -> dict[str, Any]:
    return {"offset": 0, "leader_epoch": topic % _LEADER_EPOCHS, "metadata": metadata, "commit_timestamp": 0}


def _state(crowd: Crowd, group: int) -> Message:
    """Write the state of a stable group whose members share its keys evenly."""
    values = {
        "protocol_type": "consumer",
        "generation": 0,
        "protocol": "range",
        "leader": f"{crowd.groups[group]}-0",
        "current_state_timestamp": 0,
        "members": [_member(crowd, group, number) for number in range(_MEMBERS)],
    }
    return _STATE.message(values)


def _member(crowd: Crowd, group: int, number: int) -> dict[str, Any]:
    keys = crowd.keys[crowd.first_key[group] : crowd.first_key[group + 1]]
    own = [key for key in keys if key.partition % _MEMBERS == number]
    by_topic = {crowd.topics[key.topic]: [one.partition for one in own if one.topic == key.topic] for key in own}
    assigned = [{"topic": topic, "partitions": partitions} for topic, partitions in by_topic.items()]
    subscription = {
        "topics": list(by_topic),
        "user_data": None,
        "owned_partitions": [],
        "generation_id": -1,
        "rack_id": None,
    }
    return {
        "member_id": f"{crowd.groups[group]}-{number}",
        "group_instance_id": None,
        "client_id": f"consumer-{number}",
        "client_host": f"/10.0.{group % 256}.{number}",
        "rebalance_timeout": 300_000,
        "session_timeout": 45_000,
        "subscription": _SUBSCRIPTION.message(subscription).content,
        "assignment": _ASSIGNMENT.message({"assigned_partitions": assigned, "user_data": None}).content,
    }
