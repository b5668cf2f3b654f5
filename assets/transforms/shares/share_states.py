"""The transform of core.share_states: each record of __share_group_state, and the change that it made.

Put here the walk over the records, and from where it is taken up again: a snapshot has the whole state, so a run begins
at the newest one before the first new record of a log. What one record does to a state belongs in `state_ranges`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from assets.catalog.core.share_groups import DELIVERY_STATES, SHARE_STATES
from assets.storage.parquet_files import READ_AT_ONCE
from assets.transforms.declaration import TransformWithMemory
from assets.transforms.shares.decoding import decoded_rows
from assets.transforms.shares.state_ranges import MOST_RANGES, Change, StateRanges, ranges_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import duckdb

    Row = dict[str, Any]

AT_A_TIME: Final = 4096
SHARE_PARTITION: Final = ("cluster", "state_partition", "group_id", "topic_id", "partition")

ROWS_BEFORE: Final = "SELECT s.* FROM core.share_states AS s"
STATE_LOG: Final = """
SELECT
    cluster, partition AS state_partition, record_offset, timestamp_ms, is_tombstone, is_control, group_id, key, value,
    hex(key)[5:] AS share_key, hex(key)[:4] = '0000' AS is_snapshot,
    record_offset <> coalesce(lag(record_offset) OVER log, -1) + 1 AS is_behind_gap
FROM raw.internal_records WHERE kind = 'share_group_state' AND topic = '__share_group_state'
WINDOW log AS (PARTITION BY cluster, partition ORDER BY record_offset)
"""
"""The records of the log. Behind the two bytes of its type, a key names a share partition."""
NEWS: Final = """
CREATE TEMP TABLE news AS
SELECT r.cluster, r.state_partition, min(r.record_offset) AS new_from
FROM state_log AS r ANTI JOIN kept_states AS s USING (cluster, state_partition, record_offset)
WHERE r.group_id IS NOT NULL
GROUP BY ALL
"""
"""The first record of each log that the table does not have: rows before it stay."""
STAYING: Final = """
SELECT s.*
FROM kept_states AS s
SEMI JOIN state_log USING (cluster, state_partition, record_offset)
LEFT JOIN news AS n USING (cluster, state_partition)
WHERE s.record_offset < coalesce(n.new_from, 9223372036854775807)
"""
# The records of share partitions that have any from there on, each from its newest snapshot before on.
WALKED: Final = """
WITH stretches AS (
    SELECT *, count_if(is_behind_gap) OVER (PARTITION BY cluster, state_partition ORDER BY record_offset) AS stretch
    FROM state_log
),
touched AS (
    SELECT DISTINCT s.cluster, s.state_partition, s.share_key, n.new_from
    FROM state_log AS s JOIN news AS n USING (cluster, state_partition) WHERE s.record_offset >= n.new_from
),
begun AS (
    SELECT t.cluster, t.state_partition, t.share_key, t.new_from, max(s.record_offset) AS begun_at
    FROM touched AS t
    LEFT JOIN state_log AS s
        ON
            s.cluster = t.cluster AND s.state_partition = t.state_partition AND s.share_key = t.share_key
            AND s.is_snapshot AND s.record_offset < t.new_from
    GROUP BY ALL
)
SELECT
    s.cluster, s.state_partition, s.record_offset, make_timestamptz(s.timestamp_ms * 1000) AS written_at,
    s.is_tombstone, s.key, s.value, s.stretch, s.record_offset >= b.new_from AS is_new
FROM stretches AS s JOIN begun AS b USING (cluster, state_partition, share_key)
WHERE s.group_id IS NOT NULL AND s.record_offset >= coalesce(b.begun_at, 0)
ORDER BY ALL
"""


@dataclass(slots=True)
class SharePartition:
    """The state of a share partition after the last record about it, as far as it is known."""

    stretch: int = -1
    is_known: bool = False
    ranges: StateRanges = field(default_factory=StateRanges)
    state_epoch: int | None = None
    leader_epoch: int | None = None
    start_offset: int | None = None

    def take(self, record: Row) -> Row:
        """Apply a record; its row."""
        is_new_epoch = self._begin(record)
        before = None if is_new_epoch or not self.is_known else self.start_offset
        changes, done = self._apply(record)
        self._carry(record)
        start, undelivered = self.start_offset, None
        if before is not None and start is not None and start > before:
            undelivered = max(start - before - done, 0)
        return {
            **record,
            "state_epoch": self.state_epoch,
            "leader_epoch": self.leader_epoch,
            "start_offset": start,
            "previous_start_offset": before,
            "is_new_epoch": is_new_epoch,
            "undelivered_offsets": undelivered,
            "is_gap_free": self.is_known,
            "changes": [_change(one) for one in changes],
        }

    def _begin(self, record: Row) -> bool:
        """Forget what a record does not rest on; whether it begins a new epoch of the state, as a reset does."""
        kind = record["record_kind"]
        is_unbroken = self.is_known and self.stretch == record["stretch"]
        self.is_known = kind in ("snapshot", "tombstone") or (is_unbroken and kind == "update")
        self.stretch = record["stretch"]
        is_new_epoch = kind == "snapshot" and record["state_epoch"] not in (None, self.state_epoch)
        if is_new_epoch or not is_unbroken or kind == "tombstone":
            self.ranges, self.start_offset = StateRanges(), None
        return is_new_epoch

    def _apply(self, record: Row) -> tuple[list[Change], int]:
        """The changes of a record, and how many offsets that its start offset passes were at their end."""
        batches, start, done = ranges_of(record["batches"]), record["start_offset"] or 0, 0
        if record["record_kind"] == "snapshot":
            done = self.ranges.advance(start)
            changes = self.ranges.replace(batches)
        else:
            changes = self.ranges.apply(batches)
            done = self.ranges.advance(start)
        if len(self.ranges.ranges) > MOST_RANGES:
            self.ranges, self.is_known = StateRanges(), False
        return changes, done

    def _carry(self, record: Row) -> None:
        """Take the numbers of a record; an update leaves out what stays."""
        for name in ("state_epoch", "leader_epoch", "start_offset"):
            if record["record_kind"] != "update" or record[name] is not None:
                setattr(self, name, record[name])


def share_states(connection: duckdb.DuckDBPyConnection, is_of_this_release: bool) -> Iterator[pa.RecordBatch]:  # noqa: FBT001 - as from_transform_with_memory passes it
    """The rows of core.share_states: those that stay, and those from the first new record of each log on."""
    connection.execute(f"CREATE TEMP TABLE kept_states AS {ROWS_BEFORE}{'' if is_of_this_release else ' LIMIT 0'}")
    connection.execute(f"CREATE TEMP TABLE state_log AS {STATE_LOG}")
    connection.execute(NEWS)
    yield from connection.sql(STAYING).to_arrow_reader(READ_AT_ONCE)
    records = chain.from_iterable(map(decoded_rows, connection.sql(WALKED).to_arrow_reader(AT_A_TIME)))
    rows = walk(records)
    while some := list(islice(rows, AT_A_TIME)):
        yield pa.RecordBatch.from_pylist(some, SHARE_STATES.schema)


def walk(records: Iterable[Row]) -> Iterator[Row]:
    """The rows of the new ones among records, which come in the order of each log."""
    known: dict[tuple[Any, ...], SharePartition] = {}
    for record in records:
        row = known.setdefault(tuple(record[name] for name in SHARE_PARTITION), SharePartition()).take(record)
        if record["is_new"]:
            yield row


def _change(change: Change) -> Row:
    now = change.now
    return {
        "from_offset": now.start,
        "to_offset": now.end,
        "delivery_state": DELIVERY_STATES.get(now.state),
        "delivery_count": now.deliveries,
        "previous_state": DELIVERY_STATES.get(change.state_before) if change.state_before is not None else None,
        "previous_count": change.count_before,
    }


TRANSFORM: Final = TransformWithMemory(share_states, (), (ROWS_BEFORE, STATE_LOG))
