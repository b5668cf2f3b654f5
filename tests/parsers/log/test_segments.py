"""The walk over a segment: whole or in slices, torn, cut, flipped, with garbage, shrinking while it is read."""

from __future__ import annotations

import struct
import time
from typing import TYPE_CHECKING

import numpy as np
import pytest

from parsers.log import segments
from parsers.log.segments import walk
from tests.parsers.log_writer import Bytes, batch, read_all, record, simple_batch, simple_log

if TYPE_CHECKING:
    from parsers.words import ByteArray

BATCHES = simple_log(4)
WHOLE = b"".join(BATCHES)
STARTS = [sum(map(len, BATCHES[:number])) for number in range(5)]


def test_empty_file() -> None:
    """An empty file gives one slice with nothing in it."""
    (piece,) = walk(Bytes(b""), bodies=True)
    assert (piece.start_position, piece.end_position, len(piece.batches), piece.torn_bytes) == (0, 0, 0, 0)


@pytest.mark.parametrize("bodies", [True, False])
def test_truncation_at_every_byte(bodies: bool) -> None:  # noqa: FBT001
    """Wherever a segment is cut, the whole batches before the cut are read and the rest is a torn tail."""
    for size in range(len(WHOLE)):
        walked = read_all(WHOLE[:size], bodies=bodies)
        whole = sum(start <= size for start in STARTS[1:])
        assert (len(walked.batches), walked.torn_bytes) == (whole, size - STARTS[whole])
        assert not walked.quarantine


def test_every_flipped_bit_is_noticed() -> None:
    """A bit flipped in the checksum or in what it covers costs that batch and nothing else."""
    sound = read_all(WHOLE).records
    for place in range(8 * (STARTS[1] + 16), 8 * STARTS[2]):
        damaged = bytearray(WHOLE)
        damaged[place // 8] ^= 1 << place % 8
        walked = read_all(bytes(damaged))
        (row,) = walked.quarantine
        assert (row["position"], row["size_bytes"]) == (STARTS[1], len(BATCHES[1])), place
        assert walked.records == sound[:2] + sound[4:]


def test_flipped_bit_in_a_length() -> None:
    """A broken length costs its batch: the walk goes on at the next one, whether the length is too large or small."""
    for place in range(8 * (STARTS[1] + 8), 8 * (STARTS[1] + 12)):
        damaged = bytearray(WHOLE)
        damaged[place // 8] ^= 1 << place % 8
        walked = read_all(bytes(damaged))
        assert [one["base_offset"] for one in walked.batches] == [0, 4, 6], place
        assert walked.accounted_bytes == len(WHOLE)


@pytest.mark.parametrize("length", [2**31 - 1, -(2**31), -1, 0, 13, 48, 256 << 20])
def test_impossible_length(length: int) -> None:
    """A length that no batch has costs the batch, and nothing is allocated for it."""
    damaged = bytearray(WHOLE)
    struct.pack_into(">i", damaged, STARTS[1] + 8, length)
    for bodies in (True, False):
        walked = read_all(bytes(damaged), bodies=bodies)
        (row,) = walked.quarantine
        assert (row["position"], row["size_bytes"], row["reason"]) == (STARTS[1], len(BATCHES[1]), "batch length")
        assert row["bytes"] == bytes(damaged[STARTS[1] : STARTS[2]])
        assert len(walked.batches) == 3


@pytest.mark.parametrize("size", [1, 20, 61, 5000, 300_000])
def test_garbage_between_batches(size: int) -> None:
    """Garbage is one row of quarantine from its first byte to the next sound batch."""
    garbage = np.random.default_rng(size).bytes(size)
    walked = read_all(WHOLE + b"\xff" + garbage + simple_batch(8))
    (row,) = walked.quarantine
    assert (row["position"], row["size_bytes"]) == (len(WHOLE), size + 1)
    assert row["bytes"] == (b"\xff" + garbage)[:4096]
    assert [one["base_offset"] for one in walked.batches] == [0, 2, 4, 6, 8]


def test_garbage_at_the_end() -> None:
    """Garbage that no batch follows is damage, not a torn tail."""
    walked = read_all(WHOLE + b"\xff" * 500)
    assert [(row["position"], row["size_bytes"], row["reason"]) for row in walked.quarantine] == [
        (len(WHOLE), 500, "magic")
    ]
    assert walked.torn_bytes == 0


@pytest.mark.parametrize("bodies", [True, False])
def test_preallocated_tail(bodies: bool) -> None:  # noqa: FBT001
    """The zeros of a preallocated segment are a torn tail."""
    walked = read_all(WHOLE + bytes(100_000), bodies=bodies)
    assert (len(walked.batches), walked.torn_bytes, walked.quarantine) == (4, 100_000, [])


def test_half_written_batch_before_zeros() -> None:
    """A batch that a crash left half written in a preallocated segment is damage; the zeros behind it are not."""
    walked = read_all(WHOLE + simple_batch(8)[:80] + bytes(1000))
    (row,) = walked.quarantine
    assert (row["position"], row["size_bytes"], row["reason"]) == (len(WHOLE), len(simple_batch(8)), "batch checksum")
    assert walked.accounted_bytes == len(WHOLE) + 1080


def test_several_damaged_batches_in_a_row() -> None:
    """Each batch with a wrong checksum costs itself, in a row of its own."""
    damaged = bytearray(WHOLE)
    for start in STARTS[1:3]:
        damaged[start + 70] ^= 1
    walked = read_all(bytes(damaged))
    assert [row["position"] for row in walked.quarantine] == STARTS[1:3]
    assert [row["log_offset"] for row in walked.quarantine] == [2, 4]


def test_batch_inside_a_damaged_batch() -> None:
    """A batch that someone put into a record does not rise from it when the outer batch is damaged."""
    inner = simple_batch(1000)
    outer = bytearray(batch(8, [record(0, b"key", inner)]))
    outer[30] ^= 1
    walked = read_all(WHOLE + bytes(outer) + simple_batch(9))
    assert [one["base_offset"] for one in walked.batches] == [0, 2, 4, 6, 9]
    assert [row["size_bytes"] for row in walked.quarantine] == [len(outer)]


def test_flood_of_false_headers() -> None:
    """Garbage full of headers that announce megabytes is searched in time that their number does not square."""
    header = simple_batch(8)[:61]
    false = header[:8] + struct.pack(">i", 1 << 20) + header[12:]
    flood = b"\xff" * 17 + false * (3 * (1 << 20) // 61)
    begin = time.process_time()
    walked = read_all(WHOLE + flood + simple_batch(8))
    assert time.process_time() - begin < 10
    assert [one["base_offset"] for one in walked.batches] == [0, 2, 4, 6, 8]


def test_garbage_larger_than_a_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """A gap may be longer than what the search holds in memory."""
    monkeypatch.setattr("parsers.log.damage.repair.WINDOW_BYTES", 20 << 20)
    garbage = b"\xff" + np.random.default_rng(1).bytes(21 << 20)
    walked = read_all(WHOLE + garbage + simple_batch(8))
    assert [row["size_bytes"] for row in walked.quarantine] == [len(garbage)]
    assert len(walked.batches) == 5


def test_batch_larger_than_a_chunk() -> None:
    """A batch that does not fit the chunk is read whole all the same."""
    large = simple_batch(8, 1, segments.CHUNK_BYTES + 10)
    walked = read_all(WHOLE + large + simple_batch(9))
    assert [one["base_offset"] for one in walked.batches] == [0, 2, 4, 6, 8, 9]
    assert len(walked.records[8][3] or b"") == segments.CHUNK_BYTES + 10


def test_chunk_borders(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the chunks end makes no difference, in bodies and in headers."""
    whole = read_all(WHOLE), read_all(WHOLE, bodies=False)
    for size in (61, 100, len(BATCHES[0]), 333, len(WHOLE) - 1):
        monkeypatch.setattr(segments, "CHUNK_BYTES", size)
        assert (read_all(WHOLE), read_all(WHOLE, bodies=False)) == whole


def test_headers_only_does_not_look_at_bodies() -> None:
    """Without bodies, damage in a body is not seen, and large batches are stepped over without being read."""
    damaged = bytearray(WHOLE)
    damaged[STARTS[1] + 70] ^= 1
    walked = read_all(bytes(damaged), bodies=False)
    assert (len(walked.batches), walked.quarantine, walked.records) == (4, [], [])
    heads = [simple_batch(number, 1)[:61] for number in range(6)]
    source = Bytes(
        b"".join(head[:8] + struct.pack(">i", 49 + (5 << 20)) + head[12:] + bytes(5 << 20) for head in heads)
    )
    assert len(read_all(source, bodies=False).batches) == 6
    assert sum(length for _position, length in source.reads) < source.size_bytes / 2


def test_file_shrinks_during_the_walk() -> None:
    """A file that is cut while it is read gives the batches that were there, and no error."""

    class Shrinking(Bytes):
        def read(self, position: int, length: int) -> ByteArray:
            self.content = self.content[: STARTS[2] + 10]
            return super().read(position, length)

    walked = read_all(Shrinking(WHOLE))
    assert (len(walked.batches), walked.torn_bytes, walked.quarantine) == (2, 10, [])


def test_file_vanishes_under_the_walk() -> None:
    """A file that is emptied while it is read ends the walk."""

    class Emptied(Bytes):
        def read(self, position: int, length: int) -> ByteArray:
            return super().read(position, min(length, 0))

    assert read_all(Emptied(WHOLE)).batches == []


def test_goes_on_where_it_ended() -> None:
    """The end of one walk is where the next one starts, when the file has grown by then."""
    first = read_all(WHOLE[: STARTS[2] + 30])
    second = read_all(WHOLE, start=first.end_position)
    assert first.records + second.records == read_all(WHOLE).records


def test_delete_horizon_and_empty_batch() -> None:
    """A delete horizon stands in for the base timestamp, and an empty batch keeps its offsets."""
    horizon = batch(0, [record(0, b"k", None, time_delta_ms=-5)], attributes=0x40, times=(2000, 1995))
    empty = batch(1, [], last_delta=9, times=(-1, 1995))
    walked = read_all(horizon + empty)
    first, second = walked.batches
    assert (first["delete_horizon_ms"], first["base_timestamp_ms"], first["max_timestamp_ms"]) == (2000, None, 1995)
    assert (second["base_offset"], second["last_offset"], second["record_count"]) == (1, 10, 0)
    assert second["base_timestamp_ms"] is None
    assert walked.records == [(0, 1995, b"k", None)]
