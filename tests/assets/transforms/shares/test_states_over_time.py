"""States of share partitions by compiled loops: the same rows as record by record in plain Python, however cut."""

from __future__ import annotations

import random
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assets.catalog.core.share_groups import SHARE_STATES
from assets.catalog.table import TIMESTAMP
from assets.transforms.shares.share_states import StatesOverTime
from parsers.layouts.share_group_state import SHARE_SNAPSHOT, SHARE_STATE_KEY, SHARE_UPDATE
from tests.assets.transforms.shares.plain_states import LARGEST_OFFSET, MOST_RANGES, walk
from tests.parsers.encode import encode

if TYPE_CHECKING:
    from collections.abc import Sequence

    Row = dict[str, Any]

TOPIC_ID: Final = "AAAAAAAAAAEAAAAAAAAAAg"
NOON: Final = datetime(2026, 11, 20, 12, tzinfo=timezone.utc)
NUMBERS: Final = ("snapshot_epoch", "state_epoch", "leader_epoch", "start_offset", "delivery_complete_count")
SCHEMA: Final = pa.schema(
    [
        *(("cluster", pa.string()), ("state_partition", pa.int32()), ("record_offset", pa.int64())),
        *(("written_at", TIMESTAMP), ("is_tombstone", pa.bool_()), ("key", pa.binary()), ("value", pa.binary())),
        *(("stretch", pa.int64()), ("is_new", pa.bool_())),
    ]
)
SMALL: Final = st.integers(-2, 30)
EXTREME: Final = st.sampled_from([-(1 << 63), -1, 0, LARGEST_OFFSET - 1, LARGEST_OFFSET])
OFFSETS: Final = SMALL | EXTREME
BATCHES: Final = st.lists(
    st.fixed_dictionaries(
        {
            "first_offset": OFFSETS,
            "last_offset": OFFSETS,
            "delivery_state": st.sampled_from([0, 2, 4]) | st.integers(-128, 127),
            "delivery_count": st.integers(0, 5) | st.sampled_from([-(1 << 15), (1 << 15) - 1]),
        }
    ),
    max_size=6,
)
RECORDS: Final = st.lists(
    st.fixed_dictionaries(
        {
            "kind": st.sampled_from(["snapshot", "update", "update", "update", "tombstone", "unreadable"]),
            "group": st.sampled_from(["g", "h"]),
            "log": st.integers(0, 1),
            "is_behind_gap": st.sampled_from([False, False, False, True]),
            "is_new": st.booleans(),
            "snapshot_epoch": st.integers(-1, 3),
            "state_epoch": st.integers(-1, 3),
            "leader_epoch": st.integers(-1, 3),
            "start_offset": OFFSETS.filter(lambda offset: offset >= -1) | st.just(-5),
            "delivery_complete_count": st.integers(-1, 9),
            "batches": BATCHES,
        }
    ),
    max_size=40,
)


def batch(first: int, last: int, state: int, count: int) -> dict[str, int]:
    """A state batch."""
    return {"first_offset": first, "last_offset": last, "delivery_state": state, "delivery_count": count}


def record(kind: str, *batches: dict[str, int], **values: int) -> Row:
    """A record of the share partition of g."""
    numbers = {**dict.fromkeys(NUMBERS, 0), **values}
    return {"kind": kind, "group": "g", "log": 0, "is_behind_gap": False, "is_new": True, "batches": batches, **numbers}


def numbered(records: Sequence[Row]) -> list[Row]:
    """Records in the order of their logs, with offsets and stretches."""
    stretches = [0, 0]
    rows = []
    for number, one in enumerate(sorted(records, key=lambda row: int(row["log"]))):
        stretches[one["log"]] += one["is_behind_gap"]
        rows.append({**one, "record_offset": number, "stretch": stretches[one["log"]]})
    return rows


def encoded(row: Row) -> Row:
    """A record as its log has it."""
    is_snapshot = row["kind"] == "snapshot"
    key = encode(
        SHARE_STATE_KEY, int(not is_snapshot), {"group_id": row["group"], "topic_id": TOPIC_ID, "partition": 1}
    )
    values = {name: row[name] for name in NUMBERS}
    values |= {"create_timestamp": 5, "write_timestamp": 6, "state_batches": list(row["batches"])}
    layout = SHARE_SNAPSHOT if is_snapshot else SHARE_UPDATE
    contents = {"tombstone": None, "unreadable": b"\0\7"}
    return {
        "cluster": "c",
        "state_partition": row["log"],
        "record_offset": row["record_offset"],
        "written_at": NOON,
        "stretch": row["stretch"],
        "is_new": row["is_new"],
        "is_tombstone": row["kind"] == "tombstone",
        "key": int(not is_snapshot).to_bytes(2, "big") + key,
        "value": contents[row["kind"]] if row["kind"] in contents else b"\0\0" + encode(layout, 0, values),
    }


def plain(row: Row) -> Row:
    """The same record, as the plain walk takes it."""
    is_read = row["kind"] in {"snapshot", "update"}
    has = set(NUMBERS) - ({"state_epoch"} if row["kind"] == "update" else set()) if is_read else set()
    numbers = {name: row[name] if name in has and row[name] >= 0 else None for name in NUMBERS}
    return {
        "cluster": "c",
        "state_partition": row["log"],
        "record_offset": row["record_offset"],
        "written_at": NOON,
        "group_id": row["group"],
        "topic_id": TOPIC_ID,
        "partition": 1,
        "record_kind": row["kind"],
        "stretch": row["stretch"],
        "is_new": row["is_new"],
        "batches": row["batches"] if is_read else [],
        **numbers,
    }


def fast_rows(rows: Sequence[Row], size: int) -> list[Row]:
    """The rows of the table, so many records at a time."""
    states, table = StatesOverTime(), pa.Table.from_pylist([encoded(row) for row in rows], SCHEMA)
    return [row for some in table.to_batches(size) for part in states.rows(some) for row in part.to_pylist()]


def plain_rows(rows: Sequence[Row]) -> list[Row]:
    """The rows of the table, record by record."""
    rows_of_plain: list[Row] = pa.Table.from_pylist([*walk(map(plain, rows))], SHARE_STATES.schema).to_pylist()
    return rows_of_plain


@settings(max_examples=400, deadline=None)
@given(RECORDS, st.integers(1, 40))
@example([record("snapshot", start_offset=3), record("update", batch(0, LARGEST_OFFSET, 2, 1), start_offset=9)], 1)
def test_rows_are_those_of_the_plain_walk(records: list[Row], size: int) -> None:
    """Over gaps, resets, removals, values that no layout reads, and numbers at the edge of what there is."""
    rows = numbered(records)
    assert fast_rows(rows, size) == plain_rows(rows)


def test_a_state_with_too_many_ranges_is_given_up() -> None:
    """By both, at the same record."""
    odd = [batch(2 * number, 2 * number, 0, 1) for number in range(MOST_RANGES + 1)]
    records = [
        record("snapshot", *odd[:MOST_RANGES]),
        record("update", odd[-1]),
        record("update", odd[0]),
        record("snapshot", *reversed(odd[:50])),
        record("update", batch(0, 100, 2, 3), start_offset=7),
    ]
    rows = numbered(records)
    assert fast_rows(rows, 2) == plain_rows(rows)
    assert [row["is_gap_free"] for row in fast_rows(rows, 2)] == [True, False, False, True, True]


@pytest.mark.parametrize("seed", range(4))
def test_a_long_log_has_the_rows_of_the_plain_walk(seed: int) -> None:
    """Ranges come and go, so that those of a share partition are moved many times."""
    dice, start, records = random.Random(seed), 0, []  # noqa: S311 - the same in every run
    for _ in range(3000):
        start += dice.choice([0, 0, 1, 2, 30])
        firsts = [start + dice.randrange(80) for _ in range(dice.randrange(1, 4))]
        batches = [batch(one, one + dice.randrange(4), dice.choice([0, 2, 4]), dice.randrange(1, 4)) for one in firsts]
        one = record(dice.choice(["snapshot"] + 60 * ["update"]), *batches, start_offset=start)
        records.append({**one, "group": dice.choice("gh"), "is_behind_gap": dice.random() < 0.001})
    rows = numbered(records)
    assert fast_rows(rows, dice.choice([7, 500, 5000])) == plain_rows(rows)
