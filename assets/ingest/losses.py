"""What a person has to know of a run's reading: partitions that lost many batches, directories of another installation.

Put here the queries over raw.segments for that. The reason of a single batch is in its row of raw.quarantine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from assets.duckdb.database import prepared

if TYPE_CHECKING:
    from datetime import datetime

    from assets.storage.warehouse import Warehouse

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


OTHERS: Final = """
SELECT cluster, log_directory, shared_records, diverged_records
FROM _other_installations() WHERE last_read_at >= $since ORDER BY ALL
"""


@dataclass(frozen=True, slots=True)
class Loss:
    """A partition, and how many of its batches were set aside."""

    cluster: str
    topic: str
    partition: int
    batches_set_aside: int
    batches: int


@dataclass(frozen=True, slots=True)
class Installation:
    """A log directory whose records contradict those that are kept under its cluster's id, and in how many."""

    cluster: str
    log_directory: str
    shared_records: int
    diverged_records: int


def losses_since(warehouse: Warehouse, since: datetime) -> tuple[list[Loss], list[Installation]]:
    """What the reads from an instant on lost, the worst first, and which of them were of other installations.

    A partition counts when more than its share of batches was set aside.
    """
    with prepared(warehouse, [LOSSES, OTHERS]) as connection:
        losses = connection.execute(LOSSES, {"since": since, "share": MOST_SHARE}).fetchall()
        others = connection.execute(OTHERS, {"since": since}).fetchall()
    return [Loss(*row) for row in losses], [Installation(*row) for row in others]
