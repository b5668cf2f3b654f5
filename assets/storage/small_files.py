"""Small files of a table: those that the next commit merges, and the files that take their place.

Put here which files are merged, and how. A run adds small files; they are merged in tiers of size, so that a table of
any age has few of them, a row is written again as often as there are tiers, and a run rewrites a bounded number of
rows.
`assets.maintenance.compact_files` merges more, when somebody asks for it.
"""

from __future__ import annotations

import posixpath
import uuid
from collections import defaultdict
from itertools import accumulate
from typing import TYPE_CHECKING, Final, NamedTuple

from assets.storage.data_files import as_one, locate
from assets.storage.digests import digest_of, digests_in
from assets.storage.parquet_files import FROM_DUMP, RARE, READ_AT_ONCE, USUAL, TableFiles
from parsers.errors import WarehouseError, sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from assets.catalog import Table
    from assets.storage.data_files import DataFile
    from assets.storage.transaction import ArchivedFile

FANOUT: Final = 4
"""So many files of a tier are merged into one of a higher tier."""
FIRST_TIER_BYTES: Final = 64 << 10
"""Files up to this size are of the first tier; the limit of each other tier is FANOUT times that of the one before."""
LARGE_BYTES: Final = 8 << 20
LARGE_ROWS: Final = 500_000
"""A file of one of these sizes is not merged any more."""
MERGED_ROWS_MOST: Final = FANOUT * LARGE_ROWS
"""A commit rewrites no more rows."""
SORTED_ROWS_MOST: Final = LARGE_ROWS
"""Nor more of a table whose rows are sorted, for which they are all in memory: some 700 bytes each, twice."""


class Merged(NamedTuple):
    """Files of a table that go, and those with the same rows that come."""

    old: tuple[ArchivedFile, ...] = ()
    new: tuple[DataFile, ...] = ()


def due(files: Iterable[ArchivedFile]) -> list[ArchivedFile]:
    """The files to merge into one: those of the lowest tier that is full, and of those that the merge fills in turn."""
    tiers: dict[int, list[ArchivedFile]] = defaultdict(list)
    for file in files:
        if 0 < file.rows < LARGE_ROWS and file.size_bytes < LARGE_BYTES:
            tiers[_tier(file.size_bytes)].append(file)
    group: list[ArchivedFile] = []
    for tier in sorted(tiers):
        if len(tiers[tier]) + bool(group) >= FANOUT:
            group += tiers[tier]
        elif group:
            break
    return group


def kind_of(file: ArchivedFile) -> str:
    """The ending of a file's name, which says what kind of rows it has."""
    stem = posixpath.basename(file.uri).removesuffix(".parquet")
    return next((ending for ending in (RARE, FROM_DUMP) if stem.endswith(ending)), USUAL)


def merge(
    table: Table,
    root: str,
    files: Iterable[ArchivedFile],
    lot_of: Callable[[ArchivedFile], str] = kind_of,
    name_of: Callable[[Sequence[ArchivedFile]], str] | None = None,
) -> Merged:
    """Merge the small files of each lot that are due; the rows of raw tables are sorted by the table's key.

    The digest of each old file is compared first: damage is not copied into a file that looks sound.
    """
    lots: dict[str, list[ArchivedFile]] = defaultdict(list)
    for file in files:
        lots[lot_of(file)].append(file)
    most = SORTED_ROWS_MOST if _is_sorted(table) else MERGED_ROWS_MOST
    chosen = list(_within_bound((due(lot) for lot in lots.values()), most))
    if not chosen:
        return Merged()
    digests = digests_in(*locate(f"{root}/_delta_log"))
    new: list[DataFile] = []
    for group in chosen:
        _compare_digests(root, group, digests)
        name = f"merged-{uuid.uuid4().hex}" if name_of is None else name_of(group)
        new += write_merged(
            table, root, name, _sorted_rows(table, group) if _is_sorted(table) else rows_of(table, group)
        )
    return Merged(tuple(file for group in chosen for file in group), tuple(new))


def _tier(size_bytes: int) -> int:
    tier, limit = 0, FIRST_TIER_BYTES
    while size_bytes > limit:
        tier, limit = tier + 1, limit * FANOUT
    return tier


def _is_sorted(table: Table) -> bool:
    """Whether the rows of a merged file are sorted by the table's key."""
    return table.layer == "raw"


def _within_bound(groups: Iterable[list[ArchivedFile]], most: int) -> Iterator[list[ArchivedFile]]:
    """The smallest files of each group, more than one and in the order of their rows, within the bound of a commit."""
    rows = 0
    for group in groups:
        smallest = sorted(group, key=lambda file: (file.rows, file.uri))
        totals = accumulate((file.rows for file in smallest), initial=rows)
        within = [file for file, before in zip(smallest, totals, strict=False) if before + file.rows <= most]
        if len(within) > 1:
            rows += sum(file.rows for file in within)
            yield sorted(within, key=place_of)


def place_of(file: ArchivedFile) -> tuple[int, int, str]:
    """The sort key of a file: rows of one partition and of near offsets come together."""
    partition = file.minimum.get("log_partition", file.minimum.get("partition", 0))
    return partition, file.minimum.get("log_offset", file.minimum.get("base_offset", 0)), file.uri


def _compare_digests(root: str, files: Sequence[ArchivedFile], digests: Mapping[str, str]) -> None:
    """Refuse files that have other bytes than were written."""
    for file in files:
        try:
            digest = digest_of(*locate(file.uri))
        except OSError as error:
            raise WarehouseError(f"{file.uri} can't be read: {sentence(error)}; `lagbook repair` shows more") from error
        if digest != digests.get(file.uri.removeprefix(f"{root}/"), digest):
            raise WarehouseError(f"{file.uri} has other bytes than were written; `lagbook repair` shows more")


def _sorted_rows(table: Table, files: Sequence[ArchivedFile]) -> Iterator[pa.RecordBatch]:
    """The rows of files by the table's key, with every column of the table."""
    rows = as_one([file.uri for file in files], table.file_schema).to_table()
    yield from rows.sort_by([(name, "ascending") for name in table.key]).to_batches(READ_AT_ONCE)


def rows_of(table: Table, files: Iterable[ArchivedFile]) -> Iterator[pa.RecordBatch]:
    """The rows of files, one file after the other, with every column of the table."""
    for file in files:
        yield from as_one([file.uri], table.file_schema).to_batches(batch_size=READ_AT_ONCE)


def write_merged(table: Table, folder: str, name: str, rows: Iterable[pa.RecordBatch]) -> list[DataFile]:
    """Write rows to files of a name; rare columns are in a file of their own."""
    with TableFiles({table.full_name: folder}, name) as files:
        for batch in rows:
            files.write(table.full_name, batch)
    return [file for _table, file in files.written()]
