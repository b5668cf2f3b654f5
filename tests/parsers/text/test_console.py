"""Lines of kafka-console-consumer that could be read two ways are set aside, and others are not."""

from __future__ import annotations

import io
from typing import Any, Final

import pytest

from parsers.text.members import bracketed_members, described_members
from parsers.text.rows import Unreadable
from parsers.text.texts import read_text

COMMIT: Final = (
    "::OffsetAndMetadata(offset=5, leaderEpoch=Optional.empty, metadata=, commitTimestamp=1, expireTimestamp=None)\n"
)
STATE: Final = "generation=1, protocolType=Some(consumer), currentState=Empty, members=Map())\n"


def member(member_id: str, client_id: str = "c", rest: str = "") -> bytes:
    """Write a member as it is printed since 2.3."""
    return (
        f"{member_id} -> MemberMetadata(memberId={member_id}, groupInstanceId=None, clientId={client_id}, "
        f"clientHost=/h, sessionTimeoutMs=1, rebalanceTimeoutMs=2, supportedProtocols=List(range), ){rest}"
    ).encode()


def read(text: str, form: str) -> tuple[list[dict[str, Any]], list[str]]:
    """Read text of a form: its records, and the reasons of its troubles."""
    slices = list(read_text(io.BytesIO(text.encode()), form))
    rows = [row for piece in slices for row in piece.records.to_pylist()]
    return rows, [trouble.reason for piece in slices for trouble in piece.troubles]


def test_a_line_that_broke_off_takes_no_other_with_it_unseen() -> None:
    """A whole record behind the beginning of one may be part of a name, so neither is believed."""
    rows, reasons = read(f"[evil\n[victim,t,0]{COMMIT}[g,t,0]{COMMIT}", "console-offsets")
    assert [row["group_id"] for row in rows] == ["g"]
    assert reasons == ["ambiguous line"]


def test_a_group_over_two_lines_is_read() -> None:
    """A line break in a name is part of it, in both formatters."""
    assert read(f"[a\nb,t,0]{COMMIT}", "console-offsets")[0][0]["group_id"] == "a\nb"
    rows, reasons = read(f"a\nb::GroupMetadata(groupId=a\nb, {STATE}", "console-groups")
    assert ([row["group_id"] for row in rows], reasons) == (["a\nb"], [])


def test_a_group_that_is_named_differently_is_no_group() -> None:
    """The group in the value must be the one before it."""
    rows, reasons = read(f"a::GroupMetadata(groupId=b, {STATE}", "console-groups")
    assert (rows, reasons) == ([], ["unknown line"])


@pytest.mark.parametrize("junk", ["$ kafka-console-consumer ...\n", "\x1b[0m\n", "{}\n"])
def test_other_lines_are_troubles(junk: str) -> None:
    """What the formatter did not print is told, and what follows is read."""
    rows, reasons = read(f"{junk}[g,t,0]{COMMIT}", "console-offsets")
    assert ([row["group_id"] for row in rows], reasons) == (["g"], ["unknown line"])


@pytest.mark.parametrize(
    "key", ["[g,t]", "[g,t,x]", "[g,t t,0]", "[g,t,99999999999]", "[g,,0]", f"[g,{'t' * 250},0]", "g,t,0]"]
)
def test_a_key_that_is_none_is_refused(key: str) -> None:
    """A topic is a legal name, and a partition a number."""
    rows, reasons = read(f"{key}{COMMIT}", "console-offsets")
    assert rows == []
    assert len(reasons) == 1


def test_members_are_taken_apart() -> None:
    """Ids stand twice and may hold commas; the protocol is what all of them support."""
    members, protocol = described_members(member("a,b", "x,y", ", ").replace(b"None", b"Some(i,j)") + member("c"))
    names = [(each["member_id"], each["client_id"], each["group_instance_id"]) for each in members]
    assert names == [("a,b", "x,y", "i,j"), ("c", "c", None)]
    assert protocol == "range"
    other = member("a", rest=", ") + member("b").replace(b"range", b"sticky")
    assert described_members(other)[1] is None
    assert described_members(b"") == ([], None)


@pytest.mark.parametrize(
    "text",
    [
        member("a", "c, clientHost=/x, sessionTimeoutMs=1"),
        member("a", rest=" and more"),
        member("a")[:-1],
        member("a").replace(b"memberId=a", b"memberId=b"),
        member("a").replace(b"=1", b"=x"),
        member("a").replace(b"None", b"Maybe"),
        b"a",
    ],
)
def test_members_that_could_be_others_are_refused(text: bytes) -> None:
    """A client id that holds the words of a member, and text that ends early, are no members."""
    with pytest.raises(Unreadable):
        described_members(text)


@pytest.mark.parametrize("text", [b"a -> [b,c,/h,1]", b"a -> [a,c,/h,x]", b"a -> [a,1]", b"a -> [a,c,/h,1]x", b"a"])
def test_listed_members_that_are_none_are_refused(text: bytes) -> None:
    """The older form has four parts, of which the first stands before the arrow too."""
    with pytest.raises(Unreadable):
        bracketed_members(text)
