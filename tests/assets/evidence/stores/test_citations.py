"""Commits of stores found in their files again: of real recordings, of copies, and of bytes that somebody changed."""

from __future__ import annotations

import gzip
import shutil
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.dataset as ds
import pytest

from assets.evidence.stores.citations import cite, contradictions, unchecked_of
from assets.ingest.plan import Sources
from assets.ingest.stores.archive import EXTERNAL
from assets.ingest.stores.readers import keep_external_commits
from assets.storage.warehouse import Warehouse
from tests.parsers.spark_checkpoints.recorded import unpack, write_batch, write_metadata
from tests.parsers.zookeeper.file_bytes import CREATE, DELETE, MULTI, SET_DATA, create, log, multi, set_data, snapshot
from tests.parsers.zookeeper.file_bytes import text as path_bytes

if TYPE_CHECKING:
    from typing import Any

RECORDED = Path(__file__).resolve().parents[3] / "bytes" / "zookeeper" / "old-consumers.tar.xz"
T0, T1 = "/consumers/g/offsets/t/0", "/consumers/g/offsets/t/1"
Rows = dict[int, "dict[str, Any]"]


def archived(folder: Path, place: Path) -> Rows:
    """The rows of raw.external_commits that a run makes of a place."""
    warehouse = Warehouse(str(folder / "warehouse"))
    keep_external_commits(warehouse, Sources((str(place),), None))
    rows = ds.dataset(warehouse.files(EXTERNAL)).to_table().to_pylist()
    return {row["log_offset"]: row for row in rows}


def written(server: Path, name: str, content: bytes) -> Path:
    """A file of a server of ZooKeeper's; gives the folder of the server."""
    path = server / "version-2" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return server


def contradicted(rows: Rows, *, change: tuple[bytes, bytes] | None = None, **values: Any) -> list[str]:  # noqa: ANN401 - a value of any column
    """What verification says of each commit, whose bytes or rows somebody changed."""
    members, commits = cite(rows, ()).members()
    if change is not None:
        members = {name: content.replace(*change) for name, content in members.items()}
    changed = {log_offset: {**row, **values} for log_offset, row in rows.items()}
    number = next(iter(rows.values()))["log_partition"]
    return [sentence for one in commits for sentence in contradictions(one, members, changed, number)]


def test_every_commit_of_real_consumers_is_in_a_transaction_of_its_own(tmp_path: Path) -> None:
    """The bytes are those of the file, at the position that is named; they say what the row says."""
    with tarfile.open(RECORDED) as packed:
        packed.extractall(tmp_path / "recorded", filter="data")
    rows = archived(tmp_path, tmp_path / "recorded" / "zookeeper")
    citations = cite(rows, ())
    assert (len(rows), citations.pieces.keys()) == (13, rows.keys())
    for piece in (one for pieces in citations.pieces.values() for one in pieces):
        content = Path(piece.path).read_bytes()
        assert content[piece.position : piece.position + len(piece.content)] == piece.content
    assert contradicted(rows) == []


def test_every_batch_of_a_real_checkpoint_has_its_files(tmp_path: Path) -> None:
    """Its offsets, a commit, and whose it is."""
    unpack(tmp_path / "recorded")
    rows = archived(tmp_path, tmp_path / "recorded" / "restarted")
    citations = cite(rows, ())
    assert (len(rows), citations.pieces.keys()) == (20, rows.keys())
    assert {tuple(one.role for one in pieces) for pieces in citations.pieces.values()} == {
        ("offsets", "commit", "metadata")
    }
    assert contradicted(rows) == []


@pytest.fixture
def zookeeper(tmp_path: Path) -> Path:
    """A server whose log creates, sets and deletes nodes, several in one transaction."""
    changes = [
        (1, 100, CREATE, create(T0, b"5")),
        (2, 200, MULTI, multi((SET_DATA, set_data(T0, b"9", 1)), (CREATE, create(T1, b"3")))),
        (3, 300, DELETE, path_bytes(T1)),
    ]
    return written(tmp_path / "server", "log.1", log(changes))


def test_a_multi_is_cited_once_for_all_of_its_commits(tmp_path: Path, zookeeper: Path) -> None:
    """And a deletion by the transaction that deletes."""
    rows = archived(tmp_path, zookeeper)
    members, commits = cite(rows, ()).members()
    assert (len(rows), len(commits), len(members)) == (4, 4, 3)
    assert contradicted(rows) == []


def test_other_copies_are_looked_at_first_and_packed_ones_too(tmp_path: Path, zookeeper: Path) -> None:
    """A log that ZooKeeper removed since is in a copy of another server."""
    rows = archived(tmp_path, zookeeper)
    content = (zookeeper / "version-2" / "log.1").read_bytes()
    shutil.rmtree(zookeeper)
    assert not cite(rows, ()).pieces
    copy = written(tmp_path / "copy", "log.1.gz", gzip.compress(content))
    assert cite(rows, [str(copy)]).pieces.keys() == rows.keys()


def test_a_snapshot_has_its_nodes_alone(tmp_path: Path) -> None:
    """Each is cited by itself; what no byte of it says is named."""
    server = written(tmp_path / "one", "snapshot.2", snapshot({T0: (b"9", 2, 200, 1), T1: (b"4", 2, 200, 0)}))
    rows = archived(tmp_path, server)
    pieces = [one for pieces in cite(rows, ()).pieces.values() for one in pieces]
    assert [one.role for one in pieces] == ["node", "node"]
    assert contradicted(rows) == []
    assert "no checksum of its own" in unchecked_of(rows)[0]


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"committed_offset": 6}, "committed_offset: expected 5 of the bytes, found 6"),
        ({"timestamp_ms": 1}, "timestamp_ms: expected 100"),
        ({"group_id": "other"}, "group_id: expected 'g'"),
        ({"version": 7}, "version: expected 0"),
        ({"store": "/else"}, "expected a store with the number"),
        ({"log_partition": -5}, "expected a store with the number"),
        ({"store_kind": "sql_table"}, "expected a store with the number"),
    ],
)
def test_a_changed_row_contradicts_its_transaction(
    tmp_path: Path, zookeeper: Path, values: dict[str, Any], sentence: str
) -> None:
    """Whatever of it somebody changes."""
    rows = archived(tmp_path, zookeeper)
    first = {min(rows): rows[min(rows)]}
    assert any(sentence in one for one in contradicted(first, **values)), contradicted(first, **values)


def test_a_changed_byte_contradicts_checksum_and_digest(tmp_path: Path, zookeeper: Path) -> None:
    """A transaction has both."""
    rows = archived(tmp_path, zookeeper)
    sentences = " ".join(contradicted({min(rows): rows[min(rows)]}, change=(b"\x015", b"\x016")))
    assert "blake3: expected" in sentences
    sentences = " ".join(contradicted({min(rows): rows[min(rows)]}, change=(b"/t/0", b"/t/2")))
    assert "expected a transaction" in sentences


def test_a_batch_that_is_not_committed_is_not_cited(tmp_path: Path) -> None:
    """Its file of offsets alone shows a plan; a commit of a later batch shows that it was complete."""
    checkpoint = tmp_path / "checkpoint"
    write_metadata(checkpoint, "query")
    for number in range(3):
        write_batch(checkpoint, number, {"t": {"0": 5 + number}})
    rows = archived(tmp_path, checkpoint)
    (checkpoint / "commits" / "1").unlink()
    assert [one.path[-1] for one in cite(rows, ()).pieces[1 << 20] if one.role == "commit"] == ["2"]
    (checkpoint / "commits" / "2").write_bytes(b"")
    assert cite(rows, ()).pieces.keys() == {0}


def test_a_row_of_another_plan_is_not_cited(tmp_path: Path) -> None:
    """A checkpoint that went on from a copy has other batches under the same numbers."""
    checkpoint = tmp_path / "checkpoint"
    write_metadata(checkpoint, "query")
    for number in range(2):
        write_batch(checkpoint, number, {"t": {"0": 5 + number}})
    rows = archived(tmp_path, checkpoint)
    write_batch(checkpoint, 1, {"t": {"0": 6}}, planned_ms=1_800_000_000_000)
    assert cite(rows, ()).pieces.keys() == {0}
    assert contradicted(rows, store_kind="spark_checkpoint", topic="u")[0].endswith("found 5")
