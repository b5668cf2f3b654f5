"""What a file is, told by its name, the directory it is in, and else by its first bytes."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import tarfile
from typing import TYPE_CHECKING

import pytest

from parsers.dump.file_kinds import FileKind, TopicKind, kind_of, parse_file_name, topic_of
from parsers.errors import SourceError
from tests.parsers.log_writer import simple_batch

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DIGITS = "00000000000000000042"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        (f"{DIGITS}.log", FileKind.SEGMENT),
        (f"{DIGITS}.log.cleaned", FileKind.SEGMENT),
        (f"{DIGITS}.log.swap", FileKind.SEGMENT),
        (f"{DIGITS}.log.deleted", FileKind.SEGMENT),
        (f"{DIGITS}-0000000003.checkpoint", FileKind.SEGMENT),
        ("bootstrap.checkpoint", FileKind.SEGMENT),
        (f"{DIGITS}.index", FileKind.OFFSET_INDEX),
        (f"{DIGITS}.timeindex.swap", FileKind.TIME_INDEX),
        (f"{DIGITS}.txnindex", FileKind.TRANSACTION_INDEX),
        (f"{DIGITS}.snapshot", FileKind.PRODUCER_SNAPSHOT),
        ("leader-epoch-checkpoint", FileKind.EPOCH_CHECKPOINT),
        ("cleaner-offset-checkpoint", FileKind.OFFSET_CHECKPOINT),
        ("replication-offset-checkpoint.tmp", FileKind.OFFSET_CHECKPOINT),
        ("partition.metadata", FileKind.PARTITION_METADATA),
        ("meta.properties", FileKind.META_PROPERTIES),
        ("copy-of-a.log", None),
    ],
)
def test_names(name: str, kind: FileKind | None) -> None:
    """A name stands for a kind, with what the cleaner puts behind it too."""
    assert parse_file_name(f"/logs/a-0/{name}").kind is kind
    assert parse_file_name(f"/logs/a-0/{name}").base_offset == (42 if name.startswith(DIGITS) else 0)


@pytest.mark.parametrize(
    ("directory", "topic"),
    [
        ("__consumer_offsets-12", TopicKind.OFFSETS),
        (f"__consumer_offsets-12.{'0a' * 16}-delete", TopicKind.OFFSETS),
        ("__transaction_state-0", TopicKind.TRANSACTIONS),
        ("__share_group_state-3", TopicKind.SHARES),
        ("__cluster_metadata-0", TopicKind.METADATA),
        ("orders-7", TopicKind.DATA),
        ("downloads", None),
    ],
)
def test_topics(directory: str, topic: TopicKind | None) -> None:
    """The directory says which topic a segment is of; whoever knows better may say so."""
    path = f"/logs/{directory}/{DIGITS}.log"
    assert parse_file_name(path).topic is topic
    assert topic_of(path, None) is (topic or TopicKind.DATA)
    assert topic_of(path, TopicKind.SHARES) is TopicKind.SHARES
    assert parse_file_name(f"/logs/{directory}/bootstrap.checkpoint").topic is (topic or TopicKind.METADATA)


def test_first_bytes(tmp_path: Path) -> None:
    """A file of another name is a segment when a batch begins it, and refused with the list of kinds when not."""
    copy = tmp_path / "copy.bin"
    copy.write_bytes(simple_batch(0))
    assert kind_of(str(copy)) is FileKind.SEGMENT
    copy.write_bytes(b"no batch at all" * 9)
    with pytest.raises(SourceError, match=r"copy.bin: byte 0: expected one of these: segment, .* found 6e6f206261"):
        kind_of(str(copy))
    with pytest.raises(SourceError, match="gone"):
        kind_of(str(tmp_path / "gone" / f"{DIGITS}.log"))


def tarred(data: bytes) -> bytes:
    """Put data into an archive of one file."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as files:
        member = tarfile.TarInfo("a.log")
        member.size = len(data)
        files.addfile(member, io.BytesIO(data))
    return archive.getvalue()


@pytest.mark.parametrize(
    ("packing", "pack"),
    [("gzip", gzip.compress), ("xz", lzma.compress), ("bzip2", bz2.compress), ("tar", tarred)],
)
def test_packed_files_are_named_as_such(tmp_path: Path, packing: str, pack: Callable[[bytes], bytes]) -> None:
    """A packed segment is refused with the word for how it is packed."""
    packed = tmp_path / "00000000000000000000.log.packed"
    packed.write_bytes(pack(simple_batch(0)))
    with pytest.raises(SourceError, match=f"packed with {packing}: unpack it"):
        kind_of(str(packed))


def test_what_is_no_file(tmp_path: Path) -> None:
    """A directory, a missing file and a pipe are told apart."""
    os.mkfifo(tmp_path / "pipe")
    for path, sentence in ((tmp_path, "a directory"), (tmp_path / "x", "no such file"), (tmp_path / "pipe", "a pipe")):
        with pytest.raises(SourceError, match=sentence):
            kind_of(str(path))
