"""The extraction of ranges into one file: all of it, or nothing under that name.

Put here how ranges, copies and files come together. How records are found belongs in `assets.extraction`.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, BinaryIO

from assets.extraction.deserialisers import BYTES, deserialiser
from assets.extraction.distinct_keys import KEY_COLUMNS, distinct_keys
from assets.extraction.extract import Extraction
from assets.extraction.record_files import JsonLineRecords, ParquetRecords, RecordShape, errors_in
from assets.ingest.live.reading import Fetcher
from dagster_project.cli.extracts.byte_progress import ByteProgress
from dagster_project.cli.extracts.new_file import new_file

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    import pyarrow as pa

    from assets.extraction.extract import Tally
    from assets.extraction.log_ranges import LogRange
    from assets.extraction.record_files import RecordFile
    from dagster_project.cli.extracts.log_places import LogPlaces


@dataclass(frozen=True, slots=True)
class Job:
    """The file to write, its format, how keys and values are read, and whether each key is written once."""

    output: Path
    form: str
    key_form: str
    value_form: str
    is_keys_alone: bool

    @property
    def shape(self) -> RecordShape:
        """The columns of the records; values are not read for keys alone."""
        return RecordShape(deserialiser(self.key_form), deserialiser(BYTES if self.is_keys_alone else self.value_form))


@dataclass(slots=True)
class Extracted:
    """What came of an extraction: a tally for each range, and what could not be read."""

    tallies: list[Tally] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    errors: int = 0
    keys: int | None = None


def extract_records(job: Job, places: LogPlaces, ranges: Sequence[LogRange]) -> Extracted:
    """Write the records of all ranges, or their keys; the file has its name when it is whole."""
    shape, result = job.shape, Extracted()
    with new_file(job.output) as stream, Fetcher() as fetcher, ByteProgress() as progress:
        rows = _rows(shape, ranges, places, result, (fetcher, progress))
        if job.is_keys_alone:
            with TemporaryDirectory(dir=job.output.parent, prefix=".lagbook-") as folder:
                result.keys = _write_keys(job, stream, rows, Path(folder) / "keys.parquet")
        else:
            with _record_file(job.form, stream, shape.schema, shape.json_columns) as file:
                for batch in rows:
                    file.write(batch)
    result.complaints = list(dict.fromkeys(places.complaints))
    return result


def _rows(
    shape: RecordShape,
    ranges: Sequence[LogRange],
    places: LogPlaces,
    result: Extracted,
    reading: tuple[Fetcher, ByteProgress],
) -> Iterator[pa.RecordBatch]:
    """The rows of all ranges; their tallies go to the result."""
    fetcher, progress = reading
    for wanted in ranges:
        extraction = Extraction(wanted, places.streams(wanted, fetcher, progress.add))
        result.tallies.append(extraction.tally)
        for records in extraction.batches():
            rows = shape.rows(wanted, records)
            result.errors += errors_in(rows)
            yield rows


def _write_keys(job: Job, stream: BinaryIO, rows: Iterator[pa.RecordBatch], keys_file: Path) -> int:
    """Write each key once; the keys of all records go through a temporary file."""
    shape, count = job.shape, 0
    names = [name for name in KEY_COLUMNS if name in shape.schema.names]
    schema = shape.schema.empty_table().select(names).schema
    with keys_file.open("wb") as temporary, _record_file("parquet", temporary, schema, ()) as file:
        for batch in rows:
            file.write(batch.select(names))
    keys = distinct_keys(keys_file)
    with _record_file(job.form, stream, next(keys).schema, shape.json_columns) as file:
        for key_rows in keys:
            file.write(key_rows)
            count += int(key_rows.num_rows)
    return count


@contextmanager
def _record_file(form: str, stream: BinaryIO, schema: pa.Schema, json_columns: Collection[str]) -> Iterator[RecordFile]:
    file = ParquetRecords(stream, schema) if form == "parquet" else JsonLineRecords(stream, frozenset(json_columns))
    try:
        yield file
    finally:
        file.close()
