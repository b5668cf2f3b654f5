"""Written batches against those that the tests write byte by byte."""

from __future__ import annotations

import io

import numpy as np
import pyarrow as pa
import pytest

from benchmarks.batches import NULL, Stamps, frame, lay_out, write_bodies
from benchmarks.encoder import Message
from tests.parsers import log_writer

MESSAGES = [Message(b"k", {}), Message(b"key" * 30, {}), Message(b"x" * 300, {"offset": 2, "commit_timestamp": 20})]
ROWS = np.array([[0, 2, 7, 9], [1, NULL, 0, 0], [1, 2, 2**40, 2**41], [0, 0, 1, 1]])
COUNTS = np.array([1, 3])
OFFSETS = np.array([5, 6])


def _expected_records() -> list[list[bytes]]:
    value = bytearray(b"x" * 300)
    patched = []
    for number, timestamp in ((7, 9), (2**40, 2**41)):
        value[2:10], value[20:28] = number.to_bytes(8, "big"), timestamp.to_bytes(8, "big")
        patched.append(bytes(value))
    second = [(b"key" * 30, None), (b"key" * 30, patched[1]), (b"k", b"k")]
    records = [log_writer.record(delta, *pair) for delta, pair in enumerate(second)]
    return [[log_writer.record(0, b"k", patched[0])], records]


def test_the_same_bytes() -> None:
    """Batches are the bytes that a plain writer makes of the same records, checksums included."""
    phrases = lay_out(MESSAGES, {"offset": 8}, ("commit_timestamp",))
    times = np.full(2, log_writer.TIME_MS)
    batches = frame(write_bodies(phrases, ROWS, COUNTS, "none"), Stamps(OFFSETS, COUNTS, times))
    expected = [
        _at_epoch_0(log_writer.batch(base, records))
        for base, records in zip(OFFSETS.tolist(), _expected_records(), strict=True)
    ]
    assert batches.content.tobytes() == b"".join(expected)
    assert batches.size_bytes.tolist() == [len(one) for one in expected]
    assert batches.last_offset.tolist() == [5, 8]


def _at_epoch_0(batch: bytes) -> bytes:
    """Put another leader epoch into a batch; its checksum does not cover it."""
    return batch[:12] + bytes(4) + batch[16:]


@pytest.mark.parametrize("codec", ["lz4", "zstd"])
def test_compressed_bodies(codec: str) -> None:
    """A compressed body inflates to the body that is written without a codec."""
    phrases = lay_out(MESSAGES, {"offset": 8}, ("commit_timestamp",))
    plain, packed = (write_bodies(phrases, ROWS, COUNTS, name) for name in ("none", codec))
    for batch in range(2):
        body = packed.content[packed.starts[batch] : packed.ends[batch]].tobytes()
        inflated = pa.CompressedInputStream(io.BytesIO(body), codec).read()
        assert inflated == plain.content[plain.starts[batch] : plain.ends[batch]].tobytes()
