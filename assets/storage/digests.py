"""Digests of files: computed while the bytes are written, stored in the statistics of a table's log.

Put here how a digest is made and where it is stored. Which files are compared with theirs, and when, is in
`assets.maintenance.verification`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq
from blake3 import blake3

from assets.storage.delta.commit_files import actions_in, is_sound
from assets.storage.delta.log_digests import read_log_digests
from assets.storage.delta.log_files import LAST, files_read
from parsers.errors import WarehouseError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pyarrow import fs

STATISTIC: Final = "blake3"
"""Under this name the statistics of a file have its digest: tags can't be given, notes are in no checkpoint."""
_READ_AT_ONCE: Final = 1 << 20


class DigestingStream:
    """A stream to write to, with the digest of the bytes written."""

    def __init__(self, stream: pa.NativeFile) -> None:
        """Pass on to a stream."""
        self._stream, self._hash, self.closed = stream, blake3(), False

    @property
    def digest(self) -> str:
        """The digest of all bytes until now, in hexadecimal digits."""
        return str(self._hash.hexdigest())

    def write(self, content: bytes | memoryview) -> int:
        """Write some bytes."""
        self._hash.update(content)
        return int(self._stream.write(content))

    def flush(self) -> None:
        """Pass on buffered bytes."""
        self._stream.flush()

    def close(self) -> None:
        """Write the rest."""
        self.closed = True
        self._stream.close()


def digest_of(system: fs.FileSystem, path: str) -> str:
    """The digest of a file as it is now."""
    hasher = blake3()
    with system.open_input_stream(path) as stream:
        while content := stream.read(_READ_AT_ONCE):
            hasher.update(content)
    return str(hasher.hexdigest())


def digests_in(system: fs.FileSystem, log: str, up_to: int = LAST) -> dict[str, str]:
    """The digests that a Delta log, up to a commit, has of files by their paths in the table; also of some gone."""
    known = read_log_digests(system, log)
    digests: dict[str, str] = {}
    for file in files_read(system, log, up_to):
        path = f"{log}/{file.name}"
        digests |= _digests_of(system, path, known.get(file.name), is_checkpoint=file.is_checkpoint)
    return digests


def _digests_of(system: fs.FileSystem, path: str, digest: str | None, *, is_checkpoint: bool) -> dict[str, str]:
    """The digests that one commit or checkpoint has; a file with another digest, or that is none, is refused."""
    try:
        with system.open_input_stream(path) as stream:
            return dict(_digests(_adds_in(stream.read(), digest, is_checkpoint=is_checkpoint)))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, pa.ArrowInvalid) as error:
        raise WarehouseError(f"{path} can't be read: {error}") from error


def _adds_in(content: bytes, digest: str | None, *, is_checkpoint: bool) -> list[Mapping[str, Any]]:
    """The actions of a commit, or of all up to a checkpoint, that took files in."""
    if digest not in {None, blake3(content).hexdigest()}:
        raise ValueError("it has other bytes than were written")
    if is_checkpoint:
        rows = pq.read_table(pa.BufferReader(content), columns=["add"]).to_pylist()
    else:
        rows = actions_in(content)
        if not is_sound(rows):
            raise ValueError("it has other actions than were written")
    return [row["add"] for row in rows if row.get("add")]


def _digests(adds: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    for add in adds:
        digest = json.loads(add.get("stats") or "{}").get(STATISTIC)
        if digest is not None:
            yield unquote(add["path"]), digest
