"""Which offsets of a log were seen, against a count of them one by one."""

from __future__ import annotations

from datetime import datetime, timezone
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from assets import models
from assets.catalog import TABLES

if TYPE_CHECKING:
    from collections.abc import Sequence

NOON = datetime(2026, 11, 18, 12, tzinfo=timezone.utc)
PLACE = {"cluster": "c", "topic": "t", "partition": 0}


def stretch(first: int, end: int, missing: int = 0, start: int | None = None) -> dict[str, Any]:
    """A read of the offsets from `first` to before `end`, of which some were gone."""
    values = {"from_offset": first, "end_offset": end, "record_count": end - first - missing}
    return {**PLACE, **values, "quarantined_count": 0, "log_start_offset": start, "read_at": NOON}


def completeness(
    stretches: list[dict[str, Any]], retirements: Sequence[tuple[int, int]] = ()
) -> list[tuple[int, int, str]]:
    """The intervals that the model gives."""
    retired = [
        {**PLACE, "from_offset": low, "to_offset": high, "row_count": 1, "older_than": NOON, "retired_at": NOON}
        for low, high in retirements
    ]
    schema = pa.schema([field.with_nullable(nullable=True) for field in TABLES["raw.segments"].schema])
    with duckdb.connect() as connection:
        connection.execute("CREATE SCHEMA raw")
        connection.register("rows", pa.Table.from_pylist(stretches, schema))
        connection.execute("CREATE VIEW raw.segments AS FROM rows")
        connection.register("retired", pa.Table.from_pylist(retired, TABLES["raw.retired_ranges"].schema))
        connection.execute("CREATE VIEW raw.retired_ranges AS FROM retired")
        actual = connection.sql(models.select("log_coverage")).to_arrow_table()
    assert actual.schema.names == list(TABLES["mart.log_coverage"].column_names)
    return [(row["from_offset"], row["to_offset"], row["status"]) for row in actual.to_pylist()]


STRETCHES = st.lists(
    st.tuples(st.integers(0, 20), st.integers(1, 9), st.booleans()).map(
        lambda drawn: stretch(drawn[0], drawn[0] + drawn[1], int(drawn[2]))
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=40)
@given(STRETCHES)
def test_every_offset_is_judged_by_the_best_read_of_it(stretches: list[dict[str, Any]]) -> None:
    """Whole if one read saw everything around it, with holes if any saw it, never otherwise; neighbours are joined."""
    verdicts: dict[int, str] = {}
    for one in stretches:
        is_gap_free = one["record_count"] == one["end_offset"] - one["from_offset"]
        for offset in range(one["from_offset"], one["end_offset"]):
            verdicts[offset] = "whole" if is_gap_free or verdicts.get(offset) == "whole" else "gaps"
    actual = completeness(stretches)
    low, high = min(verdicts), max(verdicts) + 1
    assert [verdicts.get(offset, "never") for offset in range(low, high)] == [
        coverage for start, end, coverage in actual for _offset in range(start, end)
    ]
    assert all(left[1] == right[0] and left[2] != right[2] for left, right in pairwise(actual))


def test_what_lies_between_the_log_start_and_the_first_offset_was_never_seen() -> None:
    """The broker said where its log begins."""
    assert completeness([stretch(10, 20, start=4)]) == [(4, 10, "never"), (10, 20, "whole")]
    assert completeness([stretch(10, 20, start=10)]) == [(10, 20, "whole")]


def test_damage_makes_holes() -> None:
    """A stretch with something in quarantine was not seen whole, whatever its headers count."""
    assert completeness([{**stretch(0, 5), "quarantined_count": 1}]) == [(0, 5, "gaps")]


def test_a_read_without_batches_says_nothing() -> None:
    """An empty file has no offsets."""
    assert completeness([{**stretch(0, 5), "end_offset": None}]) == []


def test_what_was_retired_is_told() -> None:
    """It was seen once: that is another thing than never. What was never seen stays so."""
    actual = completeness([stretch(0, 10), stretch(20, 30)], [(3, 6), (5, 24)])
    assert actual == [(0, 3, "whole"), (3, 10, "retired"), (10, 20, "never"), (20, 24, "retired"), (24, 30, "whole")]
