"""How recorded milliseconds become timestamps.

Put here only what turns one time column into another. Order in the log, never time, decides what came first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from pyspark.sql import Column

LAST_MS: Final = 253_402_300_799_999
"""The end of the year 9999: beyond it no engine of ours can hold a timestamp."""


def at(milliseconds: Column) -> Column:
    """The instant; NULL for Kafka's -1 and for what no calendar holds (the bytes are a stranger's)."""
    return F.when(milliseconds.between(0, LAST_MS), F.timestamp_millis(milliseconds))
