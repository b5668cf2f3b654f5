"""How the commits of a store outside Kafka become history: what may be missing is known key by key."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from assets.catalog.core.commits import COMMITS
from assets.catalog.raw.external import EXTERNAL_COMMITS, ZOOKEEPER_EVENTS
from assets.transforms.commits.store_commits import StoreCommits
from assets.transforms.log_chunks import Reader
from assets.transforms.projection import RUNS, StoreEvents

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.assets.transforms.offsets_log import Row

STEP = 1 << 16
NO_EVENTS = StoreEvents(ZOOKEEPER_EVENTS.schema.empty_table(), RUNS.empty_table())


@dataclass(frozen=True)
class Store:
    """The commits of one store, in order; adding to one gives another."""

    rows: tuple[Row, ...] = ()

    def commit(self, offset: int | None, version: int | None = None, **values: Any) -> Store:  # noqa: ANN401 - columns
        """Append a commit of g's t-0; without an offset a removal."""
        at = (self.rows[-1]["log_offset"] // STEP + 1 if self.rows else 1) * STEP
        blank = {
            "log_offset": at,
            "batch_base_offset": at,
            "timestamp_ms": 1000 * at // STEP,
            "version": version,
            "cluster": "c",
            "log_partition": -7,
            "store_kind": "zookeeper",
            "store": "/",
            "source_file": "f",
            "group_id": "g",
            "topic": "t",
            "partition": 0,
            "committed_offset": offset,
            "metadata": None,
            "session_id": None,
            "is_sampled": False,
            "read_at": 0,
        }
        return Store((*self.rows, blank | values))


def replay_store(store: Store, cuts: Sequence[int] = ()) -> dict[str, list[Row]]:
    """What a replay makes of a store that is cut in chunks, with its memory taken from one to the next."""
    projection, reader = StoreCommits.resume({}), Reader()
    rows_by_table: dict[str, list[Row]] = {name: [] for name in StoreCommits.tables}
    for low, high in pairwise([0, *sorted(cuts), len(store.rows)]):
        if low < high:
            rows = pa.Table.from_pylist(store.rows[low:high], EXTERNAL_COMMITS.schema)
            for name, produced_rows in projection.replay(reader.store_chunk(rows, NO_EVENTS)).items():
                rows_by_table[name] += produced_rows.to_pylist()
        projection = StoreCommits.resume(projection.memory())
    return rows_by_table


def kinds(store: Store) -> list[tuple[str, int | None]]:
    """The kind of each commit, and what was committed before."""
    return [(row["kind"], row["previous_offset"]) for row in replay_store(store)["core.commits"]]


def test_each_commit_is_compared_with_the_one_before() -> None:
    """As in the offsets topic."""
    store = Store().commit(10, 0).commit(15, 1).commit(15, 2).commit(4, 3).commit(None).commit(3, 0)
    assert kinds(store) == [
        ("first", None),
        ("advance", 10),
        ("repeat", 15),
        ("rewind", 15),
        ("removed", 4),
        ("first", None),
    ]
    assert replay_store(store)["core.log_gaps"] == []


def test_a_version_that_is_missing_leaves_the_commit_before_unknown() -> None:
    """A commit that nobody saw may have set anything; from then on the history is known again."""
    store = Store().commit(10, 0).commit(30, 2).commit(20, 3)
    assert kinds(store) == [("first", None), ("unknown", None), ("rewind", 30)]
    (gap,) = replay_store(store)["core.log_gaps"]
    assert (gap["from_log_offset"], gap["to_log_offset"]) == (2 * STEP - 1, 2 * STEP)


def test_a_missing_removal_leaves_the_commit_before_unknown() -> None:
    """A place that is created was not there, though nobody saw it go."""
    assert kinds(Store().commit(10, 4).commit(3, 0)) == [("unknown", None), ("unknown", None)]


def test_a_removal_of_what_nobody_saw_is_no_proof_that_nothing_was_there() -> None:
    """Something was removed."""
    (row,) = replay_store(Store().commit(None))["core.commits"]
    assert (row["kind"], row["is_previous_known"]) == ("removed", False)


def test_a_sampled_commit_hides_others_of_its_own_key_alone() -> None:
    """Another key's history stays known."""
    store = Store().commit(1).commit(7, partition=1).commit(5, is_sampled=True).commit(9, partition=1).commit(6)
    assert kinds(store) == [("first", None), ("first", None), ("unknown", None), ("advance", 7), ("advance", 5)]


def test_of_members_retention_and_causes_nothing_is_claimed() -> None:
    """A store knows none of it, also where a coordinator's removal would tell its cause by its age."""
    store = Store().commit(10, 0).commit(None, timestamp_ms=86_400_000 * 30)
    commit, removal = replay_store(store)["core.commits"]
    assert (commit["actor"], removal["actor"], removal["cause"]) == ("unknown", None, "unknown")
    untold = ("member_id", "generation", "client_id", "client_host", "idle_ms", "is_from_old_coordinator", "topic_id")
    assert {row[name] for row in (commit, removal) for name in (*untold, "removed_with_group")} == {None}
    assert {row["store_kind"] for row in (commit, removal)} == {"zookeeper"}


def test_rows_have_the_columns_of_the_table() -> None:
    """But for those that the replay adds."""
    rows = pa.Table.from_pylist(Store().commit(1, 0).rows, EXTERNAL_COMMITS.schema)
    produced_rows = StoreCommits.resume({}).replay(Reader().store_chunk(rows, NO_EVENTS))["core.commits"]
    schema = pa.schema([field for field in COMMITS.schema if field.name not in ("cluster", "log_partition")])
    assert produced_rows.column_names == schema.names


CHANGES = st.tuples(st.sampled_from([None, 1, 5]), st.sampled_from([None, 0, 1, 2]), st.booleans(), st.integers(0, 1))


@given(st.lists(CHANGES, max_size=10), st.lists(st.integers(0, 10), max_size=3))
def test_the_result_does_not_depend_on_where_a_store_is_cut(
    changes: list[tuple[int | None, int | None, bool, int]], cuts: list[int]
) -> None:
    """Whatever a run reads of it."""
    store = Store()
    for offset, version, is_sampled, partition in changes:
        counted = None if offset is None else version
        store = store.commit(offset, counted, is_sampled=is_sampled, partition=partition)
    assert replay_store(store, [min(cut, len(store.rows)) for cut in cuts]) == replay_store(store)
