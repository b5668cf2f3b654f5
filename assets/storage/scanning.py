"""A dataset that DuckDB may scan while its files are opened by Python, as those of a store are.

Put here how its batches come to DuckDB. Which files it has is said by `assets.storage.data_files`, how patient they are
in `assets.storage.retrying_filesystem`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.dataset as ds

from assets.storage.checked_reads import naming_damage

if TYPE_CHECKING:
    from collections.abc import Iterator


class Batches:
    """The batches of a scan, as a reader."""

    def __init__(self, scanner: ds.Scanner, dataset: ds.FileSystemDataset) -> None:
        """Take a scan of a dataset that has not started."""
        self._scanner, self._dataset = scanner, dataset

    def to_reader(self) -> pa.RecordBatchReader:
        """Begin it. Arrow's own `to_reader` keeps Python's lock meanwhile, for which a file that is opened may wait."""
        return pa.RecordBatchReader.from_batches(self._scanner.projected_schema, self._batches())

    def _batches(self) -> Iterator[pa.RecordBatch]:
        with naming_damage(self._dataset.filesystem, self._dataset.files):
            yield from self._scanner.to_batches()


class DatasetScan(ds.FileSystemDataset):  # type: ignore[misc] # pyarrow has no types
    """The files of a dataset; DuckDB passes it the columns and filters that it needs."""

    def scanner(self, **options: Any) -> Batches:  # noqa: ANN401 - columns and a filter, as pyarrow takes them
        """Columns and rows of it."""
        return Batches(super().scanner(**options), self)


def scan(dataset: ds.FileSystemDataset) -> DatasetScan:
    """The dataset, for DuckDB to scan."""
    return DatasetScan(list(dataset.get_fragments()), dataset.schema, dataset.format, dataset.filesystem)
