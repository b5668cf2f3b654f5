"""A row of a declared table as a committed offset, or why it is none.

Put here what each column may hold. Which rows are new is decided in `changes`.
"""

from __future__ import annotations

import re
from datetime import datetime, timezone
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assets.ingest.stores.declared import SqlTable

LARGEST_PARTITION: Final = (1 << 31) - 1
LARGEST_OFFSET: Final = (1 << 63) - 1
LARGEST_POSITION: Final = (1 << 43) - 1
"""The position of a row of a history stands above the twenty bits of its ordinal."""
LARGEST_MS: Final = 253_402_300_799_999
LONGEST_TOPIC: Final = 249
LONGEST_TEXT: Final = 32_767
"""Kafka's own limit for a group's name."""
_DIGITS: Final = re.compile(r"-?[0-9]{1,19}")
_QUOTED_CHARACTERS: Final = 120


class StoredOffset(NamedTuple):
    """A committed offset as the table has it; None: the row says that there is none."""

    group_id: str
    topic: str
    partition: int
    committed_offset: int | None
    timestamp_ms: int | None
    metadata: str | None
    position: int | None


class BadRow(NamedTuple):
    """Why a row is no committed offset."""

    expected: str
    actual: str


def stored_offset(table: SqlTable, values: Sequence[Any]) -> StoredOffset | BadRow:
    """The committed offset of a row."""
    row = dict(zip(table.columns, values, strict=True))
    try:
        return StoredOffset(
            _text(table, row, "group_id", LONGEST_TEXT) if table.group_id is None else table.group_id,
            _text(table, row, "topic", LONGEST_TOPIC),
            _number(table, row, "partition", LARGEST_PARTITION),
            _offset(table, row),
            _time_ms(table, row),
            _text(table, row, "metadata", LONGEST_TEXT) if row.get("metadata") is not None else None,
            _number(table, row, "position", LARGEST_POSITION) if "position" in row else None,
        )
    except _RefusedError as error:
        return error.bad


class _RefusedError(Exception):
    def __init__(self, table: SqlTable, ours: str, expected: str, actual: object) -> None:
        super().__init__()
        self.bad = BadRow(f"column {table.columns[ours]}: {expected}", repr(actual)[:_QUOTED_CHARACTERS])


def _text(table: SqlTable, row: dict[str, Any], ours: str, most: int) -> str:
    value = row[ours]
    if not isinstance(value, str) or not 0 < len(value) <= most:
        raise _RefusedError(table, ours, f"a text of 1 to {most} characters", value)
    return value


def _number(table: SqlTable, row: dict[str, Any], ours: str, most: int) -> int:
    value = row[ours]
    number = _integer(value)
    if number is None or not 0 <= number <= most:
        raise _RefusedError(table, ours, f"a number from 0 to {most}", value)
    return number


def _integer(value: object) -> int | None:
    """A whole number, also as a decimal or a text of digits, as some drivers give large ones."""
    if isinstance(value, Decimal):
        return int(value) if value.is_finite() and value == value.to_integral_value() else None
    if isinstance(value, int):
        return None if isinstance(value, bool) else value
    return int(value) if isinstance(value, str) and _DIGITS.fullmatch(value) else None


def _offset(table: SqlTable, row: dict[str, Any]) -> int | None:
    """The next offset to read; one more than the last that was processed, which is -1 before the first."""
    if row["committed_offset"] is None:
        return None
    if not table.is_last_processed:
        return _number(table, row, "committed_offset", LARGEST_OFFSET)
    number = _integer(row["committed_offset"])
    if number is None or not -1 <= number < LARGEST_OFFSET:
        raise _RefusedError(
            table, "committed_offset", f"a number from -1 to {LARGEST_OFFSET - 1}", row["committed_offset"]
        )
    return number + 1


def _time_ms(table: SqlTable, row: dict[str, Any]) -> int | None:
    """A time, a number of epoch milliseconds or a text of ISO 8601; UTC where it names no zone."""
    value = row.get("changed_at")
    if value is None and not table.is_history:
        return None
    number = _integer(value)
    if number is None:
        number = _epoch_ms(value)
    if number is None or not 0 <= number <= LARGEST_MS:
        raise _RefusedError(table, "changed_at", "a time, or epoch milliseconds", value)
    return number


def _epoch_ms(value: object) -> int | None:
    try:
        time = datetime.fromisoformat(value.replace("Z", "+00:00")) if isinstance(value, str) else value
    except ValueError:
        return None
    if not isinstance(time, datetime):
        return None
    at = time if time.tzinfo else time.replace(tzinfo=timezone.utc)
    return round(at.timestamp() * 1000)
