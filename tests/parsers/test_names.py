"""Which names are text."""

from __future__ import annotations

import os

import pytest

from parsers.names import is_text


@pytest.mark.parametrize(
    ("name", "is_it"),
    [(b"", True), ("gr\u00fc\u00dfe \U0001f600".encode(), True), (b"a\xff", False), (b"\xed\xa0\x80", False)],
)
def test_only_utf8_is_text(name: bytes, is_it: bool) -> None:  # noqa: FBT001 - as pytest passes it
    """Whatever bytes a disk or a shell gives."""
    assert is_text(os.fsdecode(name)) is is_it
