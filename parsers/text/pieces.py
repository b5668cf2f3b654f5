"""Text as it is read: opened where it lies, inflated, and cut into pieces of bounded size, each with its byte position.

Put here how text is opened and cut. What a piece says belongs to the module of its form.
"""

from __future__ import annotations

import io
import lzma
import re
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple, cast

import pyarrow as pa

from parsers.errors import SourceError
from parsers.log.damage.quarantine import QUOTED_BYTES
from parsers.sources import resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TextSource = str | Path | IO[bytes] | IO[str]

CHUNK_BYTES: Final = 1 << 20
PACKINGS: Final = {".gz": "gzip", ".bz2": "bz2", ".lz4": "lz4", ".zst": "zstd"}
"""How Arrow calls what a file is packed with, by the end of its name."""
PIECE_BYTES: Final = 8 << 20
"""A piece is larger than what Kafka takes for a record by default, printed as text; a larger one is not read."""

_BOUNDARY: Final = re.compile(rb'\}(?=\s{0,64}\{\s{0,8}"key"\s{0,8}:)')
"""Between two JSON records: inside a string of JSON a quote has a backslash before it, so this stands in none."""
_OVERLAP_BYTES: Final = 128
"""More than a boundary has: what is kept of a piece that is let go, so that its end is found."""


class Piece(NamedTuple):
    """A line, or a JSON record; of a piece that is too large only the beginning."""

    position: int
    text: bytes
    size_bytes: int

    @property
    def is_whole(self) -> bool:
        """Whether the text is all of the piece."""
        return len(self.text) == self.size_bytes


class Cutting(NamedTuple):
    """How text is cut: the pieces of a stretch, the last of which goes on; bytes between two pieces."""

    pieces: Callable[[bytes], list[bytes]]
    separator_bytes: int


def _records(text: bytes) -> list[bytes]:
    edges = [0, *(match.end() for match in _BOUNDARY.finditer(text)), len(text)]
    return [text[start:end] for start, end in pairwise(edges)]


LINES: Final = Cutting(lambda text: text.split(b"\n"), 1)
JSON_RECORDS: Final = Cutting(_records, 0)


def cut_pieces(chunks: Iterator[bytes], cutting: Cutting) -> Iterator[Piece]:
    """Cut text into pieces; of a piece above PIECE_BYTES the rest is let go as it comes."""
    position, rest, head, dropped_bytes = 0, b"", b"", 0
    for chunk in chunks:
        *pieces, rest = cutting.pieces(rest + chunk)
        for text in pieces:
            size_bytes = dropped_bytes + len(text)
            yield Piece(position, head or text, size_bytes)
            position += size_bytes + cutting.separator_bytes
            head, dropped_bytes = b"", 0
        if dropped_bytes or len(rest) > PIECE_BYTES:
            head = head or rest[:QUOTED_BYTES]
            dropped_bytes += max(len(rest) - _OVERLAP_BYTES, 0)
            rest = rest[-_OVERLAP_BYTES:]
    if rest or dropped_bytes:
        yield Piece(position, head or rest, dropped_bytes + len(rest))


@contextmanager
def open_text(source: TextSource) -> Iterator[tuple[str, Iterator[bytes]]]:
    """Open text: its name, and its bytes in chunks; .gz, .bz2, .lz4, .zst and .xz are inflated as they are read."""
    if not isinstance(source, str | Path):
        yield str(getattr(source, "name", "the text")), _stream_chunks(source)
        return
    name = str(source)
    with _report_errors(name):
        handle = _handle(name)
    with handle:
        yield name, _file_chunks(name, handle)


def inflate_stream(name: str, stream: IO[bytes]) -> IO[bytes]:
    """What stands in a stream that is packed as its name says."""
    if name.endswith(".xz"):
        return lzma.LZMAFile(stream)
    packing = next((packing for ending, packing in PACKINGS.items() if name.endswith(ending)), None)
    if packing is None:
        return stream
    return cast("IO[bytes]", pa.CompressedInputStream(pa.PythonFile(stream, mode="r"), packing))


def _handle(name: str) -> Any:  # noqa: ANN401 - pyarrow has no types
    place = resolve(name)
    if not name.endswith(".xz"):
        return place.system.open_input_stream(place.inner, compression="detect")
    return lzma.LZMAFile(place.system.open_input_file(place.inner))


@contextmanager
def _report_errors(name: str) -> Iterator[None]:
    try:
        yield
    except (OSError, EOFError, lzma.LZMAError, pa.ArrowInvalid) as error:
        raise SourceError(f"{name}: the text can't be read: {error}") from error


def _file_chunks(name: str, handle: Any) -> Iterator[bytes]:  # noqa: ANN401
    while True:
        with _report_errors(name):
            chunk = handle.read(CHUNK_BYTES)
        if not chunk:
            return
        yield chunk


def _stream_chunks(stream: IO[bytes] | IO[str]) -> Iterator[bytes]:
    raw = stream.buffer if isinstance(stream, io.TextIOWrapper) else stream
    while chunk := raw.read(CHUNK_BYTES):
        yield chunk.encode("utf-8", "surrogatepass") if isinstance(chunk, str) else chunk
