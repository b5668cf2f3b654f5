"""Reads of a table's files in which damage has a name: the file that differs from its digest, and what mends it.

Arrow's error about a page that fails its checksum names no file. Put here how an error becomes such a sentence. How
files are found damaged before they are read is in `assets.maintenance.integrity`.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.dataset as ds
from pyarrow import fs

from assets.storage.digests import digest_of, digests_in
from parsers.errors import WarehouseError, sentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

REMEDY: Final = "`lagbook repair` shows what mends it"
_DEEPEST: Final = 3
"""A table's files lie so many folders below it at most."""


@contextmanager
def naming_damage(system: fs.FileSystem, paths: Sequence[str]) -> Iterator[None]:
    """Turn an error over damaged bytes into a sentence about the file that has them; pass all others on."""
    try:
        yield
    except (OSError, UnicodeDecodeError, pa.ArrowException) as error:
        damage = None if _is_of_store(error) else _find_damage(system, paths)
        if damage is None:
            raise
        raise WarehouseError(f"{damage}, so it can't be read ({sentence(error)}); {REMEDY}") from error


class CheckedDataset(ds.FileSystemDataset):  # type: ignore[misc] # pyarrow has no types
    """Files read as one; damage in them is told by the name of the file."""

    def to_table(self, **options: Any) -> pa.Table:  # noqa: ANN401 - columns and a filter, as pyarrow takes them
        """The rows, all at once."""
        with naming_damage(self.filesystem, self.files):
            return super().to_table(**options)

    def to_batches(self, **options: Any) -> Iterator[pa.RecordBatch]:  # noqa: ANN401 - as above
        """The rows, a few at a time."""
        with naming_damage(self.filesystem, self.files):
            yield from super().to_batches(**options)

    def count_rows(self, **options: Any) -> int:  # noqa: ANN401 - as above
        """The number of rows."""
        with naming_damage(self.filesystem, self.files):
            return int(super().count_rows(**options))


def checked(dataset: ds.FileSystemDataset) -> CheckedDataset:
    """The same files, read with a name for damage."""
    return CheckedDataset(list(dataset.get_fragments()), dataset.schema, dataset.format, dataset.filesystem)


def _is_of_store(error: Exception) -> bool:
    """Whether an error is the operating system's or a store's, which says nothing about bytes."""
    return isinstance(error, OSError) and error.errno is not None


def _find_damage(system: fs.FileSystem, paths: Sequence[str]) -> str | None:
    """The first of some files that differs from its digest in the log of its table; None where all are sound."""
    by_table: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        if root := _table_of(system, path):
            by_table[root].append(path)
    reasons = (reason for root, some in by_table.items() for reason in _differences(system, root, some))
    return next(reasons, None)


def _differences(system: fs.FileSystem, root: str, paths: Sequence[str]) -> Iterator[str]:
    """A sentence about each of some files of a table that differs from its digest."""
    digests = digests_in(system, f"{root}/_delta_log")
    for path in paths:
        if digests.get(path.removeprefix(f"{root}/")) not in {None, digest_of(system, path)}:
            yield f"{path} has other bytes than were written"


def _table_of(system: fs.FileSystem, path: str) -> str | None:
    """The folder of the table that a file belongs to."""
    folder = path
    for _ in range(_DEEPEST):
        folder = folder.rpartition("/")[0]
        if folder and system.get_file_info(f"{folder}/_delta_log").type == fs.FileType.Directory:
            return folder
    return None
