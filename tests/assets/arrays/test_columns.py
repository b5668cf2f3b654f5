"""Numbers that strangers wrote, reckoned with: whole columns and macros stop at the same largest number."""

from __future__ import annotations

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.arrays.columns import minus
from assets.arrays.times import LAST_MS, elapsed_ms
from assets.models import MACROS

LARGEST = (1 << 63) - 1
LEAST = -LARGEST - 1
NUMBERS = st.one_of(st.integers(LEAST, LARGEST), st.sampled_from([LEAST, LEAST + 1, -1, 0, 1, LARGEST - 1, LARGEST]))


@pytest.fixture(scope="module")
def connection() -> duckdb.DuckDBPyConnection:
    """A database with the two macros."""
    connection = duckdb.connect()
    for macro in MACROS:
        if macro.name in ("_minus", "_as_bigint"):
            connection.execute(macro.statement)
    return connection


@given(NUMBERS, NUMBERS)
def test_a_difference_stops_at_the_largest_number(connection: duckdb.DuckDBPyConnection, high: int, low: int) -> None:
    """And is exact wherever 64 bits have it; the macro says the same."""
    wanted = min(max(high - low, LEAST), LARGEST)
    assert minus(np.array([high], np.int64), np.array([low], np.int64)).tolist() == [wanted]
    ends = {"high": high, "low": low}
    assert connection.execute("SELECT _minus($high::BIGINT, $low::BIGINT)", ends).fetchall() == [(wanted,)]


@given(st.lists(NUMBERS, max_size=4))
def test_a_sum_stops_at_the_largest_number(connection: duckdb.DuckDBPyConnection, numbers: list[int]) -> None:
    """Nothing is the sum of nothing."""
    wanted = min(max(sum(numbers), LEAST), LARGEST) if numbers else None
    sql = "SELECT _as_bigint(sum(number)) FROM (SELECT unnest($numbers::BIGINT[]) AS number)"
    assert connection.execute(sql, {"numbers": numbers}).fetchall() == [(wanted,)]


def test_a_fraction_stops_at_the_largest_number(connection: duckdb.DuckDBPyConnection) -> None:
    """A floating number beside the largest one is 2^63, which 64 bits don't have."""
    sql = "SELECT _as_bigint(ceil($number::BIGINT / 1)), _as_bigint(ceil(-$number::BIGINT / 1))"
    assert connection.execute(sql, {"number": LARGEST}).fetchall() == [(LARGEST, LEAST)]


def test_a_difference_of_what_is_unknown_is_unknown(connection: duckdb.DuckDBPyConnection) -> None:
    """Whichever of the two it is."""
    assert connection.execute("SELECT _minus(NULL, 1), _minus(1, NULL), _as_bigint(NULL)").fetchall() == [(None,) * 3]


@given(NUMBERS, NUMBERS)
def test_time_elapses_between_times(later: int, earlier: int) -> None:
    """Not between numbers that no calendar has."""
    are_times = all(0 <= one <= LAST_MS for one in (later, earlier))
    (elapsed,) = elapsed_ms(*(pa.chunked_array([pa.array([one])]) for one in (later, earlier))).to_pylist()
    assert elapsed == (later - earlier if are_times else None)
