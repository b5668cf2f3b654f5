"""The records of any topic as columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parsers import data_records
from parsers.data_records import chunks, record_columns, without_contents
from parsers.log.segments import walk
from tests.parsers.log_writer import TIME_MS, Bytes, batch, record

if TYPE_CHECKING:
    from parsers.log.records import Records


def records_of(content: bytes) -> Records:
    """The records of a file that fits into one slice."""
    (piece,) = walk(Bytes(content), bodies=True)
    assert piece.records is not None
    return piece.records


def test_a_record_keeps_its_bytes_its_headers_and_what_it_does_not_have() -> None:
    """Null keys and values stay null, empty ones empty; headers keep their order, their doubles and their nulls."""
    headers = [(b"trace", b"\xff\x00"), (b"trace", None), (b"\xfe", b"")]
    content = batch(7, [record(0, None, b"", headers=headers), record(1, b"\x00key", None, time_delta_ms=5)])
    assert record_columns(records_of(content)).to_pylist() == [
        {
            "offset": 7,
            "timestamp_ms": TIME_MS,
            "key": None,
            "value": b"",
            "headers": [{"key": name, "value": value} for name, value in headers],
        },
        {"offset": 8, "timestamp_ms": TIME_MS + 5, "key": b"\x00key", "value": None, "headers": []},
    ]


def test_a_record_without_a_time_has_none() -> None:
    """A timestamp of -1 means that there is none."""
    content = batch(0, [record(0, b"k", b"v")], times=(-1, -1))
    assert record_columns(records_of(content)).column("timestamp_ms").to_pylist() == [None]


def test_chunks_take_about_so_many_bytes_and_every_chosen_record() -> None:
    """A chunk is full when its records take so many bytes; a larger record is a chunk of its own."""
    values = [b"v" * size for size in (10, 10, 3_000_000, 10, 2_000_000, 2_000_000, 10)]
    records = records_of(batch(0, [record(delta, None, value) for delta, value in enumerate(values)]))
    chosen = np.array([True, False, True, True, True, True, True])
    parts = [part.offset.tolist() for part in chunks(records, chosen)]
    assert [offset for part in parts for offset in part] == [0, 2, 3, 4, 5, 6]
    sizes = [sum(len(values[offset]) for offset in part) for part in parts]
    assert len(parts) > 1
    assert max(sizes) < 2 * data_records.CHUNK_BYTES


def test_contents_are_left_out_of_the_chosen_records_alone() -> None:
    """Key, value and headers of the others stay."""
    content = batch(0, [record(delta, b"k", b"v", headers=[(b"h", b"x")]) for delta in range(2)])
    rows = record_columns(without_contents(records_of(content), np.array([True, False]))).to_pylist()
    assert [(row["key"], row["value"], len(row["headers"])) for row in rows] == [(None, None, 0), (b"k", b"v", 1)]
