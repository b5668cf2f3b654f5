"""A Parquet file while it is written: its pages get checksums, and the file a digest.

Put here what holds for every Parquet file of a warehouse. How a table's rows become files is in
`assets.storage.parquet_files`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq

from assets.storage.data_files import describe_finished_file, locate
from assets.storage.digests import DigestingStream

if TYPE_CHECKING:
    import pyarrow as pa

    from assets.storage.data_files import DataFile


class FileWriter:
    """A Parquet file that is being written, with checksums of its pages and a digest of its bytes."""

    def __init__(self, path: str, schema: pa.Schema, **options: Any) -> None:  # noqa: ANN401 - as pyarrow takes them
        """Create the file."""
        system, name = locate(path)
        self._path, self._stream = path, DigestingStream(system.open_output_stream(name, compression=None))
        self._writer = pq.ParquetWriter(
            self._stream, schema, compression="zstd", store_schema=False, write_page_checksum=True, **options
        )

    def write(self, rows: pa.Table, row_group_rows: int | None = None) -> None:
        """Write rows, in row groups of this size."""
        self._writer.write_table(rows, row_group_size=row_group_rows)

    def finish(self) -> DataFile:
        """Close the file, and describe it."""
        self._writer.close()
        self._stream.close()
        return describe_finished_file(self._path, self._stream.digest)


def write_file(rows: pa.Table, path: str) -> DataFile:
    """Write rows as a file of their own."""
    writer = FileWriter(path, rows.schema)
    writer.write(rows)
    return writer.finish()
