"""Exports in Parquet: cut into row groups, read in batches of bounded size, with nested columns laid out flat.

Put here how Parquet is read. What the columns are called is in `parsers.exports.spellings`.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from parsers.errors import SourceError
from parsers.exports.records import ExportSlice, export_slice
from parsers.exports.spellings import choose
from parsers.sources import ByteStream, open_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from parsers.exports.spellings import Columns

_BATCH_ROWS: Final = 1 << 16


def parquet_cuts(path: str, slice_bytes: int) -> list[tuple[int, int]]:
    """The row groups of a file in ranges of about so many bytes; none for a file without rows."""
    with _open(path) as file:
        choose(path, _leaves(file.schema_arrow))
        cuts, begin, gathered = [], 0, 0
        for number in range(file.metadata.num_row_groups):
            gathered += file.metadata.row_group(number).total_byte_size
            if gathered >= slice_bytes:
                cuts.append((begin, number + 1))
                begin, gathered = number + 1, 0
        if begin < file.metadata.num_row_groups:
            cuts.append((begin, file.metadata.num_row_groups))
        return cuts if file.metadata.num_rows else []


def read_parquet(path: str, row_groups: Sequence[int]) -> Iterator[ExportSlice]:
    """Read some row groups, batch by batch; a record's position is the number of its row among them."""
    with _open(path) as file:
        columns = choose(path, _leaves(file.schema_arrow))
        first_row = 0
        wanted = list(columns.names.values())
        for batch in file.iter_batches(_BATCH_ROWS, row_groups=list(row_groups), columns=wanted, use_threads=False):
            position = np.arange(first_row, first_row + batch.num_rows)
            first_row += batch.num_rows
            yield export_slice(path, columns, flat(batch, columns), position)


def flat(batch: pa.RecordBatch, columns: Columns) -> pa.RecordBatch:
    """The columns that are named, those inside others by their whole name, text without a dictionary."""
    names = list(columns.names.values())
    return pa.RecordBatch.from_arrays([_plain(_column(batch, name)) for name in names], names=names)


def _column(batch: pa.RecordBatch, name: str) -> pa.Array:
    first, _, rest = name.partition(".")
    if not rest:
        return batch.column(name)
    (inner,) = (one for one in _flatten(batch.column(first)) if one[0] == rest)
    return inner[1]


def _flatten(column: pa.StructArray) -> Iterator[tuple[str, pa.Array]]:
    """The fields of a struct; where the struct is null they are."""
    yield from zip((field.name for field in column.type), column.flatten(), strict=True)


def _plain(column: pa.Array) -> pa.Array:
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


def _leaves(schema: pa.Schema) -> list[str]:
    """The names of all columns, with those of the fields of structs."""
    names = []
    for field in schema:
        names.append(field.name)
        if pa.types.is_struct(field.type):
            names += [f"{field.name}.{inner.name}" for inner in field.type]
    return names


@contextmanager
def _open(path: str) -> Iterator[pq.ParquetFile]:
    """Open a file through what waits for its store."""
    try:
        with (
            open_file(path) as source,
            pq.ParquetFile(pa.PythonFile(ByteStream(source), "r"), pre_buffer=False) as file,
        ):
            yield file
    except pa.ArrowException as error:
        raise SourceError(f"{path}: it can't be read as Parquet: {str(error).partition(chr(10))[0]}") from error
