"""ZooKeeper's encoding, jute: numbers, strings and buffers one after another, with a checksum of all that was taken.

Put here how a value is taken from a stream. Which values make a file belongs in `snapshots` and `transactions`.
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Final

from parsers.errors import SourceError

if TYPE_CHECKING:
    from typing import BinaryIO

LARGEST_BYTES: Final = 64 << 20
"""Of one value; ZooKeeper itself takes 1 MB unless it is told otherwise."""
_INT: Final = struct.Struct(">i")
_LONG: Final = struct.Struct(">q")


class Jute:
    """A stream of values; `checksum` is Adler's of what was taken since the beginning."""

    def __init__(self, stream: BinaryIO, path: str) -> None:
        """Begin where the stream stands; the path is for messages."""
        self.checksum = zlib.adler32(b"")
        self.position = 0
        self.path = path
        self._stream, self._ahead = stream, b""

    def take(self, size: int) -> bytes:
        """So many bytes, or a refusal where the stream ends before."""
        if not 0 <= size <= LARGEST_BYTES:
            raise self.refusal(f"expected a length up to {LARGEST_BYTES}, found {size}")
        content = self._read(size)
        if len(content) < size:
            raise self.refusal(f"expected {size} bytes more, the file ends after {len(content)}")
        self.position += size
        self.checksum = zlib.adler32(content, self.checksum)
        return content

    def ahead(self, size: int) -> bytes:
        """Up to so many bytes that come next, which stay to be taken."""
        self._ahead += self._stream.read(max(0, size - len(self._ahead)))
        return self._ahead[:size]

    def _read(self, size: int) -> bytes:
        first, self._ahead = self._ahead[:size], self._ahead[size:]
        return first + self._stream.read(size - len(first)) if len(first) < size else first

    def int32(self) -> int:
        """A number of 32 bits."""
        number: int = _INT.unpack(self.take(_INT.size))[0]
        return number

    def int64(self) -> int:
        """A number of 64 bits."""
        number: int = _LONG.unpack(self.take(_LONG.size))[0]
        return number

    def buffer(self) -> bytes | None:
        """Bytes behind their length; None where the length is -1."""
        size = self.int32()
        return None if size == -1 else self.take(size)

    def text(self) -> str:
        """A string; bytes that are no UTF-8 stay as they are, escaped."""
        return (self.buffer() or b"").decode("utf-8", "surrogateescape")

    def refusal(self, why: str) -> SourceError:
        """What keeps the file from being read, with the place."""
        return SourceError(f"{self.path}: byte {self.position}: {why}")
