"""The words of one line of `kafka-dump-log`: where a record stood, how large it is, and what its batch says.

Put here what the words of a line mean, in every release's spelling. In what order lines come belongs to
`parsers.text.dump_log`.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from parsers.text.numbers import whole
from parsers.text.payloads import KEY_END, NULL_BYTES, Sizes
from parsers.text.rows import Batch, Line, Unreadable

Fields = dict[str, str]

_TIMES: Final = ("CreateTime:", "LogAppendTime:", "NoTimestampType:")
_KEY_SIZES: Final = ("keySize:", "keysize:")
_VALUE_SIZES: Final = ("valueSize:", "valuesize:", "payloadsize:")
_WORDS: Final = frozenset(
    {
        *(*_TIMES, *_KEY_SIZES, *_VALUE_SIZES),
        *("offset:", "position:", "size:", "magic:", "compresscodec:", "compressType:", "crc:", "isvalid:", "isValid:"),
        *("baseOffset:", "lastOffset:", "count:", "baseSequence:", "lastSequence:", "producerId:", "producerEpoch:"),
        *("partitionLeaderEpoch:", "isTransactional:", "isControl:", "deleteHorizonMs:", "sequence:", "headerKeys:"),
        *("batchSize:", "endTxnMarker:", "coordinatorEpoch:", "controlType:"),
    }
)
"""Everything that the line of a batch or a record names, over all releases; what is not a column is passed over."""

_RECORD_OF_TODAY: Final = re.compile(
    rb" offset: (\d{1,18}) (?:CreateTime|LogAppendTime): (\d{1,18}) keySize: (\d{1,9}) valueSize: (-1|\d{1,9}) "
    rb"sequence: (?:-1|\d{1,10}) headerKeys: \[\] key: "
)
_BATCH_OF_TODAY: Final = re.compile(
    rb"baseOffset: (\d{1,18}) lastOffset: (\d{1,18}) count: \d{1,10} baseSequence: (-1|\d{1,10}) "
    rb"lastSequence: (?:-1|\d{1,10}) producerId: -1 producerEpoch: -1 partitionLeaderEpoch: (\d{1,9}) "
    rb"isTransactional: false isControl: false(?: deleteHorizonMs: OptionalLong.empty)? position: (\d{1,18}) "
    rb"(?:CreateTime|LogAppendTime): \d{1,18} size: (\d{1,9}) magic: 2 compresscodec: [a-z]{3,6} crc: \d{1,10} "
    rb"isvalid: true"
)

_LEGACY_MAGIC: Final = frozenset({"0", "1"})
_UNCOMPRESSED: Final = frozenset({"none", "NONE", "NoCompressionCodec"})
_NO_WORDS: Final[Fields] = {}
_FLAGS: Final = {"true": True, "false": False}
_UNKNOWN: Final = "-1"


class BatchLine(NamedTuple):
    """What the line of a batch says: the batch, its offsets, and where the next one begins."""

    batch: Batch = Batch()
    first_offset: int = 0
    last_offset: int = -1
    position: int | None = None
    end_position: int | None = None
    is_valid: bool = True


def read_batch_line(text: bytes) -> BatchLine:
    """Read the line of a batch; most lines of today are read in one step."""
    match = _BATCH_OF_TODAY.fullmatch(text)
    if match is None:
        return batch_line_of(fields_of(text))
    base, last, sequence, epoch, position, size_bytes = map(int, match.groups())
    known_sequence = None if sequence < 0 else sequence
    batch = Batch(base, epoch, None, None, is_transactional=False, is_control=False, base_sequence=known_sequence)
    return BatchLine(batch, base, last, position, position + size_bytes)


def batch_line_of(fields: Fields) -> BatchLine:
    """Take the line of a batch from its words."""
    batch = batch_of(fields)
    last = number(fields, "lastOffset:", "offset:")
    position = number(fields, "position:")
    size_bytes = number(fields, "size:")
    end = None if position is None or size_bytes is None else position + size_bytes
    first, last = batch.batch_base_offset or 0, -1 if last is None else last
    return BatchLine(batch, first, last, position, end, is_valid(fields))


class RecordLine(NamedTuple):
    """What the line of a record says before its key."""

    line: Line
    sizes: Sizes
    content: bytes
    """What stands behind `key: `, the payload included."""
    fields: Fields
    """The words, where they say more than that."""


def record_line(log_partition: int | None, text: bytes) -> RecordLine:
    """Read the line of a record from the space before its first word; most lines of today are read in one step."""
    match = _RECORD_OF_TODAY.match(text)
    if match is None:
        head, content = split_line(text)
        fields = fields_of(head)
        sizes = sizes_of(fields)
        return RecordLine(line_of(log_partition, fields, sizes), sizes, content, fields)
    offset, time_ms, key_bytes, value_bytes = map(int, match.groups())
    line = Line(log_partition, offset, time_ms, key_bytes, None if value_bytes == NULL_BYTES else value_bytes)
    return RecordLine(line, Sizes(key_bytes, value_bytes), text[match.end() :], _NO_WORDS)


def split_line(text: bytes) -> tuple[bytes, bytes]:
    """Part what says where a record stood from its key and payload."""
    head, separator, content = text.partition(b" key: ")
    if separator:
        return head, content
    head = text.partition(KEY_END)[0]
    return head, text[len(head) :]


def fields_of(head: bytes) -> Fields:
    """Take a line apart into names and what stands behind them."""
    words = head.decode("ascii", "replace").split()
    fields = dict(zip(words[::2], words[1::2], strict=False))
    if 2 * len(fields) != len(words) or not _WORDS.issuperset(fields):
        raise Unreadable("unknown line", "names and values of a batch or a record", head)
    return fields


def number(fields: Fields, *names: str, bits: int = 64) -> int | None:
    """Give the number behind whichever of the names is there."""
    for name in names:
        if name in fields:
            return whole(fields[name], bits)
    return None


def is_valid(fields: Fields) -> bool:
    """Whether the tool found the checksum right, or did not say."""
    return fields.get("isvalid:") != "false" and fields.get("isValid:") != "false"


def sizes_of(fields: Fields) -> Sizes:
    """Give the sizes of a record; in 0.9 and 0.10 a record without a key has no key size either."""
    value = number(fields, *_VALUE_SIZES, bits=32)
    key = number(fields, *_KEY_SIZES, bits=32)
    return Sizes(NULL_BYTES if key is None and "payloadsize:" in fields else key, value)


def line_of(log_partition: int | None, fields: Fields, sizes: Sizes) -> Line:
    """Say where a record stood, and what a marker says."""
    time_ms = number(fields, *_TIMES)
    control = fields.get("endTxnMarker:") or fields.get("controlType:", "").partition("(")[0]
    return Line(
        log_partition,
        number(fields, "offset:"),
        None if time_ms is None or time_ms < 0 else time_ms,
        None if sizes.key == NULL_BYTES else sizes.key,
        None if sizes.value == NULL_BYTES else sizes.value,
        control or None,
        _known_number(fields, "coordinatorEpoch:", 32),
    )


def batch_of(fields: Fields) -> Batch:
    """Say what a line, be it a batch's or a record's, tells of the batch."""
    is_legacy = fields.get("magic:") in _LEGACY_MAGIC
    producer_id = _known_number(fields, "producerId:", 64)
    return Batch(
        _base_offset(fields, is_legacy=is_legacy),
        _known_number(fields, "partitionLeaderEpoch:", 32),
        producer_id,
        None if producer_id is None else number(fields, "producerEpoch:", bits=16),
        False if is_legacy else _FLAGS.get(fields.get("isTransactional:", "")),
        False if is_legacy else _is_control(fields),
        _horizon_ms(fields),
        _known_number(fields, "baseSequence:", 32),
    )


def _base_offset(fields: Fields, *, is_legacy: bool) -> int | None:
    """An uncompressed message of magic 0 or 1 is its own batch; of a compressed one only the last offset is told."""
    is_alone = is_legacy and fields.get("compresscodec:") in _UNCOMPRESSED
    return number(fields, "offset:" if is_alone else "baseOffset:")


def _is_control(fields: Fields) -> bool | None:
    """A record of magic 2 that is no marker has no marker's words; the line of a batch says it since 2.0.1."""
    if "isControl:" in fields:
        return _FLAGS.get(fields["isControl:"])
    return ("endTxnMarker:" in fields or "controlType:" in fields) if "headerKeys:" in fields else None


def _horizon_ms(fields: Fields) -> int | None:
    word = fields.get("deleteHorizonMs:", "")
    return whole(word[len("OptionalLong[") : -1]) if word.startswith("OptionalLong[") else None


def _known_number(fields: Fields, name: str, bits: int) -> int | None:
    word = fields.get(name, _UNKNOWN)
    return None if word == _UNKNOWN else whole(word, bits)
