"""Strings and base64 as JSON, against Python's own json and base64."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.dump.json_pieces import base64_strings, strings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parsers.words import ByteArray, Int64Array

HOSTILE = [
    "",
    'a"b\\c/',
    "\x00\x08\t\n\x0b\x0c\r\x1b[2J\x1f\x7f\x80\x9f",
    "\u202eevil",
    "é€😀\U0010ffff",
    "\ufeff\uffff",
]


def laid_out(values: Sequence[bytes | None]) -> tuple[ByteArray, Int64Array, Int64Array]:
    """Put values behind each other; None starts below zero."""
    sizes = np.array([len(value or b"") for value in values], np.int64)
    ends = np.cumsum(sizes)
    starts = np.where([value is None for value in values], -1, ends - sizes)
    return np.frombuffer(b"".join(value or b"" for value in values), np.uint8), starts, ends


@settings(deadline=None)
@given(st.lists(st.none() | st.text() | st.sampled_from(HOSTILE), max_size=9))
def test_strings(values: list[str | None]) -> None:
    """Every text comes back from its JSON, which has nothing in it but printable ASCII."""
    texts = strings(*laid_out([None if value is None else value.encode() for value in values]))
    written = [texts.to_bytes(row) for row in range(len(texts))]
    assert [json.loads(text) for text in written] == values
    assert all(text.decode("ascii").isprintable() for text in written)


@settings(deadline=None)
@given(st.lists(st.none() | st.binary(), max_size=9))
def test_base64(values: list[bytes | None]) -> None:
    """Bytes are written as Kafka's converters write them: the plain alphabet, padded."""
    texts = base64_strings(*laid_out(values))
    expected = [None if value is None else base64.b64encode(value).decode() for value in values]
    assert [json.loads(texts.to_bytes(row)) for row in range(len(texts))] == expected
