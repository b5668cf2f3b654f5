"""Timestamps from recorded milliseconds.

Put here only what turns one time column into another. Order in the log, never time, decides what came first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow.compute as pc
from pyspark.sql import functions as F

from assets.catalog.table import TIMESTAMP

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column

LAST_MS: Final = 253_402_300_799_999
"""The end of the year 9999: beyond it no engine of ours can hold a timestamp."""


def at(milliseconds: Column) -> Column:
    """The instant; NULL for Kafka's -1 and for values that no calendar has (they come from strangers)."""
    return F.when(milliseconds.between(0, LAST_MS), F.timestamp_millis(milliseconds))


def elapsed_ms(later: pa.ChunkedArray, earlier: pa.ChunkedArray) -> pa.ChunkedArray:
    """Milliseconds between times; NULL where one of them is none."""
    return pc.subtract(_known_times(later), _known_times(earlier))


def instants(milliseconds: pa.Array) -> pa.Array:
    """The instants of a column of Arrow; NULL as in `at`."""
    return pc.multiply(_known_times(milliseconds), 1000).cast(TIMESTAMP)


def _known_times(milliseconds: pa.ChunkedArray) -> pa.ChunkedArray:
    is_time = pc.and_(pc.greater_equal(milliseconds, 0), pc.less_equal(milliseconds, LAST_MS))
    return pc.if_else(is_time, milliseconds, None)
