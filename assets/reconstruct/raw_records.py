"""The records of partitions out of the raw files, in the order of each log, a bounded number at a time.

Put here how they are read. `assets.transforms.log_chunks` splits them by kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from operator import or_
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from assets.catalog.raw.external import EXTERNAL_COMMITS, ZOOKEEPER_EVENTS
from assets.catalog.raw.records import OFFSET_RECORDS
from assets.storage.checked_reads import checked, naming_damage
from assets.storage.data_files import checked_parquet, locate
from assets.transforms.groups.opened_pieces import piece_cuts
from assets.transforms.log_chunks import USUAL
from assets.transforms.projection import StoreEvents

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    import pyarrow as pa

    from assets.reconstruct.file_names import Place
    from assets.reconstruct.row_groups import Piece
    from assets.transforms.log_chunks import Reader
    from assets.transforms.projection import LogChunk

STRETCH_ROWS: Final = 400_000
"""A stretch has about so many records: enough for whole columns to pay, few enough for a worker's memory."""
STRETCH_BYTES: Final = 64 << 20
"""Nor more bytes of records than these, before they are compressed."""
_PLACE: Final = ("cluster", "log_partition")
EVENT_ORDER: Final = [("log_offset", "ascending"), ("event", "ascending"), ("group_id", "ascending")]
TEXTS: Final = ("group_id", "topic", "control_type")
"""Text that few records have of their own: it is read as the dictionary that the file keeps."""


@dataclass(slots=True)
class _Files:
    """Raw files that have the same columns, and once they were read their new records."""

    uris: Sequence[str]
    columns: Sequence[str]
    records: pa.Table | None = None

    def read(self, uris: AbstractSet[str], wanted: pc.Expression) -> pa.Table:
        """The wanted records of one partition, which are in these files, in the order of its log."""
        own = [uri for uri in self.uris if uri in uris]
        dataset = _dataset(own) if self.records is None else ds.InMemoryDataset(self.records)
        return _in_order(dataset.to_table(columns=[*self.columns], filter=wanted))

    def hold(self, wanted: pc.Expression) -> None:
        """Read the wanted records of all partitions."""
        columns = list(dict.fromkeys((*_PLACE, *self.columns)))
        self.records = _dataset(self.uris).to_table(columns=columns, filter=wanted)


class RawRecords:
    """The new records of some partitions: few are read once for all of them, many for each of them."""

    def __init__(self, pieces: Mapping[Place, Sequence[Piece]], next_offsets: Mapping[Place, int]) -> None:
        """Take the pieces of each partition, and the offset from which on its records are new."""
        self._pieces = pieces
        uris = dict.fromkeys(piece.uri for some in pieces.values() for piece in some)
        rare = frozenset(filter(_is_rare, uris))
        self._files = (
            _Files([uri for uri in uris if uri not in rare], USUAL),
            _Files([uri for uri in uris if uri in rare], OFFSET_RECORDS.column_names),
        )
        all_pieces = [piece for some in pieces.values() for piece in some]
        rows, size_bytes = sum(piece.rows for piece in all_pieces), sum(piece.size_bytes for piece in all_pieces)
        if len(pieces) > 1 and rows <= STRETCH_ROWS and size_bytes <= STRETCH_BYTES:
            is_new = [_of(place) & (pc.field("log_offset") >= offset) for place, offset in next_offsets.items()]
            for files in self._files:
                files.hold(reduce(or_, is_new))

    def end_offset(self, place: Place) -> int | None:
        """The offset behind the last record of a partition; None without any new record."""
        return max((piece.last_offset + 1 for piece in self._pieces[place]), default=None)

    def chunks(self, place: Place, reader: Reader) -> Iterator[LogChunk]:
        """Read a partition on from where the reader stands."""
        pieces = self._pieces[place]
        uris = {piece.uri for piece in pieces}
        for end in (end for end in ends(pieces, reader.next_offset) if end > reader.next_offset):
            next_offset = reader.next_offset
            usual, others = (files.read(uris, _within(place, next_offset, end)) for files in self._files)
            for low, high in pairwise([next_offset, *_openings(others), end]):
                yield reader.chunk(_between(usual, low, high), _between(others, low, high))


class StoreRows:
    """The new rows of raw.external_commits and raw.zookeeper_events of some stores."""

    def __init__(self, pieces: Mapping[Place, Sequence[Piece]]) -> None:
        """Take the pieces of each store."""
        self._pieces = pieces

    def end_offset(self, place: Place) -> int | None:
        """The position behind the last row of a store; None without any new one."""
        return max((piece.last_offset + 1 for piece in self._pieces[place]), default=None)

    def chunks(self, place: Place, reader: Reader) -> Iterator[LogChunk]:
        """Read a store on from where the reader stands; which transactions were read, each chunk has of all."""
        pieces = self._pieces[place]
        uris = [*dict.fromkeys(piece.uri for piece in pieces)]
        uris_of_events = [uri for uri in uris if "event" in _columns(uri)]
        events = _dataset(uris_of_events, ZOOKEEPER_EVENTS.schema)
        commits = _dataset([uri for uri in uris if uri not in uris_of_events], EXTERNAL_COMMITS.schema)
        is_run = _of(place) & (pc.field("event") == "transactions_read")
        runs = events.to_table(filter=is_run, columns=["from_log_offset", "log_offset"])
        for end in (end for end in ends(pieces, reader.next_offset) if end > reader.next_offset):
            wanted = _within(place, reader.next_offset, end)
            yield reader.store_chunk(
                _in_order(commits.to_table(filter=wanted)),
                StoreEvents(events.to_table(filter=wanted).sort_by(EVENT_ORDER), runs),
            )


def ends(pieces: Sequence[Piece], from_offset: int) -> Iterator[int]:
    """The end offsets of stretches: after the piece that fills one, in rows or in bytes."""
    rows, size_bytes, ordered = 0, 0, sorted(pieces, key=lambda piece: piece.last_offset)
    for number, piece in enumerate(ordered):
        rows, size_bytes = rows + piece.rows, size_bytes + piece.size_bytes
        is_full = rows >= STRETCH_ROWS or size_bytes >= STRETCH_BYTES
        if piece.last_offset >= from_offset and (is_full or number == len(ordered) - 1):
            yield piece.last_offset + 1
            rows, size_bytes = 0, 0


def _openings(records: pa.Table) -> list[int]:
    """The log offsets at which records about groups are parted: what becomes of each part is written before the next.

    No batch is cut: all that one request changed is in it.
    """
    batches = pc.coalesce(records["batch_base_offset"], records["log_offset"]).to_numpy()
    openings: list[int] = np.unique(batches[piece_cuts(records)]).tolist()
    return openings


def _between(records: pa.Table, low: int, high: int) -> pa.Table:
    """The records from one log offset on and before another."""
    first, end = np.searchsorted(records["log_offset"].to_numpy(), (low, high))
    return records.slice(first, end - first)


def count_before(place: Place, offset: int, uris: Sequence[str]) -> int:
    """The number of a place's records before an offset."""
    count: int = _dataset(uris).count_rows(filter=_of(place) & (pc.field("log_offset") < offset)) if uris else 0
    return count


def _in_order(records: pa.Table) -> pa.Table:
    """The records sorted by offset; those of several runs' files may come in any order."""
    offsets = records["log_offset"]
    steps = pc.pairwise_diff(offsets.combine_chunks())
    is_ordered = records.num_rows < 2 or pc.min(steps).as_py() > 0  # noqa: PLR2004 - one record is in order
    return records if is_ordered else records.sort_by("log_offset")


def _of(place: Place) -> pc.Expression:
    return (pc.field("cluster") == place.cluster) & (pc.field("log_partition") == place.log_partition)


def _within(place: Place, low: int, end: int) -> pc.Expression:
    """The records from an offset on that are in a batch before another: no batch is cut."""
    offset, batch = pc.field("log_offset"), pc.field("batch_base_offset")
    return _of(place) & (offset >= low) & ((batch < end) | (batch.is_null() & (offset < end)))


def _dataset(uris: Sequence[str], schema: pa.Schema = OFFSET_RECORDS.schema) -> ds.Dataset:
    if not uris:
        return ds.InMemoryDataset(schema.empty_table())
    system = locate(uris[0])[0]
    names = [locate(uri)[1] for uri in uris]
    return checked(ds.FileSystemDataset.from_paths(names, schema, checked_parquet(TEXTS), system))


def _is_rare(uri: str) -> bool:
    """Whether a file has the rare columns."""
    return not OFFSET_RECORDS.rare.isdisjoint(_columns(uri))


def _columns(uri: str) -> list[str]:
    """The columns of a file."""
    system, name = locate(uri)
    with naming_damage(system, [name]):
        names: list[str] = pq.read_schema(name, filesystem=system).names
        return names
