"""`lagbook dump --format parquet`: the columns of a broker's files in one Parquet file.

Put here how the file is written. Which columns there are is decided in `parsers.dump.columns`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator  # noqa: TC003 - a named tuple's fields are looked up
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from dagster_project.cli.dumping.dump_text import text_columns, text_schema
from dagster_project.cli.exits import CallRefusedError
from dagster_project.cli.terminal import note
from parsers.dump.columns import file_columns, file_schema

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from parsers.dump.file_kinds import TopicKind


def write_parquet(files: Sequence[str], topic: TopicKind | None, output: Path, texts: Collection[str]) -> int:
    """Write the columns of all files, which have to be of one kind; give how many things could not be read.

    The file appears under its name when it is whole.
    """
    readers = [_reader(file, topic, is_text=file in texts) for file in files]
    schema = readers[0].schema
    for file, reader in zip(files, readers, strict=True):
        if reader.schema != schema:
            raise CallRefusedError(f"{file} is of another kind than {files[0]}: write one kind at a time.")
    if output.exists() and not output.is_file():
        raise CallRefusedError(f"{output}: Parquet can't be written to a pipe, a device or a directory.")
    place = output.resolve()  # a link stays, and what it points to is replaced
    unfinished = place.with_name(f"{place.name}.part")
    try:
        trouble_count = _write(readers, unfinished)
        unfinished.replace(place)
    except OSError as error:
        raise CallRefusedError(f"{output}: it can't be written: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            unfinished.unlink()
    if trouble_count:
        note(f"lagbook: {trouble_count} stretches or messages could not be read; without --format they are shown.")
    return trouble_count


class _Reader(NamedTuple):
    schema: pa.Schema
    columns: Callable[[], Iterator[tuple[pa.RecordBatch, int]]]


def _reader(file: str, topic: TopicKind | None, *, is_text: bool) -> _Reader:
    if is_text:
        return _Reader(text_schema(), partial(text_columns, file))
    return _Reader(file_schema(file, topic), partial(file_columns, file, topic))


def _write(readers: Sequence[_Reader], output: Path) -> int:
    trouble_count = 0
    with output.open("wb") as sink, pq.ParquetWriter(sink, readers[0].schema, compression="zstd") as writer:
        for reader in readers:
            for columns, troubles in reader.columns():
                writer.write_batch(columns)
                trouble_count += troubles
    return trouble_count
