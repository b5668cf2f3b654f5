"""Offsets in ZooKeeper's files become commits, once each: of real consumers, of copies, archives and broken files.

The recording is of Kafka 1.1.1 with its ZooKeeper 3.4: a group read 120 records and was killed, one of its offsets was
set back by hand, it read on from there, and another group read all and was deleted (`tests.broker.old_consumers`).
"""

from __future__ import annotations

import json
import shutil
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.dataset as ds
import pytest

from assets.ingest.plan import Sources
from assets.ingest.stores.archive import EXTERNAL
from assets.ingest.stores.readers import keep_external_commits
from assets.reconstruct.reconstruct import replay
from assets.storage.warehouse import Warehouse
from tests.assets.inline import inline
from tests.parsers.zookeeper.file_bytes import CREATE, SET_DATA, create, log, set_data, snapshot

if TYPE_CHECKING:
    from typing import Any

RECORDED = Path(__file__).resolve().parents[3] / "bytes" / "zookeeper" / "old-consumers.tar.xz"
T0 = "/consumers/g/offsets/t/0"
FIRST = [(1, 100, CREATE, create(T0, b"5")), (2, 200, SET_DATA, set_data(T0, b"9", 1))]
NEXT = (3, 300, SET_DATA, set_data(T0, b"7", 2))


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recording, unpacked."""
    folder = tmp_path_factory.mktemp("recorded")
    with tarfile.open(RECORDED) as packed:
        packed.extractall(folder, filter="data")
    return folder


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    """An empty warehouse."""
    return Warehouse(str(tmp_path / "warehouse"))


def written(server: Path, name: str, content: bytes) -> Path:
    """A file of a server of ZooKeeper's; gives the folder of the server."""
    path = server / "version-2" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return server


def rows_of(warehouse: Warehouse, name: str) -> list[dict[str, Any]]:
    """The rows of a table."""
    files = warehouse.files(name)
    return ds.dataset(files).to_table().to_pylist() if files else []


def commits(warehouse: Warehouse) -> list[tuple[Any, ...]]:
    """Cluster, store, zxid and offset of what is archived, in order."""
    rows = sorted(rows_of(warehouse, EXTERNAL), key=lambda row: (row["cluster"], row["store"], row["log_offset"]))
    return [(row["cluster"], row["store"], row["log_offset"] >> 16, row["committed_offset"]) for row in rows]


def keep(warehouse: Warehouse, *places: Path, cluster: str | None = None) -> tuple[int, tuple[str, ...]]:
    """Read what is new in these places."""
    rows = keep_external_commits(warehouse, Sources(tuple(map(str, places)), cluster))
    return rows.commits, rows.complaints


def test_old_consumers_have_the_history_that_they_had(warehouse: Warehouse, recorded: Path) -> None:
    """The last offset of each partition is what Kafka's own command printed; before it stands how it came there."""
    assert keep(warehouse, recorded / "zookeeper") == (13, ())
    replay(inline, warehouse)
    rows = sorted(rows_of(warehouse, "core.commits"), key=lambda row: row["log_offset"])
    history = [
        (row["kind"], row["previous_offset"], row["committed_offset"])
        for row in rows
        if (row["group_id"], row["partition"]) == ("readers", 0)
    ]
    assert history == [("first", None, 40), ("rewind", 40, 10), ("advance", 10, 60)]
    last = {(row["topic"], row["partition"]): row["committed_offset"] for row in rows if row["group_id"] == "readers"}
    described = json.loads((recorded / "described.json").read_text())
    assert last == {(topic, partition): offset for topic, partition, offset, _end, _lag in described}
    removed = [row for row in rows if row["group_id"] == "gone" and row["kind"] == "removed"]
    assert [(row["previous_offset"], row["cause"]) for row in removed] == [(60, "unknown")] * 3
    assert {row["cluster"] for row in rows} == {"YQH7kdI8SLy2nHC--FTlNw"}


def test_an_archive_is_read_like_its_folders(warehouse: Warehouse, recorded: Path) -> None:
    """And nothing of it is new when the folders come, too."""
    assert keep(warehouse, RECORDED) == (13, ())
    assert keep(warehouse, recorded / "zookeeper") == (0, ())


def test_a_log_that_grew_is_read_again_and_one_that_did_not_is_not(warehouse: Warehouse, tmp_path: Path) -> None:
    """A commit that is archived is not archived again."""
    server = written(tmp_path / "one", "log.1", log(FIRST))
    assert keep(warehouse, server)[0] == 2
    version = warehouse.version(EXTERNAL)
    assert keep(warehouse, server)[0] == 0
    assert warehouse.version(EXTERNAL) == version
    written(server, "log.1", log([*FIRST, NEXT]))
    assert keep(warehouse, server)[0] == 1
    assert commits(warehouse) == [("unnamed", "/", 1, 5), ("unnamed", "/", 2, 9), ("unnamed", "/", 3, 7)]


def test_several_servers_are_one_store(warehouse: Warehouse, tmp_path: Path) -> None:
    """One is behind, and one has a snapshot alone."""
    servers = [
        written(tmp_path / "one", "log.1", log([*FIRST, NEXT])),
        written(tmp_path / "two", "log.1", log(FIRST)),
        written(tmp_path / "three", "snapshot.2", snapshot({T0: (b"9", 2, 200, 1)})),
    ]
    assert keep(warehouse, *servers) == (3, ())
    assert [row["is_sampled"] for row in rows_of(warehouse, EXTERNAL)] == [False, False, False]


def test_a_log_that_comes_behind_its_snapshot_fills_the_history(warehouse: Warehouse, tmp_path: Path) -> None:
    """What was known of the snapshot alone stays the same row, and what came before it is known now."""
    server = written(tmp_path / "one", "snapshot.2", snapshot({T0: (b"9", 2, 200, 1)}))
    keep(warehouse, server)
    replay(inline, warehouse)
    assert [row["kind"] for row in rows_of(warehouse, "core.commits")] == ["unknown"]
    assert keep(warehouse, written(server, "log.1", log([*FIRST, NEXT])))[0] == 2
    replay(inline, warehouse)
    rows = sorted(rows_of(warehouse, "core.commits"), key=lambda row: row["log_offset"])
    assert [row["kind"] for row in rows] == ["first", "advance", "rewind"]


def test_a_broken_file_has_a_row_of_quarantine_and_the_rest_is_read(warehouse: Warehouse, tmp_path: Path) -> None:
    """With file, position, what is expected and what is found; read again it is still one row."""
    content = log([*FIRST, NEXT])
    broken = bytearray(content)
    broken[len(log(FIRST[:1])) - 64 + 30] ^= 0xFF
    server = written(written(tmp_path / "one", "log.1", bytes(broken)), "snapshot.9", b"ZKSN")
    count, complaints = keep(warehouse, server)
    assert (count, len(complaints)) == (2, 2)
    rows = sorted(rows_of(warehouse, "raw.quarantine"), key=lambda row: row["path"])
    assert [(Path(row["path"]).name, row["position"], row["reason"]) for row in rows] == [
        ("log.1", len(log(FIRST[:1])) - 64, "broken transaction"),
        ("snapshot.9", 4, "broken snapshot"),
    ]
    assert [one[2:] for one in commits(warehouse)] == [(1, 5), (3, 7)]
    (server / "version-2" / "log.1").touch()
    keep(warehouse, server)
    assert len(rows_of(warehouse, "raw.quarantine")) == 2


def test_whose_offsets_these_are_is_said_by_the_id_in_zookeeper(warehouse: Warehouse, tmp_path: Path) -> None:
    """Also by one that another file of the folder had, and else by --cluster."""
    named = [(9, 1, CREATE, create("/a/cluster/id", b'{"id":"some-id"}')), (10, 1, CREATE, create(f"/a{T0}", b"5"))]
    server = written(tmp_path / "one", "log.9", log(named))
    keep(warehouse, server)
    keep(warehouse, written(server, "log.b", log([(11, 2, SET_DATA, set_data(f"/a{T0}", b"6", 1))])))
    assert commits(warehouse) == [("some-id", "/a", 10, 5), ("some-id", "/a", 11, 6)]
    shutil.copytree(server, tmp_path / "other")
    keep(warehouse, tmp_path / "other", cluster="mine")
    assert [one for one in commits(warehouse) if one[0] == "mine"] == [("mine", "/a", 10, 5), ("mine", "/a", 11, 6)]
