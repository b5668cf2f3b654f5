"""How much an archive may unpack to, and for how long: a few kilobytes may stand for more than any disk holds.

Put here the bounds and the count. What in an archive counts is in `parsers.files.archives`.
"""

from __future__ import annotations

import io
import time
from dataclasses import dataclass
from typing import IO, Any, Final

FREE_BYTES: Final = 1 << 30
"""Up to so much the ratio does not count: empty indexes of a copied folder are large, and pack to nothing."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that is unpacked of one archive; every bound can be set."""

    ratio: float = 200.0
    """Bytes for each byte of the archive, beyond the first gigabyte. Logs pack to a tenth, or a thirtieth."""
    size_bytes: float = float(256 << 30)
    seconds: float = 3600.0


class TooMuchError(Exception):
    """An archive unpacks to more than was allowed."""


class Meter:
    """The bytes that came out of one archive so far, and when that began."""

    def __init__(self, limits: Limits, packed_bytes: int) -> None:
        """Begin at nothing."""
        self._limits, self._packed_bytes = limits, packed_bytes
        self._bytes, self._began = 0, time.monotonic()

    def take(self, count: int) -> None:
        """Count some bytes more, and refuse what is too much."""
        self._bytes += count
        most = self._limits
        if self._bytes > most.size_bytes:
            raise TooMuchError(f"it unpacks to more than {most.size_bytes:,.0f} bytes (LAGBOOK_UNPACK_BYTES)")
        if self._bytes > max(FREE_BYTES, most.ratio * self._packed_bytes):
            size = f"{most.ratio:,.0f} times its {self._packed_bytes:,} bytes"
            raise TooMuchError(f"it unpacks to more than {size} (LAGBOOK_UNPACK_RATIO)")
        if time.monotonic() - self._began > most.seconds:
            raise TooMuchError(f"unpacking takes longer than {most.seconds:,.0f} seconds (LAGBOOK_UNPACK_SECONDS)")


class MeteredIO(io.RawIOBase):
    """A stream whose bytes are counted as they are read."""

    def __init__(self, stream: IO[bytes], meter: Meter) -> None:
        """Read from a stream, for a meter."""
        self._stream, self._meter = stream, meter

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - anything that can be written into
        """Read as much as the stream gives at once."""
        content = self._stream.read(len(buffer))
        self._meter.take(len(content))
        buffer[: len(content)] = content
        return len(content)
