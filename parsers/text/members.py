"""Members of a group as the console formatter of group metadata printed them, up to Kafka 3.9.

Put here how a list of members is taken apart. The line that it stands in belongs to `parsers.text.console`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.text.numbers import text_of, whole
from parsers.text.rows import Row, Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator

_BETWEEN: Final = b", "
_NAMED: Final = b" -> MemberMetadata(memberId="
_STATIC: Final = b"groupInstanceId="
_PARTS: Final = (
    b"clientId=",
    b", clientHost=",
    b", sessionTimeoutMs=",
    b", rebalanceTimeoutMs=",
    b", supportedProtocols=List(",
    b"), )",
)
_LISTED: Final = b" -> ["
_LISTED_END: Final = re.compile(rb",(\d{1,10})\](?=, |\Z)")


def described_members(text: bytes) -> tuple[list[Row], str | None]:
    """Read `id -> MemberMetadata(...)`, of 0.11 and later; give the members, and the protocol they support."""
    members, protocols = [], set()
    for member, protocol in _read_descriptions(text):
        members.append(member)
        protocols.add(protocol)
    if any(text.count(part) != len(members) for part in (_NAMED, *_PARTS)):
        raise Unreadable("ambiguous line", "members whose ids have nothing of a member in them", text)
    return members, protocols.pop() if len(protocols) == 1 else None


def _read_descriptions(text: bytes) -> Iterator[tuple[Row, str]]:
    at = 0
    while at < len(text):
        member_id, at = _member_id(text, at, _NAMED, _BETWEEN)
        instance_id, at = _instance_id(text, at)
        values, at = _cut_parts(text, at)
        client_id, host, session_timeout, rebalance_timeout, protocol = values
        member = {
            "member_id": text_of(member_id),
            "group_instance_id": instance_id,
            "client_id": text_of(client_id),
            "client_host": text_of(host),
            "session_timeout": _milliseconds(session_timeout),
            "rebalance_timeout": _milliseconds(rebalance_timeout),
        }
        yield member, text_of(protocol)
        at = _next(text, at)


def bracketed_members(text: bytes) -> list[Row]:
    """Read `id -> [id,client,host,timeout]`, of 0.9 to 0.10.2."""
    members = []
    at = 0
    while at < len(text):
        member_id, start = _member_id(text, at, _LISTED, b",")
        end = _LISTED_END.search(text, start)
        client_id, comma, host = text[start : end.start()].rpartition(b",") if end else (b"", b"", b"")
        if end is None or not comma:
            raise Unreadable("unknown line", "[member,client,host,timeout]", text[at:])
        names = {"member_id": text_of(member_id), "client_id": text_of(client_id), "client_host": text_of(host)}
        members.append({**names, "session_timeout": _milliseconds(end[1])})
        at = _next(text, end.end())
    if text.count(_LISTED) != len(members):
        raise Unreadable("ambiguous line", "members whose ids have nothing of a member in them", text)
    return members


def _member_id(text: bytes, at: int, mark: bytes, behind: bytes) -> tuple[bytes, int]:
    """Read an id that stands before and behind the mark."""
    end = text.find(mark, at)
    member_id = text[at:end] if end >= 0 else b""
    start = end + len(mark)
    if end < 0 or not text.startswith(member_id + behind, start):
        raise Unreadable("unknown line", "a member id, twice", text[at:])
    return member_id, start + len(member_id) + len(behind)


def _instance_id(text: bytes, at: int) -> tuple[str | None, int]:
    """Read the id of a static member, printed since 2.3; Some(null) is what 2.3 printed for none."""
    if not text.startswith(_STATIC, at):
        return None, at
    end = text.find(_BETWEEN + _PARTS[0], at)
    word = text[at + len(_STATIC) : end] if end >= 0 else b""
    if word in {b"None", b"Some(null)"}:
        return None, end + len(_BETWEEN)
    if not (word.startswith(b"Some(") and word.endswith(b")")):
        raise Unreadable("unknown line", "None or Some(id)", text[at:])
    return text_of(word[len(b"Some(") : -1]), end + len(_BETWEEN)


def _cut_parts(text: bytes, at: int) -> tuple[list[bytes], int]:
    """Give what stands between the parts of a member, and where the last part ends."""
    if not text.startswith(_PARTS[0], at):
        raise Unreadable("unknown line", "clientId=", text[at:])
    at += len(_PARTS[0])
    values = []
    for part in _PARTS[1:]:
        end = text.find(part, at)
        if end < 0:
            raise Unreadable("unknown line", part.decode(), text[at:])
        values.append(text[at:end])
        at = end + len(part)
    return values, at


def _next(text: bytes, at: int) -> int:
    if at == len(text) or text.startswith(_BETWEEN, at):
        return min(at + len(_BETWEEN), len(text))
    raise Unreadable("unknown line", "the next member", text[at:])


def _milliseconds(word: bytes) -> int:
    return whole(word.decode("ascii", "replace"), 32)
