"""Whatever the cleaner took: what is still claimed is what the whole log says, and the rest is not claimed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from assets.transforms.compaction import DAY_MS, Cleaning, cleaned, logged, records_of
from assets.transforms.coordinator import Coordinator
from assets.transforms.transactions import Transactions
from tests.assets.transforms.offsets_log import SCHEMA, Log, Row, logs, told

if TYPE_CHECKING:
    from collections.abc import Sequence

FOREVER = {"first", "advance", "repeat", "rewind"}
UNKNOWN = {"cause": "unknown", "idle_ms": None, "removed_with_group": None}
LONGEST = 24

rolls = st.lists(st.integers(1, LONGEST), min_size=1, max_size=3, unique=True).map(sorted)
passes = st.lists(st.tuples(rolls, st.integers(0, LONGEST), st.sampled_from([None, 1, 2])), min_size=1, max_size=3)


def after(log: Log, done: Sequence[tuple[list[int], int, int | None]]) -> set[int]:
    """The log offsets that are left after passes of the cleaner, a day after each other."""
    left, dirty = logged(pa.Table.from_pylist([*log.rows], SCHEMA)), 0
    for number, (segments, first_dirty, entries) in enumerate(done):
        now_ms = (number + 1) * DAY_MS
        left = cleaned(left, Cleaning((0, *segments), now_ms, min(dirty, first_dirty), map_entries=entries))
        dirty = segments[-1]
    return set(records_of(left)["log_offset"].to_pylist())


def cut(log: Log, left: set[int]) -> Log:
    """A log of which these records are left."""
    return log.without({row["log_offset"] for row in log.rows} - left)


def history(log: Log) -> dict[int, Row]:
    """The effective commits of a log by their own offset."""
    return {row["log_offset"]: row for row in told(Coordinator, log)["core.commits"]}


def agrees(claim: Row, truth: Row) -> bool:
    """Whether a row says nothing but what is true."""
    if claim["kind"] == "unknown":
        compared, is_right = {"kind", "delta", "previous_offset", "is_previous_known"}, truth["kind"] in FOREVER
    elif not claim["is_previous_known"]:
        compared, is_right = {"previous_offset", "is_previous_known"}, claim["kind"] == "removed"
    else:
        compared, is_right = set(), True
    nothing = all(claim[name] is None for name in ("previous_offset", "delta")) or claim["is_previous_known"]
    own = claim.keys() - compared - {"is_effect_known"} - UNKNOWN.keys()
    is_told = all(claim[name] in (truth[name], unknown) for name, unknown in UNKNOWN.items())
    return is_right and nothing and is_told and all(claim[name] == truth[name] for name in own)


def ending(row: Row) -> tuple[int, int | None]:
    """What tells one transaction from another, however much of it was seen."""
    return row["producer_id"], row["marker_log_offset"]


@settings(max_examples=150)
@given(logs(LONGEST, holes=False), passes)
def test_no_pass_of_the_cleaner_makes_a_false_claim(log: Log, done: list[tuple[list[int], int, int | None]]) -> None:
    """Every commit that is left is one of the whole log's, and every one of these whose records are left is there."""
    left, truth = after(log, done), history(log)
    claims = history(cut(log, left))
    assert claims.keys() <= truth.keys()
    assert all(agrees(claim, truth[offset]) for offset, claim in claims.items())
    there = {offset for offset, row in truth.items() if {offset, row["effective_log_offset"]} <= left}
    assert there <= claims.keys()


@settings(max_examples=100)
@given(logs(LONGEST, holes=False), passes, st.integers(0, LONGEST))
def test_nor_do_two_copies_of_which_the_cleaner_went_over_one(
    log: Log, done: list[tuple[list[int], int, int | None]], read_to: int
) -> None:
    """The beginning was read before the cleaner came: what a marker behind a hole did is then marked as not certain."""
    truth = history(log)
    claims = history(cut(log, after(log, done) | set(range(read_to))))
    sure = {offset: claim for offset, claim in claims.items() if claim["is_effect_known"]}
    assert sure.keys() <= truth.keys()
    assert all(agrees(claim, truth[offset]) for offset, claim in sure.items())


@settings(max_examples=100)
@given(logs(LONGEST, holes=False), st.integers(0, LONGEST), st.integers(0, LONGEST))
def test_nor_does_a_segment_that_is_missing(log: Log, first: int, last: int) -> None:
    """Whatever stood in it, transactions and removals alike."""
    truth = history(log)
    claims = history(log.without(set(range(first, last))))
    sure = {offset: claim for offset, claim in claims.items() if claim["is_effect_known"]}
    assert sure.keys() <= truth.keys()
    assert all(agrees(claim, truth[offset]) for offset, claim in sure.items())


@settings(max_examples=50)
@given(logs(LONGEST, holes=False), passes)
def test_transactions_that_are_whole_are_those_of_the_whole_log(
    log: Log, done: list[tuple[list[int], int, int | None]]
) -> None:
    """Of others no more is said than what was seen: part of their records, and how they ended."""
    truth = {ending(row): row for row in told(Transactions, log)["core.transactions"]}
    for row in told(Transactions, cut(log, after(log, done)))["core.transactions"]:
        whole = truth[ending(row)]
        assert row["outcome"] == whole["outcome"]
        assert set(row["groups"]) <= set(whole["groups"])
        assert row["record_count"] <= whole["record_count"]
        assert row["log_offset"] >= whole["log_offset"]
        assert row == whole or not row["is_whole"]
