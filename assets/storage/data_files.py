"""Parquet files, on a disk or in a store: how to reach one, its footer's bounds, and several read as one.

Put here what is done with a file by its path or URL. Which files make up a table is kept by `assets.storage.warehouse`,
how one is written `assets.storage.parquet_writer`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from pyarrow import fs

from assets.storage.checked_reads import checked, naming_damage
from assets.storage.digests import digest_of
from assets.storage.retrying_filesystem import patient
from parsers.errors import WarehouseError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_CREDENTIALS: Final = re.compile(r"://[^/]*@")


@dataclass(frozen=True, slots=True)
class DataFile:
    """A Parquet file that was written and waits to become part of its table."""

    path: str
    size_bytes: int
    rows: int
    minimum: Mapping[str, int]
    maximum: Mapping[str, int]
    digest: str
    """The BLAKE3 digest of its bytes."""


def locate(path: str) -> tuple[fs.FileSystem, str]:
    """The file system of a path or URL, and its name there."""
    if "://" not in path:
        return fs.LocalFileSystem(), path
    try:
        system, name = fs.FileSystem.from_uri(path)
    except (OSError, pa.ArrowInvalid) as error:
        raise WarehouseError(f"{path} can't be reached: {error}") from error
    return system if isinstance(system, fs.LocalFileSystem) else patient(system), name


def is_remote(path: str) -> bool:
    """Whether a path or URL leads to a store, which Python and Delta reach, but neither Spark's Java nor DuckDB."""
    return not isinstance(locate(path)[0], fs.LocalFileSystem)


def without_credentials(url: str) -> str:
    """The same path or URL without user name and password."""
    return _CREDENTIALS.sub("://", url)


def named_like(path: str, inner: str) -> str:
    """The path or URL of a file system's name `inner`, in the form of another path of that file system."""
    return f"{path.partition('://')[0]}://{inner}" if "://" in path else inner


def checked_parquet(texts: Iterable[str] = ()) -> ds.ParquetFileFormat:
    """The format to read files: a page with a wrong checksum is an error. These texts come as dictionaries."""
    scan = ds.ParquetFragmentScanOptions(page_checksum_verification=True)
    return ds.ParquetFileFormat(ds.ParquetReadOptions(dictionary_columns=set(texts)), scan)


def as_one(paths: Sequence[str], schema: pa.Schema | None = None) -> ds.Dataset:
    """Several files (one at least) read as one; a column of the schema that a file doesn't have is NULL there."""
    names, system = [locate(path)[1] for path in paths], locate(paths[0])[0]
    with naming_damage(system, names):
        return checked(ds.dataset(names, schema=schema, filesystem=system, format=checked_parquet()))


def describe_file(path: str) -> DataFile:
    """Read a file that others wrote for its digest, and its footer for the bounds that the table's log keeps."""
    return describe_finished_file(path, digest_of(*locate(path)))


def describe_finished_file(path: str, digest: str) -> DataFile:
    """A finished file by its digest and its footer."""
    system, name = locate(path)
    metadata = pq.read_metadata(name, filesystem=system)
    return DataFile(path, system.get_file_info(name).size, metadata.num_rows, *bounds_of(metadata), digest)


def files_below(folder: str) -> list[DataFile]:
    """The Parquet files that a Spark write left in a folder."""
    system, name = locate(folder)
    infos = system.get_file_info(fs.FileSelector(name, allow_not_found=True))
    return [describe_file(named_like(folder, info.path)) for info in infos if info.path.endswith(".parquet")]


def bounds_of(metadata: pq.FileMetaData) -> tuple[dict[str, int], dict[str, int]]:
    """Bounds of the whole-number columns at the top of the file, where every row group states them."""
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    low: dict[str, int] = {}
    high: dict[str, int] = {}
    for index in range(metadata.num_columns if groups else 0):
        columns = [group.column(index) for group in groups]
        stated = [column.statistics for column in columns if column.is_stats_set and column.statistics.has_min_max]
        name = columns[0].path_in_schema
        if len(stated) == len(groups) and "." not in name and type(stated[0].min) is int:
            low[name], high[name] = min(one.min for one in stated), max(one.max for one in stated)
    return low, high
