"""What strangers may write beside sound groups, by a seed: extreme numbers and texts in any field, checksums right.

A client of the coordinator chooses what a group says: offsets, times, names, generations, and so on. Who may write to
the topic itself chooses batches, too; a history has that in partitions where no sound group is.
"""

from __future__ import annotations

import gzip
import random
import struct
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from parsers.layouts.groups.offsets_key import OFFSETS_KEY
from parsers.wire import ZERO_UUID, Field, Wire
from tests.assets.transforms.made_groups import assignment
from tests.campaign.histories import START_MS, VALUES, Event, Message, home, message
from tests.campaign.sound_groups import GROUPS, TOPICS, commit
from tests.parsers.encode import INTEGER_BYTES
from tests.parsers.log_writer import batch, record

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

LARGEST: Final = (1 << 63) - 1
TEXTS: Final = (
    *("", "a", "g\0h", "\x1b[2J\x1b]0;x\x07", "\u202eevil", "<script>alert(1)</script>", "'; DROP TABLE x; --"),
    *("\N{PILE OF POO}", "a\nb\tc\r", "{}", "|", "NULL", "nan", "-1", "\ufeff", "\u0000" * 3, "x" * 300, "y" * 3000),
)
ILL_ENCODED: Final = (b"\xff\xfe", b"\xc3", b"\xed\xa0\x80", b"a\xf5b")
MEMBERS: Final = ("m-1", "m-1", "evil-1", "")
UUIDS: Final = (ZERO_UUID, "ZXZpbGV2aWxldmlsZXZpbA", "_" * 21 + "w")
LAST_MS: Final = 253_402_300_799_999
NO_TIMES: Final = (-1, -2, -LARGEST - 1, LAST_MS + 1, 1 << 62, LARGEST)
TIMES: Final = (*NO_TIMES, 0, 1, START_MS - 1_000, START_MS, START_MS + 15_000, LAST_MS)
"""No time between the newest of the sound groups and the reading: such a time looks true (docs/reference/lag.md)."""
BASES: Final = (1 << 40, 1 << 62, LARGEST - 1000)
"""Offsets that a log may go on at, with nothing before them."""
STRANGERS: Final = 2
SLOTS: Final = 40
BOMB_BYTES: Final = 1 << 26
TOPICS_OF_PRODUCERS: Final = (
    *("evil", "orders-0", "__consumer_offsets-0", "__share_group_state-1", "_", "0", "-", "--1", "lagbook.duckdb"),
    *("orders.0123456789abcdef0123456789abcdef-delete", "orders-0.0123456789abcdef0123456789abcdef-delete"),
    *("orders-0.0123456789abcdef0123456789abcdef-future", "x" * 249, "00000000000000000000.log"),
)
"""Names that Kafka lets a topic have, some of which look like something else as a folder."""
PARTITIONS_OF_WRITERS: Final = 4


def numbers_of(bits: int) -> tuple[int, ...]:
    """Numbers at which arithmetic goes wrong."""
    largest = (1 << (bits - 1)) - 1
    return (-largest - 1, -largest, -2, -1, 0, 1, 2, largest // 2, largest // 2 + 1, largest - 1, largest)


class Stranger:
    """Says anything in fields of any layout."""

    def __init__(self, dice: random.Random, *, writes_bytes: bool) -> None:
        """Choose by the dice; who writes bytes needs no text to be text."""
        self.dice, self.writes_bytes = dice, writes_bytes

    def struct(self, fields: Sequence[Field]) -> dict[str, Any]:
        """Values of some fields."""
        return {field.name: self._field(field) for field in fields}

    def _field(self, field: Field) -> Any:  # noqa: ANN401 - a value has whatever type its field has
        if field.tag is not None and field.default != () and self.dice.random() < 0.3:
            return field.default
        if field.nullable and self.dice.random() < 0.3:
            return None
        if field.array:
            return [self._one(field) for _ in range(self.dice.choice((0, 1, 1, 2, 3)))]
        return self._one(field)

    def _one(self, field: Field) -> Any:  # noqa: ANN401, PLR0911 - a wire type a line
        if field.wire is Wire.STRUCT:
            return self.struct(field.fields)
        if field.wire is Wire.UUID:
            return self.dice.choice(UUIDS)
        if field.wire is Wire.STRING:
            return self.dice.choice(MEMBERS) if field.name in ("member_id", "leader") else self.text()
        if field.wire is Wire.BYTES:
            return self._blob()
        if field.wire is Wire.BOOL:
            return self.dice.random() < 0.5
        if "timestamp" in field.name:
            return self.dice.choice(TIMES)
        number = self.number(8 * INTEGER_BYTES[field.wire])
        return abs(number) % (1 << 16) if field.wire is Wire.UINT16 else number

    def number(self, bits: int) -> int:
        """A number of so many bits: an extreme one, or one that might be."""
        return self.dice.choice(numbers_of(bits)) if self.dice.random() < 0.6 else self.dice.randrange(0, 100)

    def text(self) -> Any:  # noqa: ANN401 - a text, or bytes that are none
        """A text that somebody may trip over."""
        if self.writes_bytes and self.dice.random() < 0.1:
            return self.dice.choice(ILL_ENCODED)
        return self.dice.choice(TEXTS)

    def _blob(self) -> bytes:
        given = [assignment(*some, topic="orders") for some in ((0, 1), (0, 0), (1,), ())]
        some = (b"", b"\0", b"\xff" * 7, *given, assignment(2**32 - 1, 2**31 - 1, topic="evil"))
        return self.dice.choice((*some, self.dice.randbytes(30), struct.pack(">hi", 0, 2**31 - 1)))


class Slot(NamedTuple):
    """Room for a batch of strangers in each history: before which sound batch, in which partition, for how many."""

    number: int
    log_partition: int
    record_count: int


def slots(sound_count: int) -> list[Slot]:
    """The same for all seeds: so that one history without strangers is what all others are compared with."""
    dice = random.Random(0)  # noqa: S311 - made up, not secret
    shared = sorted({home(group) for group in GROUPS})
    others = [place for place in range(PARTITIONS_OF_WRITERS + len(shared)) if place not in shared]
    chosen = dice.sample(range(sound_count), SLOTS)
    places = [dice.choice(shared if number % 2 else others[:PARTITIONS_OF_WRITERS]) for number in range(SLOTS)]
    return [Slot(number, place, dice.choice((1, 2, 4, 12))) for number, place in zip(chosen, places, strict=True)]


def filled(slot: Slot, dice: random.Random, names: Mapping[int, Sequence[str]]) -> Event:
    """What strangers write in a slot: clients beside sound groups, and who writes to the topic elsewhere."""
    if slot.log_partition in names:
        says, groups = Stranger(dice, writes_bytes=False), names[slot.log_partition]
        return Event(slot.log_partition, [_message_of(says, dice.choice(groups)) for _ in range(slot.record_count)])
    says = Stranger(dice, writes_bytes=True)
    producer = tuple(says.number(bits) for bits in (64, 16, 32))
    options: dict[str, Any] = {"attributes": dice.choice((0, 0, 0x10, 0x20, 0x30, 0x08, 0x40, 0x50))}
    options |= {"producer": dice.choice((producer, (-1, -1, -1)))}
    if dice.random() < 0.5:
        options |= {"times": (dice.choice(TIMES), dice.choice(TIMES))}
    if dice.random() < 0.3:
        options |= _lies(says)
    base = dice.choice(BASES) if dice.random() < 0.1 else None
    return Event(slot.log_partition, [_written(says) for _ in range(slot.record_count)], options, base_offset=base)


def names_of_strangers(dice: random.Random) -> dict[int, list[str]]:
    """Groups of clients, some in the partition of each sound group."""
    by_partition: dict[int, list[str]] = {home(group): [] for group in GROUPS}
    while any(len(names) < STRANGERS for names in by_partition.values()):
        name = f"{dice.choice(TEXTS)[:200]}{dice.randrange(10**6)}"
        by_partition.get(home(name), []).append(name)
    return by_partition


def _message_of(says: Stranger, group: str) -> Message:
    """What a client may have the coordinator write: mostly commits, of its own topics and of those that others read."""
    dice = says.dice
    topic = dice.choice((*TOPICS, "evil", "", says.text()))
    partition = dice.choice((0, 1, 2**31 - 1, -1))
    if dice.random() < 0.6:
        version = dice.choice((0, 1, 2, 3, 3))
        value = says.struct(VALUES[1].fields_of(version))
        key = {"group_id": group, "topic": topic, "partition": partition}
        return message(dice.choice((0, 1, 1, 1)), key, None if dice.random() < 0.1 else value, version)
    return _any_record(says, dice.choice((2, 2, 2, *range(3, 24))), group)


def _any_record(says: Stranger, record_type: int, group: str) -> Message:
    key = says.struct(OFFSETS_KEY.fields_of(record_type)) | {"group_id": group}
    layout = VALUES[record_type]
    version = says.dice.choice(list(layout.versions))
    value = says.struct(layout.fields_of(version))
    return message(record_type, key, None if says.dice.random() < 0.15 else value, version)


def _written(says: Stranger) -> Message:
    """Any record: of a group, of nobody, or no record at all."""
    dice = says.dice
    if dice.random() < 0.15:
        return dice.choice((None, b"", dice.randbytes(9), b"\0\1")), dice.choice((None, b"", dice.randbytes(9)))
    if dice.random() < 0.15:
        return struct.pack(">hh", 0, dice.choice((0, 1, 2, 7, -1))), dice.choice((bytes(6), b"", None))
    if dice.random() < 0.3:
        return commit(f"stranger-{dice.randrange(3)}", "orders", 0, says.number(64))
    return _any_record(says, dice.choice(sorted(VALUES)), dice.choice((f"stranger-{dice.randrange(3)}", says.text())))


def _lies(says: Stranger) -> dict[str, Any]:
    """What a batch may say of itself that is not so, or have for a body; its checksum is right."""
    dice = says.dice
    noise = dice.randbytes(dice.choice((0, 1, 20, 300)))
    return dice.choice(
        (
            {"count": says.number(32)},
            {"last_delta": says.number(32)},
            {"count": says.number(32), "last_delta": says.number(32)},
            {"length": says.number(32)},
            {"codec": dice.randrange(1, 8)},
            {"codec": dice.randrange(5), "body": noise},
            {"codec": 1, "compress": gzip.compress},
            {"codec": 1, "compress": partial(_altered, seed=dice.random(), compress=gzip.compress)},
            {"compress": partial(_altered, seed=dice.random())},
            {"codec": 1, "body": _bomb()},
        )
    )


def _altered(content: bytes, seed: float, compress: Callable[[bytes], bytes] = bytes) -> bytes:
    """A body in which one byte is another one, or a few are lacking."""
    dice, body = random.Random(seed), bytearray(compress(content))  # noqa: S311 - made up, not secret
    place = dice.randrange(len(body)) if body else 0
    body[place : place + dice.choice((1, 1, 5))] = dice.randbytes(1)
    return bytes(body)


@cache
def _bomb() -> bytes:
    return gzip.compress(bytes(BOMB_BYTES))


def batches_of_producers(dice: random.Random) -> list[bytes]:
    """The log of a topic of strangers: any times, producers, sequences and marks in headers; sound offsets."""
    says, batches, base = Stranger(dice, writes_bytes=True), [], 0
    for _ in range(dice.randrange(3, 12)):
        count = dice.choice((1, 2, 10))
        base = max(base, dice.choice(BASES)) if dice.random() < 0.1 else base
        producer = tuple(says.number(bits) for bits in (64, 16, 32))
        options: dict[str, Any] = {"attributes": dice.choice((0, 0, 0x08, 0x10, 0x20, 0x30, 0x40))}
        options |= {"times": (dice.choice(TIMES), dice.choice(TIMES)), "producer": dice.choice((producer, (7, 0, 0)))}
        if dice.random() < 0.2:
            options |= _lies(says)
        batches.append(batch(base, [record(delta, b"\0\0\0\1", bytes(6)) for delta in range(count)], **options))
        base += count
    return batches
