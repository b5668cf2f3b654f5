"""What other tools misread in the offsets topic, by bytes written by hand; see docs/explanation/other-tools.md."""

from __future__ import annotations

from typing import Any

import pytest

from tests.parsers.encode import uvarint
from tests.parsers.test_offset_records import HEADER, KEY, VALUE, read

GROUP_KEY = bytes.fromhex("0002 00026731")
MS = 1758335260726
COMMIT = {"offset": 2217128, "leader_epoch": -1, "commit_timestamp": MS}


def version_4(metadata: bytes) -> bytes:
    """A commit as Kafka 4.1 writes it: metadata is a compact string, its length an unsigned varint of one more."""
    fixed = bytes.fromhex("0004 000000000021d4a8 ffffffff")
    return fixed + uvarint(len(metadata) + 1) + metadata + MS.to_bytes(8, "big") + b"\0"


def version_2(metadata: bytes) -> bytes:
    """A commit as Kafka 2.1 wrote it: neither version 1's expiry nor version 3's leader epoch."""
    return bytes.fromhex("0002 000000000021d4a8") + len(metadata).to_bytes(2, "big") + metadata + MS.to_bytes(8, "big")


def commits(*values: bytes) -> list[dict[str, Any]]:
    """What commits say, of which all must be readable to the last byte."""
    rows, troubles = read(({}, [(KEY, value) for value in values]))
    assert troubles == []
    return [row["offset_commit"] for row in rows]


LENGTHS = (0, 1, 126, 127, 128, 130, 4096)


@pytest.mark.parametrize("length", LENGTHS)
def test_metadata_of_any_length_moves_no_field(length: int) -> None:
    """From 127 bytes on the length takes two bytes: who reads one has another time, and doesn't notice."""
    (commit,) = commits(version_4(b"m" * length))
    assert commit == commit | COMMIT | {"metadata": "m" * length}


def test_lengths_of_one_and_two_bytes_side_by_side() -> None:
    """Records that are read together don't take each other's places."""
    decoded = commits(*(version_4(b"m" * length) for length in LENGTHS * 40))
    assert [(row["commit_timestamp"], len(row["metadata"])) for row in decoded] == [
        (MS, length) for length in LENGTHS
    ] * 40


@pytest.mark.parametrize("length", [0, 300])
def test_version_2_is_a_commit_of_its_own(length: int) -> None:
    """It is neither dropped nor read as version 1, which has an expiry behind."""
    (commit,) = commits(version_2(b"m" * length))
    expected = {"offset": COMMIT["offset"], "commit_timestamp": MS, "metadata": "m" * length}
    assert commit == commit | expected
    assert commit["expire_timestamp"] in (None, -1)


@pytest.mark.parametrize(
    ("key", "value", "column"),
    [(KEY, VALUE, "offset_commit"), (GROUP_KEY, VALUE, "group_metadata"), (KEY, version_4(b""), "offset_commit")],
)
def test_the_key_says_what_a_value_is(key: bytes, value: bytes, column: str) -> None:
    """Nothing is tried: a value is of its key's kind, or is kept as bytes and told."""
    (row,), troubles = read(({}, [(key, value)]))
    others = {"offset_commit", "group_metadata"} - {column}
    assert all(row[other] is None for other in others)
    is_read = row[column] is not None
    assert is_read == (key == KEY)
    assert is_read == (not troubles)
    assert is_read or row["undecoded_value"] == value


def test_a_removed_offset_is_a_record_of_its_own() -> None:
    """Who drops it shows an offset that is gone until the whole group is."""
    rows, _ = read(({}, [(KEY, version_4(b"")), (KEY, None)]))
    assert [(row["is_tombstone"], row["offset_commit"] is None) for row in rows] == [(False, False), (True, True)]


def test_a_record_amid_a_batch_that_cannot_be_read_costs_itself() -> None:
    """All behind it are read, and each has its place in the log."""
    rows, troubles = read(({**HEADER}, [(KEY, VALUE), (KEY, b"\0\x63"), (b"\x7f\xff", VALUE), *[(KEY, VALUE)] * 5]))
    assert [row["log_offset"] for row in rows] == list(range(8))
    assert [row["offset_commit"] and row["offset_commit"]["offset"] for row in rows] == [42, None, None, *[42] * 5]
    assert {trouble.log_offset for trouble in troubles} == {1, 2}
