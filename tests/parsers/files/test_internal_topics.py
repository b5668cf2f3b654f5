"""Which topics are read with their records: the declared ones, those that a user names, and never the offsets topic."""

from __future__ import annotations

import pytest

from parsers.errors import SourceError
from parsers.files.discovery import OFFSETS_TOPIC
from parsers.files.internal_topics import DECLARED, INTERNAL_TOPICS, named_topics


def test_the_declared_topics_are_internal_and_others_are_not() -> None:
    """A topic is of the kind whose pattern its name has."""
    share_state = DECLARED.of("__share_group_state")
    assert share_state is not None
    assert share_state.kind == "share_group_state"
    assert DECLARED.of("orders") is None


def test_a_kind_is_declared_once() -> None:
    """Tables tell topics apart by their kind."""
    assert len({one.kind for one in INTERNAL_TOPICS}) == len(INTERNAL_TOPICS)


def test_a_named_topic_is_of_its_kind_beside_the_declared_ones() -> None:
    """Names of some topics are free; * stands for any text."""
    topics = named_topics(["share_group_state=my-*-state"])
    kinds = [one.kind if one else None for one in map(topics.of, ["my-own-state", "__share_group_state", "my-own"])]
    assert kinds == ["share_group_state", "share_group_state", None]


def test_the_offsets_topic_is_never_named() -> None:
    """It is decoded by a way of its own, whatever a pattern says."""
    assert named_topics(["share_group_state=*"]).of(OFFSETS_TOPIC) is None


@pytest.mark.parametrize("text", ["orders", "=orders", "nothing=orders", "share_group_state=", ""])
def test_a_topic_without_a_known_kind_is_refused(text: str) -> None:
    """The sentence has what was expected, and what was found."""
    with pytest.raises(SourceError, match=r"expected KIND=TOPIC, with a kind of .*share_group_state.*; found"):
        named_topics([text])
