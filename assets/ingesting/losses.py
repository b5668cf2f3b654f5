"""Partitions of which a run set aside a large share of the batches: what is told of their groups rests on the rest.

Put here the share and its bound. Why a batch was set aside stands in its row of quarantine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from assets.database import in_memory

if TYPE_CHECKING:
    from datetime import datetime

    from assets.archive import Warehouse

MOST_SHARE: Final = 0.1
"""A run that sets aside more of a partition's batches says so."""

LOSSES: Final = """
SELECT cluster, topic, partition, sum(batches_set_aside)::BIGINT AS batches_set_aside,
       sum(batch_count + batches_set_aside)::BIGINT AS batches
FROM raw.segments
WHERE read_at >= $since
GROUP BY ALL HAVING sum(batches_set_aside) > $share * sum(batch_count + batches_set_aside)
ORDER BY 4 DESC, 1, 2, 3
"""


@dataclass(frozen=True, slots=True)
class Loss:
    """A partition, and how many of its batches were set aside."""

    cluster: str
    topic: str
    partition: int
    batches_set_aside: int
    batches: int


def losses_since(warehouse: Warehouse, since: datetime) -> list[Loss]:
    """The partitions that lost more than their share to the quarantine in reads from an instant on, the worst first."""
    with in_memory(warehouse, ["raw.segments"]) as connection:
        rows = connection.execute(LOSSES, {"since": since, "share": MOST_SHARE}).fetchall()
    return [Loss(*row) for row in rows]
