"""Which kind of file a name stands for, and which topic a segment belongs to: two tables, and the first bytes.

Put here what tells a broker's files apart. What is in them is read by the modules that the kinds are named after.
"""

from __future__ import annotations

import posixpath
import re
from enum import Enum
from typing import TYPE_CHECKING, Final, NamedTuple

from pyarrow import fs

from parsers.errors import SourceError
from parsers.log.batches import HEADER_BYTES, batch_bytes
from parsers.sources import open_file, resolve

if TYPE_CHECKING:
    from parsers.sources import ByteSource


class UnknownKindError(SourceError):
    """A file that no broker writes, as far as its name and its first bytes tell."""


class FileKind(Enum):
    """The kinds of files that a broker writes, each with what a person calls it."""

    SEGMENT = "segment"
    OFFSET_INDEX = "offset index"
    TIME_INDEX = "time index"
    TRANSACTION_INDEX = "transaction index"
    PRODUCER_SNAPSHOT = "producer snapshot"
    EPOCH_CHECKPOINT = "leader epoch checkpoint"
    OFFSET_CHECKPOINT = "offset checkpoint"
    PARTITION_METADATA = "partition.metadata"
    META_PROPERTIES = "meta.properties"


class TopicKind(Enum):
    """The kinds of topics whose records are told apart; all but `DATA` are Kafka's own."""

    OFFSETS = "offsets"
    TRANSACTIONS = "transactions"
    SHARES = "shares"
    METADATA = "metadata"
    DATA = "data"


_NAMES: Final = (
    (r"[0-9]{20}\.log", FileKind.SEGMENT),
    (r"[0-9]{20}-[0-9]{10}\.checkpoint|bootstrap\.checkpoint", FileKind.SEGMENT),
    (r"[0-9]{20}\.index", FileKind.OFFSET_INDEX),
    (r"[0-9]{20}\.timeindex", FileKind.TIME_INDEX),
    (r"[0-9]{20}\.txnindex", FileKind.TRANSACTION_INDEX),
    (r"[0-9]{20}\.snapshot", FileKind.PRODUCER_SNAPSHOT),
    (r"leader-epoch-checkpoint", FileKind.EPOCH_CHECKPOINT),
    (r"(recovery-point|replication|log-start)-offset-checkpoint|cleaner-offset-checkpoint", FileKind.OFFSET_CHECKPOINT),
    (r"partition\.metadata", FileKind.PARTITION_METADATA),
    (r"meta\.properties", FileKind.META_PROPERTIES),
)
"""What a file is by its name, the suffix of an unfinished clean or deletion left out."""

STANDARD_INPUT: Final = "-"

_PIPE: Final = "a pipe can't be read, since files are read at positions: save it to a file first"
_NO_FILES: Final = {
    fs.FileType.NotFound: "there is no such file",
    fs.FileType.Directory: "a directory; name the files in it, as in {}/*.log",
    fs.FileType.Unknown: _PIPE,
}
"""What is told of a path that is no file."""

_START_BYTES: Final = 512
_PACKINGS: Final = (
    ("gzip", 0, b"\x1f\x8b"),
    ("xz", 0, b"\xfd7zXZ\x00"),
    ("zstd", 0, b"\x28\xb5\x2f\xfd"),
    ("lz4", 0, b"\x04\x22\x4d\x18"),
    ("bzip2", 0, b"BZh"),
    ("zip", 0, b"PK\x03\x04"),
    ("tar", 257, b"ustar"),
)
"""How files are packed that hold other files: where in them stands what they are known by."""

_SUFFIX: Final = re.compile(r"(\.(cleaned|swap|deleted|tmp))?$")
_PARTITION: Final = re.compile(r"(?P<topic>.+)-[0-9]{1,10}(\.[0-9a-f]{32}-(delete|future|stray))?")
_METADATA_SNAPSHOT: Final = re.compile(r".*\.checkpoint")

_TOPICS: Final = {
    "__consumer_offsets": TopicKind.OFFSETS,
    "__transaction_state": TopicKind.TRANSACTIONS,
    "__share_group_state": TopicKind.SHARES,
    "__cluster_metadata": TopicKind.METADATA,
}
"""Topics whose records have layouts; every other one holds data."""


class FileName(NamedTuple):
    """What the name of a file says: its kind, and of a segment the topic; None where it says nothing."""

    kind: FileKind | None
    topic: TopicKind | None
    base_offset: int


def parse_file_name(path: str) -> FileName:
    """Say what a path stands for, by the names of the file and of the directory that it is in."""
    inner = resolve(path).inner
    name = _SUFFIX.sub("", posixpath.basename(inner))
    kind = next((kind for pattern, kind in _NAMES if re.fullmatch(pattern, name)), None)
    digits = re.match(r"[0-9]{20}", name)
    return FileName(kind, _topic(inner, name), int(digits[0]) if digits else 0)


def kind_of(path: str) -> FileKind:
    """Say what a file is: by its name, else by its first bytes; what is no file is refused."""
    _refuse_other_than_file(path)
    with open_file(path) as source:
        return parse_file_name(path).kind or sniff_kind(source)


def _refuse_other_than_file(path: str) -> None:
    file_type = resolve(path).info().type
    if file_type in _NO_FILES:
        raise SourceError(
            f"{path}: {_PIPE if path == STANDARD_INPUT else _NO_FILES[file_type].format(path.rstrip('/'))}"
        )


def topic_of(path: str, stated: TopicKind | None) -> TopicKind:
    """Say what a segment is to be read as: what was stated, else what its directory says, else as data."""
    return stated or parse_file_name(path).topic or TopicKind.DATA


def sniff_kind(source: ByteSource) -> FileKind:
    """Say what a file is whose name says nothing: a segment, or an `UnknownKindError` that lists what can be read."""
    head = source.read(0, HEADER_BYTES)
    size = int(batch_bytes(head, 0, len(head)))
    if len(head) == 0 or 0 < size <= source.size_bytes:
        return FileKind.SEGMENT
    start = source.read(0, _START_BYTES).tobytes()
    packing = next((packing for packing, at, mark in _PACKINGS if start.startswith(mark, at)), None)
    if packing:
        raise UnknownKindError(f"{source.path}: packed with {packing}: unpack it, and name the files that come out")
    kinds = ", ".join(kind.value for kind in FileKind)
    raise UnknownKindError(f"{source.path}: byte 0: expected one of these: {kinds}; found {start[:16].hex()}")


def _topic(inner: str, name: str) -> TopicKind | None:
    directory = _PARTITION.fullmatch(posixpath.basename(posixpath.dirname(inner)))
    if directory:
        return _TOPICS.get(directory["topic"], TopicKind.DATA)
    return TopicKind.METADATA if _METADATA_SNAPSHOT.fullmatch(name) else None
