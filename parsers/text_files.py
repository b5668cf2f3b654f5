"""Small text files: read whole, bounded in memory, in UTF-8, or refused in a sentence.

Put here how such a file is read. What stands in it belongs to who reads it.
"""

from __future__ import annotations

from pathlib import Path

from parsers.errors import SourceError


def read_text(path: str | Path, largest_bytes: int) -> str:
    """The text of a file; one that is missing, larger or no UTF-8 is refused without a word of what is in it."""
    try:
        with Path(path).open("rb") as file:
            content = file.read(largest_bytes + 1)
    except OSError as error:
        raise SourceError(f"{path} can't be read: {error.strerror}") from error
    if len(content) > largest_bytes:
        raise SourceError(f"{path}: expected at most {largest_bytes:,} bytes, found more")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SourceError(f"{path} is not UTF-8 at byte {error.start:,}") from None
