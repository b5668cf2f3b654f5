"""How fast records of __share_group_state become core.share_states: `python -m benchmarks.share_states 500_000`.

Records as a share coordinator writes them belong here: of each share partition a snapshot, then updates of a few ranges
that are released, accepted or archived, with the start offset behind them.
"""

from __future__ import annotations

import argparse
import random
import struct
import time
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Final

import duckdb
import pyarrow as pa

from assets.catalog import TABLES
from assets.transforms.shares.share_states import share_states

if TYPE_CHECKING:
    from collections.abc import Iterator

GROUPS: Final = 50
PARTITIONS: Final = 20
UPDATES_PER_SNAPSHOT: Final = 500
"""Of a share partition, as share.coordinator.snapshot.update.records.per.snapshot has it."""
OFFSETS: Final = 200
"""So many offsets of a share partition are under way."""
START_MS: Final = 1_700_000_000_000
READ_AT: Final = datetime(2026, 1, 1, tzinfo=timezone.utc)
_BATCH: Final = struct.Struct(">qqbh")
_SNAPSHOT: Final = struct.Struct(">hiiiqqq")
_UPDATE: Final = struct.Struct(">hiiq")
_NO_TAGS: Final = b"\0"


def records(count: int) -> pa.Table:
    """Rows of raw.internal_records, in the order of one log."""
    dice = random.Random(1)  # noqa: S311 - the same records in every run
    starts = [0] * (GROUPS * PARTITIONS)
    rows = [_record(number, starts, dice) for number in range(count)]
    constant = {"cluster": "c", "topic": "__share_group_state", "partition": 0, "kind": "share_group_state"}
    known = {**constant, "is_tombstone": False, "is_control": False, "read_at": READ_AT}
    schema = TABLES["raw.internal_records"].schema
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    columns |= {name: [value] * count for name, value in known.items()}
    return pa.table([pa.array(columns.get(field.name, [None] * count), field.type) for field in schema], schema.names)


def _record(number: int, starts: list[int], dice: random.Random) -> dict[str, object]:
    place, turn = number % len(starts), number // len(starts)
    group = b"group-%d" % (place // PARTITIONS)
    is_snapshot = turn % UPDATES_PER_SNAPSHOT == 0
    key = struct.pack(">hh", 0 if is_snapshot else 1, len(group)) + group
    key += struct.pack(">qqi", 1, place // PARTITIONS + 1, place % PARTITIONS)
    starts[place] += dice.randrange(3)
    batches = sorted(
        dice.sample(range(starts[place], starts[place] + OFFSETS), 0 if is_snapshot else dice.randrange(1, 4))
    )
    body = bytes([len(batches) + 1]) + b"".join(_batch(first, dice) for first in batches) + _NO_TAGS
    head = (
        _SNAPSHOT.pack(0, turn, 1, 3, starts[place], 5, 6) if is_snapshot else _UPDATE.pack(0, turn, 3, starts[place])
    )
    time_ms = START_MS + number
    return {
        "record_offset": number,
        "timestamp_ms": time_ms,
        "group_id": group.decode(),
        "key": key,
        "value": head + body,
    }


def _batch(first: int, dice: random.Random) -> bytes:
    state, count = dice.choice([(2, 1), (2, 1), (0, 1), (2, 2), (4, 3)])
    return _BATCH.pack(first, first + dice.randrange(4), state, count) + _NO_TAGS


def with_records(table: pa.Table) -> duckdb.DuckDBPyConnection:
    """A database that has these records, and none of the rows that are made of them."""
    connection = duckdb.connect()
    connection.execute("CREATE SCHEMA raw; CREATE SCHEMA core")
    for name, rows in (
        ("raw.internal_records", table),
        ("core.share_states", TABLES["core.share_states"].schema.empty_table()),
    ):
        connection.register("given", rows)
        connection.execute(f"CREATE TABLE {name} AS FROM given")
        connection.unregister("given")
    return connection


def seconds_of(table: pa.Table) -> Iterator[float]:
    """The processor time that the rows of these records take, again and again."""
    while True:
        with with_records(table) as connection:
            started = time.process_time()
            rows = sum(batch.num_rows for batch in share_states(connection, False))  # noqa: FBT003 - as a run calls it
            yield time.process_time() - started
        if rows != table.num_rows:
            raise RuntimeError(f"expected {table.num_rows} rows, found {rows}")


def main() -> None:
    """Make records, apply them, and print records per second of processor time."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.share_states", description=__doc__)
    parser.add_argument("records", type=int, nargs="?", default=500_000)
    table = records(parser.parse_args().records)
    next(seconds_of(table.slice(0, 10_000)))
    seconds = min(next(seconds_of(table)) for _ in range(3))
    print(f"{table.num_rows:,} records, {table.num_rows / seconds:,.0f} records/s")


if __name__ == "__main__":
    main()
