"""The row groups of the raw files with a partition's records, by the statistics in their footers.

Put here what row groups reveal without their records, which `assets.reconstruct.raw_records` reads.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow.parquet as pq

from assets.reconstruct.file_names import Place
from assets.storage.checked_reads import naming_damage
from assets.storage.data_files import locate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import pyarrow as pa
    from pyarrow import fs

    Bounds = tuple[Any, Any] | None

OPENED_AT_ONCE: Final = 16
PLACE: Final = ["cluster", "log_partition", "log_offset"]


class Piece(NamedTuple):
    """Records of one partition in one row group."""

    uri: str
    place: Place
    first_offset: int
    last_offset: int
    rows: int
    size_bytes: int
    """Its share of the row group, before that is compressed."""


def pieces_of(uris: Sequence[str]) -> list[Piece]:
    """The pieces of raw files: by their footers where a row group has one partition, else by its records."""
    return _of_files(uris, lambda _bounds: True)


def new_pieces_of(uris: Sequence[str], next_offsets: Mapping[Place, int]) -> dict[Place, list[Piece]]:
    """The pieces of some partitions; row groups that only have others or earlier records are passed over."""

    def may_be_new(bounds: Sequence[Bounds]) -> bool:
        """Whether a row group may have records of one of the partitions from its offset on."""
        cluster, partition, offset = bounds
        return any(
            _may_have(cluster, place.cluster)
            and _may_have(partition, place.log_partition)
            and (offset is None or offset[1] >= next_offset)
            for place, next_offset in next_offsets.items()
        )

    pieces: dict[Place, list[Piece]] = {place: [] for place in next_offsets}
    for piece in _of_files(uris, may_be_new):
        if piece.place in pieces and piece.last_offset >= next_offsets[piece.place]:
            pieces[piece.place].append(piece)
    return pieces


def _may_have(bounds: Bounds, value: Any) -> bool:  # noqa: ANN401 - of any column
    return bounds is None or bounds[0] <= value <= bounds[1]


def _of_files(uris: Sequence[str], is_wanted: Callable[[Sequence[Bounds]], bool]) -> list[Piece]:
    with ThreadPoolExecutor(OPENED_AT_ONCE) as pool:
        return [piece for in_file in pool.map(lambda uri: list(_pieces(uri, is_wanted)), uris) for piece in in_file]


def _pieces(uri: str, is_wanted: Callable[[Sequence[Bounds]], bool]) -> Iterator[Piece]:
    system, name = locate(uri)
    with naming_damage(system, [name]), _opened(system, name) as file:
        columns = {file.metadata.schema.column(index).path: index for index in range(file.metadata.num_columns)}
        for number in range(file.num_row_groups):
            group = file.metadata.row_group(number)
            bounds = [_bounds(group.column(columns[column])) for column in PLACE]
            (cluster, partition, offset) = bounds
            if not is_wanted(bounds):
                continue
            if cluster and partition and offset and cluster[0] == cluster[1] and partition[0] == partition[1]:
                yield Piece(uri, Place(cluster[0], partition[0]), *offset, group.num_rows, group.total_byte_size)
            else:
                yield from _count_rows(uri, file.read_row_group(number, columns=PLACE), group.total_byte_size)


def _opened(system: fs.FileSystem, name: str) -> pq.ParquetFile:
    return pq.ParquetFile(system.open_input_file(name), page_checksum_verification=True)


def _bounds(column: pq.ColumnChunkMetaData) -> tuple[Any, Any] | None:
    """The least and the greatest value, if the footer has them: it lacks those of very long names."""
    statistics = column.statistics
    return None if statistics is None or not statistics.has_min_max else (statistics.min, statistics.max)


def _count_rows(uri: str, records: pa.Table, size_bytes: int) -> Iterator[Piece]:
    aggregations = [("log_offset", "min"), ("log_offset", "max"), ("log_offset", "count")]
    for row in records.group_by(PLACE[:2]).aggregate(aggregations).to_pylist():
        place = Place(row["cluster"], row["log_partition"])
        count = row["log_offset_count"]
        own_bytes = size_bytes * count // records.num_rows
        yield Piece(uri, place, row["log_offset_min"], row["log_offset_max"], count, own_bytes)
