"""The records of one partition out of the raw files, in the order of its log, a bounded number at a time.

Put here how they are read. `assets.transforms.log_chunks` splits them by kind.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from assets.catalog.raw.records import OFFSET_RECORDS
from assets.storage.checked_reads import checked, naming_damage
from assets.storage.data_files import checked_parquet, locate
from assets.transforms.groups.opened_pieces import piece_cuts
from assets.transforms.log_chunks import USUAL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from assets.reconstruct.file_names import Place
    from assets.reconstruct.row_groups import Piece
    from assets.transforms.log_chunks import Reader
    from assets.transforms.projection import LogChunk

STRETCH_ROWS: Final = 400_000
"""A stretch has about so many records: enough for whole columns to pay, few enough for a worker's memory."""
STRETCH_BYTES: Final = 64 << 20
"""Nor more bytes of records than these, before they are compressed."""
TEXTS: Final = ("group_id", "topic", "control_type")
"""Text that few records have of their own: it is read as the dictionary that the file keeps."""


def chunks(pieces: Sequence[Piece], reader: Reader) -> Iterator[LogChunk]:
    """Read the pieces of one partition on from where the reader stands."""
    uris = list(dict.fromkeys(piece.uri for piece in pieces))
    rare = frozenset(filter(_is_rare, uris))
    kinds = ([uri for uri in uris if uri not in rare], USUAL), ([*rare], OFFSET_RECORDS.column_names)
    for end in (end for end in ends(pieces, reader.next_offset) if end > reader.next_offset):
        place, next_offset = pieces[0].place, reader.next_offset
        usual, others = (_read(place, some, columns, next_offset, end) for some, columns in kinds)
        for low, high in pairwise([next_offset, *_openings(others), end]):
            yield reader.chunk(_between(usual, low, high), _between(others, low, high))


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


def _read(place: Place, uris: Sequence[str], columns: Sequence[str], low: int, end: int) -> pa.Table:
    """The records from an offset on that are in a batch before another: no batch is cut."""
    if not uris:
        return OFFSET_RECORDS.schema.empty_table().select([*columns])
    offset, batch = pc.field("log_offset"), pc.field("batch_base_offset")
    is_before = (batch < end) | (batch.is_null() & (offset < end))
    return _in_order(_dataset(uris).to_table(columns=[*columns], filter=_of(place) & (offset >= low) & is_before))


def _in_order(records: pa.Table) -> pa.Table:
    """The records sorted by offset; those of several runs' files may come in any order."""
    offsets = records["log_offset"]
    steps = pc.pairwise_diff(offsets.combine_chunks())
    is_ordered = records.num_rows < 2 or pc.min(steps).as_py() > 0  # noqa: PLR2004 - one record is in order
    return records if is_ordered else records.sort_by("log_offset")


def _of(place: Place) -> pc.Expression:
    return (pc.field("cluster") == place.cluster) & (pc.field("log_partition") == place.log_partition)


def _dataset(uris: Sequence[str]) -> ds.Dataset:
    system = locate(uris[0])[0]
    names = [locate(uri)[1] for uri in uris]
    return checked(ds.FileSystemDataset.from_paths(names, OFFSET_RECORDS.schema, checked_parquet(TEXTS), system))


def _is_rare(uri: str) -> bool:
    """Whether a file has the rare columns."""
    system, name = locate(uri)
    with naming_damage(system, [name]):
        return not OFFSET_RECORDS.rare.isdisjoint(pq.read_schema(name, filesystem=system).names)
