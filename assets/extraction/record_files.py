"""Records in a file, as Parquet or as JSON lines, written as they come.

Put here the columns and how they are written. Which records come is decided in `assets.extraction.extract`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Final, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from parsers.dump.json_lines.objects import LINE_FRAME, Pair, bytes_of, lists, nulls, objects, pair_of
from parsers.dump.json_lines.values import value_texts

if TYPE_CHECKING:
    from collections.abc import Collection

    from assets.extraction.deserialisers import Deserialiser
    from assets.extraction.log_ranges import LogRange

HEADERS: Final = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))
_PLACE: Final = (
    pa.field("cluster", pa.string()),
    pa.field("topic", pa.string()),
    pa.field("partition", pa.int32()),
    pa.field("offset", pa.int64()),
    pa.field("timestamp_ms", pa.int64()),
)
_ROW_GROUP_BYTES: Final = 16 << 20
_SMALL_NUMBERS: Final = ["partition", "offset", "timestamp_ms"]


@dataclass(frozen=True, slots=True)
class RecordShape:
    """The columns of a file of records, by how keys and values are read."""

    key: Deserialiser
    value: Deserialiser

    @property
    def schema(self) -> pa.Schema:
        """The columns."""
        headers = pa.field("headers", HEADERS)
        return pa.schema([*_PLACE, *self.key.fields("key"), *self.value.fields("value"), headers])

    @property
    def json_columns(self) -> frozenset[str]:
        """The columns whose texts are JSON."""
        parts = {"key": self.key, "value": self.value}
        return frozenset(name for name, reader in parts.items() if reader.is_json)

    def rows(self, wanted: LogRange, records: pa.RecordBatch) -> pa.RecordBatch:
        """The records of a range as rows of the file."""
        count = records.num_rows
        columns = [
            *(pa.repeat(pa.scalar(value, field.type), count) for value, field in zip(wanted.log, _PLACE, strict=False)),
            records.column("offset"),
            records.column("timestamp_ms"),
            *self.key.columns(records.column("key")),
            *self.value.columns(records.column("value")),
            _headers(records.column("headers")),
        ]
        return pa.record_batch(columns, schema=self.schema)


def errors_in(rows: pa.RecordBatch) -> int:
    """How many keys and values of these rows could not be read as they were wanted."""
    columns = [rows.column(name) for name in ("key_error", "value_error") if name in rows.schema.names]
    return sum(len(column) - column.null_count for column in columns)


def _headers(headers: pa.ListArray) -> pa.ListArray:
    r"""Headers with their keys as text; bytes of a key that are no UTF-8 are written like \\xff."""
    flat = headers.flatten()
    try:
        keys = flat.field("key").cast(pa.string())
    except pa.ArrowInvalid:
        keys = pa.array([key.decode("utf-8", "backslashreplace") for key in flat.field("key").to_pylist()], pa.string())
    edges = np.append(0, np.cumsum(pc.list_value_length(headers).to_numpy(zero_copy_only=False))).astype(np.int32)
    pairs = pa.StructArray.from_arrays([keys, flat.field("value")], ["key", "value"])
    return pa.ListArray.from_arrays(pa.array(edges), pairs)


class RecordFile(Protocol):
    """A file that takes rows; close it when all are written."""

    def write(self, rows: pa.RecordBatch) -> None:
        """Write rows behind those before."""
        ...

    def close(self) -> None:
        """Write what is left; the stream below stays open."""
        ...


class ParquetRecords:
    """Rows as Parquet: a row group holds as many as take about 16 MB."""

    def __init__(self, stream: BinaryIO, schema: pa.Schema) -> None:
        """Begin a file of these columns."""
        names = [name for name in _SMALL_NUMBERS if name in schema.names]
        self._writer = pq.ParquetWriter(
            stream, schema, compression="zstd", compression_level=1, write_statistics=names,
            use_dictionary=["cluster", "topic"],
        )  # fmt: skip
        self._waiting: list[pa.RecordBatch] = []
        self._waiting_bytes = 0

    def write(self, rows: pa.RecordBatch) -> None:
        """Keep rows until they make a row group."""
        self._waiting.append(rows)
        self._waiting_bytes += rows.nbytes
        if self._waiting_bytes >= _ROW_GROUP_BYTES:
            self._flush()

    def close(self) -> None:
        """Write the last row group and the footer."""
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        if self._waiting:
            self._writer.write_table(pa.Table.from_batches(self._waiting))
        self._waiting, self._waiting_bytes = [], 0


class JsonLineRecords:
    """Rows as JSON lines in ASCII: bytes in base64; errors and undecoded bytes only where there are some."""

    def __init__(self, stream: BinaryIO, json_columns: Collection[str]) -> None:
        """Begin a file; these columns have JSON already."""
        self._stream, self._json_columns = stream, json_columns

    def write(self, rows: pa.RecordBatch) -> None:
        """Write a line for each row."""
        pairs = [self._pair(name, column) for name, column in zip(rows.schema.names, rows.columns, strict=True)]
        texts, edges = bytes_of(objects(pairs, rows.num_rows, LINE_FRAME))
        self._stream.write(texts[edges[0] : edges[-1]].data)

    def close(self) -> None:
        """All is written."""

    def _pair(self, name: str, column: pa.Array) -> Pair:
        if name in self._json_columns:
            return pair_of(name, column.cast(pa.large_string()))
        if name == "headers":
            fields = column.flatten()
            pairs = [pair_of(part, value_texts(fields.field(part))) for part in ("key", "value")]
            return pair_of(
                name, lists(column.offsets, objects(pairs, len(fields))), column.value_lengths().to_numpy() > 0
            )
        is_rare = name.endswith("_error") or name.startswith("undecoded_")
        return pair_of(name, value_texts(column), ~nulls(column) if is_rare else None)
