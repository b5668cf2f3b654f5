"""What a DuckDB file says of itself: of which warehouse it is, and what changed since."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb
import pytest

from assets.catalog import TABLES
from assets.duckdb import build_info
from assets.storage.warehouse import Warehouse


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    """A warehouse of two tables."""
    some = Warehouse(str(tmp_path / "some"))
    for name in ("raw.segments", "core.commits"):
        some.append(TABLES[name], (), {})
    return some


def info_of(warehouse: Warehouse) -> build_info.BuildInfo:
    """What a file of this warehouse would say."""
    with duckdb.connect() as connection:
        build_info.write(connection, warehouse)
        return build_info.read(connection)


def test_what_changed_is_named(warehouse: Warehouse) -> None:
    """Nothing at first; then the tables with a commit of their own."""
    info = info_of(warehouse)
    assert build_info.is_current(info, warehouse)
    warehouse.replace(TABLES["core.commits"], (), {})
    warehouse.append(TABLES["core.members"], (), {})
    assert info.changed_since(warehouse) == ["core.commits", "core.members"]
    assert not build_info.is_current(info, warehouse)


def test_a_copy_of_a_warehouse_is_the_same_warehouse(warehouse: Warehouse, tmp_path: Path) -> None:
    """At another place, with the same logs; one that was made anew at the same place is another."""
    info = info_of(warehouse)
    shutil.copytree(warehouse.url, tmp_path / "copy")
    assert info.is_of(Warehouse(str(tmp_path / "copy")))
    shutil.rmtree(warehouse.url)
    anew = Warehouse(warehouse.url)
    anew.append(TABLES["raw.segments"], (), {})
    assert not info.is_of(anew)


def test_versions_on_disk_are_those_of_the_logs(warehouse: Warehouse) -> None:
    """They are told by names alone, also where old commits have become a checkpoint."""
    for _ in range(3):
        warehouse.replace(TABLES["core.commits"], (), {})
    delta = warehouse.open_table("core.commits")
    assert delta is not None
    delta.create_checkpoint()
    for commit in Path(warehouse.url).glob("core/commits/_delta_log/*.json"):
        commit.unlink()
    assert warehouse.versions(TABLES) == {
        name: 3 if name == "core.commits" else 0 if name == "raw.segments" else None for name in TABLES
    }


def test_passwords_in_a_url_stay_out_of_the_file() -> None:
    """User and password go; a path is told as it is."""
    assert Warehouse("s3://key:secret@bucket/wh").public_url == "s3://bucket/wh"
    assert Warehouse("/a/b@c").public_url == "/a/b@c"
