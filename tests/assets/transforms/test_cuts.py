"""Whatever the cleaner took: what is still claimed is what the whole log says, and the rest is not claimed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from assets.catalog import TABLES
from assets.duckdb.database import create_macros
from assets.transforms.compaction.cleaner import DAY_MS, CleanerPass, clean, log_of, records_in
from assets.transforms.coordinator import Coordinator
from assets.transforms.marts.commit_sums import FULL_NAME, sums_of_all
from assets.transforms.marts.replays import TRANSFORM
from assets.transforms.transactions import Transactions
from tests.assets.rows import computed_replays
from tests.assets.transforms.made_groups import assignment, classic
from tests.assets.transforms.offsets_log import SCHEMA, Log, Row, logs, project

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

FOREVER = {"first", "advance", "repeat", "rewind"}
UNKNOWN = {"cause": "unknown", "idle_ms": None, "removed_with_group": None, "actor": "unknown"}
LONGEST = 24

rolls = st.lists(st.integers(1, LONGEST), min_size=1, max_size=3, unique=True).map(sorted)
passes = st.lists(st.tuples(rolls, st.integers(0, LONGEST), st.sampled_from([None, 1, 2])), min_size=1, max_size=3)


def after(log: Log, done: Sequence[tuple[list[int], int, int | None]]) -> dict[int, int | None]:
    """The log offsets that are left after passes of the cleaner, a day after each other, and their delete horizons."""
    left, dirty = log_of(pa.Table.from_pylist([*log.rows], SCHEMA)), 0
    for number, (segments, first_dirty, entries) in enumerate(done):
        now_ms = (number + 1) * DAY_MS
        left = clean(left, CleanerPass((0, *segments), now_ms, min(dirty, first_dirty), map_entries=entries))
        dirty = segments[-1]
    rows = records_in(left)
    return dict(zip(rows["log_offset"].to_pylist(), rows["delete_horizon_ms"].to_pylist(), strict=True))


def cut(log: Log, left: Mapping[int, int | None]) -> Log:
    """A log of which these records are left, in batches with these delete horizons."""
    rest = log.without({row["log_offset"] for row in log.rows} - left.keys())
    return Log(tuple(row | {"delete_horizon_ms": left.get(row["log_offset"])} for row in rest.rows))


def with_copy(log: Log, left: Mapping[int, int | None], read_to: int) -> dict[int, int | None]:
    """What is left, and what another copy has that was read before the cleaner came.

    Nobody waited between the two for so long that a removal was forgotten.
    """
    removals = (row["log_offset"] for row in log.rows if row["is_tombstone"])
    return {**left, **dict.fromkeys([*range(read_to), *removals])}


def history(log: Log) -> dict[int, Row]:
    """The effective commits of a log by their own offset."""
    return {row["log_offset"]: row for row in project(Coordinator, log)["core.commits"]}


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
    there = {offset for offset, row in truth.items() if {offset, row["effective_log_offset"]} <= left.keys()}
    assert there <= claims.keys()


@settings(max_examples=100)
@given(logs(LONGEST, holes=False), passes, st.integers(0, LONGEST))
def test_nor_do_two_copies_of_which_the_cleaner_went_over_one(
    log: Log, done: list[tuple[list[int], int, int | None]], read_to: int
) -> None:
    """The beginning was read before the cleaner came: what a marker behind a hole did is then marked as not certain."""
    truth = history(log)
    claims = history(cut(log, after(log, done) | dict.fromkeys(range(read_to))))
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
    truth = {ending(row): row for row in project(Transactions, log)["core.transactions"]}
    for row in project(Transactions, cut(log, after(log, done)))["core.transactions"]:
        whole = truth[ending(row)]
        assert row["outcome"] == whole["outcome"]
        assert set(row["groups"]) <= set(whole["groups"])
        assert row["record_count"] <= whole["record_count"]
        assert row["log_offset"] >= whole["log_offset"]
        assert row == whole or not row["is_gap_free"]


Phase = tuple[str, list[int]]
offsets = st.integers(0, 6)
phases = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["a", "b"]), st.lists(offsets, min_size=1, max_size=4).map(sorted)),
        st.tuples(st.just("admin"), st.lists(offsets, min_size=1, max_size=1)),
        st.tuples(st.just("removal"), st.just([])),
    ),
    min_size=3,
    max_size=6,
)
"""What happens to an offset: a member reads on and leaves, an admin sets it while nobody is there, or it is removed."""
lives = st.lists(st.tuples(phases, passes), min_size=15, max_size=15)


BATCH = {"topic": "t", "partition": 0, "base_offset": 0, "last_offset": 9, "max_timestamp_ms": 0}
"""All that there is to read was there from the beginning."""


def life(phases: Iterable[Phase]) -> Log:
    """The log of a group's life."""
    log = Log()
    for generation, (who, committed) in enumerate(phases):
        is_member = len(who) == 1
        if is_member:
            log = log.add(**classic(2 * generation + 1, {who: assignment(0)}), key_bytes=3)
        log = log.remove() if who == "removal" else log
        for offset in committed:
            log = log.commit(offset)
        if is_member:
            log = log.add(**classic(2 * generation + 2), key_bytes=3)
    return log


def replays(*logs: Log) -> list[dict[tuple[int, str], tuple[int, int]]]:
    """What is certain of each log, by the record that it is told of and how."""
    rows: dict[str, list[Row]] = {name: [] for name in TRANSFORM.reads}
    for number, log in enumerate(logs):
        for name, some in project(Coordinator, log).items():
            filled = "core.group_states" if name == "internal.recorded_group_states" else name
            place = {"cluster": str(number), "log_partition": 0, "source": "record"}
            rows.get(filled, []).extend(row | place for row in some)
        rows["raw.batches"].append({**BATCH, "cluster": str(number)})
    claims: list[dict[tuple[int, str], tuple[int, int]]] = [{} for _ in logs]
    with duckdb.connect() as connection:
        connection.execute("CREATE SCHEMA raw; CREATE SCHEMA core; CREATE SCHEMA internal; CREATE SCHEMA mart")
        for name, some in rows.items():
            connection.register("rows", pa.Table.from_pylist(some, TABLES[name].schema))
            connection.execute(f"CREATE TABLE {name} AS FROM rows")
        connection.unregister("rows")
        connection.from_arrow(sums_of_all(connection)).insert_into(FULL_NAME)
        create_macros(connection)
        connection.register("computed_rows", computed_replays(connection))
        certain = "SELECT cluster, log_offset, kind, certain_from, certain_to FROM computed_rows"
        certain_replays = connection.sql(f"{certain} WHERE certain_from IS NOT NULL")
        for number, offset, how, *span in certain_replays.fetchall():
            claims[int(number)][offset, how] = (span[0], span[1])
    return claims


def is_inside(claim: tuple[int, int], whole: tuple[int, int] | None) -> bool:
    """Whether a certain range is part of the one that the whole log tells."""
    return whole is not None and whole[0] <= claim[0] and claim[1] <= whole[1]


@settings(max_examples=4)
@given(lives)
def test_no_pass_of_the_cleaner_makes_a_certain_replay(lives_and_passes: list[tuple[list[Phase], list[Any]]]) -> None:
    """What is certain of the log that is left is certain of the whole log, in the same way; or it is not certain."""
    whole = [life(one) for one, _ in lives_and_passes]
    left = [cut(log, after(log, done)) for log, (_, done) in zip(whole, lives_and_passes, strict=True)]
    claims = replays(*whole, *left)
    for truth, claimed in zip(claims[: len(whole)], claims[len(whole) :], strict=True):
        assert all(is_inside(claim, truth.get(of)) for of, claim in claimed.items()), (truth, claimed)


@settings(max_examples=4)
@given(lives, st.lists(st.tuples(st.integers(0, LONGEST), st.integers(0, 4)), min_size=15, max_size=15))
def test_nor_does_a_segment_that_is_missing_make_one(
    lives_and_passes: list[tuple[list[Phase], list[Any]]], gone: list[tuple[int, int]]
) -> None:
    """Wherever it is."""
    whole = [life(one) for one, _ in lives_and_passes]
    left = [log.without(set(range(at, at + size))) for log, (at, size) in zip(whole, gone, strict=True)]
    claims = replays(*whole, *left)
    for truth, claimed in zip(claims[: len(whole)], claims[len(whole) :], strict=True):
        assert all(is_inside(claim, truth.get(of)) for of, claim in claimed.items()), (truth, claimed)


def test_a_set_back_and_a_new_beginning_are_certain_of_the_whole_log() -> None:
    """So that the tests above are about something."""
    back = life([("a", [1, 3, 5]), ("admin", [2]), ("b", [3, 6])])
    again = life([("a", [1, 3, 5]), ("removal", []), ("b", [2, 6])])
    assert replays(back, again, back.without({1})) == [
        {(5, "set_back"): (2, 5)},
        {(7, "restarted_at_earliest"): (2, 5)},
        {},
    ]
