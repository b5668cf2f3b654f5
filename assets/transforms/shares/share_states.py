"""The transform of core.share_states: each record of __share_group_state, and the change that it made.

Put here the walk over the records, and from where it is taken up again: a snapshot has the whole state, so a run begins
at the newest one before the first new record of a log. What one record does to a state belongs in `state_walk`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from assets.arrays.columns import flags, or_null, words_of
from assets.arrays.keys import table_keys
from assets.catalog.core.share_groups import DELIVERY_STATES, SHARE_STATES
from assets.storage.parquet_files import READ_AT_ONCE
from assets.transforms.declaration import TransformWithMemory
from assets.transforms.shares.decoding import decoded
from assets.transforms.shares.state_ranges import COUNT_BEFORE, DELIVERIES, END, START, STATE, STATE_BEFORE, UNKNOWN
from assets.transforms.shares.state_walk import (
    CHANGE_COUNT,
    FROM_BATCH,
    IS_KNOWN,
    IS_NEW_EPOCH,
    KIND,
    LEADER_EPOCH,
    NULL,
    OUT_BEFORE,
    OUT_LEADER_EPOCH,
    OUT_START,
    OUT_STATE_EPOCH,
    PLACE,
    START_OFFSET,
    STATE_EPOCH,
    STRETCH,
    TO_BATCH,
    UNDELIVERED,
    no_states,
    walk,
    with_places,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

    from assets.arrays.columns import Mask
    from assets.transforms.shares.decoding import DecodedRecords
    from assets.transforms.shares.state_walk import Walked
    from parsers.words import Int64Array

AT_A_TIME: Final = 16_384
SHARE_PARTITION: Final = ("cluster", "state_partition", "group_id", "topic_id", "partition")
FROM_LOG: Final = ("cluster", "state_partition", "record_offset", "written_at")
IN_NUMBERS: Final = {"state_epoch": STATE_EPOCH, "leader_epoch": LEADER_EPOCH, "start_offset": START_OFFSET}
KINDS: Final = ("snapshot", "update", "tombstone", "unreadable")
OUT_NUMBERS: Final = {
    "state_epoch": OUT_STATE_EPOCH,
    "leader_epoch": OUT_LEADER_EPOCH,
    "start_offset": OUT_START,
    "previous_start_offset": OUT_BEFORE,
    "undelivered_offsets": UNDELIVERED,
}
OUT_FLAGS: Final = {"is_new_epoch": IS_NEW_EPOCH, "is_gap_free": IS_KNOWN}

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
    SELECT
        *, (count_if(is_behind_gap) OVER (PARTITION BY cluster, state_partition ORDER BY record_offset))::BIGINT
            AS stretch
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


class StatesOverTime:
    """The states of share partitions, to which the records of their logs are applied in order."""

    def __init__(self) -> None:
        """Begin without any."""
        self._places: dict[tuple[Any, ...], int] = {}
        self._states = no_states()

    def rows(self, records: pa.RecordBatch) -> list[pa.RecordBatch]:
        """Apply the next records; the rows of the new ones among them."""
        content = decoded(records)
        table = pa.table({**{name: records[name] for name in FROM_LOG}, **content.keys})
        places = self._places_of(table)
        self._states = with_places(self._states, len(self._places))
        columns = {
            KIND: content.kind,
            PLACE: places,
            STRETCH: records["stretch"].to_numpy(),
            **{place: content.numbers[name] for name, place in IN_NUMBERS.items()},
            FROM_BATCH: content.from_batch,
            TO_BATCH: content.to_batch,
        }
        walked = walk(np.stack([columns[place] for place in sorted(columns)], axis=1), content.batches, self._states)
        self._states = walked.states
        return _rows(table, content, walked, flags(records["is_new"]))

    def _places_of(self, table: pa.Table) -> Int64Array:
        """The number of each record's share partition, new ones behind the others."""
        number, first, inverse = np.unique(table_keys(table, SHARE_PARTITION), return_index=True, return_inverse=True)
        keys = table.select(SHARE_PARTITION).take(pa.array(first)).to_pylist()
        places = [self._places.setdefault(tuple(key.values()), len(self._places)) for key in keys]
        return np.array(places, np.int64)[inverse] if number.size else number


def _rows(table: pa.Table, content: DecodedRecords, walked: Walked, is_new: Mask) -> list[pa.RecordBatch]:
    """The rows of the new records, with what they leave behind and what they change."""
    count = walked.rows[:, CHANGE_COUNT]
    changes = _changes(walked.changes[np.repeat(is_new, count)], count[is_new])
    wanted, rows = table.filter(pa.array(is_new)), walked.rows[is_new]
    columns = {
        **{name: wanted[name] for name in wanted.column_names},
        "record_kind": words_of(content.kind[is_new], KINDS),
        **{name: _nullable(content.numbers[name][is_new]) for name in ("snapshot_epoch", "delivery_complete_count")},
        **{name: _nullable(rows[:, place]) for name, place in OUT_NUMBERS.items()},
        **{name: pa.array(rows[:, place] != 0) for name, place in OUT_FLAGS.items()},
        "changes": changes,
    }
    schema = SHARE_STATES.schema
    batches: list[pa.RecordBatch] = (
        pa.table({name: columns[name] for name in schema.names}).cast(schema).combine_chunks().to_batches()
    )
    return batches


def _nullable(values: Int64Array) -> pa.Array:
    return or_null(values, values != NULL)


def _changes(changes: Int64Array, count: Int64Array) -> pa.ListArray:
    """The changes of each record."""
    has_before = changes[:, STATE_BEFORE] != UNKNOWN
    columns = [
        pa.array(changes[:, START]),
        pa.array(changes[:, END]),
        _state_names(changes[:, STATE], np.ones_like(has_before)),
        pa.array(changes[:, DELIVERIES].astype(np.int16)),
        _state_names(changes[:, STATE_BEFORE], has_before),
        or_null(np.where(has_before, changes[:, COUNT_BEFORE], 0).astype(np.int16), has_before),
    ]
    kind = SHARE_STATES.schema.field("changes").type
    structs = pa.StructArray.from_arrays(columns, fields=list(kind.value_type))
    edges = pa.array(np.concatenate([[0], np.cumsum(count)]), pa.int32())
    return pa.ListArray.from_arrays(edges, structs, type=kind)


def _state_names(states: Int64Array, is_known: Mask) -> pa.Array:
    """The names of delivery states; NULL for one that Kafka does not have."""
    has_name = is_known & np.isin(states, list(DELIVERY_STATES))
    number = pa.array(np.where(has_name, states, 0).astype(np.int32), mask=~has_name)
    return pa.DictionaryArray.from_arrays(number, pa.array([*DELIVERY_STATES.values()])).cast(pa.string())


def share_states(connection: duckdb.DuckDBPyConnection, is_of_this_release: bool) -> Iterator[pa.RecordBatch]:  # noqa: FBT001 - as from_transform_with_memory passes it
    """The rows of core.share_states: those that stay, and those from the first new record of each log on."""
    connection.execute(f"CREATE TEMP TABLE kept_states AS {ROWS_BEFORE}{'' if is_of_this_release else ' LIMIT 0'}")
    connection.execute(f"CREATE TEMP TABLE state_log AS {STATE_LOG}")
    connection.execute(NEWS)
    yield from connection.sql(STAYING).to_arrow_reader(READ_AT_ONCE)
    states = StatesOverTime()
    for records in connection.sql(WALKED).to_arrow_reader(AT_A_TIME):
        yield from states.rows(records)


TRANSFORM: Final = TransformWithMemory(share_states, (), (ROWS_BEFORE, STATE_LOG))
