"""Claims and incidents are read out of the marts as they stand there."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pytest

from assets.catalog import TABLES
from benchmarks.truth.claims import Claim, claims, incidents
from benchmarks.truth.truths import Key

if TYPE_CHECKING:
    from collections.abc import Iterator

OCCURRED = datetime(2026, 1, 1, tzinfo=timezone.utc)
PLACE = {"cluster": "c", "log_partition": 1, "log_offset": 7, "group_id": "payers", "topic": "orders", "partition": 0}
REPLAY = PLACE | {
    "kind": "handed_over",
    "possible_from": 5,
    "from_time": OCCURRED,
    "estimate_from": 5,
    "estimate_to": 5,
}
SKIP = PLACE | {"kind": "set_forward", "possible_from": 5, "possible_to": 9, "certain_from": 6, "certain_to": 9}
FINDING = PLACE | {"claim_kind": "set_forward", "kind": "skip", "incident_id": "abc"}
INCIDENT = {"incident_id": "abc", "kind": "skip", "group_id": "payers", "certain_offsets": 3, "estimate_offsets": 3}
ROWS: dict[str, list[dict[str, Any]]] = {
    "mart.replays": [REPLAY],
    "mart.skips": [SKIP],
    "mart.findings": [FINDING],
    "mart.incidents": [INCIDENT | {"title": "three offsets"}, {"incident_id": "of no group", "kind": "diverged"}],
}


@pytest.fixture
def marts() -> Iterator[duckdb.DuckDBPyConnection]:
    """A database of a few rows."""
    with duckdb.connect() as connection:
        connection.execute("CREATE SCHEMA mart")
        for name, rows in ROWS.items():
            schema = pa.schema([field.with_nullable(nullable=True) for field in TABLES[name].schema])
            connection.register("rows", pa.Table.from_pylist(rows, schema))
            connection.execute(f"CREATE TABLE {name} AS FROM rows")
        yield connection


def test_a_row_has_its_ranges_its_time_and_its_incident(marts: duckdb.DuckDBPyConnection) -> None:
    """Without an end where nothing tells one; an estimate may be empty; a row need not be in an incident."""
    key, began_ms, never = Key("payers", "orders", 0), OCCURRED.timestamp() * 1000, float("inf")
    assert sorted(claims(marts), key=lambda one: one.kind) == [
        Claim("replay", key, (5, never), None, (5, 5), began_ms, never, None),
        Claim("skip", key, (5, 9), (6, 9), None, -never, never, "abc"),
    ]


def test_certainty_is_that_of_the_ranges(marts: duckdb.DuckDBPyConnection) -> None:
    """Nothing certain and an empty estimate is no more than possible."""
    assert {one.kind: (one.certainty, one.amount) for one in claims(marts)} == {
        "replay": ("possible", 0),
        "skip": ("proven", 3),
    }


def test_incidents_are_those_of_groups(marts: duckdb.DuckDBPyConnection) -> None:
    """With what they say in numbers."""
    assert [(one.kind, one.certainty, one.title) for one in incidents(marts)] == [("skip", "proven", "three offsets")]
