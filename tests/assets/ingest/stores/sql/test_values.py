"""Rows of declared tables: what each column may hold, and with which words anything else is refused."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path

import pytest

from assets.ingest.stores.sql.values import BadRow, StoredOffset, stored_offset
from tests.assets.ingest.stores.sql.declared_tables import declared

TABLE = declared(Path("b.db"), changed_at="changed", metadata="note")
NOON_MS = 1_795_176_000_000
NOON = datetime(2026, 11, 20, 12, tzinfo=timezone.utc)


def _stored(*values: object) -> StoredOffset | BadRow:
    return stored_offset(TABLE, values)


def test_a_row_is_a_committed_offset() -> None:
    """With all that its columns say."""
    assert _stored("g", "orders", 3, 40, NOON_MS, "m") == StoredOffset("g", "orders", 3, 40, NOON_MS, "m", None)
    assert _stored("g", "orders", "3", Decimal(40), None, None) == StoredOffset("g", "orders", 3, 40, None, None, None)


@pytest.mark.parametrize(
    "time",
    [
        NOON,
        NOON.replace(tzinfo=None),
        NOON.astimezone(timezone(timedelta(hours=2))),
        "2026-11-20 12:00:00",
        "2026-11-20T12:00:00Z",
        "2026-11-20T14:00:00+02:00",
        str(NOON_MS),
    ],
)
def test_a_time_is_read_in_all_its_forms(time: object) -> None:
    """UTC where it names no zone."""
    stored = _stored("g", "orders", 0, 1, time, None)
    assert isinstance(stored, StoredOffset)
    assert stored.timestamp_ms == NOON_MS


def test_the_last_processed_offset_is_one_before_the_next() -> None:
    """Where it is declared as such; -1 is before the first."""
    table = replace(TABLE, is_last_processed=True)
    offsets = [stored_offset(table, ("g", "t", 0, offset, None, None)) for offset in (-1, 0, 41, None)]
    assert [one.committed_offset for one in offsets if isinstance(one, StoredOffset)] == [0, 1, 42, None]
    assert isinstance(stored_offset(table, ("g", "t", 0, (1 << 63) - 1, None, None)), BadRow)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((None, "t", 0, 1, None, None), "column consumer: a text of 1 to 32767 characters"),
        (("g", b"\xff", 0, 1, None, None), "column topic: a text of 1 to 249 characters"),
        (("g", "t" * 250, 0, 1, None, None), "column topic: a text of 1 to 249 characters"),
        (("g", "t", -1, 1, None, None), "column part: a number from 0 to 2147483647"),
        (("g", "t", 1.5, 1, None, None), "column part: a number from 0 to 2147483647"),
        (("g", "t", True, 1, None, None), "column part: a number from 0 to 2147483647"),
        (("g", "t", 0, "12x", None, None), "column next offset: a number from 0 to 9223372036854775807"),
        (("g", "t", 0, 1 << 63, None, None), "column next offset: a number from 0 to 9223372036854775807"),
        (("g", "t", 0, Decimal("NaN"), None, None), "column next offset: a number from 0 to 9223372036854775807"),
        (("g", "t", 0, 1, "yesterday", None), "column changed: a time, or epoch milliseconds"),
        (("g", "t", 0, 1, -5, None), "column changed: a time, or epoch milliseconds"),
        (("g", "t", 0, 1, None, 7), "column note: a text of 1 to 32767 characters"),
    ],
)
def test_another_value_is_refused_with_the_tables_own_column(values: tuple[object, ...], expected: str) -> None:
    """What was found is quoted, and not more of it than a line holds."""
    bad = _stored(*values)
    assert isinstance(bad, BadRow)
    assert bad.expected == expected
    assert len(bad.actual) <= 120
