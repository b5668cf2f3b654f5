"""Retiring commits in ZooKeeper: what stands stays, and what came before is not known any more."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING, Final

from assets.ingest.stores.archive import archive as archive_stores
from assets.maintenance.retirement import look_for_old, retire
from assets.reconstruct.reconstruct import replay
from assets.storage.warehouse import Warehouse
from tests.assets.ingest.stores.store_rows import commit, store
from tests.assets.ingest.stores.test_zookeeper import rows_of
from tests.assets.inline import inline

if TYPE_CHECKING:
    from pathlib import Path

COMMITS: Final = "raw.external_commits"
NOW: Final = datetime.fromtimestamp(86_400 + 3.5, timezone.utc)
"""A day behind the third commit."""


def history(warehouse: Warehouse) -> list[tuple[str, int | None]]:
    """The kind of each commit, and what was committed before."""
    replay(inline, warehouse)
    rows = sorted(rows_of(warehouse, "core.commits"), key=lambda row: row["log_offset"])
    return [(row["kind"], row["previous_offset"]) for row in rows]


def test_old_commits_of_zookeeper_go_but_for_the_last_of_each_key(tmp_path: Path) -> None:
    """By the version of its node a commit is known to have had others before it."""
    warehouse = Warehouse(str(tmp_path))
    commits = [commit(number, 10 * number, version=number - 1) for number in range(1, 6)]
    alone = commit(1, 7, version=0, partition=1, log_offset=(1 << 16) + 5)
    archive_stores(warehouse, [store([commits[0], alone, *commits[1:]])], {"zookeeper": {"files": {}}}, [])
    assert history(warehouse)[-1] == ("advance", 40)
    retire(warehouse, look_for_old(warehouse, {COMMITS: 1}, NOW))
    rows = sorted(row["log_offset"] for row in rows_of(warehouse, COMMITS))
    assert rows == [alone["log_offset"], *(one["log_offset"] for one in commits[3:])]
    assert history(warehouse) == [("first", None), ("unknown", None), ("advance", 40)]
    assert warehouse.note(COMMITS)["zookeeper"] == {"files": {}}


def test_commits_of_other_stores_stay(tmp_path: Path) -> None:
    """Nothing in them says that others came before."""
    warehouse = Warehouse(str(tmp_path))
    read = store([commit(1, 1), commit(2, 2)])
    other = type(read)(read.cluster, "sql_table", "s", read.commits)
    archive_stores(warehouse, [other], {}, [])
    replay(inline, warehouse)
    assert look_for_old(warehouse, {COMMITS: 1}, NOW) == []
