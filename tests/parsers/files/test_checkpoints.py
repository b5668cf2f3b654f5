"""The small text files of a log directory, as brokers of three ages wrote them, and as they must be refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from parsers.errors import SourceError
from parsers.files.checkpoints import (
    EpochCheckpoint,
    MetaProperties,
    OffsetCheckpoint,
    PartitionMetadata,
    epoch_checkpoints,
    meta_properties,
    offset_checkpoints,
    partition_metadata,
)

HERE = Path(__file__).resolve().parents[2] / "bytes" / "batches"


def content(name: str) -> bytes:
    """Read a file that a broker wrote."""
    return (HERE / name).read_bytes()


def test_recorded_checkpoints() -> None:
    """The checkpoints of brokers 0.9 to 4.1 are read."""
    newest = offset_checkpoints(content("kafka-4.1/replication-offset-checkpoint"), "here")
    assert OffsetCheckpoint("compacted", 1, 10400) in newest
    assert len(newest) == int(content("kafka-4.1/replication-offset-checkpoint").split()[1])
    assert len(offset_checkpoints(content("kafka-0.9/replication-offset-checkpoint"), "here")) > 10
    assert offset_checkpoints(content("kafka-4.1/log-start-offset-checkpoint"), "here") == ()
    assert offset_checkpoints(content("kafka-0.9/cleaner-offset-checkpoint"), "an empty file") == ()
    assert epoch_checkpoints(content("kafka-4.1/compacted-0/leader-epoch-checkpoint"), "here") == (
        EpochCheckpoint(0, 0),
    )


def test_recorded_names() -> None:
    """Topic id, cluster id and broker id are read, of KRaft and of older brokers."""
    assert partition_metadata(content("kafka-4.1/compacted-0/partition.metadata"), "here").version == 0
    assert partition_metadata(b"version: 0\ntopic_id: gncTJVgTR7ufXxsbu81xsQ", "here") == PartitionMetadata(
        0, "gncTJVgTR7ufXxsbu81xsQ"
    )
    newest = meta_properties(content("kafka-4.1/meta.properties"), "here")
    assert (newest.broker_id, len(newest.cluster_id or ""), len(newest.directory_id or "")) == (1, 22, 22)
    assert meta_properties(content("kafka-0.9/meta.properties"), "here") == MetaProperties(None, 0, None)


def test_java_properties() -> None:
    """Escapes, blanks and comments of a properties file are understood."""
    text = b"#a comment\n! another\ncluster.id = a\\:b\\=c\nbroker.id:7\n\nother"
    assert meta_properties(text, "here") == MetaProperties("a:b=c", 7, None)


@pytest.mark.parametrize("number", ["2147483648", "99999999999999999999", "-1", "x", ""])
def test_a_broker_without_a_number_keeps_its_cluster(number: str) -> None:
    """What no broker is called is not recorded; the rest is."""
    text = f"cluster.id=c\nbroker.id={number}\n".encode()
    assert meta_properties(text, "here") == MetaProperties("c", None, None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"1\n0\n", "here: line 1: expected version 0, found"),
        (b"0\n2\ntopic 1 5\n", "here: line 2: expected the number of entries, 1, found"),
        (b"0\n1\ntopic 1 x\n", "here: expected 2 numbers, found '1 x'"),
        (b"0\n1\ntopic 1\n", "here: expected 2 numbers, found '1'"),
        (b"0\n1\ntopic 1 " + b"9" * 30, "here: expected 2 numbers"),
        (b"0\n1\ntopic 1 9223372036854775808", "here: expected numbers of 64 bits"),
        (b"0\n1\ntopic 1 -1", "here: expected a partition and an offset"),
        (b"0\n1\nt\xff 1 2\n", "here: byte 5: expected UTF-8 text, found 0xff"),
    ],
)
def test_damaged_checkpoint(text: bytes, message: str) -> None:
    """A damaged checkpoint is refused with the place and what was expected there."""
    with pytest.raises(SourceError, match=message):
        offset_checkpoints(text, "here")


@pytest.mark.parametrize("text", [b"", b"version: 0\n", b"version: x\ntopic_id: y\n", b"topic_id: y"])
def test_damaged_partition_metadata(text: bytes) -> None:
    """A partition.metadata without version or topic id is refused."""
    with pytest.raises(SourceError, match="here: expected lines"):
        partition_metadata(text, "here")
