"""Commits of stores outside Kafka are archived once each, and stores are told apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow.dataset as ds
import pytest

from assets.ingest.erased_groups import read_erased, write_erased
from assets.ingest.stores import archive as archive_module
from assets.ingest.stores.archive import EXTERNAL, archive, store_number
from assets.maintenance.erasure import erase
from assets.storage.warehouse import Warehouse
from tests.assets.ingest.stores.store_rows import STEP, commit, store

if TYPE_CHECKING:
    from pathlib import Path


def positions(warehouse: Warehouse) -> list[tuple[str, int]]:
    """The store and position of each archived commit, in order."""
    rows = ds.dataset(warehouse.files(EXTERNAL)).to_table(columns=["store", "log_offset"]).to_pylist()
    return sorted((row["store"], row["log_offset"] // STEP) for row in rows)


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    """An empty warehouse."""
    return Warehouse(str(tmp_path / "warehouse"))


def test_a_commit_is_archived_once(warehouse: Warehouse) -> None:
    """Also when a later read has it again."""
    assert archive(warehouse, [store([commit(1, 5), commit(2, 6)])], {}, []) == 2
    assert archive(warehouse, [store([commit(2, 6), commit(3, 7)])], {}, []) == 1
    assert positions(warehouse) == [("/", 1), ("/", 2), ("/", 3)]


def test_stores_of_a_cluster_have_numbers_of_their_own(warehouse: Warehouse) -> None:
    """The number follows from the kind and the name, and is no partition of the offsets topic."""
    archive(warehouse, [store([commit(1, 5)]), store([commit(1, 9)], "/kafka")], {}, [])
    assert positions(warehouse) == [("/", 1), ("/kafka", 1)]
    assert store_number("zookeeper", "/") == -1367641550
    assert -(1 << 31) < store_number("sql_table", "x") < 0


def test_two_stores_with_one_number_are_refused_by_name(warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    """And what is archived of the first one stays."""
    monkeypatch.setattr(archive_module, "NUMBERS", 1)
    complaints: list[str] = []
    archive(warehouse, [store([commit(1, 5)])], {}, complaints)
    assert archive(warehouse, [store([commit(2, 9)], "/kafka")], {}, complaints) == 0
    assert positions(warehouse) == [("/", 1)]
    (complaint,) = complaints
    assert complaint == (
        "the zookeeper store /kafka and the zookeeper store / of cluster c have the same number, -1: the first is not "
        "read; give it another name, or read it into another warehouse"
    )


def test_a_contradiction_is_reported_with_both_files(warehouse: Warehouse) -> None:
    """The archive keeps what it had: another ensemble of the same name is no copy of the first."""
    complaints: list[str] = []
    archive(warehouse, [store([commit(1, 5)])], {}, complaints)
    archive(warehouse, [store([commit(1, 6, source_file="other"), commit(2, 7)])], {}, complaints)
    (complaint,) = complaints
    assert complaint == (
        f"other: position {STEP} of the zookeeper store / of cluster c: expected the commit that f has there, found "
        "another; what the archive has stays"
    )
    assert positions(warehouse) == [("/", 1), ("/", 2)]


def test_an_erased_group_stays_away(warehouse: Warehouse) -> None:
    """Its commits are not archived again."""
    archive(warehouse, [], {"f": "1"}, [])
    write_erased(warehouse, read_erased(warehouse).with_group("g"))
    assert archive(warehouse, [store([commit(1, 5), commit(2, 6, group_id="other")])], {}, []) == 1
    assert positions(warehouse) == [("/", 2)]


def test_a_note_without_commits_is_remembered(warehouse: Warehouse) -> None:
    """What was read is known also when it had nothing new."""
    archive(warehouse, [], {"zookeeper": {"f": "1"}}, [])
    assert warehouse.note(EXTERNAL) == {"zookeeper": {"f": "1"}}


def test_an_erasure_takes_a_groups_commits_out_of_stores(warehouse: Warehouse) -> None:
    """Others' stay, and so does what is known of the files."""
    archive(warehouse, [store([commit(1, 5), commit(2, 6, group_id="other")])], {"zookeeper": {"f": "1"}}, [])
    erase(warehouse, "g")
    assert positions(warehouse) == [("/", 2)]
    assert warehouse.note(EXTERNAL)["zookeeper"] == {"f": "1"}
