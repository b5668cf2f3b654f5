"""Why an offset was removed: what the log around a removal allows, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assets.transforms.coordinator import Coordinator
from tests.assets.transforms.offsets_log import Log, Row, project
from tests.assets.transforms.test_cuts import after, cut, passes

if TYPE_CHECKING:
    from collections.abc import Sequence

DAY_MS = 86_400_000
EMPTY_GROUP = {"protocol_type": "consumer", "generation": 3, "current_state_timestamp": 5 * DAY_MS, "members": []}
G, H = {"group_id": "g"}, {"group_id": "h"}


def batch(log: Log, at_ms: int, *removals: Row, ends: Sequence[str] = (), **values: object) -> Log:
    """Append a batch that removes offsets of g's t-0, or of what is said, and then groups."""
    base = len(log.rows)
    place = {"batch_base_offset": base, "timestamp_ms": at_ms, "base_sequence": 0, **values}
    for removal in removals:
        log = log.remove(**{**place, **removal})
    for group in ends:
        log = log.add(**{**place, "record_type": 2, "key_bytes": 4, "is_tombstone": True, "group_id": group})
    return log


def committed(*keys: Row, at_ms: int = 0) -> Log:
    """Give a log that commits these keys."""
    log = Log()
    value = {"offset": 3, "leader_epoch": -1, "metadata": "", "commit_timestamp": at_ms, "expire_timestamp": -1}
    for key in keys:
        log = log.commit(3, timestamp_ms=at_ms, offset_commit=value, **key)
    return log


def causes(log: Log) -> list[tuple[str, int | None, bool | None]]:
    """Cause, time idle, and whether the group went too, of each removal."""
    rows = project(Coordinator, log)["core.commits"]
    assert all(
        row["cause"] is row["idle_ms"] is row["removed_with_group"] is None for row in rows if row["kind"] != "removed"
    )
    return [(row["cause"], row["idle_ms"], row["removed_with_group"]) for row in rows if row["kind"] == "removed"]


def test_what_stood_for_a_week_expired() -> None:
    """With its group, which has nothing else, or without."""
    assert causes(batch(committed(G), 7 * DAY_MS, G, ends=["g"])) == [("expired", 7 * DAY_MS, True)]
    assert causes(batch(committed(G), 7 * DAY_MS, G)) == [("expired", 7 * DAY_MS, False)]


def test_an_expiry_that_was_asked_for_is_one() -> None:
    """A commit of version 1 says when it is to expire."""
    value = {"offset": 3, "metadata": "", "commit_timestamp": 0, "expire_timestamp": 90_000}
    log = Log().commit(3, offset_commit=value)
    assert causes(batch(log, 90_000, G)) == [("expired", 90_000, False)]
    assert causes(batch(log, 89_999, G)) == [("unknown", 89_999, False)]


def test_the_time_of_an_empty_group_runs_since_it_was_empty() -> None:
    """A classic one; of a consumer group, which forgot that it once was a classic one, since the commit."""
    log = committed(G).add(record_type=2, key_bytes=4, group_id="g", group_metadata=EMPTY_GROUP)
    assert causes(batch(log, 8 * DAY_MS, G)) == [("unknown", 3 * DAY_MS, False)]
    assert causes(batch(log, 12 * DAY_MS, G)) == [("expired", 7 * DAY_MS, False)]
    log = log.add(record_type=2, key_bytes=4, group_id="g", is_tombstone=True)
    log = log.add(record_type=3, key_bytes=4, group_id="g", consumer_group_metadata={"epoch": 3})
    assert causes(batch(log, 8 * DAY_MS, G)) == [("expired", 8 * DAY_MS, False)]


def test_a_young_offset_that_went_with_its_group_was_deleted_with_it() -> None:
    """No broker lets an offset expire within a minute; later it is not known without the broker's retention."""
    assert causes(batch(committed(G), 59_999, G, ends=["g"])) == [("group_deleted", 59_999, True)]
    assert causes(batch(committed(G), 60_000, G, ends=["g"])) == [("unknown", 60_000, True)]
    assert causes(batch(committed(G), 5, G, ends=["h"])) == [("unknown", 5, False)]


def test_a_topic_takes_the_offsets_of_all_its_groups() -> None:
    """Several groups lose it in one batch, one of them too early to have expired."""
    log = committed(G, H, G | {"topic": "u"})
    assert causes(batch(log, 5, G, H)) == [("topic_deleted", 5, False)] * 2
    assert causes(batch(log, 70_000, G, H)) == [("unknown", 70_000, False)] * 2


def test_offsets_were_deleted_where_others_keep_the_topic() -> None:
    """The deletion of a topic would have taken those too."""
    log = committed(G, H, G | {"partition": 1})
    assert causes(batch(log, 5, G, G | {"partition": 1})) == [("offsets_deleted", 5, False)] * 2
    assert causes(batch(committed(G, H | {"topic": "u"}), 5, G)) == [("unknown", 5, False)]


def test_an_old_coordinator_removed_groups_without_a_word() -> None:
    """All offsets of a group at once, with the group: whether it, its offsets or its topics were deleted.

    Of a group of generation 0 no record was removed, since it had none.
    """
    log = committed(G, G | {"topic": "u"}, H)
    old: dict[str, Any] = {"base_sequence": None}
    assert causes(batch(log, 5, G, G | {"topic": "u"}, **old)) == [("old_coordinator_cleanup", 5, False)] * 2
    assert causes(batch(log, 5, G, ends=["g"], **old)) == [("old_coordinator_cleanup", 5, True)]
    assert causes(batch(log, 5, G, **old)) == [("offsets_deleted", 5, False)]


def test_a_batch_that_the_cleaner_wrote_may_have_lost_something() -> None:
    """What is not beside a removal any more may have been there."""
    log = committed(G, H)
    assert causes(batch(log, 5, G)) == [("offsets_deleted", 5, False)]
    assert causes(batch(log, 5, G, delete_horizon_ms=9)) == [("unknown", 5, None)]
    assert causes(batch(log, 5, G, ends=["g"], delete_horizon_ms=9)) == [("group_deleted", 5, True)]


def test_what_stood_is_not_known_behind_a_hole() -> None:
    """Neither is, then, why it was removed."""
    assert causes(batch(committed(G, H).hole(), 5, G)) == [("unknown", None, False)]


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["commit", "remove", "group"]),
        st.sampled_from([G, H]),
        st.sampled_from([{"topic": "t"}, {"topic": "u"}]),
        st.sampled_from([1, 50_000, 8 * DAY_MS]),
        st.booleans(),
    ),
    max_size=20,
)


def random_log(steps: Sequence[tuple[str, Row, Row, int, bool]]) -> Log:
    """Give a log of commits, removals with or without their group, and groups that become empty."""
    log, now = Log(), 0
    for what, group, topic, later_ms, also in steps:
        now += later_ms
        if what == "commit":
            more = committed(group | topic, at_ms=now).rows[0]
            log = log.add(
                **{name: value for name, value in more.items() if name not in ("log_offset", "batch_base_offset")}
            )
        elif what == "group":
            value = EMPTY_GROUP | {"current_state_timestamp": now}
            log = log.add(record_type=2, key_bytes=4, group_metadata=value, timestamp_ms=now, **group)
        else:
            log = batch(log, now, group | topic, ends=[group["group_id"]] if also else ())
    return log


@settings(max_examples=100)
@given(STEPS.map(random_log), passes)
def test_the_cleaner_makes_no_false_cause(log: Log, done: list[tuple[list[int], int, int | None]]) -> None:
    """A cause that is still told is the whole log's."""
    truth = {row["log_offset"]: row for row in project(Coordinator, log)["core.commits"]}
    for row in project(Coordinator, cut(log, after(log, done)))["core.commits"]:
        assert row["cause"] in ("unknown", truth[row["log_offset"]]["cause"])
        for evidence in ("idle_ms", "removed_with_group"):
            assert row[evidence] in (None, truth[row["log_offset"]][evidence])


@settings(max_examples=60)
@given(STEPS.map(random_log), st.lists(st.integers(0, 20), max_size=3))
def test_where_the_log_is_cut_does_not_matter(log: Log, cuts: list[int]) -> None:
    """Between two batches; a row comes when it ends, so that cuts may change the order of rows."""
    edges = [row["batch_base_offset"] for row in log.rows if row["log_offset"] in cuts]
    assert by_table(project(Coordinator, log, edges)) == by_table(project(Coordinator, log))


def by_table(tables: dict[str, list[Row]]) -> dict[str, list[Row]]:
    """The rows of each table, in one order."""
    return {name: sorted(rows, key=repr) for name, rows in tables.items()}


@pytest.mark.parametrize("protocol_type", ["", None])
def test_a_group_without_members_ever_has_no_time_of_its_own(protocol_type: str | None) -> None:
    """It is what commits without joining: its offsets' time runs since they were committed."""
    value = EMPTY_GROUP | {"protocol_type": protocol_type}
    log = committed(G).add(record_type=2, key_bytes=4, group_id="g", group_metadata=value)
    assert causes(batch(log, 8 * DAY_MS, G)) == [("expired", 8 * DAY_MS, False)]
