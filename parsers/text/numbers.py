"""Numbers and names as Kafka's tools print them, refused where they don't fit what they stand for.

Put here what one word of text may be. Lines and structs made of words belong to the modules of their forms.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.text.rows import Unreadable

TOPIC: Final = rb"[A-Za-z0-9._-]{1,249}"
"""What Kafka allows as the name of a topic: no comma, colon, bracket or equals sign."""

_MOST_DIGITS: Final = 19
_SAFE_DIGITS: Final = 10
"""A number with fewer digits fits into 32 bits."""
_SHORT_BITS: Final = 16
_NAMED: Final = re.compile(rb"\A(.*),(" + TOPIC + rb"),(\d{1,10})\Z", re.DOTALL)


def whole(word: str, bits: int = 64) -> int:
    """Read a whole number that fits into so many bits."""
    if len(word) < _SAFE_DIGITS and word.isascii() and word.isdigit() and bits > _SHORT_BITS:
        return int(word)
    digits = word.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()) or len(digits) > _MOST_DIGITS:
        raise Unreadable("not a number", f"a whole number of {bits} bits", word)
    number = int(word)
    if not -(1 << bits - 1) <= number < 1 << bits - 1:
        raise Unreadable("number out of range", f"a whole number of {bits} bits", word)
    return number


def text_of(raw: bytes) -> str:
    """Read text."""
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise Unreadable("not utf8", "text in UTF-8", raw[error.start :]) from error


def one(numbers: list[int], what: str, text: bytes) -> int:
    """Give the only place there is; with none the text is no record, with several nobody can say which is meant."""
    if len(numbers) == 1:
        return numbers[0]
    raise Unreadable("ambiguous line" if numbers else "unknown line", f"one {what}", text)


def group_topic_partition(raw: bytes) -> dict[str, str | int]:
    """Read `group,topic,partition` from the right: a group may have commas, a topic can't."""
    match = _NAMED.match(raw)
    if match is None:
        raise Unreadable("unknown line", "group,topic,partition", raw)
    group, topic, partition = match.groups()
    return {"group_id": text_of(group), "topic": topic.decode(), "partition": whole(partition.decode(), 32)}
