"""Parquet files as workers write them: whole columns, row groups of a useful size, within bounded memory.

Put here how rows become files. Which rows those are is decided in `assets.ingest.worker`, which files count in
`assets.storage.warehouse`.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from assets.arrays.mask_filter import pick_rows
from assets.catalog import TABLES
from assets.catalog.raw.records import SOURCE
from assets.storage.parquet_writer import FileWriter

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import TracebackType

    from assets.catalog import Table
    from assets.catalog.table import Column
    from assets.storage.data_files import DataFile

ROW_GROUP_BYTES: Final = 32 << 20
WRITTEN_AT_ONCE: Final = 64 * 1024
READ_AT_ONCE: Final = 128 * 1024
"""Rows of an answer that are held before they are added to a file."""
ASCENDING: Final = "DELTA_BINARY_PACKED"
USUAL, RARE, FROM_DUMP = "", "-rare", "-told"
"""The endings of a table's files: most rows, those with rare columns, and those whose source is a dump."""


class TableFile:
    """One Parquet file that is being written."""

    def __init__(self, path: str, table: Table) -> None:
        """Name the file and its table; it is opened when the first row group is full."""
        self.path = path
        self._table = table
        self._writer: FileWriter | None = None
        self._waiting: list[pa.RecordBatch] = []
        self._waiting_rows = self._waiting_bytes = 0

    def add_fitting(self, rows: pa.RecordBatch) -> None:
        """Take rows, if any, with the columns of the table."""
        if rows.num_rows:
            self.add(fit_columns(self._table, rows))

    def add(self, rows: pa.RecordBatch) -> None:
        """Take rows, all with the same columns."""
        self._waiting.append(rows)
        self._waiting_rows += rows.num_rows
        self._waiting_bytes += rows.nbytes
        if self._waiting_rows >= self._table.row_group_rows or self._waiting_bytes >= ROW_GROUP_BYTES:
            self._write_row_groups()

    @property
    def has_rows(self) -> bool:
        """Whether it has rows: without them no file is written."""
        return self._writer is not None or self._waiting_rows > 0

    def finish(self) -> DataFile:
        """Write the waiting rows, close the file, and describe it."""
        if self._waiting:
            self._write_row_groups()
        if self._writer is None:
            raise ValueError(f"{self.path} was given no rows")
        return self._writer.finish()

    def _write_row_groups(self) -> None:
        """Write the waiting rows in parts of like size: a small part costs a reader as much as a full one."""
        rows = pa.Table.from_batches(self._waiting).unify_dictionaries()
        self._waiting, self._waiting_rows, self._waiting_bytes = [], 0, 0
        if self._writer is None:
            self._writer = self._open(rows.schema)
        parts = max(rows.num_rows // self._table.row_group_rows, 1)
        self._writer.write(rows, -(-rows.num_rows // parts))

    def _open(self, schema: pa.Schema) -> FileWriter:
        """Text is written as dictionaries, offsets and times as differences, and neither is tried twice.

        Only columns that somebody looks for rows by, keys and times, have bounds in the footer: they take a quarter of
        the writing.
        """
        leaves = dict(_leaves(schema))
        ascending = self._table.ascending & leaves.keys()
        numbers = {name for name, kind in leaves.items() if pa.types.is_integer(kind) or pa.types.is_floating(kind)}
        times = {name for name, kind in leaves.items() if pa.types.is_timestamp(kind)}
        return FileWriter(
            self.path,
            schema,
            write_batch_size=WRITTEN_AT_ONCE,
            use_dictionary=[name for name in leaves if name not in numbers | ascending],
            column_encoding=dict.fromkeys(ascending, ASCENDING),
            write_statistics=sorted({*self._table.key, *self._table.sought, *ascending, *times} & leaves.keys()),
        )


class TableFiles:
    """The files of one share: for each table that gets rows one, and another for rows with columns that are rare.

    A column that is NULL in every row still costs a file time and place. So the many rows that have no rare column
    are kept without them, and who reads both kinds of files puts NULL there.
    """

    def __init__(self, folders: Mapping[str, str], name: str) -> None:
        """Take the folder of each table and the files' name; no file exists yet."""
        self._folders, self._name = folders, name
        self._files: dict[tuple[str, str], TableFile] = {}
        self._finished: list[tuple[str, DataFile]] = []

    def write(self, name: str, rows: pa.RecordBatch, place: Mapping[str, Any] | None = None) -> None:
        """Add rows to a table's files; `place` has the columns that are the same in all of them."""
        table = TABLES[name]
        for ending, some in _split_by_ending(table, rows):
            path = f"{self._folders[name]}/{self._name}{ending}.parquet"
            file = self._files.setdefault((name, ending), TableFile(path, table))
            file.add(fit_columns(table, some, place, with_rare=ending != USUAL))

    def __enter__(self) -> TableFiles:  # noqa: PYI034 - Python 3.10 has no Self
        """Give the files themselves."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Finish every file."""
        self._finished = [(name, file.finish()) for (name, _ending), file in self._files.items()]

    def written(self) -> list[tuple[str, DataFile]]:
        """The finished files, each with its table."""
        return self._finished


def is_from_dump(path: str) -> bool:
    """Whether a file holds rows whose source is a dump."""
    return path.endswith(f"{FROM_DUMP}.parquet")


def _split_by_ending(table: Table, rows: pa.RecordBatch) -> Iterator[tuple[str, pa.RecordBatch]]:
    """The rows of dumps, the rows with a rare column, and all others; each with its ending."""
    if SOURCE in rows.schema.names and rows.column(SOURCE).null_count < rows.num_rows:
        is_from_dump = rows.column(SOURCE).is_valid().to_numpy(zero_copy_only=False)
        yield FROM_DUMP, pick_rows(rows, is_from_dump)
        rows = pick_rows(rows, ~is_from_dump)
    if not rows.num_rows:
        return
    has_rare = np.zeros(rows.num_rows, np.bool_)
    usual = [name for name in rows.schema.names if name not in table.rare]
    some = [name for name in rows.schema.names if name in table.rare and rows.column(name).null_count < rows.num_rows]
    for name in some:
        has_rare |= rows.column(name).is_valid().to_numpy(zero_copy_only=False)
    if has_rare.all() or not has_rare.any():
        yield RARE if has_rare[0] else USUAL, rows
    else:
        # Empty columns are dropped first: filtering columns of NULLs takes longer than all the rest.
        yield USUAL, pick_rows(rows.select(usual), ~has_rare)
        yield RARE, pick_rows(rows.select([*usual, *some]), has_rare)


def fit_columns(
    table: Table, rows: pa.RecordBatch, place: Mapping[str, Any] | None = None, *, with_rare: bool = True
) -> pa.RecordBatch:
    """The rows with the table's columns, in its order; a rare one that they don't have is NULL in all of them."""
    wanted = [column for column in table.columns if not column.derived and (with_rare or column.name not in table.rare)]
    columns = [_fill(table, rows, place or {}, column) for column in wanted]
    fields = [pa.field(c.name, of.type, nullable=not c.required) for c, of in zip(wanted, columns, strict=True)]
    return pa.record_batch(columns, schema=pa.schema(fields))


def _fill(table: Table, rows: pa.RecordBatch, place: Mapping[str, Any], column: Column) -> pa.Array:
    if column.name in place:
        return _repeat(place[column.name], column.type, rows.num_rows)
    if column.name in table.rare and column.name not in rows.schema.names:
        return pa.nulls(rows.num_rows, _written_type(column.type))
    return _of_type(rows.column(column.name), column.type)


def _repeat(value: object, kind: pa.DataType, count: int) -> pa.Array:
    """A column with the same value in every row; a text is stored once."""
    if kind != pa.string():
        return pa.repeat(pa.scalar(value, kind), count)
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(count, np.int32)), pa.array([value], kind))


def _of_type(column: pa.Array, kind: pa.DataType) -> pa.Array:
    """Text is written as dictionaries, which is half the work, and read as text; other columns as the table's."""
    written = _written_type(kind)
    if column.type == written:
        return column
    return pa.nulls(len(column), written) if column.null_count == len(column) else column.cast(written)


@cache
def _written_type(kind: pa.DataType) -> pa.DataType:
    """The type in which the writer gets a column: the one that the decoder mostly gives."""
    if kind == pa.string():
        return pa.dictionary(pa.int32(), kind)
    if not pa.types.is_struct(kind):
        return kind
    return pa.struct([field.with_type(_written_type(field.type)) for field in kind])


def _leaves(kind: pa.DataType | pa.Schema, above: str = "") -> Iterator[tuple[str, pa.DataType]]:
    """Parquet's names of the columns that hold values, and their types."""
    for field in kind:
        if pa.types.is_struct(field.type):
            yield from _leaves(field.type, f"{above}{field.name}.")
        elif pa.types.is_list(field.type):
            element = pa.struct([("element", field.type.value_type)])
            yield from _leaves(element, f"{above}{field.name}.list.")
        else:
            yield f"{above}{field.name}", field.type
