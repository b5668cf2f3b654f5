"""Commits of stores outside Kafka are replayed like a log partition of their own, beside those of the offsets topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assets.ingest.stores.archive import archive as archive_stores
from assets.ingest.stores.archive import store_number
from assets.reconstruct import reconstruct
from tests.assets.ingest.stores.store_rows import commit, store
from tests.assets.transforms.offsets_log import Log

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from tests.assets.reconstruct.conftest import Archive

LOG = Log().commit(1).commit(2)
COMMITS = [commit(1, 5), commit(2, 8), commit(3, 4), commit(4, None)]
NUMBER = store_number("zookeeper", "/")


def kinds(archive: Archive, number: int) -> list[tuple[str, int | None, int | None]]:
    """The kind of each commit of a log partition or store, with both offsets."""
    rows = sorted(archive.rows(), key=lambda row: row["log_offset"])
    return [
        (row["kind"], row["committed_offset"], row["previous_offset"]) for row in rows if row["log_partition"] == number
    ]


def test_a_store_is_replayed_beside_the_offsets_topic(archive: Archive) -> None:
    """Neither changes the other."""
    archive.add(LOG.records)
    archive_stores(archive.warehouse, [store(COMMITS)], {}, [])
    archive.replay()
    assert kinds(archive, NUMBER) == [
        ("first", 5, None),
        ("advance", 8, 5),
        ("rewind", 4, 8),
        ("removed", None, 4),
    ]
    assert kinds(archive, 7) == [("first", 1, None), ("advance", 2, 1)]
    assert {row["store_kind"] for row in archive.rows() if row["log_partition"] == 7} == {"kafka"}


def test_only_new_commits_of_a_store_are_replayed(archive: Archive) -> None:
    """The file with the first ones stays, and the next is compared with what was remembered."""
    archive_stores(archive.warehouse, [store(COMMITS[:1])], {}, [])
    archive.replay()
    before = set(archive.warehouse.files("core.commits"))
    archive_stores(archive.warehouse, [store(COMMITS)], {}, [])
    archive.replay()
    assert before <= set(archive.warehouse.files("core.commits"))
    assert kinds(archive, NUMBER)[:2] == [("first", 5, None), ("advance", 8, 5)]


def test_a_commit_that_comes_late_has_its_store_replayed_anew(archives: Callable[[], Archive]) -> None:
    """However commits came, history is the same."""
    archive = archives()
    for some in (COMMITS[1:], COMMITS[:1]):
        archive_stores(archive.warehouse, [store(some)], {}, [])
        archive.replay()
    whole = archives()
    archive_stores(whole.warehouse, [store(COMMITS)], {}, [])
    whole.replay()
    assert archive.rows() == whole.rows()


def test_nothing_new_in_a_store_starts_no_replay(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor a Spark."""
    archive.add(LOG.records)
    archive_stores(archive.warehouse, [store(COMMITS)], {}, [])
    archive.replay()
    monkeypatch.setattr(reconstruct, "run_tasks", None)
    assert all(one.unchanged for one in archive.replay())
