"""What follows from the state of share partitions, on a few rows each: redeliveries, what was given up, moves."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pytest

from assets import models
from assets.catalog import TABLES
from tests.assets.folding import Findings
from tests.assets.test_models import insert

if TYPE_CHECKING:
    import duckdb

Span = tuple[int, int]

PLACE: Final = {"cluster": "c", "group_id": "g", "topic_id": "T", "partition": 0, "state_partition": 1}
NOON: Final = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)


@pytest.fixture
def groups(database: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """The tables that macros read, and deliveries, without rows."""
    nullable = pa.schema([field.with_nullable(nullable=True) for field in TABLES["core.share_deliveries"].schema])
    database.register("no_deliveries", nullable.empty_table())
    database.execute("CREATE OR REPLACE TABLE core.share_deliveries AS FROM no_deliveries")
    return database


def change(groups: duckdb.DuckDBPyConnection, at: int, span: Span, how: tuple[str, int], **values: Any) -> None:  # noqa: ANN401 - any column
    """A change of a range's state and count, in the record of this offset, as many minutes after noon."""
    place = {**PLACE, "topic": "t", "record_offset": at, "written_at": NOON + timedelta(minutes=at), "state_epoch": 1}
    own = {"from_offset": span[0], "to_offset": span[1], "delivery_state": how[0], "delivery_count": how[1]}
    insert(groups, "core.share_deliveries", **{**place, **own, "is_gap_free": True, **values})


def state(database: duckdb.DuckDBPyConnection, at: int, start: int | None, **values: Any) -> None:  # noqa: ANN401 - any column
    """A record of a share partition with its start offset."""
    own = {"record_offset": at, "written_at": NOON + timedelta(minutes=at), "start_offset": start, "changes": []}
    known = {"record_kind": "update", "state_epoch": 1, "is_new_epoch": False, "is_gap_free": True}
    insert(database, "core.share_states", **{**PLACE, **own, **known, **values})


def setting(database: duckdb.DuckDBPyConnection, name: str, value: str, **values: Any) -> None:  # noqa: ANN401 - any column
    """A setting of the brokers, or of another resource."""
    own = {"resource_type": "broker", "resource_name": "1", "config_name": name, "config_value": value}
    insert(database, "raw.configurations", **{"cluster": "c", "source": "file", "read_at": NOON, **own, **values})


def rows(database: duckdb.DuckDBPyConnection, model: str, columns: str) -> list[Any]:
    """Some columns of a model's rows, in its order."""
    return database.sql(f"SELECT {columns} FROM ({models.select(model)})").fetchall()  # noqa: S608 - names


REDELIVERED: Final = "from_offset, to_offset, delivery_count, outcome"


def test_neighbours_that_fared_alike_are_one_range(groups: duckdb.DuckDBPyConnection) -> None:
    """A range that was released as one and accepted in two parts is one; what was delivered once is none."""
    change(groups, 1, (0, 10), ("available", 2))
    change(groups, 2, (0, 4), ("acknowledged", 2))
    change(groups, 3, (4, 10), ("acknowledged", 2))
    change(groups, 4, (10, 12), ("acknowledged", 1))
    assert rows(groups, "share_redeliveries", REDELIVERED) == [(0, 10, 2, "acknowledged")]


def test_a_part_that_came_more_often_is_a_range_of_its_own(groups: duckdb.DuckDBPyConnection) -> None:
    """Each offset has the highest count of all records about it."""
    change(groups, 1, (0, 10), ("available", 2))
    change(groups, 2, (3, 5), ("archived", 4))
    actual = rows(groups, "share_redeliveries", REDELIVERED)
    assert sorted(actual) == [(0, 3, 2, "available"), (3, 5, 4, "archived"), (5, 10, 2, "available")]


def test_deliveries_of_another_epoch_are_no_redeliveries(groups: duckdb.DuckDBPyConnection) -> None:
    """After a reset a broker counts from one again; each epoch has its own ranges."""
    change(groups, 1, (0, 10), ("acknowledged", 2))
    change(groups, 2, (0, 10), ("acknowledged", 1), state_epoch=2)
    assert rows(groups, "share_redeliveries", f"{REDELIVERED}, state_epoch") == [(0, 10, 2, "acknowledged", 1)]


def test_the_same_range_in_two_groups_is_two(groups: duckdb.DuckDBPyConnection) -> None:
    """One does not add to the other."""
    change(groups, 1, (0, 10), ("available", 2))
    change(groups, 2, (5, 15), ("available", 3), group_id="h")
    actual = rows(groups, "share_redeliveries", f"group_id, {REDELIVERED}")
    assert actual == [("g", 0, 10, 2, "available"), ("h", 5, 15, 3, "available")]


LIMIT: Final = "group.share.delivery.count.limit"
OWN: Final = {"resource_type": "group", "resource_name": "g", "source": "metadata", "log_offset": 4, "changed_at": NOON}
ARCHIVED: Final = "from_offset, cause, certainty, attempts_limit"


def test_the_limit_of_deliveries_tells_a_rejection_from_the_last_attempt(groups: duckdb.DuckDBPyConnection) -> None:
    """Without KRaft's log the group may have another limit: likely."""
    setting(groups, LIMIT, "3")
    change(groups, 1, (0, 1), ("archived", 1))
    change(groups, 2, (1, 2), ("archived", 3))
    change(groups, 3, (2, 3), ("archived", 0))
    assert rows(groups, "share_archived", ARCHIVED) == [
        (0, "rejected", "likely", 3),
        (1, "out_of_attempts", "likely", 3),
        (2, "never_delivered", "proven", 3),
    ]


def test_without_a_limit_the_cause_is_unknown(groups: duckdb.DuckDBPyConnection) -> None:
    """Kafka's default of five is no evidence."""
    change(groups, 1, (0, 1), ("archived", 5))
    assert rows(groups, "share_archived", ARCHIVED) == [(0, "unknown", "likely", None)]


def test_a_limit_of_the_group_counts_from_its_time_on(groups: duckdb.DuckDBPyConnection) -> None:
    """Before, the brokers' does; another group's does not."""
    setting(groups, LIMIT, "3")
    setting(groups, "share.delivery.count.limit", "9", **{**OWN, "changed_at": NOON + timedelta(minutes=5)})
    setting(groups, "share.delivery.count.limit", "2", **{**OWN, "resource_name": "h"})
    change(groups, 1, (0, 1), ("archived", 3))
    change(groups, 7, (1, 2), ("archived", 3))
    assert rows(groups, "share_archived", ARCHIVED) == [
        (0, "out_of_attempts", "proven", 3),
        (1, "rejected", "proven", 9),
    ]


def test_a_snapshot_that_repeats_what_was_archived_is_no_second_time(groups: duckdb.DuckDBPyConnection) -> None:
    """Only the change of the state counts."""
    change(groups, 1, (0, 2), ("archived", 1))
    change(groups, 2, (0, 2), ("archived", 2), previous_state="archived")
    assert rows(groups, "share_archived", "from_offset, record_offset") == [(0, 1)]


MOVED: Final = "from_offset, to_offset, cause"


def test_moves_of_a_start_offset_have_causes(database: duckdb.DuckDBPyConnection) -> None:
    """The group begins, reads on, is overtaken by the log start, by something else, and is reset."""
    insert(database, "core.topics", cluster="c", topic_id="T", topic="t", last_seen_at=NOON)
    insert(database, "raw.segments", cluster="c", topic="t", partition=0, log_start_offset=30)
    state(database, 0, None, record_kind="snapshot", is_new_epoch=True)
    state(database, 1, 0)
    state(database, 2, 0, previous_start_offset=0)
    state(database, 3, 10, previous_start_offset=0, undelivered_offsets=0)
    state(database, 4, 30, previous_start_offset=10, undelivered_offsets=15)
    state(database, 5, 33, previous_start_offset=30, undelivered_offsets=1)
    state(database, 6, 33, record_kind="snapshot", is_new_epoch=True, state_epoch=2)
    state(database, 7, 40, is_gap_free=False)
    assert rows(database, "share_start_offsets", f"{MOVED}, topic") == [
        (None, 0, "initialized", "t"),
        (0, 10, "advanced", "t"),
        (10, 30, "records_deleted", "t"),
        (30, 33, "passed_undelivered", "t"),
        (33, 33, "reset", "t"),
        (33, 40, "unknown", "t"),
    ]


def test_changes_have_the_name_of_their_topic(database: duckdb.DuckDBPyConnection) -> None:
    """Where nothing tells it, it is NULL."""
    one = {"from_offset": 0, "to_offset": 2, "delivery_state": "available", "delivery_count": 1}
    state(database, 1, 0, changes=[{**one, "previous_state": None, "previous_count": None}])
    assert rows(database, "share_deliveries", "topic, topic_id, from_offset, to_offset") == [(None, "T", 0, 2)]


BACKLOG: Final = "SELECT start_offset, lag, is_known FROM share_backlog_at(?::TIMESTAMPTZ)"


def test_the_lag_is_what_lies_behind_the_start_and_is_not_done(database: duckdb.DuckDBPyConnection) -> None:
    """A count that an older broker does not write, a gap, and a log end that was not read leave it unknown."""
    insert(database, "core.topics", cluster="c", topic_id="T", topic="t", last_seen_at=NOON)
    end = {"cluster": "c", "topic": "t", "partition": 0, "source": "batch"}
    insert(database, "core.log_ends", **end, reached_at=NOON, log_end_offset=50)
    state(database, 1, 10, delivery_complete_count=5)
    state(database, 2, 20, delivery_complete_count=None)
    state(database, 3, 20, delivery_complete_count=4, is_gap_free=False)
    state(database, 4, None, record_kind="tombstone")
    times = [NOON + timedelta(minutes=one, seconds=1) for one in range(5)]
    actual = [database.execute(BACKLOG, [at]).fetchall() for at in times]
    assert actual == [[], [(10, 35, True)], [(20, None, True)], [(20, None, False)], []]


@pytest.fixture
def findings(database: duckdb.DuckDBPyConnection) -> Findings:
    """Nothing was found yet."""
    return Findings(database)


def test_what_a_share_group_gave_up_is_an_incident(findings: Findings) -> None:
    """By its cause; what is never for consumers is none."""
    own = {**PLACE, "topic": "t", "certainty": "proven", "archived_at": NOON.isoformat()}
    for at, (cause, span) in enumerate(
        [("rejected", (0, 2)), ("out_of_attempts", (5, 6)), ("never_delivered", (7, 9))]
    ):
        findings.add("mart.share_archived", own, cause=cause, record_offset=at, from_offset=span[0], to_offset=span[1])
    actual = findings.incidents("kind, pattern, severity, certain_offsets, title")
    assert [one[:4] for one in actual] == [
        ("archived", "out_of_attempts", "high", 1),
        ("archived", "rejected", "medium", 2),
    ]
    assert "group g gave up 1 offset of t-0; the limit of deliveries was reached" in actual[0][4]


def delivered(findings: Findings, at: int, state: str) -> None:
    """A delivery of offsets 5 and 6 that ended like this, at a minute."""
    own = {**PLACE, "topic": "t", "from_offset": 5, "to_offset": 7, "delivery_count": 1 + at, "record_offset": at}
    time = (NOON + timedelta(minutes=at)).isoformat()
    findings.add("core.share_deliveries", own, delivery_state=state, written_at=time)


def test_deliveries_without_one_that_is_accepted_are_an_incident(findings: Findings) -> None:
    """For ten minutes or more, and since the last that was."""
    for at, how in enumerate(["available", "acknowledged", *["available"] * 11]):
        delivered(findings, at, how)
    ((kind, severity, title),) = findings.incidents("kind, severity, title")
    assert (kind, severity) == ("stuck", "high")
    assert "group g got the same offsets 11 times in 10 minutes and accepted none in t-0" in title


def test_an_acceptance_ends_it(findings: Findings) -> None:
    """Then the group gets on."""
    for at, how in enumerate([*["available"] * 12, "acknowledged"]):
        delivered(findings, at, how)
    assert findings.incidents("kind") == []


def given_up(findings: Findings, state_partition: int, at: int, minute: int) -> None:
    """Offset 5 of a partition that a member rejected, in a record of its state partition."""
    place = {**PLACE, "topic": "t", "partition": state_partition, "state_partition": state_partition}
    span = {"from_offset": 5, "to_offset": 6, "cause": "rejected", "certainty": "proven", "delivery_count": 1}
    time = (NOON + timedelta(minutes=minute)).isoformat()
    findings.add("mart.share_archived", {**place, **span, "record_offset": at}, archived_at=time)


def test_what_was_given_up_folds_by_time_over_state_partitions(findings: Findings) -> None:
    """Their offsets say nothing of each other: one has few records in a time in which another has hundreds."""
    for state_partition, at, minute in ((1, 3, 0), (2, 100, 10), (1, 4, 600), (2, 900, 610)):
        given_up(findings, state_partition, at, minute)
    assert findings.incidents("findings, detected_at = '2026-01-01 12:00:00+00'::TIMESTAMPTZ") == [
        (2, True),
        (2, False),
    ]


def test_the_same_offset_in_two_state_partitions_is_two_incidents(findings: Findings) -> None:
    """With ids of their own, as they are hours apart; each names its record."""
    given_up(findings, 1, 3, 0)
    given_up(findings, 2, 3, 600)
    assert [count for (count,) in findings.incidents("findings")] == [1, 1]
    records = findings.database.sql("SELECT evidence, evidence_elsewhere FROM mart.findings ORDER BY occurred_at")
    place = {"cluster": "c", "topic": "__share_group_state", "record_offset": 3}
    assert records.fetchall() == [([], [{**place, "partition": 1}]), ([], [{**place, "partition": 2}])]


def test_a_stuck_partition_names_its_first_and_last_record(findings: Findings) -> None:
    """Those between are of the same sort."""
    for at in range(12):
        delivered(findings, at, "available")
    ((records,),) = findings.database.sql(
        f"SELECT list_transform(evidence_elsewhere, LAMBDA r: r.record_offset) FROM ({models.select('findings')})"  # noqa: S608 - names
    ).fetchall()
    assert records == [0, 11]
