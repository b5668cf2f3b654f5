"""Who owned a partition, from when to when, and how it ended."""

from __future__ import annotations

from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.assets.transforms.made_groups import (
    BATCHES_OF_A_LOG,
    COMMIT,
    T,
    assignment,
    classic,
    current,
    epoch,
    gone,
    holed_logs,
    logged,
    member,
    replayed,
    revoking,
    row_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.assets.transforms.offsets_log import Row

PLACE = ("group_id", "group_type", "topic", "topic_id", "partition")


def owners(rows: Sequence[Row]) -> list[Row]:
    """The rows of core.ownership that a log gives."""
    return replayed(rows)["core.ownership"]


def owners_in_words(rows: Sequence[Row]) -> list[tuple[Any, ...]]:
    """Partition, member, first record, record of the end, and how it ended."""
    names = ("partition", "member_id", "log_offset", "until_log_offset", "end_reason")
    return sorted((tuple(row[name] for name in names) for row in owners(rows)), key=lambda row: (row[2], row[0]))


def test_an_owner_owns_through_generations() -> None:
    """Who keeps a partition over a rebalance is one owner, with the generations of its beginning and its end."""
    log = logged(classic(0), classic(1, {"a": assignment(0)}), classic(2, {"a": assignment(0), "b": assignment(1)}))
    first, second = owners(log)
    assert (first["log_offset"], first["generation"], first["last_generation"]) == (1, 1, 2)
    assert (second["log_offset"], second["generation"], second["until_log_offset"]) == (2, 2, None)
    assert (first["client_id"], first["client_host"], first["end_reason"]) == ("a", "/h", None)


def test_a_cooperative_hand_over_has_a_gap() -> None:
    """One generation takes the partition away, the next gives it to another; in between nobody has it."""
    log = logged(
        classic(1, {"a": assignment(0, 1)}),
        classic(2, {"a": assignment(0), "b": b""}),
        classic(3, {"a": assignment(0), "b": assignment(1)}),
    )
    assert owners_in_words(log) == [(0, "a", 0, None, None), (1, "a", 0, 1, "revoked"), (1, "b", 2, None, None)]


def test_records_do_not_tell_leaving_from_expiry() -> None:
    """Either way the member is gone; what is left to others begins where it ends."""
    log = logged(classic(1, {"a": assignment(0), "b": b""}), classic(2, {"b": assignment(0)}), classic(3))
    assert owners_in_words(log) == [(0, "a", 0, 1, "left_or_expired"), (0, "b", 1, 2, "left_or_expired")]


def test_a_static_member_that_comes_back_replaces_itself() -> None:
    """Another member id with the same instance id, in the same generation."""
    log = logged(
        classic(1, {"a": assignment(0)}, instances={"a": "i"}), classic(1, {"b": assignment(0)}, instances={"b": "i"})
    )
    assert owners_in_words(log) == [(0, "a", 0, 1, "replaced"), (0, "b", 1, None, None)]


def test_a_removed_group_has_no_owners() -> None:
    """Its tombstone ends them."""
    assert owners_in_words(logged(classic(1, {"a": assignment(0)}), row_of(2))) == [(0, "a", 0, 1, "removed")]


def test_a_conversion_ends_owners_by_name_and_begins_owners_by_id() -> None:
    """In the same batch, so that no commit can lie between."""
    log = logged(
        classic(2, {"a": assignment(0)}), [row_of(2), member("a"), epoch(3), current("a", 3, 0)], [*gone("a"), epoch(4)]
    )
    rows = [(row["topic"], row["topic_id"], row["end_reason"]) for row in owners(log)]
    assert rows == [("t", None, "converted"), (None, T, "left_or_expired")]


def test_what_has_to_be_given_up_is_owned_until_it_is() -> None:
    """The coordinator gives it to nobody before; from when on it was being given up is told."""
    log = logged(
        [member("a"), epoch(1), current("a", 1, 0, 1, previous_member_epoch=0)],
        current("a", 1, 0, **revoking(1)),
        current("a", 2, 0),
    )
    unchanged, lost = owners(log)
    assert (lost["partition"], lost["until_log_offset"], lost["end_reason"]) == (1, 4, "revoked")
    assert lost["revoking_at"].timestamp() == 3
    assert (unchanged["until_log_offset"], unchanged["revoking_at"]) == (None, None)


def test_a_static_member_of_a_consumer_group_is_replaced_too() -> None:
    """Its old id goes and its new one comes in one batch."""
    log = logged(
        [member("a", instance="i"), epoch(1), current("a", 1, 0)],
        [*gone("a"), member("b", instance="i"), current("b", 1, 0)],
    )
    assert [row[4] for row in owners_in_words(log)] == ["replaced", None]


def test_a_beginning_that_was_not_seen_is_unknown() -> None:
    """In a log that begins late, a member may have owned its partition before; one in its first epoch can't have."""
    log = logged(COMMIT, classic(7, {"a": assignment(0)}), [member("b", "h"), current("b", 1, 0, group="h")])[1:]
    new = logged(COMMIT, current("b", 5, 0, group="h", previous_member_epoch=0))[1:]
    assert [row["from_log_offset"] for row in owners(log)] == [None, None]
    assert [row["from_log_offset"] for row in owners(new)] == [1]


def test_an_end_that_was_not_seen_is_unknown() -> None:
    """Something between may have ended it earlier, and another may have had the partition meanwhile."""
    first, _, last = logged(classic(1, {"a": assignment(0)}), COMMIT, classic(3, {"a": assignment(0)}))
    before, after = owners([first, last])
    assert (before["to_log_offset"], before["until_log_offset"], before["end_reason"]) == (None, 2, "unknown")
    assert (after["log_offset"], after["from_log_offset"]) == (2, None)


def test_who_may_have_lost_it_unseen_may_own_it_still() -> None:
    """Nobody is seen to take it, but offsets are missing at the end."""
    first, _, last = logged(classic(1, {"a": assignment(0)}), COMMIT, COMMIT)
    assert owners_in_words([first, last]) == [(0, "a", 0, None, "unknown")]


def test_two_that_claim_a_partition_at_a_time_never_both_own_it() -> None:
    """No coordinator writes that; of what one record gives to two the last has it, and who claims later takes it."""
    log = logged(classic(1, {"a": assignment(0), "b": assignment(0)}))
    assert [row["member_id"] for row in owners(log)] == ["b"]
    log = logged([epoch(1), current("a", 1, 0)], current("b", 1, 0))
    assert owners_in_words(log) == [(0, "a", 1, 2, "unknown"), (0, "b", 2, None, None)]


def test_members_of_share_groups_own_nothing() -> None:
    """They read the same partitions."""
    given = {"member_epoch": 1, "state": 0, "assigned_partitions": [{"topic_id": T, "partitions": [0]}]}
    assert owners(logged(row_of(14, "q", "m", share_group_current_member_assignment=given))) == []


@settings(max_examples=20)
@given(holed_logs())
def test_no_two_own_a_partition_at_a_time(log: Sequence[Row]) -> None:
    """Whatever the records say: who comes next begins no earlier than the one before ends."""
    rows = sorted(owners(log), key=itemgetter("log_offset"))
    for place in {tuple(row[name] for name in PLACE) for row in rows}:
        of_place = [row for row in rows if tuple(row[name] for name in PLACE) == place]
        for one, other in pairwise(of_place):
            assert one["until_log_offset"] is not None
            assert one["until_log_offset"] <= other["log_offset"]


@settings(max_examples=20)
@given(BATCHES_OF_A_LOG, st.sets(st.integers(0, 20), min_size=1, max_size=4))
def test_what_was_not_seen_never_makes_another_claim(batches: Sequence[Sequence[Row]], unseen: set[int]) -> None:
    """Every owner of the log with holes was one of the whole log; what is said for certain is what was true there.

    A commit ends the log, since a hole is known by what stands behind it. Who owned something between two records of
    one batch owned it for no time: a log that lacks the second one tells of it, and says that the end is not known.
    """
    log = logged(*batches, COMMIT)
    remainder = [row for row in log if row["log_offset"] not in unseen or row is log[-1]]
    torn = {row["batch_base_offset"] for row in log if row not in remainder}
    whole = {(*(row[name] for name in PLACE), row["member_id"], row["log_offset"]) for row in _claims(log)}
    truth = owners(log)
    for row in owners(remainder):
        key = (*(row[name] for name in PLACE), row["member_id"], row["log_offset"])
        if key in whole:
            _same_where_certain(row, [one for one in truth if _is_of(one, row)])
        else:
            assert (log[row["log_offset"]]["batch_base_offset"] in torn, row["end_reason"]) == (True, "unknown")


def _claims(log: Sequence[Row]) -> list[Row]:
    """Every record by which a member owned a partition in the whole log, as an owner that begins there."""
    offsets = [row["log_offset"] for row in log]
    return [
        row | {"log_offset": offset}
        for row in owners(log)
        for offset in offsets
        if row["log_offset"] <= offset < (row["until_log_offset"] or offsets[-1] + 1)
    ]


def _is_of(one: Row, row: Row) -> bool:
    """The owner of the whole log who owned the partition at the record where another is first seen."""
    is_same = all(one[name] == row[name] for name in (*PLACE, "member_id"))
    return is_same and one["log_offset"] <= row["log_offset"] < (one["until_log_offset"] or 1 << 40)


def _same_where_certain(row: Row, owner: Sequence[Row]) -> None:
    (one,) = owner
    if row["end_reason"] is None:
        assert one["until_log_offset"] is None
    if row["from_log_offset"] is not None:
        assert row["from_log_offset"] == one["log_offset"]
    if row["to_log_offset"] is not None:
        assert (row["to_log_offset"], row["end_reason"]) == (one["until_log_offset"], one["end_reason"])
