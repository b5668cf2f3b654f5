"""What assignors would have made of generations that are made by hand, and of those that a replay gives."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from assets.catalog import TABLES
from assets.transforms.marts.observed_generations import what_if
from assets.transforms.marts.what_if import (
    CONVERTED,
    HASH_ORDER,
    HELD_BACK,
    NO_BEFORE,
    OWN_ASSIGNOR,
    RACKS,
    RIGHT,
    TOO_LARGE,
    UNDECIDED,
    UNREADABLE,
    WRONG,
    Generation,
    MemberInGeneration,
    assignor_rows,
)
from tests.assets.rows import REPLAYED, Book
from tests.assets.test_rebalances import cooperative, generation
from tests.assets.transforms.made_groups import (
    COMMIT,
    classic,
    current,
    epoch,
    logged,
    member,
    row_of,
    target,
    target_epoch,
)

if TYPE_CHECKING:
    from tests.assets.transforms.offsets_log import Row

NAME = "mart.assignor_what_if"


def given(**places: tuple[int, ...]) -> tuple[MemberInGeneration, ...]:
    """Members that subscribe t, and which of its partitions each was given."""
    topic = frozenset({"t"})
    return tuple(
        MemberInGeneration(name, None, topic, None, frozenset(("t", number) for number in numbers))
        for name, numbers in places.items()
    )


def generation_of(
    assignor: str, members: tuple[MemberInGeneration, ...], before: dict[str, str] | None = None
) -> Generation:
    """A generation by one assignor; before are the owners of partitions 0, 1, ... in the generation before."""
    owners = None if before is None else {("t", int(number)): owner for number, owner in before.items()}
    return Generation({"generation": 2}, members, frozenset({assignor}), owners, 1)


def rows(one: Generation) -> dict[str, dict[str, Any]]:
    """What is said of each assignor."""
    return {row["assignor"]: row for row in assignor_rows(one)}


def verdict(one: Generation) -> tuple[str, str | None]:
    """What is said of the assignor that the generation had."""
    ((verdict_of_row, reason),) = [(row["verdict"], row["reason"]) for row in assignor_rows(one) if row["is_observed"]]
    return verdict_of_row, reason


HAD_BY_A = {"0": "a", "1": "a", "2": "a"}


def test_every_assignor_is_asked() -> None:
    """With what each would have moved and how even it would have been, beside what was done."""
    verdicts = rows(generation_of("range", given(a=(0, 1), b=(2,)), HAD_BY_A))
    assert {name: (row["partitions_moved"], row["imbalance"]) for name, row in verdicts.items()} == {
        "range": (1, 1),
        "roundrobin": (1, 1),
        "sticky": (1, 1),
        "cooperative-sticky": (0, 2),
        "uniform": (1, 1),
    }
    assert {(row["actual_moved"], row["actual_imbalance"], row["partitions"]) for row in verdicts.values()} == {
        (1, 1, 3)
    }
    assert [name for name, row in verdicts.items() if row["verdict"]] == ["range"]


@pytest.mark.parametrize(
    ("assignor", "members", "expected"),
    [
        ("range", given(a=(0, 1), b=(2,)), (RIGHT, None)),
        ("range", given(a=(0, 2), b=(1,)), (WRONG, None)),
        ("roundrobin", given(a=(0, 2), b=(1,)), (RIGHT, None)),
        ("roundrobin", given(a=(0, 1), b=(2,)), (WRONG, None)),
        ("sticky", given(a=(0, 1), b=(2,)), (RIGHT, None)),
        ("sticky", given(a=(0, 2), b=(1,)), (UNDECIDED, HASH_ORDER)),
        ("sticky", given(a=(), b=(0, 1, 2)), (WRONG, None)),
        ("cooperative-sticky", given(a=(0, 1), b=()), (RIGHT, None)),
        ("cooperative-sticky", given(a=(0,), b=()), (UNDECIDED, HELD_BACK)),
        ("mine", given(a=(0, 1), b=(2,)), (UNDECIDED, OWN_ASSIGNOR)),
    ],
)
def test_what_a_group_was_given_is_judged(
    assignor: str, members: tuple[MemberInGeneration, ...], expected: tuple[str, str | None]
) -> None:
    """A had all three before B came; where more than one answer would be right nothing is claimed."""
    assert verdict(generation_of(assignor, members, HAD_BY_A)) == expected


def test_without_what_was_before_a_sticky_one_can_only_be_right() -> None:
    """The others don't look at it."""
    uneven = given(a=(2,), b=(0, 1))
    assert verdict(generation_of("sticky", uneven)) == (UNDECIDED, NO_BEFORE)
    assert verdict(generation_of("range", uneven)) == (WRONG, None)
    assert {row["partitions_moved"] for row in assignor_rows(generation_of("range", uneven))} == {None}


def test_racks_are_an_excuse() -> None:
    """Where replicas stand is in no record of the offsets topic."""
    members = tuple(replace(member, rack="r") for member in given(a=(0, 2), b=(1,)))
    assert verdict(generation_of("range", members, HAD_BY_A)) == (UNDECIDED, RACKS)


def test_static_members_may_be_in_the_order_of_old_clients() -> None:
    """Before 2.4 their instance ids counted for nothing."""
    first, second = given(a=(0, 1), b=(2,))
    swapped = (replace(first, instance_id="z"), replace(second, instance_id="y"))
    assert verdict(generation_of("range", swapped, HAD_BY_A)) == (RIGHT, None)
    neither = tuple(replace(member, instance_id="i" + member.member_id) for member in given(a=(0, 2), b=(1,)))
    assert verdict(generation_of("range", neither, HAD_BY_A)) == (WRONG, None)
    right = given(a=(2,), b=(0, 1))
    assert verdict(
        generation_of("range", tuple(replace(s, instance_id=i) for s, i in zip(right, "zy", strict=True)))
    ) == (
        RIGHT,
        None,
    )


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"topics": None}, UNREADABLE),
        ({"given": None}, UNREADABLE),
        ({"given": frozenset({("t", 200_000_000)})}, TOO_LARGE),
    ],
)
def test_what_cannot_be_worked_out_is_said(changed: dict[str, Any], reason: str) -> None:
    """In one row, for the assignor that the group had."""
    first, second = given(a=(0,), b=(1,))
    (row,) = assignor_rows(generation_of("range", (first, replace(second, **changed)), HAD_BY_A))
    assert (row["assignor"], row["verdict"], row["reason"], row["partitions_moved"]) == (
        "range",
        UNDECIDED,
        reason,
        None,
    )


def test_a_converted_group_was_assigned_by_nobody() -> None:
    """Its coordinator wrote down what members had."""
    assert verdict(replace(generation_of("range", given(a=(0, 1, 2), b=()), HAD_BY_A), is_converted=True)) == (
        UNDECIDED,
        CONVERTED,
    )


def test_a_broker_s_default_is_the_one_that_fits() -> None:
    """Members may leave the choice to the broker, and no record names it."""
    verdicts = generation_of("", given(a=(0, 1), b=(2,)), HAD_BY_A)
    verdicts = replace(verdicts, observed=frozenset({"uniform", "range"}))
    assert {name: row["verdict"] for name, row in rows(verdicts).items() if row["is_observed"]} == {
        "uniform": RIGHT,
        "range": RIGHT,
    }
    verdicts = replace(verdicts, members=given(a=(), b=(0, 1, 2)))
    assert {row["reason"] for row in assignor_rows(verdicts) if row["is_observed"]} == {OWN_ASSIGNOR}


def what_if_rows(book: Book, *, is_of_this_release: bool = True) -> list[dict[str, Any]]:
    """The table, as it follows from what stands in the others and in itself."""
    with book.borrowed() as connection:
        batches = [batch.cast(TABLES[NAME].schema) for batch in what_if(connection, is_of_this_release)]
        connection.execute("DROP TABLE final_rows")
    rows_of_table: list[dict[str, Any]] = pa.Table.from_batches(batches, TABLES[NAME].schema).to_pylist()
    return rows_of_table


def replayed(log: list[Row]) -> Book:
    """What a replay makes of a log, and no name of a topic."""
    book = Book([*REPLAYED, "core.assignments", "core.topics", NAME])
    book.replay(log)
    return book


def observed(log: list[Row]) -> list[tuple[Any, ...]]:
    """Generation, assignor and verdict of those that groups had."""
    return [
        (row["generation"], row["assignor"], row["verdict"])
        for row in what_if_rows(replayed(log))
        if row["is_observed"]
    ]


def test_generations_of_a_classic_group() -> None:
    """An empty one is nobody's assignment, and a static member that comes back is given what it had."""
    again = generation(4, a=(0, 1))
    log = logged(generation(1, a=(0, 1)), generation(2, a=(0,), b=(1,)), classic(3), again, again)
    assert observed(log) == [(1, "range", RIGHT), (2, "range", RIGHT), (4, "range", RIGHT)]


def test_a_group_that_was_removed_gave_nobody_anything() -> None:
    """What it begins with again is moved from nobody."""
    verdicts = what_if_rows(replayed(logged(generation(1, a=(0, 1)), row_of(2), generation(1, b=(0, 1)))))
    assert {row["actual_moved"] for row in verdicts} == {0}


def test_a_cooperative_hand_over_is_right_in_both_generations() -> None:
    """The first holds back what the second gives out."""
    log = logged(cooperative(1, a=(0, 1)), cooperative(2, a=(0,), b=()), cooperative(3, a=(0,), b=(1,)))
    assert [word for _, _, word in observed(log)] == [RIGHT] * 3


def test_targets_of_a_consumer_group() -> None:
    """Judged once each, when they are complete; topics are only known by their ids until somebody names them."""
    log = logged(
        [member("a"), epoch(2), target("a", 0, 1), target_epoch(2), current("a", 2, 0, 1, previous_member_epoch=0)],
        [member("b"), epoch(3), target("a", 0), target("b", 1), target_epoch(3)],
        current("a", 3, 0),
        current("b", 3, 1),
    )
    assert [word for _, _, word in observed(log)] == [UNDECIDED] * 4
    book = replayed(log)
    book.insert("core.topics", cluster="c", topic="t", topic_id="T" * 22)
    rows_ = [row for row in what_if_rows(book) if row["is_observed"]]
    assert {(row["generation"], row["verdict"]) for row in rows_} == {(2, RIGHT), (3, RIGHT)}


def test_an_undecided_generation_is_asked_again() -> None:
    """Also where it is known what moved: another release, or a topic's name, may decide it."""
    book = replayed(logged(generation(1, a=(0, 1)), COMMIT, generation(6, a=(0,), b=(1,))))
    first = what_if_rows(book)
    assert all(row["partitions_moved"] is not None for row in first if row["generation"] == 6)
    with book.borrowed() as connection:
        connection.register("first", pa.Table.from_pylist(first, TABLES[NAME].schema))
        connection.execute(f"INSERT INTO {NAME} FROM first")
        connection.execute(f"UPDATE {NAME} SET imbalance = 77")  # noqa: S608 - our own name
        undecided = f"UPDATE {NAME} SET verdict = $1 WHERE generation = 6 AND is_observed"  # noqa: S608 - our own name
        connection.execute(undecided, [UNDECIDED])
    assert {row["generation"]: row["imbalance"] == 77 for row in what_if_rows(book)} == {1: True, 6: False}


def test_what_was_judged_for_good_is_not_asked_again() -> None:
    """By this release; what could not be told is, and so is everything by another release."""
    log = logged(generation(1, a=(0, 1)), COMMIT, generation(5, a=(0, 1)), generation(6, a=(0,), b=(1,)))
    book = replayed([row for row in log if row["log_offset"] != 1])
    first = what_if_rows(book)
    with book.borrowed() as connection:
        connection.register("first", pa.Table.from_pylist(first, TABLES[NAME].schema))
        connection.execute(f"INSERT INTO {NAME} FROM first")
        connection.execute(f"UPDATE {NAME} SET imbalance = 77")  # noqa: S608 - our own name
    ages = [
        {row["generation"]: row["imbalance"] == 77 for row in what_if_rows(book, is_of_this_release=one)}
        for one in (True, False)
    ]
    assert ages == [{1: True, 5: False, 6: True}, {1: False, 5: False, 6: False}]
