"""What `kafka-console-consumer` printed with Kafka's formatters for the offsets topic, before and since it prints JSON.

Put here the console forms. What `kafka-dump-log` printed belongs to `parsers.text.dump_log`.

Names and metadata stand in the older forms as they are, line breaks included. A line that could be read two ways is set
aside; metadata that looks like the end of its line and a whole further line can't be told from one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from parsers.text.dump_log import trouble_of, whole_text
from parsers.text.forms import GROUPS_0_9, GROUPS_0_11, OFFSETS_0_8_2, OFFSETS_0_9, OFFSETS_2_1
from parsers.text.json_lines import key_of, object_of, parse_json, with_value
from parsers.text.members import bracketed_members, described_members
from parsers.text.numbers import group_topic_partition, text_of, whole
from parsers.text.pieces import PIECE_BYTES, Piece
from parsers.text.rows import KeyValue, Row, TextRecord, Unreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from parsers.log.damage.quarantine import Trouble

_NULL: Final = b"::NULL"
_COMMIT_TOMBSTONE: Final = b"]::NULL"
_UNKNOWN: Final = "unknown line"
_TRAILER: Final = re.compile(rb"\s*(?:Processed a total of \d{1,19} messages)?\s*\Z")
_NO_METADATA: Final = b"NO_METADATA"
_MOST_ID_BYTES: Final = 32767
_GROUP_TYPE: Final = 2
_COMMIT_TYPE: Final = 1


class _Offsets(NamedTuple):
    """A form of the formatter of offsets: what parts key and value, and the value."""

    mark: bytes
    value: re.Pattern[bytes]
    record_type: int = _COMMIT_TYPE
    value_version: int | None = None


_OFFSETS: Final = (
    _Offsets(
        OFFSETS_2_1.marks[0],
        re.compile(
            rb"\Aoffset=(?P<offset>-?\d{1,19}), leaderEpoch=Optional(?:\.empty|\[(?P<leader_epoch>-?\d{1,10})\]), "
            rb"metadata=(?P<metadata>.*), commitTimestamp=(?P<commit_timestamp>-?\d{1,19}), "
            rb"expireTimestamp=(?:None|Some\((?P<expire_timestamp>-?\d{1,19})\))\)\Z",
            re.DOTALL,
        ),
    ),
    _Offsets(
        OFFSETS_0_9.marks[0],
        re.compile(
            rb"\A(?P<offset>-?\d{1,19}),(?P<metadata>.*)\],CommitTime (?P<commit_timestamp>-?\d{1,19}),"
            rb"ExpirationTime (?P<expire_timestamp>-?\d{1,19})\]\Z",
            re.DOTALL,
        ),
    ),
    _Offsets(
        OFFSETS_0_8_2.marks[0],
        re.compile(rb"\A(?P<offset>-?\d{1,19}),(?P<metadata>.*),(?P<commit_timestamp>\d{1,19})\]\Z", re.DOTALL),
        record_type=0,
        value_version=0,
    ),
)
_NONE: Final = -1
"""What a commit holds where it has no leader epoch or expiry time."""

_DESCRIBED: Final = re.compile(
    rb", generation=(-?\d{1,10}), protocolType=(?:None|Some\(([^()]{0,32767})\)), currentState=[A-Za-z]{4,19}, "
    rb"members=(?:Hash)?Map\((.*)\)\)\Z",
    re.DOTALL,
)
_BRACKETED: Final = re.compile(rb",([^,]{0,32767}),[A-Za-z]{4,19},(?:Hash)?Map\((.*)\)\]\Z", re.DOTALL)
_MOST_LINES: Final = 16
"""More line breaks than an honest name has."""


def read_offsets(pieces: Iterator[Piece]) -> Iterator[TextRecord | Trouble]:
    """Read what the formatter of offsets printed, up to Kafka 3.9."""
    return _read(pieces, lambda text: text.startswith(b"["), _offset)


def read_groups(pieces: Iterator[Piece]) -> Iterator[TextRecord | Trouble]:
    """Read what the formatter of group metadata printed, up to Kafka 3.9."""
    return _read(pieces, bool, _group)


def read_json(pieces: Iterator[Piece]) -> Iterator[TextRecord | Trouble]:
    """Read what the formatters print since Kafka 3.9."""
    for piece in pieces:
        try:
            key_value = _json(whole_text(piece))
        except Unreadable as unreadable:
            yield trouble_of([piece], unreadable)
            continue
        if key_value is not None:
            yield TextRecord(key_value)
        if key_value is not None and key_value.doubt:
            yield trouble_of([piece], key_value.doubt)


def _json(text: bytes) -> KeyValue | None:
    end = text.rfind(b"}") + 1
    if not _TRAILER.match(text, end):
        raise Unreadable("unknown line", "a record in JSON", text)
    if end == 0:
        return None
    key, value = object_of(parse_json(text[:end]), "key", "value")
    return with_value(key_of(key), value)


def _read(
    pieces: Iterator[Piece], is_start: Callable[[bytes], bool], read: Callable[[bytes], KeyValue]
) -> Iterator[TextRecord | Trouble]:
    """Read records of one line, or of several where a name has a line break."""
    pending: list[Piece] = []
    for piece in pieces:
        if not pending and not is_start(piece.text):
            yield from () if _TRAILER.match(piece.text) else (trouble_of([piece], _unknown(piece.text)),)
            continue
        pending.append(piece)
        outcome = _finish(pending, read)
        if outcome is not None:
            yield outcome
            pending = []
    if pending:
        yield trouble_of(pending, _unknown(pending[0].text))


def _finish(pending: list[Piece], read: Callable[[bytes], KeyValue]) -> TextRecord | Trouble | None:
    """Read the lines that wait; None when more lines may make them a record."""
    outcome = _outcome(pending, read)
    if len(pending) > 1 and isinstance(_outcome(pending[-1:], read), KeyValue):
        expected = "a line that is no record of its own behind one that broke off"
        return trouble_of(pending, Unreadable("ambiguous line", expected, pending[0].text))
    if isinstance(outcome, KeyValue):
        return TextRecord(outcome)
    can_go_on = outcome.reason == _UNKNOWN and len(pending) < _MOST_LINES
    return None if can_go_on and _size_bytes(pending) < PIECE_BYTES else trouble_of(pending, outcome)


def _outcome(pieces: list[Piece], read: Callable[[bytes], KeyValue]) -> KeyValue | Unreadable:
    try:
        return read(b"\n".join([whole_text(piece) for piece in pieces]).rstrip(b"\r"))
    except Unreadable as unreadable:
        return unreadable


def _size_bytes(pieces: list[Piece]) -> int:
    return pieces[-1].position + pieces[-1].size_bytes - pieces[0].position


def _unknown(text: bytes) -> Unreadable:
    return Unreadable(_UNKNOWN, "a line of kafka-console-consumer", text)


def _ambiguous(text: bytes) -> Unreadable:
    return Unreadable("ambiguous line", "one end of the key", text)


def _offset(text: bytes) -> KeyValue:
    """Read `[group,topic,partition]::value`; were the end of the key in a name or in metadata, there would be two."""
    if not text.startswith(b"["):
        raise _unknown(text)
    forms = [form for form in _OFFSETS if form.mark in text]
    if text.endswith(_COMMIT_TOMBSTONE):
        if forms:
            raise _ambiguous(text)
        return KeyValue(_COMMIT_TYPE, group_topic_partition(text[1 : -len(_COMMIT_TOMBSTONE)]), is_tombstone=True)
    if len(forms) != 1 or text.count(forms[0].mark) != 1:
        raise _ambiguous(text) if forms else _unknown(text)
    key, _, value = text.partition(forms[0].mark)
    match = forms[0].value.match(value)
    if match is None:
        raise _unknown(text)
    row = _commit(match)
    return KeyValue(
        forms[0].record_type,
        group_topic_partition(key[1:]),
        is_tombstone=False,
        value_version=forms[0].value_version,
        column="offset_commit",
        value=row,
    )


def _commit(match: re.Match[bytes]) -> Row:
    words = match.groupdict()
    metadata = words.pop("metadata")
    row: Row = {name: _NONE if word is None else whole(word.decode()) for name, word in words.items()}
    is_none = metadata == _NO_METADATA and "leader_epoch" not in words
    return {**row, "metadata": "" if is_none else text_of(metadata)}


def _group(text: bytes) -> KeyValue:
    """Read `group::value`, where the value names the group again."""
    if text.endswith(_NULL):
        if GROUPS_0_11.marks[0] in text or GROUPS_0_9.marks[0] in text:
            raise _ambiguous(text)
        return KeyValue(_GROUP_TYPE, {"group_id": text_of(text[: -len(_NULL)])}, is_tombstone=True)
    described = _named_twice(text, GROUPS_0_11.marks[0], b", generation=")
    bracketed = _named_twice(text, GROUPS_0_9.marks[0], b",")
    if len(described) + len(bracketed) != 1:
        raise _ambiguous(text) if described or bracketed else _unknown(text)
    row = (
        _read_description(text[2 * described[0] + len(GROUPS_0_11.marks[0]) :])
        if described
        else _read_brackets(text[2 * bracketed[0] + len(GROUPS_0_9.marks[0]) :])
    )
    group_id = text_of(text[: (described or bracketed)[0]])
    return KeyValue(_GROUP_TYPE, {"group_id": group_id}, is_tombstone=False, column="group_metadata", value=row)


def _named_twice(text: bytes, mark: bytes, behind: bytes) -> list[int]:
    """Give where a group may end: what stands before the mark stands behind it too."""
    ends = []
    end = text.find(mark, 0, _MOST_ID_BYTES + len(mark))
    while end >= 0:
        start = end + len(mark)
        if text.startswith(behind, start + end) and text.startswith(text[:end], start):
            ends.append(end)
        end = text.find(mark, end + 1, _MOST_ID_BYTES + len(mark))
    return ends


def _read_description(text: bytes) -> Row:
    match = _DESCRIBED.match(text)
    if match is None:
        raise _unknown(text)
    members, protocol = described_members(match[3])
    generation = whole(match[1].decode(), 32)
    return {
        "protocol_type": text_of(match[2] or b""),
        "generation": generation,
        "protocol": protocol,
        "members": members,
    }


def _read_brackets(text: bytes) -> Row:
    """Read the older form, whose protocol type is `Some(type)` or None since 0.10.1."""
    match = _BRACKETED.match(text)
    if match is None:
        raise _unknown(text)
    kind = match[1]
    is_option = kind.startswith(b"Some(") and kind.endswith(b")")
    kind = b"" if kind == b"None" else kind[len(b"Some(") : -1] if is_option else kind
    return {"protocol_type": text_of(kind), "members": bracketed_members(match[2])}
