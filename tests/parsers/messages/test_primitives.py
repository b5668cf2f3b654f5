"""Numbers and texts at one position of a buffer, against Kafka's test tables and Python's own reading."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from parsers.messages.primitives import BAD_VARINT, CUT_SHORT, uvarint_at
from parsers.messages.strings import are_utf8
from parsers.spans import pack

UVARINTS = {
    0: "00",
    63: "3f",
    64: "40",
    8191: "ff3f",
    8192: "8040",
    1048575: "ffff3f",
    1048576: "808040",
    2147483647: "ffffffff07",
    2**32 - 1: "ffffffff0f",
    2**31: "8080808008",
}


def array(data: bytes) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    """Give bytes as the loops take them."""
    return np.frombuffer(data, np.uint8)


@pytest.mark.parametrize(("number", "data"), UVARINTS.items())
def test_varints_are_kafkas(number: int, data: str) -> None:
    """The pairs of Kafka's ByteUtilsTest; a varint that is cut off is none."""
    encoded = bytes.fromhex(data)
    assert uvarint_at(array(b"\xff" + encoded + b"\xff"), 1, len(encoded) + 1) == (number, len(encoded) + 1)
    assert uvarint_at(array(encoded), 0, len(encoded) - 1)[1] == CUT_SHORT


@pytest.mark.parametrize("data", ["ffffffff10", "ffffffff7f", "80808080808000", "ffffffffffffffffff01"])
def test_varints_of_more_than_32_bits_are_refused(data: str) -> None:
    """Six bytes, or more bits than an int32 has, are no length."""
    encoded = bytes.fromhex(data)
    assert uvarint_at(array(encoded), 0, len(encoded))[1] == BAD_VARINT


@settings(max_examples=500, deadline=None)
@given(st.binary(max_size=24) | st.text(max_size=8).map(lambda text: text.encode()))
@example(b"\xc0\x80")
@example(b"\xed\xa0\x80")
@example(b"\xf4\x90\x80\x80")
@example(b"abcdefgh\xc3")
@example("größe-😀".encode())
def test_utf8_is_what_python_decodes(data: bytes) -> None:
    """Overlong forms, surrogates and cut sequences are no UTF-8; all else is."""
    start = np.array([3], np.int64)
    span = pack(start, start + len(data))
    assert are_utf8(array(b"\x80\x80\x80" + data + b"\xbf\xbf"), span).tolist() == [_decodes(data)]


def _decodes(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
