"""The batches that a claim cites, as they stand in segment files; and what they say when they are decoded again.

Put here how a batch is found, named and compared with its rows. Which records a claim cites is in
`assets.evidence.cited_records`, how a batch is decoded in `assets.evidence.logs.record_forms`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from blake3 import blake3

from assets.evidence.cited_records import Log
from assets.evidence.logs.record_forms import form_of, kind_of
from assets.extraction.log_streams import position_of
from assets.ingest.live.reading import Piece
from parsers.errors import SourceError
from parsers.log.batches import batch_bytes, is_sound, last_offset, stored_checksum
from parsers.log.segments import walk
from parsers.sources import open_file
from parsers.words import big64

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from parsers.files.discovery import SegmentFile
    from parsers.sources import ByteSource

    Row = dict[str, Any]

LARGEST_BATCH_BYTES: Final = 64 << 20
FACTS: Final[Mapping[str, type]] = {
    "member": str,
    "cluster": str,
    "topic": str,
    "partition": int,
    "size_bytes": int,
    "blake3": str,
    "crc": int,
    "base_offset": int,
    "log_offsets": list,
}
"""What has to be known of each batch."""
_HEADER_BYTES: Final = 61


@dataclass(frozen=True, slots=True)
class CitedBatch:
    """A batch, where it stands, and the cited records in it."""

    cluster: str
    topic: str
    partition: int
    base_offset: int
    last_offset: int
    position: int
    size_bytes: int
    crc: int
    blake3: str
    path: str
    segment_base_offset: int
    broker_id: int | None
    log_offsets: tuple[int, ...]

    def as_json(self, member: str) -> dict[str, Any]:
        """All of it, with the name of its bytes in a pack."""
        return {**asdict(self), "log_offsets": list(self.log_offsets), "member": member}


@dataclass(frozen=True, slots=True)
class Citations:
    """The batches that were found with their bytes, and the cited records in none of the files."""

    batches: tuple[tuple[CitedBatch, bytes], ...]
    missing: tuple[int, ...]


def cite(segments: Sequence[SegmentFile], log: Log, offsets: Iterable[int], records: Mapping[int, Row]) -> Citations:
    """Find the batch of each record of a log in its files: the first that decodes to what the table has of it."""
    left, batches = list(offsets), list[tuple[CitedBatch, bytes]]()
    own = [one for one in segments if (one.cluster, one.topic, one.partition) == log]
    while left:
        citation = next(_candidates(own, log, left[0], records), None)
        batches += [] if citation is None else [citation]
        covered = {left[0], *(citation[0].log_offsets if citation else ())}
        left = [offset for offset in left if offset not in covered]
    cited = {offset for batch, _content in batches for offset in batch.log_offsets}
    return Citations(tuple(batches), tuple(offset for offset in offsets if offset not in cited))


def _candidates(
    segments: Sequence[SegmentFile], log: Log, offset: int, records: Mapping[int, Row]
) -> Iterator[tuple[CitedBatch, bytes]]:
    form, kind = form_of(log.topic), kind_of(records)
    for segment in segments:
        content, position = _batch_at(segment, offset)
        rows = decoded_rows(log.topic, content, kind)
        alike = (one for one in rows if one in records and not any(form.differences(rows[one], records[one])))
        if offset in (offsets := tuple(sorted(alike))):
            yield _describe(segment, position, content, offsets), content


def _batch_at(segment: SegmentFile, offset: int) -> tuple[bytes, int]:
    """The bytes and position of the batch that reaches an offset; none where the file can't be read, or has none."""
    if segment.base_offset > offset:
        return b"", 0
    try:
        with open_file(segment.location) as source:
            position = position_of(source, segment, offset)
            return _whole_batch(source, position, offset)
    except SourceError:
        return b"", 0


def _whole_batch(source: ByteSource, position: int, offset: int) -> tuple[bytes, int]:
    """The first sound batch from a position on that reaches an offset."""
    while position < source.size_bytes:
        head = source.read(position, _HEADER_BYTES)
        size = int(batch_bytes(head, 0, len(head)))
        if not 0 < size <= LARGEST_BATCH_BYTES:
            break
        if last_offset(head, 0) >= offset:
            return source.read(position, size).tobytes(), position
        position += size
    return b"", 0


def _describe(segment: SegmentFile, position: int, content: bytes, offsets: tuple[int, ...]) -> CitedBatch:
    buffer = np.frombuffer(content, np.uint8)
    return CitedBatch(
        cluster=segment.cluster,
        topic=segment.topic,
        partition=segment.partition,
        base_offset=int(big64(buffer, 0)),
        last_offset=int(last_offset(buffer, 0)),
        position=position,
        size_bytes=len(content),
        crc=int(stored_checksum(buffer, 0)),
        blake3=blake3(content).hexdigest(),
        path=segment.path,
        segment_base_offset=segment.base_offset,
        broker_id=segment.broker_id,
        log_offsets=offsets,
    )


def decoded_rows(topic: str, content: bytes, kind: str) -> dict[int, Row]:
    """The records of one batch of a topic by their offsets; none of bytes that are no sound batch."""
    buffer, form = np.frombuffer(content, np.uint8), form_of(topic)
    if not content or int(batch_bytes(buffer, 0, len(buffer))) != len(buffer) or not is_sound(buffer, 0, len(buffer)):
        return {}
    rows: dict[int, Row] = {}
    for piece in walk(Piece("batch", 0, buffer), 0, bodies=True):
        rows |= {row[form.offset]: row for row in form.decode(piece, kind).to_pylist()}
    return rows


def is_citation(batch: Any) -> bool:  # noqa: ANN401 - any JSON
    """Whether a pack says all of a cited batch that has to be known."""
    has_facts = isinstance(batch, dict) and all(isinstance(batch.get(name), kind) for name, kind in FACTS.items())
    return has_facts and all(isinstance(offset, int) for offset in batch["log_offsets"])


def log_of(batch: Mapping[str, Any]) -> Log:
    """The log that a cited batch is of."""
    return Log(batch["cluster"], batch["topic"], batch["partition"])


def contradictions(batch: Mapping[str, Any], content: bytes, records: Mapping[int, Row]) -> Iterator[str]:
    """Where the bytes of a batch and the rows of its cited records say different things."""
    buffer, form = np.frombuffer(content, np.uint8), form_of(batch["topic"])
    actual = {"size_bytes": len(content), "blake3": blake3(content).hexdigest()}
    if len(content) > _HEADER_BYTES:
        actual |= {"crc": int(stored_checksum(buffer, 0)), "base_offset": int(big64(buffer, 0))}
    for name, value in actual.items():
        if batch[name] != value:
            yield f"{batch['member']}: {name}: expected {batch[name]}, found {value}"
    rows = decoded_rows(batch["topic"], content, kind_of(records))
    if not rows:
        yield f"{batch['member']}: expected a batch with a right checksum, found none"
        return
    for offset in batch["log_offsets"]:
        if offset not in rows or offset not in records:
            where = "the batch" if offset not in rows else f"the rows of {form.table}"
            yield f"{batch['member']}: record {offset}: expected in {where}, found none"
            continue
        for column, decoded, packed in form.differences(rows[offset], records[offset]):
            yield f"{batch['member']}: record {offset}: {column}: expected {decoded!r} of the bytes, found {packed!r}"
