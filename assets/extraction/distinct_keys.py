"""The distinct keys of records: each key once for a partition, with how many records have it and where they are.

Put here the grouping. The keys come as rows of `assets.extraction.record_files`, in a temporary file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa

from assets.duckdb import session

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MEMORY: Final = "256MB"
"""What grouping may take; beyond it DuckDB writes to the disk."""
KEY_COLUMNS: Final = ("cluster", "topic", "partition", "offset", "timestamp_ms", "key", "key_error", "undecoded_key")
"""The columns of records that the temporary file needs, as far as they are there."""
_ROWS_AT_ONCE: Final = 10_000
_KEYS: Final = """
    SELECT * EXCLUDE ("offset", timestamp_ms), count(*) AS records,
           min("offset") AS first_offset, max("offset") AS last_offset,
           min(timestamp_ms) AS first_timestamp_ms, max(timestamp_ms) AS last_timestamp_ms
    FROM read_parquet($file)
    GROUP BY ALL
    ORDER BY cluster, topic, partition, first_offset
"""


def distinct_keys(rows_file: Path) -> Iterator[pa.RecordBatch]:
    """The keys in a Parquet file of `KEY_COLUMNS`, by partition, in the order of their first offsets.

    The first batch has the columns and no row.
    """
    import duckdb  # noqa: PLC0415 - records alone don't need it

    settings: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": MEMORY,
        "temp_directory": str(rows_file.parent),
        "threads": 1,
    }
    with duckdb.connect(config=settings) as connection:
        session.begin(connection)
        keys = connection.sql(_KEYS, params={"file": str(rows_file)}).to_arrow_reader(_ROWS_AT_ONCE)
        yield pa.RecordBatch.from_pylist([], schema=keys.schema)
        yield from keys
