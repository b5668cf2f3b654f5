"""The stretch of a file that is in memory at one time, and the addresses in it.

Only the window belongs here. What is read in it belongs to the modules that read it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parsers.sources import ByteSource
    from parsers.words import ByteArray


@dataclass(frozen=True)
class Window:
    """Bytes of a file from `position` on; `file_end` is where the file ends, which may be far behind."""

    buffer: ByteArray
    position: int
    file_end: int

    @property
    def end(self) -> int:
        """Position in the file where the window ends."""
        return self.position + len(self.buffer)

    @property
    def bytes_left(self) -> int:
        """Bytes of the file from the window's start on."""
        return self.file_end - self.position


def read_window(source: ByteSource, position: int, length: int, file_end: int) -> Window:
    """Read a window; a read that comes back short moves the end of the file to where the bytes ended."""
    buffer = source.read(position, min(length, max(0, file_end - position)))
    shrunk = len(buffer) < min(length, file_end - position)
    return Window(buffer, position, position + len(buffer) if shrunk else file_end)
