"""What every assignor promises, for members and topics of any kind."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.assigning.assignors import OF_BROKERS, OF_CLIENTS
from assets.assigning.members import Member, Topics, in_hash_order, java_hash, static_first

if TYPE_CHECKING:
    from assets.assigning.assignors import Assignor

ALL = [*OF_CLIENTS.items(), *((f"broker's {name}", assign) for name, assign in OF_BROKERS.items())]
EVEN = {"sticky": OF_CLIENTS["sticky"], "uniform": OF_BROKERS["uniform"], "roundrobin": OF_CLIENTS["roundrobin"]}
NAMES = ("a", "b", "c", "d")


@st.composite
def topics(draw: st.DrawFn) -> Topics:
    """Up to four topics, with racks or without."""
    counts = draw(st.dictionaries(st.sampled_from(NAMES), st.integers(1, 9), min_size=1))
    rack = st.frozensets(st.sampled_from("xyz"), min_size=1)
    racks = {topic: draw(st.lists(rack, min_size=count, max_size=count)) for topic, count in counts.items()}
    return Topics(counts, racks if draw(st.booleans()) else {})


@st.composite
def members(draw: st.DrawFn, *, alike: bool = False) -> list[Member]:
    """Up to nine members, some static, who claim what they like."""
    subscription = st.frozensets(st.sampled_from(NAMES), min_size=1)
    of_all = draw(subscription)
    place = st.tuples(st.sampled_from(NAMES), st.integers(0, 9))
    return [
        Member(
            f"m{number}",
            of_all if alike else draw(subscription),
            draw(st.none() | st.just(f"i{9 - number}")),
            tuple(draw(st.lists(place, max_size=8, unique=True))),
            draw(st.integers(-1, 3)),
            draw(st.none() | st.sampled_from("xyzw")),
        )
        for number in range(draw(st.integers(1, 9)))
    ]


@pytest.mark.parametrize(("name", "assign"), ALL, ids=[name for name, _ in ALL])
@given(known=topics(), of_group=members())
def test_nothing_has_two_owners_or_one_that_did_not_ask(
    name: str, assign: Assignor, known: Topics, of_group: list[Member]
) -> None:
    """Every partition that somebody subscribed has one owner, who subscribed it; cooperative ones may wait."""
    assigned = assign(known, of_group)
    given_out = [place for places in assigned.values() for place in places]
    assert len(given_out) == len(set(given_out))
    assert all(place[0] in member.topics for member in of_group for place in assigned[member.member_id])
    wanted = set(known.places(topic for member in of_group for topic in member.topics))
    claimed = {place for member in of_group for place in member.owned}
    waiting = claimed if name == "cooperative-sticky" else set()
    assert wanted - waiting <= set(given_out) <= wanted


@pytest.mark.parametrize("assign", EVEN.values(), ids=EVEN)
@given(known=topics(), of_group=members(alike=True))
def test_equal_subscriptions_get_equal_shares(assign: Assignor, known: Topics, of_group: list[Member]) -> None:
    """Nobody has two more than anybody."""
    shares = [len(places) for places in assign(known, of_group).values()]
    assert max(shares) - min(shares) <= 1


@given(known=topics(), of_group=members(alike=True))
def test_range_shares_out_each_topic_evenly(known: Topics, of_group: list[Member]) -> None:
    """Of one topic nobody has two more than anybody, whatever racks say."""
    assigned = OF_CLIENTS["range"](known, of_group)
    for topic in of_group[0].topics & set(known.counts):
        shares = [sum(place[0] == topic for place in places) for places in assigned.values()]
        assert max(shares) - min(shares) <= 1


@given(known=topics(), of_group=members())
def test_sticky_leaves_nothing_that_evens_out(known: Topics, of_group: list[Member]) -> None:
    """Fresh members of any subscriptions: nobody could take a partition from somebody with two more."""
    fresh = [Member(member.member_id, member.topics) for member in of_group]
    assigned = OF_CLIENTS["sticky"](Topics(known.counts), fresh)
    for light, heavy in combinations(sorted(fresh, key=lambda m: len(assigned[m.member_id])), 2):
        takes = any(place[0] in light.topics for place in assigned[heavy.member_id])
        assert not takes or len(assigned[heavy.member_id]) - len(assigned[light.member_id]) <= 1


@given(known=topics(), of_group=members(alike=True))
def test_what_sticky_gave_it_gives_again(known: Topics, of_group: list[Member]) -> None:
    """Nothing moves when nobody came or went."""
    plain = Topics(known.counts)
    once = OF_CLIENTS["sticky"](plain, of_group)
    settled = [Member(m.member_id, m.topics, owned=tuple(once[m.member_id]), generation=7) for m in of_group]
    again = OF_CLIENTS["sticky"](plain, settled)
    assert {name: set(places) for name, places in again.items()} == {n: set(p) for n, p in once.items()}


def test_a_text_has_the_hash_code_that_java_gives_it() -> None:
    """Known ones, one of them beyond the basic plane."""
    assert [java_hash(text) for text in ("", "a", "Kafka", "\U0001f600")] == [0, 97, 72255238, 1772899]


def test_members_are_sorted_as_kafka_does() -> None:
    """Static ones first; a map of thirteen has grown to thirty-two buckets."""
    group = [Member("b", frozenset()), Member("z", frozenset(), "1"), Member("a", frozenset(), "2")]
    assert [member.member_id for member in static_first(group)] == ["z", "a", "b"]
    many = [Member(chr(ord("a") + number), frozenset()) for number in range(13)]
    assert [member.member_id for member in in_hash_order(many)] == list("abcdefghijklm")
