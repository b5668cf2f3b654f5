"""Small text files are read whole or refused, and a refusal shows nothing of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from parsers.errors import SourceError
from parsers.text_files import read_text

if TYPE_CHECKING:
    from pathlib import Path

LARGEST_BYTES = 8


def test_a_file_of_the_largest_size_is_read(tmp_path: Path) -> None:
    """Its last byte counts."""
    (tmp_path / "text").write_bytes("hütten!".encode())
    assert read_text(tmp_path / "text", LARGEST_BYTES) == "hütten!"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "/text can't be read: No such file"),
        (b"secret-91", "/text: expected at most 8 bytes, found more"),
        (b"secret\xff", "/text is not UTF-8 at byte 6"),
    ],
)
def test_what_is_missing_large_or_no_text_is_refused(tmp_path: Path, content: bytes | None, reason: str) -> None:
    """With the file and the place, and without what is in it."""
    if content is not None:
        (tmp_path / "text").write_bytes(content)
    with pytest.raises(SourceError, match=reason) as refused:
        read_text(tmp_path / "text", LARGEST_BYTES)
    assert "secret" not in str(refused.value)
