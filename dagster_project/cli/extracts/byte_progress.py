"""How many bytes were read so far, on a terminal alone.

Put here the line that is written over and over.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from types import TracebackType

_APART_S: Final = 0.5
_MEGABYTE: Final = 1_000_000


class ByteProgress:
    """A line on stderr, written anew twice a second; nothing where stderr is no terminal."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._size_bytes, self._shown_at = 0, time.monotonic()
        self._is_shown, self._is_terminal = False, sys.stderr is not None and sys.stderr.isatty()

    def __enter__(self) -> ByteProgress:  # noqa: PYI034 - Python 3.10 has no Self
        """Give the progress itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Wipe the line away."""
        if self._is_shown:
            sys.stderr.write("\r\x1b[K")

    def add(self, size_bytes: int) -> None:
        """Count bytes, and show the sum when it is due."""
        self._size_bytes += size_bytes
        if self._is_terminal and time.monotonic() - self._shown_at >= _APART_S:
            sys.stderr.write(f"\r{self._size_bytes / _MEGABYTE:,.1f} MB read\x1b[K")
            sys.stderr.flush()
            self._is_shown, self._shown_at = True, time.monotonic()
