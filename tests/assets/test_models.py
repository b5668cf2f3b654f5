"""The macros' answers on a few rows. That their columns are the described ones is tested with the DuckDB file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    import duckdb

KEY = {"cluster": "c", "group_id": "g", "topic": "t", "partition": 0}


def insert(database: duckdb.DuckDBPyConnection, name: str, **row: Any) -> None:  # noqa: ANN401 - a value of any column
    """Add a row; columns that are not named are NULL."""
    marks = ", ".join("?" * len(row))
    names = ", ".join(f'"{column}"' for column in row)
    database.execute(f"INSERT INTO {name} ({names}) VALUES ({marks})", list(row.values()))  # noqa: S608 - names that the tests write


def commit(database: duckdb.DuckDBPyConnection, position: int, offset: int | None, kind: str = "advance") -> None:
    """A commit of g's t-0 that took effect at `position` minutes past midnight."""
    at = {"log_offset": position, "effective_log_offset": position, "effective_at": minute(position)}
    insert(database, "core.commits", **KEY, **at, log_partition=7, kind=kind, committed_offset=offset)


def log_end(
    database: duckdb.DuckDBPyConnection, position: int, *, start: int | None = None, end: int | None = None
) -> None:
    """What was known of t-0's log from `position` minutes past midnight on."""
    place = {"cluster": "c", "topic": "t", "partition": 0, "reached_at": minute(position)}
    insert(database, "core.log_ends", **place, log_start_offset=start, log_end_offset=end, source="batch")


def minute(position: int) -> str:
    """An instant on the first day of 2026."""
    return f"2026-01-01 00:{position:02d}:00+00"


def lag(database: duckdb.DuckDBPyConnection, position: int) -> list[tuple[Any, ...]]:
    """Current offset, log end, lag and lost at an instant."""
    return database.execute(
        "SELECT current_offset, log_end_offset, lag, lost_offsets FROM lag_at(?::TIMESTAMPTZ)", [minute(position)]
    ).fetchall()


def test_the_store_is_what_the_last_commit_before_an_instant_left(database: duckdb.DuckDBPyConnection) -> None:
    """Later commits do not count, and a removed offset is not there."""
    commit(database, 1, 10)
    commit(database, 3, 20)
    commit(database, 5, None, "removed")
    offsets = [
        database.execute("SELECT current_offset FROM state_at(?::TIMESTAMPTZ)", [minute(at)]).fetchall()
        for at in (0, 1, 4, 5)
    ]
    assert offsets == [[], [(10,)], [(20,)], []]


def test_without_times_only_the_end_of_the_log_is_an_instant(database: duckdb.DuckDBPyConnection) -> None:
    """Records of Kafka before 0.10 have none; what stands at the end is known all the same."""
    at = {"log_offset": 1, "effective_log_offset": 1, "log_partition": 7}
    insert(database, "core.commits", **KEY, **at, kind="first", committed_offset=10)
    for instant, expected in (("infinity", [(10,)]), (minute(5), [])):
        actual = database.execute("SELECT current_offset FROM state_at(?::TIMESTAMPTZ)", [instant]).fetchall()
        assert actual == expected


def test_lag_counts_to_the_end_that_was_known_then(database: duckdb.DuckDBPyConnection) -> None:
    """The end moves on; without any end lag is unknown."""
    commit(database, 1, 10)
    assert lag(database, 1) == [(10, None, None, None)]
    log_end(database, 2, end=15)
    log_end(database, 4, end=40)
    assert lag(database, 3) == [(10, 15, 5, None)]
    assert lag(database, 4) == [(10, 40, 30, None)]


def test_lag_counts_from_the_log_start_and_tells_the_lost_part(database: duckdb.DuckDBPyConnection) -> None:
    """What retention removed is no lag, it is lost."""
    commit(database, 1, 10)
    log_end(database, 1, end=100)
    log_end(database, 2, start=30)
    assert lag(database, 2) == [(10, 100, 70, 20)]


@pytest.mark.parametrize(("start", "end"), [(None, 5), (50, 20)])
def test_an_end_that_is_proven_stale_gives_no_lag(
    database: duckdb.DuckDBPyConnection, start: int | None, end: int
) -> None:
    """A commit or a log start beyond it shows that the log had gone on: unknown, not zero, not negative."""
    commit(database, 1, 10)
    log_end(database, 1, end=end)
    log_end(database, 1, start=start)
    assert [row[2] for row in lag(database, 1)] == [None]


def owned(database: duckdb.DuckDBPyConnection, partition: int, **also: Any) -> None:  # noqa: ANN401 - a value of any column
    """A partition of t that m owned from a minute past midnight on."""
    place = {"cluster": "c", "group_id": "g", "group_type": "classic", "log_partition": 7, "log_offset": 1}
    owner = {"topic": "t", "partition": partition, "member_id": "m", "client_id": "i", "client_host": "/h"}
    insert(database, "core.ownership", **{**place, **owner, "seen_at": minute(1), **also})


def test_an_owner_without_a_commit_is_shown(database: duckdb.DuckDBPyConnection) -> None:
    """The partition is there with its owner and an unknown offset, until the owner ends."""
    for partition in (0, 2):
        owned(database, partition, until_log_offset=9, until_at=minute(5))
    columns = "topic, partition, current_offset, member_id, client_host, client_id"
    query = f"SELECT {columns} FROM lag_at(?::TIMESTAMPTZ) ORDER BY ALL"  # noqa: S608 - names of our own
    expected = [("t", 0, None, "m", "/h", "i"), ("t", 2, None, "m", "/h", "i")]
    assert database.execute(query, [minute(4)]).fetchall() == expected
    assert database.execute(query, [minute(5)]).fetchall() == []


@pytest.mark.parametrize(
    ("changes", "id_after", "cause"),
    [
        ({"cause": "expired", "idle_ms": 5}, None, "expired"),
        ({"idle_ms": 600_000}, "one", "expired"),
        ({"idle_ms": None}, "one", "unknown"),
        ({"idle_ms": 599_999, "removed_with_group": True, "is_from_old_coordinator": False}, None, "group_deleted"),
        (
            {"idle_ms": 599_999, "removed_with_group": True, "is_from_old_coordinator": True},
            None,
            "old_coordinator_cleanup",
        ),
        ({"idle_ms": 599_999, "removed_with_group": False}, "one", "offsets_deleted"),
        ({"idle_ms": 599_999, "removed_with_group": False}, "two", "topic_deleted"),
        ({"idle_ms": 599_999, "removed_with_group": False}, None, "unknown"),
        ({"idle_ms": 599_999}, "one", "unknown"),
    ],
)
def test_with_the_brokers_retention_more_is_known_of_removals(
    database: duckdb.DuckDBPyConnection, changes: dict[str, Any], id_after: str | None, cause: str
) -> None:
    """What stood for less did not expire; whether the topic is another one afterwards tells what was deleted."""
    place = {**KEY, "log_partition": 7}
    for position, kind, more in (
        (1, "first", {"topic_id": "one"}),
        (2, "removed", {"cause": "unknown", **changes}),
        (3, "first", {"topic_id": id_after}),
    ):
        at = {"log_offset": position, "effective_log_offset": position, "effective_at": minute(position)}
        insert(database, "core.commits", **place, **at, kind=kind, **more)
    assert database.execute("SELECT cause FROM removals(10)").fetchall() == [(cause,)]


def test_an_owner_is_called_by_the_name_of_its_topic(database: duckdb.DuckDBPyConnection) -> None:
    """A consumer group writes ids: the name comes from elsewhere, or the id stands for it."""
    insert(database, "core.topics", cluster="c", topic_id="ID", topic="t", last_seen_at=minute(9))
    owned(database, 0, topic=None, topic_id="ID")
    owned(database, 1, topic=None, topic_id="UNNAMED")
    rows = database.execute("SELECT partition, topic FROM owner_at('infinity') ORDER BY ALL").fetchall()
    assert rows == [(0, "t"), (1, "UNNAMED")]


def committed(database: duckdb.DuckDBPyConnection, topic: str, partition: int) -> None:
    """A commit of g of a partition, in a log of its own."""
    at = {"log_offset": partition, "effective_log_offset": partition, "effective_at": minute(1)}
    key = {**KEY, "topic": topic, "partition": partition}
    insert(database, "core.commits", **key, **at, log_partition=7, kind="advance", committed_offset=5)


NAMES = "SELECT topic, partition, current_offset, member_id FROM lag_at('infinity') ORDER BY ALL"


def test_a_partition_that_is_owned_by_a_topic_id_without_a_name_is_shown_once(
    database: duckdb.DuckDBPyConnection,
) -> None:
    """An id is the one topic that the group commits and that none of its other ids is: offset and owner are one row."""
    insert(database, "core.topics", cluster="c", topic_id="KNOWN", topic="k", last_seen_at=minute(9))
    for topic in ("t", "k"):
        committed(database, topic, 0)
    owned(database, 0, topic=None, topic_id="ID", member_id="m1")
    owned(database, 1, topic=None, topic_id="ID", member_id="m1")
    owned(database, 0, topic=None, topic_id="KNOWN", member_id="m2")
    expected = [("k", 0, 5, "m2"), ("t", 0, 5, "m1"), ("t", 1, None, "m1")]
    assert database.execute(NAMES).fetchall() == expected
    assert database.execute(NAMES.replace("'infinity'", "'infinity', 'g'")).fetchall() == expected


def test_a_topic_id_is_what_the_group_subscribes_to_as_much_as_what_it_commits(
    database: duckdb.DuckDBPyConnection,
) -> None:
    """Before its first commit the subscription alone says it; a topic that others commit for it leaves two."""
    place = {"cluster": "c", "group_id": "g", "log_partition": 7, "log_offset": 1, "member_id": "m"}
    insert(database, "core.subscriptions", **place, topics=["t"])
    owned(database, 0, topic=None, topic_id="ID")
    assert database.execute(NAMES).fetchall() == [("t", 0, None, "m")]
    committed(database, "other", 1)
    assert database.execute(NAMES).fetchall() == [("ID", 0, None, "m"), ("other", 1, 5, None)]


def test_a_topic_id_that_may_be_one_of_several_topics_is_not_shown_beside_them(
    database: duckdb.DuckDBPyConnection,
) -> None:
    """Nothing says who owns which, so the committed partitions stand for both; what nobody committed stays."""
    for topic in ("t", "u"):
        committed(database, topic, 0)
    for topic_id in ("ID1", "ID2"):
        owned(database, 0, topic=None, topic_id=topic_id)
        owned(database, 3, topic=None, topic_id=topic_id)
    expected = [("ID1", 3, None, "m"), ("ID2", 3, None, "m"), ("t", 0, 5, None), ("u", 0, 5, None)]
    assert database.execute(NAMES).fetchall() == expected


def test_a_member_has_topics_by_the_names_that_its_group_leaves(database: duckdb.DuckDBPyConnection) -> None:
    """As its partitions have in the table of lag."""
    committed(database, "t", 0)
    owned(database, 0, topic=None, topic_id="ID")
    place = {"cluster": "c", "group_id": "g", "group_type": "consumer", "log_partition": 7, "log_offset": 2}
    given = [{"topic": None, "topic_id": "ID", "partitions": [0]}]
    insert(database, "core.members", **place, member_id="m", assigned=given, from_at=minute(2))
    rows = database.execute("SELECT assigned FROM members_at('infinity')").fetchall()
    assert rows == [([{"topic": "t", "topic_id": "ID", "partitions": [0]}],)]


def test_what_is_to_be_given_up_is_not_owned_any_more(database: duckdb.DuckDBPyConnection) -> None:
    """As the coordinator says it: the member may hold it, but it is not assigned to it."""
    owned(database, 0, revoking_at=minute(3))
    owners = [database.execute("FROM owner_at(?::TIMESTAMPTZ)", [minute(at)]).fetchall() for at in (2, 3)]
    assert [len(rows) for rows in owners] == [1, 0]


def test_members_stand_between_their_records(database: duckdb.DuckDBPyConnection) -> None:
    """With the state of their group, and names beside the ids of what they own."""
    place = {"cluster": "c", "group_id": "g", "group_type": "consumer", "log_partition": 7}
    insert(database, "core.topics", cluster="c", topic_id="ID", topic="t", last_seen_at=minute(9))
    insert(database, "core.group_states", **place, log_offset=1, state="Stable", from_at=minute(1), assignment_epoch=4)
    given = [{"topic": None, "topic_id": "ID", "partitions": [0]}]
    times = {"from_at": minute(2), "to_at": minute(4), "to_log_offset": 8}
    insert(database, "core.members", **place, log_offset=2, member_id="m", assigned=given, generation=4, **times)
    query = "SELECT state, generation, target_epoch, assigned FROM members_at(?::TIMESTAMPTZ)"
    shown = [{"topic": "t", "topic_id": "ID", "partitions": [0]}]
    assert database.execute(query, [minute(3)]).fetchall() == [("Stable", 4, 4, shown)]
    assert database.execute(query, [minute(1)]).fetchall() == database.execute(query, [minute(4)]).fetchall() == []


def test_a_group_that_came_back_is_not_dead(database: duckdb.DuckDBPyConnection) -> None:
    """A death has no end, but what was written after it counts."""
    place = {"cluster": "c", "group_id": "g", "group_type": "classic", "log_partition": 7}
    insert(database, "core.group_states", **place, log_offset=1, state="Dead", from_at=minute(1))
    insert(database, "core.group_states", **place, log_offset=2, state="Stable", from_at=minute(3))
    query = "SELECT state FROM group_states_at(?::TIMESTAMPTZ)"
    assert database.execute(query, [minute(2)]).fetchall() == [("Dead",)]
    assert database.execute(query, [minute(3)]).fetchall() == [("Stable",)]


def test_a_log_without_times_answers_for_its_end_alone(database: duckdb.DuckDBPyConnection) -> None:
    """Before Kafka 0.10 records have no times: who owned what then can't be told, but who does in the end can."""
    owned(database, 0, seen_at=None)
    assert database.execute("FROM owner_at(?::TIMESTAMPTZ)", [minute(9)]).fetchall() == []
    assert len(database.execute("FROM owner_at('infinity')").fetchall()) == 1
