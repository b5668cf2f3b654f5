"""Text is cut at the same places however it comes, and none of it is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.text import pieces as text_pieces
from parsers.text.pieces import JSON_RECORDS, LINES, Cutting, cut_pieces

if TYPE_CHECKING:
    from collections.abc import Iterator

RECORD = b'{"key":{"type":2,"data":{"group":"a}{b"}},"value":null}'


def chunks(text: bytes, size: int) -> Iterator[bytes]:
    """Cut text into chunks of a size."""
    return (text[at : at + size] for at in range(0, len(text), size))


@pytest.mark.parametrize(("cutting", "text"), [(LINES, b"a\n\nbc\r\n\nd"), (JSON_RECORDS, RECORD * 3 + b"\n" + RECORD)])
def test_chunks_make_no_difference(cutting: Cutting, text: bytes) -> None:
    """Lines and records come out the same from chunks of any size."""
    whole = list(cut_pieces(iter([text]), cutting))
    assert len(whole) == (5 if cutting is LINES else 4)
    for size in range(1, len(text)):
        assert list(cut_pieces(chunks(text, size), cutting)) == whole


@settings(deadline=None)
@given(st.lists(st.binary(max_size=30), max_size=8))
def test_pieces_tile_the_text(parts: list[bytes]) -> None:
    """Every byte belongs to one piece or parts two lines."""
    text = b"".join(parts)
    at = 0
    for piece in cut_pieces(iter(parts), LINES):
        assert piece.position == at
        assert piece.text == text[at : at + piece.size_bytes]
        at += piece.size_bytes + 1
    assert at in {len(text), len(text) + 1}


@pytest.mark.parametrize("size", [1, 7, 64, 1000])
def test_a_piece_that_is_too_large_is_let_go(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a piece above the bound only the beginning is kept, and the next one is found where it begins."""
    monkeypatch.setattr(text_pieces, "PIECE_BYTES", 200)
    text = b"a\n" + b"x" * 999 + b"\nb"
    pieces = list(cut_pieces(chunks(text, size), LINES))
    assert [(piece.position, piece.size_bytes) for piece in pieces] == [(0, 1), (2, 999), (1002, 1)]
    assert [piece.is_whole for piece in pieces] == [True, False, True]
