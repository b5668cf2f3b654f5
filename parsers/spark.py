"""A Spark data source: `spark.read.format("kafka_segments").load(path)` gives the records of __consumer_offsets.

Only the bridge from slices to Spark belongs here, and Spark is known in no other module of `parsers`. The pipeline does
not come this way: its workers write Parquet themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema

from parsers.errors import SourceError
from parsers.files.discovery import SegmentFile, discover
from parsers.files.places import expand
from parsers.log.segments import walk
from parsers.log.slices import index_beside, split_segment
from parsers.offset_records import RECORD_SCHEMA, offset_record_columns
from parsers.sources import open_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql.types import StructType

SLICE_BYTES: Final = 64 << 20
SCHEMA: Final = pa.schema([("cluster", pa.string()), ("path", pa.string()), *RECORD_SCHEMA])
"""Where a record was found, then what it says; the same columns as `raw.offset_records`."""


@dataclass(frozen=True)
class SegmentSlice(InputPartition):
    """What one task reads: a stretch of one file."""

    segment: SegmentFile
    start: int
    stop: int


class KafkaSegments(DataSource):
    """Segments in use of __consumer_offsets below a path, a pattern or a URL; option `cluster` names unnamed logs.

    Register it with `spark.dataSource.register(KafkaSegments)`. What can't be decoded is in the columns
    `undecoded_key` and `undecoded_value`; a batch that can't be read at all is left out.
    """

    @classmethod
    def name(cls) -> str:
        """The name for `spark.read.format`."""
        return "kafka_segments"

    def schema(self) -> StructType:
        """The columns."""
        return from_arrow_schema(SCHEMA)

    def reader(self, schema: StructType) -> DataSourceReader:  # noqa: ARG002 - Spark's signature
        """What reads them."""
        return SegmentsReader(self.options.get("path"), self.options.get("cluster"))


class SegmentsReader(DataSourceReader):
    """Reads the slices of the segments below a place."""

    def __init__(self, path: str | None, cluster: str | None) -> None:
        """Refuse to begin without a place."""
        if not path:
            raise SourceError("kafka_segments: no place was named: use load(PATH)")
        self._places = expand(path)
        self._cluster = cluster

    def partitions(self) -> list[SegmentSlice]:
        """Large files cut at batch boundaries."""
        files = discover(self._places, self._cluster)
        segments = [one for one in files.segments if one.is_offsets_topic and one.file_suffix is None]
        return [SegmentSlice(segment, *stretch) for segment in segments for stretch in _slices(segment)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The records of a slice, as columns."""
        if not isinstance(partition, SegmentSlice):
            raise TypeError(partition)
        segment = partition.segment
        with open_file(segment.location) as source:
            for piece in walk(source, partition.start, partition.stop, bodies=True):
                rows, _troubles = offset_record_columns(piece)
                if rows.num_rows:
                    yield _with_schema(rows, segment)


def _slices(segment: SegmentFile) -> list[tuple[int, int]]:
    with open_file(segment.location) as source:
        index = index_beside(segment.location) if source.size_bytes > SLICE_BYTES else None
        return split_segment(source, index, SLICE_BYTES)


def _with_schema(rows: pa.RecordBatch, segment: SegmentFile) -> pa.RecordBatch:
    """The rows with the columns of the schema, in its order."""
    place = {"cluster": segment.cluster, "path": segment.path, "log_partition": segment.partition}
    columns = [
        pa.repeat(pa.scalar(place[field.name], field.type), rows.num_rows)
        if field.name in place
        else rows.column(field.name).cast(field.type)
        for field in SCHEMA
    ]
    return pa.record_batch(columns, schema=SCHEMA)
