"""A byte source that computes the BLAKE3 digest of the range that is read of it.

Put here only the digest; reading is done by `parsers`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from blake3 import blake3

if TYPE_CHECKING:
    from parsers.sources import ByteSource
    from parsers.words import ByteArray

_AT_ONCE_BYTES: Final = 8 << 20


def digest(source: ByteSource, start: int, end: int) -> str:
    """The digest of the bytes from one position to another, or to where the file ends before."""
    hasher = blake3()
    for position in range(start, end, _AT_ONCE_BYTES):
        hasher.update(source.read(position, min(_AT_ONCE_BYTES, end - position)).data)
    return hasher.hexdigest()


class DigestingSource:
    """Gives the bytes of another source, and digests them from a position on."""

    def __init__(self, source: ByteSource, start: int) -> None:
        """Begin at a position; nothing is digested yet."""
        self.path, self.size_bytes = source.path, source.size_bytes
        self._source = source
        self._digest = blake3()
        self._digested_to = start
        self._last: tuple[int, ByteArray] = (start, np.empty(0, np.uint8))

    @property
    def blake3(self) -> str:
        """The digest so far."""
        return self._digest.hexdigest()

    def read(self, position: int, length: int) -> ByteArray:
        """Give up to `length` bytes from `position`; fewer at the end of the file."""
        buffer = self._source.read(position, length)
        if len(buffer) >= len(self._last[1]) or position > self._last[0]:
            self._last = position, buffer
        return buffer

    def digest_up_to(self, position: int) -> None:
        """Digest up to a position: from the bytes that were read last where they reach, else read again."""
        while self._digested_to < position:
            start, buffer = self._last
            offset = self._digested_to - start
            if not 0 <= offset < len(buffer):
                start, buffer = self._digested_to, self._source.read(self._digested_to, position - self._digested_to)
                offset = 0
            part = buffer[offset : offset + position - self._digested_to]
            if not len(part):
                return
            self._digest.update(part.data)
            self._digested_to += len(part)
