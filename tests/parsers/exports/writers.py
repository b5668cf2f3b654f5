"""Records of the offsets topic written to files as other tools write them, from the bytes of a segment.

Only the test's own writing stands here: Spark's and Kafka Connect's Parquet, JSON lines with base64, and kcat's JSON.
"""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from tests.parsers.log_writer import read_all

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

TOPIC = "__consumer_offsets"


class Record(NamedTuple):
    """One record as a consumer is given it."""

    partition: int
    offset: int
    timestamp_ms: int
    key: bytes | None
    value: bytes | None


def records_of(segment: Path, partition: int) -> list[Record]:
    """What a consumer would be given of a segment: everything but the markers."""
    walked = read_all(segment.read_bytes())
    marked = {row["base_offset"] for row in walked.batches if row["is_control"]}
    return [Record(partition, *record) for record in walked.records if record[0] not in marked]


def write_spark_parquet(path: Path, records: Sequence[Record], row_group_rows: int = 1 << 20) -> Path:
    """As Spark's Kafka source has them: binary key and value, a timestamp."""
    columns = {
        "key": pa.array([record.key for record in records], pa.binary()),
        "value": pa.array([record.value for record in records], pa.binary()),
        "topic": pa.array([TOPIC] * len(records), pa.string()),
        "partition": pa.array([record.partition for record in records], pa.int32()),
        "offset": pa.array([record.offset for record in records], pa.int64()),
        "timestamp": pa.array([record.timestamp_ms for record in records], pa.timestamp("ms", tz="UTC")),
        "timestampType": pa.array([0] * len(records), pa.int32()),
    }
    pq.write_table(pa.table(columns), path, row_group_size=row_group_rows)
    return path


def write_envelope_parquet(path: Path, records: Sequence[Record]) -> Path:
    """As a sink with an envelope has them: the place of a record in a struct of its own."""
    rows = [
        {
            "key": record.key,
            "value": record.value,
            "metadata": {
                "timestamp": record.timestamp_ms,
                "topic": TOPIC,
                "partition": record.partition,
                "offset": record.offset,
            },
        }
        for record in records
    ]
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def write_json_lines(path: Path, records: Iterable[Record]) -> Path:
    """As a sink has them that writes bytes in base64."""
    lines = (
        json.dumps(
            {
                "key": _base64(record.key),
                "value": _base64(record.value),
                "partition": record.partition,
                "offset": record.offset,
                "timestamp": record.timestamp_ms,
            }
        )
        for record in records
    )
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def write_kcat(path: Path, records: Iterable[Record]) -> Path:
    """As `kcat -J` has them: bytes stand as they are, but for quotes, backslashes and control characters."""
    path.write_bytes(b"".join(map(_kcat_line, records)))
    return path


def _kcat_line(record: Record) -> bytes:
    place = f'{{"topic":"{TOPIC}","partition":{record.partition},"offset":{record.offset}'
    time = f',"tstype":"create","ts":{record.timestamp_ms},"broker":1,"key":'
    return (place + time).encode() + _as_it_is(record.key) + b',"payload":' + _as_it_is(record.value) + b"}\n"


def _as_it_is(raw: bytes | None) -> bytes:
    return b"null" if raw is None else json.dumps(raw.decode("latin-1"), ensure_ascii=False).encode("latin-1")


def _base64(raw: bytes | None) -> str | None:
    return None if raw is None else base64.b64encode(raw).decode()
