"""Bytes in base64 and as kcat prints them, read for a whole column at once: the same as cell by cell."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from parsers.exports.cells import base64_cells, kcat_cells, plain_cells

if TYPE_CHECKING:
    from parsers.exports.cells import Cells

VALUES = st.lists(st.none() | st.binary(max_size=20), max_size=20)


def read(cells: Cells) -> list[bytes | None]:
    """The cells as plain values; none for those that could not be read."""
    edges = zip(cells.start.tolist(), cells.end.tolist(), cells.is_bad.tolist(), strict=True)
    return [None if start < 0 or is_bad else cells.buffer[start:end].tobytes() for start, end, is_bad in edges]


def text_of(values: list[bytes | None]) -> list[str | None]:
    """The values in base64."""
    return [None if value is None else base64.b64encode(value).decode() for value in values]


@given(values=VALUES, skipped=st.integers(0, 3))
def test_base64_gives_the_bytes(values: list[bytes | None], skipped: int) -> None:
    """Also from the middle of a column, and in either alphabet."""
    column = pa.array(text_of(values), pa.string()).slice(skipped)
    assert read(base64_cells(column)) == values[skipped:]
    urls = [None if text is None else text.replace("+", "-").replace("/", "_") for text in text_of(values)]
    assert read(base64_cells(pa.array(urls, pa.large_string()))) == values


@given(values=VALUES)
def test_kcat_gives_the_bytes(values: list[bytes | None]) -> None:
    """Each byte is a character of Latin-1."""
    text = [None if value is None else value.decode("latin-1") for value in values]
    decoded = kcat_cells(pa.array(text, pa.string()))
    assert [one for one, is_bad in zip(read(decoded), decoded.is_bad, strict=True) if not is_bad] == [
        value for value, is_bad in zip(values, decoded.is_bad, strict=True) if not is_bad
    ]
    assert [b"\xef\xbf\xbd" in (value or b"") for value in values] == decoded.is_bad.tolist()


@given(values=VALUES)
def test_plain_bytes_stay(values: list[bytes | None]) -> None:
    """There is nothing to read."""
    assert read(plain_cells(pa.array(values, pa.binary()))) == values


def test_what_is_no_base64_is_told() -> None:
    """A wrong length, letter or place of padding costs its cell alone."""
    cells = ["AAAA", "AAA", "A=AA", "AA==AAAA", "AA==", "!AAA", "", None, "AAA=", "====", "AAAA"]
    decoded = base64_cells(pa.array(cells))
    assert decoded.is_bad.tolist() == [False, True, True, True, False, True, False, False, False, True, False]
    assert read(decoded) == [b"\0\0\0", None, None, None, b"\0", None, b"", None, b"\0\0", None, b"\0\0\0"]


def test_characters_that_are_no_bytes_are_told() -> None:
    """They can't have been printed by kcat."""
    decoded = kcat_cells(pa.array(["a\xff", "\u0100", "\ufffd", "b"]))
    assert decoded.is_bad.tolist() == [False, True, True, False]
    assert read(decoded) == [b"a\xff", None, None, b"b"]
