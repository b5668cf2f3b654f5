"""ZooKeeper's encoding, jute: numbers and buffers one after another.

Put here how a value is taken from a stream. Which values make a file belongs in `snapshots`.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from parsers.errors import SourceError
from parsers.zookeeper.loops import LARGEST_BYTES

if TYPE_CHECKING:
    from typing import BinaryIO

_INT: Final = struct.Struct(">i")
_LONG: Final = struct.Struct(">q")


class Jute:
    """A stream of values."""

    def __init__(self, stream: BinaryIO) -> None:
        """Begin where the stream stands."""
        self.position = 0
        self._stream = stream

    def take(self, size: int) -> bytes:
        """So many bytes, or a refusal where the stream ends before."""
        if not 0 <= size <= LARGEST_BYTES:
            raise SourceError(f"a length of {size}, more than {LARGEST_BYTES} or less than 0")
        content = self._stream.read(size)
        if len(content) < size:
            raise SourceError(f"the end after {len(content)} of {size} bytes")
        self.position += size
        return content

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
