"""Keys and payloads as `kafka-dump-log --offsets-decoder` printed them, in the form of every release.

Put here what stands behind `key:` and `payload:`. What stands before them, and batches, belongs to
`parsers.text.dump_log`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from parsers.layouts.groups.consumer_protocol import ASSIGNMENT
from parsers.text.blobs import encode, restore_bytes
from parsers.text.commits import commit_of_today
from parsers.text.forms import DUMP_0_9, DUMP_1_0, DUMP_2_5, DUMP_3_8
from parsers.text.json_lines import object_of, parse_json, read_key, value_end, with_value
from parsers.text.numbers import TOPIC, one, text_of, whole
from parsers.text.rows import KeyValue, Row, Unreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

KEY_END: Final = b" payload: "
TOMBSTONE: Final = b"<DELETE>"
NULL_BYTES: Final = -1

_JSON_KEY_END: Final = b"}}" + KEY_END
_COMMIT_TYPE: Final = 1
_GROUP_TYPE: Final = 2
_COMMIT_KEY_BYTES: Final = 10
"""Record type, two lengths and the partition in the key of a commit."""
_GROUP_KEY_BYTES: Final = 4
_VALUE_BYTES: Final = frozenset({20, 24, 28})
"""Bytes of a commit beside its metadata: versions 0 and 2, 3 and most of 4, 1."""
MOST_UNSURE_BYTES: Final = 8
"""By so many bytes metadata may be cut off and still fit its size, in another version."""

_SKIPPED: Final = re.compile(
    rb"\A(?:Unknown record type (-?\d{1,5}) at offset \d+, skipping\.|Error at offset \d+, skipping\..*)\Z", re.DOTALL
)
_LIST: Final = re.compile(
    rb"=\[((?:" + TOPIC + rb"-\d{1,10}(?:, " + TOPIC + rb"-\d{1,10})*)?)\](?::([0-9A-F]+))?(?:,|\Z)"
)
_NUMBER: Final = re.compile(rb"([^=,]+)=([0-9A-F]*)(?:,|\Z)")
_OLD_GROUP: Final = re.compile(rb"\A([^:]*):([^:]*):(-?\d{1,10}):(.*)\Z", re.DOTALL)


class Sizes(NamedTuple):
    """Bytes of a record's key and value as they were printed, -1 for null; None where they were not printed."""

    key: int | None
    value: int | None


class _CommitForm(NamedTuple):
    prefix: bytes
    key: re.Pattern[bytes]
    payload: re.Pattern[bytes]


_OLD_COMMIT: Final = _CommitForm(
    b"offset::",
    re.compile(rb"\Aoffset::(.*):(" + TOPIC + rb"):(\d{1,10})\Z", re.DOTALL),
    re.compile(rb"\A(-?\d{1,19})(?::(.+))?\Z", re.DOTALL),
)
_COMMIT: Final = _CommitForm(
    b"offset_commit::group=",
    re.compile(rb"\Aoffset_commit::group=(.*),partition=(" + TOPIC + rb")-(\d{1,10})\Z", re.DOTALL),
    re.compile(rb"\Aoffset=(-?\d{1,19})(?:,metadata=(.+))?\Z", re.DOTALL),
)


def read_payload(text: bytes, sizes: Sizes) -> KeyValue:
    """Read what stands behind `key: `, the payload included."""
    for marks, read in _READERS:
        if text.startswith(marks):
            return read(text, sizes)
    match = _SKIPPED.match(text)
    if match is None:
        raise Unreadable("unknown line", "a key of the offsets topic", text)
    number = whole(match[1].decode(), 16) if match[1] else None
    doubt = Unreadable("record the tool could not read", "a key and a value", text)
    return KeyValue(number, is_tombstone=sizes.value == NULL_BYTES, doubt=doubt)


def _read_json(text: bytes, _: Sizes) -> KeyValue:
    """Read a key and a value in JSON; where the first end of a key stands in one of its strings, look closer."""
    end = text.find(_JSON_KEY_END) + 2
    if end < len(b"}}") or text.count(b'"', 0, end) % 2:
        end = value_end(text)
    if not text.startswith(KEY_END, end):
        raise Unreadable("unknown line", "a payload behind the key", text[end:])
    key, payload = read_key(text[:end]), text[end + len(KEY_END) :]
    return commit_of_today(key, payload) or with_value(key, None if payload == TOMBSTONE else parse_json(payload))


def _read_commit(form: _CommitForm, text: bytes, sizes: Sizes) -> KeyValue:
    end = one([end for end in _commit_ends(form, text, sizes.key) if form.key.match(text[:end])], "commit", text)
    match = form.key.match(text[:end])
    group, topic, partition = match.groups() if match else (b"", b"", b"")
    key = {"group_id": text_of(group), "topic": topic.decode(), "partition": whole(partition.decode(), 32)}
    key_value = KeyValue(_COMMIT_TYPE, key, is_tombstone=sizes.value == NULL_BYTES)
    payload = _payload(text, end, sizes)
    return (
        key_value
        if payload is None
        else key_value._replace(is_tombstone=False, column="offset_commit", value=_commit(form, payload, sizes))
    )


def _commit_ends(form: _CommitForm, text: bytes, key_bytes: int | None) -> Iterator[int]:
    """Give where the key may end: with its size, that follows from the digits of the partition."""
    if key_bytes is None:
        yield from _ends(text)
        return
    separators_bytes = len(b",partition=-") if form is _COMMIT else len(b"::")
    names_end = len(form.prefix) + separators_bytes + key_bytes - _COMMIT_KEY_BYTES
    for end in range(names_end + 1, names_end + 11):
        match = form.key.match(text[:end]) if text.startswith(KEY_END, end) or end == len(text) else None
        if match and len(match[3]) == end - names_end:
            yield end


def _ends(text: bytes) -> Iterator[int]:
    """Give where a key whose size is not known may end; that there are two is enough to know."""
    first = text.find(KEY_END)
    yield first if first >= 0 else len(text)
    second = text.find(KEY_END, first + 1) if first >= 0 else -1
    if second >= 0:
        yield second
        raise Unreadable("ambiguous line", "one payload", text)


def _payload(text: bytes, end: int, sizes: Sizes) -> bytes | None:
    """Give the payload behind a key; None for a tombstone."""
    payload = text[end + len(KEY_END) :] if end < len(text) else None
    is_tombstone = payload in {None, TOMBSTONE}
    if sizes.value is not None and is_tombstone != (sizes.value == NULL_BYTES):
        raise Unreadable("size of the value", f"{sizes.value} bytes", text[end:])
    return None if is_tombstone else payload


def _commit(form: _CommitForm, payload: bytes, sizes: Sizes) -> Row:
    match = form.payload.match(payload)
    if match is None:
        raise Unreadable("unknown line", "an offset and metadata", payload)
    metadata = match[2] or b""
    beside = None if sizes.value is None else sizes.value - len(metadata)
    if beside is not None and beside not in _VALUE_BYTES:
        raise Unreadable("size of the value", f"metadata that makes a value of {sizes.value} bytes", payload)
    return {"offset": whole(match[1].decode()), "metadata": text_of(metadata)}


def _read_old_commit(text: bytes, sizes: Sizes) -> KeyValue:
    return _read_commit(_OLD_COMMIT, text, sizes)


def _read_new_commit(text: bytes, sizes: Sizes) -> KeyValue:
    return _read_commit(_COMMIT, text, sizes)


def _read_group(prefix: bytes, text: bytes, sizes: Sizes) -> tuple[KeyValue, bytes | None]:
    """Read the key of a group, which the size of the key cuts off; give its payload too."""
    ends = _ends(text) if sizes.key is None else [len(prefix) + sizes.key - _GROUP_KEY_BYTES]
    end = one(list(ends), "payload", text)
    if not (text.startswith(KEY_END, end) or end == len(text)):
        raise Unreadable("size of the key", f"a group in a key of {sizes.key} bytes", text)
    key = {"group_id": text_of(text[len(prefix) : end])}
    return KeyValue(_GROUP_TYPE, key, is_tombstone=sizes.value == NULL_BYTES), _payload(text, end, sizes)


def _with_group(key_value: KeyValue, row: Row) -> KeyValue:
    return key_value._replace(is_tombstone=False, column="group_metadata", value=row)


def _read_old_group(text: bytes, sizes: Sizes) -> KeyValue:
    """Read `metadata::group` and `type:protocol:generation:{assignment}`, of 0.9 to 0.11."""
    key_value, payload = _read_group(b"metadata::", text, sizes)
    match = _OLD_GROUP.match(payload or b"")
    if payload is None:
        return key_value
    if match is None:
        raise Unreadable("unknown line", "type:protocol:generation:{assignment}", payload)
    kind, protocol, generation, assignment = match.groups()
    named = None if protocol == b"null" else text_of(protocol)
    return _with_group(key_value, _group(text_of(kind), named, whole(generation.decode(), 32), assignment))


def _read_new_group(text: bytes, sizes: Sizes) -> KeyValue:
    """Read `group_metadata::group=` and JSON, of 2.5 to 3.7."""
    key_value, payload = _read_group(b"group_metadata::group=", text, sizes)
    return key_value if payload is None else _with_group(key_value, _json_group(payload))


def _read_json_group(text: bytes, sizes: Sizes) -> KeyValue:
    """Read `{"metadata":"group"}` and JSON, of 1.0 to 2.4; in JSON no string holds the end of this key."""
    key, _, payload = text.partition(b'"}' + KEY_END)
    (group,) = object_of(parse_json(key + b'"}' if payload else text), "metadata")
    key_value = KeyValue(_GROUP_TYPE, {"group_id": str(group)}, is_tombstone=sizes.value == NULL_BYTES)
    return _with_group(key_value, _json_group(payload)) if payload else key_value


def _json_group(payload: bytes) -> Row:
    names = ("protocolType", "protocol", "generationId", "assignment")
    kind, protocol, generation, assignment = object_of(parse_json(payload), *names)
    if not (isinstance(kind, str) and isinstance(protocol, str | None) and isinstance(assignment, str)):
        raise Unreadable("unknown json", "a group's protocol and assignment", payload)
    return _group(kind, protocol, whole(str(generation), 32), assignment.encode("utf-8", "surrogatepass"))


def _group(kind: str, protocol: str | None, generation: int, assignment: bytes) -> Row:
    if not (assignment.startswith(b"{") and assignment.endswith(b"}")):
        raise Unreadable("unknown line", "{member=assignment,...}", assignment)
    read = _consumers if kind == "consumer" else _others
    members = list(read(assignment[1:-1], kind, protocol))
    return {"protocol_type": kind, "protocol": protocol, "generation": generation, "members": members}


def _consumers(text: bytes, kind: str, protocol: str | None) -> Iterator[Row]:
    """Read `member=[topic-0, topic-1]`, with user data behind a colon, of every member."""
    at = 0
    for match in _LIST.finditer(text):
        partitions = [each.rpartition(b"-") for each in match[1].split(b", ") if each]
        by_topic: dict[str, list[int]] = {}
        for topic, _, partition in partitions:
            by_topic.setdefault(topic.decode(), []).append(whole(partition.decode(), 32))
        user_data = restore_bytes(match[2], kind, protocol) if match[2] else None
        assigned = [{"topic": topic, "partitions": numbers} for topic, numbers in by_topic.items()]
        blob = encode(ASSIGNMENT, 0, {"assigned_partitions": assigned, "user_data": user_data})
        yield {"member_id": text_of(text[at : match.start()]), "assignment": blob}
        at = match.end()
    if at < len(text):
        raise Unreadable("unknown line", "member=[partitions]", text[at:])


def _others(text: bytes, kind: str, protocol: str | None) -> Iterator[Row]:
    """Read `member=number` of every member; an id with a comma or an equals sign could be read two ways."""
    at = 0
    while at < len(text):
        match = _NUMBER.match(text, at)
        if match is None:
            raise Unreadable("ambiguous line", "member=number", text[at:])
        yield {"member_id": text_of(match[1]), "assignment": restore_bytes(match[2], kind, protocol)}
        at = match.end()


def _read_unknown(text: bytes, sizes: Sizes) -> KeyValue:
    """Read `unknown::version=N`, a record type that the tool did not know."""
    number = text.removeprefix(b"unknown::version=").partition(KEY_END)[0].decode("ascii", "replace")
    doubt = Unreadable("record the tool could not read", "a key and a value", text)
    return KeyValue(whole(number, 16), is_tombstone=sizes.value == NULL_BYTES, doubt=doubt)


_READERS: Final[tuple[tuple[bytes | tuple[bytes, ...], Callable[[bytes, Sizes], KeyValue]], ...]] = (
    (DUMP_3_8.marks, _read_json),
    (DUMP_2_5.marks[0], _read_new_commit),
    (DUMP_2_5.marks[1], _read_new_group),
    (DUMP_2_5.marks[2], _read_unknown),
    (DUMP_0_9.marks[0], _read_old_commit),
    (DUMP_0_9.marks[1], _read_old_group),
    (DUMP_1_0.marks, _read_json_group),
)


def is_unescaped(text: bytes) -> bool:
    """Whether a form prints ids as they are, so that they may have line breaks."""
    return text.startswith((*DUMP_2_5.marks, *DUMP_0_9.marks))


def has_unsized_end(text: bytes) -> bool:
    """Whether the sizes don't tell where the payload ends: members of a group stand in the old form as they are."""
    return text.startswith(DUMP_0_9.marks[1])


def without_key(sizes: Sizes) -> KeyValue:
    """Give a record whose key was not printed: a tombstone up to Kafka 2.4, a marker, or no decoder was used."""
    return KeyValue(is_tombstone=None if sizes.value is None else sizes.value == NULL_BYTES)
