"""A pack as a file: a .zip with a manifest of digests, written whole, and read with distrust.

Put here what holds of any pack. What its members mean belongs in `assets.evidence.pack`.
"""

from __future__ import annotations

import errno
import io
import json
import re
import stat
import struct
import zipfile
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from blake3 import blake3

from parsers.errors import LagbookError, SourceError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

MANIFEST: Final = "manifest.json"
SIGNATURE: Final = "manifest.json.sig"
MOST_MEMBERS: Final = 10_000
MOST_BYTES: Final = 1 << 30
"""Of a member, and of all of them, unpacked."""
MOST_RATIO: Final = 300
"""Bytes that one byte of a member may unpack to; rows of one kind reach a hundred."""
SMALL_BYTES: Final = 1 << 20
"""A member of no more than that may be packed as tightly as it likes."""
_LONGEST_MANIFEST: Final = 16 << 20
_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*(/[A-Za-z0-9_][A-Za-z0-9._-]*){0,3}")
_LONGEST_NAME: Final = 200
_SYMLINK_SHIFT: Final = 16
_ENCRYPTED: Final = 1
_KNOWN_METHODS: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_END_BYTES: Final = 22
_LOCATOR_BYTES: Final = 20
_LIST_SIZE_AT: Final = 12
_LONGEST_LIST: Final = 4 << 20
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)


class TamperedError(LagbookError):
    """A pack is not what its manifest says, or its bytes and rows contradict the claim."""


def manifest_of(members: Mapping[str, bytes], facts: Mapping[str, Any]) -> bytes:
    """The manifest of members: facts, and the size and digest of each; it is what a signature is about."""
    entries = {
        name: {"size_bytes": len(content), "blake3": blake3(content).hexdigest()} for name, content in members.items()
    }
    return json.dumps({**facts, "members": entries}, indent=1, sort_keys=True).encode("ascii")


def to_json(value: object) -> bytes:
    """A member that is JSON: of the same value the same bytes."""
    return json.dumps(value, indent=1, sort_keys=True).encode("ascii")


def manifest_digest(manifest: bytes) -> str:
    """The BLAKE3 digest of a manifest, by which all that is in a pack can be named."""
    return blake3(manifest).hexdigest()


def write_pack(stream: BinaryIO, members: Mapping[str, bytes], manifest: bytes, signature: bytes | None) -> None:
    """Write members with their manifest, and its signature if there is one: of the same content the same bytes."""
    signatures = {} if signature is None else {SIGNATURE: signature}
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as pack:
        for name, content in {MANIFEST: manifest, **signatures, **members}.items():
            _add(pack, name, content)


def _add(pack: zipfile.ZipFile, name: str, content: bytes) -> None:
    info = zipfile.ZipInfo(name, _EPOCH)
    info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << _SYMLINK_SHIFT
    pack.writestr(info, content)


@contextmanager
def open_pack(path: Path) -> Iterator[PackReader]:
    """A pack whose members have sound names and sizes, and are those of its manifest; nothing is unpacked to a disk."""
    try:
        with path.open("rb") as stream:
            _refuse_directory(path, stream)
            with zipfile.ZipFile(stream) as pack:
                yield PackReader(str(path), pack)
    except OSError as error:
        if error.errno == errno.EINVAL:  # a place before the beginning of the file
            raise TamperedError(f"{path}: it is no sound pack: a member begins nowhere") from error
        raise SourceError(f"{path}: the pack can't be read: {error.strerror or error}") from error
    except (zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError, EOFError, ValueError) as error:
        raise TamperedError(f"{path}: it is no sound pack: {error}") from error


def _refuse_directory(path: Path, stream: BinaryIO) -> None:
    """Refuse a pack whose list of members would take too much memory, before it is read; ours have no comment."""
    size_bytes = stream.seek(0, io.SEEK_END)
    stream.seek(max(0, size_bytes - _END_BYTES - _LOCATOR_BYTES))
    tail = stream.read()
    end = tail[-_END_BYTES:]
    is_end = len(end) == _END_BYTES and end.startswith(b"PK\x05\x06") and end.endswith(b"\0\0")
    if not is_end or tail.startswith(b"PK\x06\x07"):
        raise TamperedError(f"{path}: expected a .zip that ends with its list of members, found another end")
    (list_bytes,) = struct.unpack_from("<I", end, _LIST_SIZE_AT)
    if size_bytes > MOST_BYTES or list_bytes > _LONGEST_LIST:
        raise TamperedError(f"{path}: {size_bytes} bytes with a list of members of {list_bytes}: too many")


class PackReader:
    """The members of a pack, read one at a time."""

    def __init__(self, path: str, pack: zipfile.ZipFile) -> None:
        """Look at every name and size, and read the manifest."""
        self.path, self._pack = path, pack
        self._infos = {info.filename: info for info in pack.infolist()}
        self._refuse_members()
        self.manifest_bytes = self._content(MANIFEST, _LONGEST_MANIFEST)
        self.manifest = self._read_manifest()
        self.entries: dict[str, dict[str, Any]] = self.manifest["members"]

    @property
    def signature(self) -> bytes | None:
        """The signature of the manifest, if there is one."""
        return self._content(SIGNATURE, SMALL_BYTES) if SIGNATURE in self._infos else None

    def read(self, name: str) -> bytes:
        """A member, which has to be what the manifest says."""
        if name not in self.entries:
            raise TamperedError(f"{self.path}: {name}: expected in the manifest, found none")
        content = self._content(name, MOST_BYTES)
        entry, actual = self.entries[name], {"size_bytes": len(content), "blake3": blake3(content).hexdigest()}
        for fact, value in actual.items():
            if entry.get(fact) != value:
                raise TamperedError(f"{self.path}: {name}: {fact}: expected {entry.get(fact)}, found {value}")
        return content

    def json(self, name: str) -> Any:  # noqa: ANN401 - any JSON
        """A member that is JSON."""
        return self._parse(name, self.read(name))

    def _refuse_members(self) -> None:
        """Refuse names that lead out, links, doubles, and members that unpack to too much."""
        infos = self._pack.infolist()
        if len(infos) > MOST_MEMBERS or len(self._infos) != len(infos):
            raise TamperedError(f"{self.path}: expected at most {MOST_MEMBERS} members, each once, found {len(infos)}")
        for info in infos:
            self._refuse_member(info)
        if (total := sum(info.file_size for info in infos)) > MOST_BYTES:
            raise TamperedError(f"{self.path}: expected at most {MOST_BYTES} bytes, found {total} unpacked")

    def _refuse_member(self, info: zipfile.ZipInfo) -> None:
        name, mode = info.filename, info.external_attr >> _SYMLINK_SHIFT
        is_plain = len(name) <= _LONGEST_NAME and _NAME.fullmatch(name) is not None
        if not is_plain or info.is_dir() or (mode and not stat.S_ISREG(mode) and stat.S_IFMT(mode)):
            shown = repr(name[:_LONGEST_NAME])
            raise TamperedError(f"{self.path}: {shown}: expected a plain file inside, found another name or kind")
        if info.flag_bits & _ENCRYPTED or info.compress_type not in _KNOWN_METHODS:
            raise TamperedError(f"{self.path}: {name}: expected plain or deflated bytes, found others")
        most = max(SMALL_BYTES, MOST_RATIO * info.compress_size)
        if info.file_size > most:
            raise TamperedError(f"{self.path}: {name}: expected at most {most} bytes, found {info.file_size} unpacked")

    def _content(self, name: str, most_bytes: int) -> bytes:
        """The bytes of a member, no more than it announces."""
        info = self._infos.get(name)
        if info is None:
            raise TamperedError(f"{self.path}: {name}: expected a member, found none")
        with self._pack.open(info) as member:
            content = member.read(min(info.file_size, most_bytes) + 1)
        if len(content) != info.file_size:
            raise TamperedError(f"{self.path}: {name}: expected {info.file_size} bytes, found {len(content)}")
        return content

    def _read_manifest(self) -> dict[str, Any]:
        manifest = self._parse(MANIFEST, self.manifest_bytes)
        entries = manifest.get("members") if isinstance(manifest, dict) else None
        if not isinstance(entries, dict) or not all(isinstance(entry, dict) for entry in entries.values()):
            raise TamperedError(f"{self.path}: {MANIFEST}: expected an object with members, found none")
        actual = self._infos.keys() - {MANIFEST, SIGNATURE}
        if strangers := sorted(actual ^ entries.keys()):
            where = "in the pack alone" if strangers[0] in actual else "in the manifest alone"
            raise TamperedError(f"{self.path}: {strangers[0]}: expected in both, found {where}")
        return {**manifest, "members": entries}

    def _parse(self, name: str, content: bytes) -> Any:  # noqa: ANN401 - any JSON
        try:
            return json.loads(content)
        except (ValueError, RecursionError) as error:
            raise TamperedError(f"{self.path}: {name}: expected JSON: {error}") from error
