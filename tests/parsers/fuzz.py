"""Millions of mutated inputs through the whole way from a segment to columns: `python -m tests.parsers.fuzz`.

Put here how inputs are mutated and what must hold for whatever comes of them. It is run by hand, not by pytest; what it
found has a test of its own beside the module that was wrong.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import pyarrow as pa

from parsers.layouts.groups.record_types import RECORD_TYPES
from parsers.log.batches import computed_checksum
from parsers.log.segments import walk
from parsers.offset_records import offset_record_columns
from parsers.sources import open_file
from tests.parsers.golden import record_vectors
from tests.parsers.log_writer import Bytes, batch, record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from parsers.words import ByteArray, Int64Array

LOGS: Final = Path(__file__).resolve().parents[1] / "bytes" / "dump"
RECORDS: Final = 40_000
MOST_BYTES: Final = 1 << 30
"""Memory that the process may grow by: slices are of 8 MiB, and all of them but one are let go of."""
MOST_ADDRESS_BYTES: Final = 6 << 30
"""Addresses that the process may use: what is lost, but never written to, does not show in its memory."""
MOST_SECONDS: Final = 120.0
"""Of processor time, for one segment; in the first one the loops may have to be compiled."""
_CRC_AT: Final = 17
_TELLING: Final = np.array([0, 1, 2, 3, 4, 0x7F, 0x80, 0xC0, 0xFE, 0xFF], np.uint8)
"""Bytes that lengths, counts, versions and nulls are made of."""


class Message(NamedTuple):
    """The key and the value of a record."""

    key: bytes
    value: bytes | None


class Outcome(NamedTuple):
    """What came of some inputs: records, rows of quarantine, keys and values that could not be read."""

    records: int = 0
    quarantined: int = 0
    unread: int = 0

    def plus(self, other: Outcome) -> Outcome:
        """Add what came of others."""
        return Outcome(*(one + more for one, more in zip(self, other, strict=True)))


def golden_messages() -> Iterator[Message]:
    """Pair every golden key with every golden value of its type, and with none."""
    vectors = record_vectors()
    for row in RECORD_TYPES:
        for key in (one.data for one in vectors if one.message == f"{row.name}Key"):
            yield Message(key, None)
            yield from (Message(key, one.data) for one in vectors if one.message == f"{row.name}Value")


def recorded_messages() -> Iterator[Message]:
    """Give the messages of recorded offsets logs."""
    for path in sorted(LOGS.glob("*/__consumer_offsets-*/*.log")):
        with open_file(str(path)) as source:
            for piece in walk(source, bodies=True):
                columns = piece.records
                assert columns is not None
                for at in np.flatnonzero((columns.key_start >= 0) & (columns.value_start >= 0)).tolist():
                    key, value = (slice(int(columns.spans[row, at]), int(columns.spans[row + 1, at])) for row in (3, 5))
                    yield Message(columns.buffer[key].tobytes(), columns.buffer[value].tobytes())


def varied(message: Message, dice: np.random.Generator) -> Message:
    """Cut a value short, or lengthen it, now and then: what mutation in place can't do."""
    if message.value is None or dice.random() < 0.8:
        return message
    cut = int(dice.integers(0, len(message.value) + 1))
    return message._replace(value=message.value[:cut] + dice.bytes(int(dice.integers(0, 4))))


@dataclass(frozen=True)
class Segment:
    """A sound segment, and where its batches and its messages stand."""

    content: bytes
    message_spans: Int64Array
    """Starts and ends of keys, then of values."""
    bounds: Int64Array
    """Starts of the batches, and the end of the last one."""

    @cached_property
    def bodies(self) -> Int64Array:
        """Starts and ends of the bodies of the batches."""
        return np.stack([self.bounds[:-1] + 61, self.bounds[1:]])


def written(messages: list[Message], dice: np.random.Generator, codec: int = 0) -> Segment:
    """Write messages as a segment of small batches, and find them again."""
    content, base = bytearray(), 0
    compress = _COMPRESSORS[codec]
    while base < len(messages):
        part = messages[base : base + int(dice.integers(1, 17))]
        records = [record(delta, *message) for delta, message in enumerate(part)]
        content += batch(base, records, codec=codec, compress=compress)
        base += len(part)
    piece = next(walk(Bytes(bytes(content)), bodies=True))
    assert piece.records is not None
    bounds = np.append(piece.batches.column("position").to_numpy(), piece.end_position)
    return Segment(bytes(content[: piece.end_position]), piece.records.spans[3:7].copy(), bounds)


def _snappy(body: bytes) -> bytes:
    return bytes(pa.compress(body, "snappy", asbytes=True))


def _gzip(body: bytes) -> bytes:
    return bytes(pa.compress(body, "gzip", asbytes=True))


def _lz4(body: bytes) -> bytes:
    return bytes(pa.compress(body, "lz4", asbytes=True))


def _zstd(body: bytes) -> bytes:
    return bytes(pa.compress(body, "zstd", asbytes=True))


_COMPRESSORS: Final[dict[int, Callable[[bytes], bytes]]] = {0: bytes, 1: _gzip, 2: _snappy, 3: _lz4, 4: _zstd}


def overwrite(content: ByteArray, spans: Int64Array, dice: np.random.Generator) -> None:
    """Flip a bit of each span that is not empty, or a few, or write a telling byte instead."""
    starts, lengths = spans[0], spans[1] - spans[0]
    chosen = np.flatnonzero((starts >= 0) & (lengths > 0))
    for _ in range(int(dice.integers(1, 4))):
        places = starts[chosen] + (dice.random(chosen.size) * lengths[chosen]).astype(np.int64)
        flipped = content[places] ^ (1 << dice.integers(0, 8, chosen.size)).astype(np.uint8)
        content[places] = np.where(dice.random(chosen.size) < 0.3, dice.choice(_TELLING, chosen.size), flipped)
        chosen = chosen[dice.random(chosen.size) < 0.5]


def repair_checksums(content: ByteArray, bounds: Int64Array) -> None:
    """Write into every batch the checksum that it ought to have."""
    pairs = zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
    sums = np.array([computed_checksum(content, start, end) for start, end in pairs], ">u4")
    content[bounds[:-1, None] + _CRC_AT + np.arange(4)] = sums.view(np.uint8).reshape(-1, 4)


def mutated_messages(segment: Segment, dice: np.random.Generator) -> tuple[bytes, int]:
    """Mutate the key or the value of every record."""
    content = np.frombuffer(segment.content, np.uint8).copy()
    of_value = dice.random(segment.message_spans.shape[1]) < 0.7
    of_value &= segment.message_spans[2] >= 0
    spans = np.where(of_value, segment.message_spans[2:], segment.message_spans[:2])
    overwrite(content, spans, dice)
    repair_checksums(content, segment.bounds)
    return content.tobytes(), spans.shape[1]


def mutated_bodies(segment: Segment, dice: np.random.Generator) -> tuple[bytes, int]:
    """Mutate the body of every batch, whatever stands there."""
    content = np.frombuffer(segment.content, np.uint8).copy()
    overwrite(content, segment.bodies, dice)
    repair_checksums(content, segment.bounds)
    return content.tobytes(), len(segment.bounds) - 1


def mutated_batches(segment: Segment, dice: np.random.Generator) -> tuple[bytes, int]:
    """Mutate one batch in sixteen anywhere, its header or its checksum too, and mend nothing; cut the end off."""
    content = np.frombuffer(segment.content, np.uint8).copy()
    chosen = np.flatnonzero(dice.random(len(segment.bounds) - 1) < 1 / 16)
    overwrite(content, np.stack([segment.bounds[chosen], segment.bounds[chosen + 1]]), dice)
    return content[: int(dice.integers(1, content.size + 1))].tobytes(), chosen.size


def decoded(content: bytes) -> Outcome:
    """Take a segment all the way; nothing may be raised, and every column must be sound."""
    outcome, position = Outcome(), 0
    for piece in walk(Bytes(content), bodies=True):
        assert piece.start_position == position
        position = piece.end_position
        columns, unread = offset_record_columns(piece)
        columns.validate(full=True)
        outcome = outcome.plus(Outcome(len(columns), len(piece.quarantine), len(unread)))
    assert position <= len(content)
    return outcome


def rounds(dice: np.random.Generator) -> Iterator[tuple[str, bytes, int]]:
    """Give mutated segments without end, each with its kind and how many inputs it is."""
    messages = [*golden_messages(), *recorded_messages()]
    picked = [varied(messages[at], dice) for at in dice.integers(0, len(messages), RECORDS).tolist()]
    plain = written(picked, dice)
    compressed = {codec: written(picked[: RECORDS // 4], dice, codec) for codec in (1, 2, 3, 4)}
    while True:
        for _ in range(8):
            yield "messages", *mutated_messages(plain, dice)
        yield "bodies", *mutated_bodies(plain, dice)
        yield "batches", *mutated_batches(plain, dice)
        for codec, segment in compressed.items():
            yield f"bodies in codec {codec}", *mutated_bodies(segment, dice)


def fuzz(inputs: int, seed: int) -> dict[str, tuple[int, Outcome]]:
    """Decode mutated inputs until there were so many; give what came of each kind of them."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_ADDRESS_BYTES, resource.RLIM_INFINITY))
    results: dict[str, tuple[int, Outcome]] = {}
    begun_kib = None
    for number, (kind, content, count) in enumerate(rounds(np.random.default_rng(seed))):
        begun = time.process_time()
        before = results.get(kind, (0, Outcome()))
        results[kind] = (before[0] + count, before[1].plus(decoded(content)))
        assert time.process_time() - begun < MOST_SECONDS, f"round {number} of seed {seed} hangs"
        most_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        begun_kib = begun_kib or most_kib
        assert (most_kib - begun_kib) << 10 < MOST_BYTES, f"round {number} of seed {seed} took {most_kib} KiB"
        if sum(done for done, _ in results.values()) >= inputs:
            break
    return results


def main() -> None:
    """Read the command line, decode, and print what came of it."""
    parser = argparse.ArgumentParser(prog="python -m tests.parsers.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    begun = time.process_time()
    results = fuzz(arguments.inputs, arguments.seed)
    for kind, (count, outcome) in results.items():
        sys.stdout.write(f"{kind}: {count} inputs, {outcome}\n")
    total = sum(count for count, _ in results.values())
    seconds = time.process_time() - begun
    sys.stdout.write(f"{total} inputs of seed {arguments.seed} in {seconds:.0f} s of processor time: no exception\n")


if __name__ == "__main__":
    main()
