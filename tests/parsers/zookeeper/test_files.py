"""What is read of ZooKeeper's files, real and made up; and that broken ones hold nothing up."""

from __future__ import annotations

import gzip
import tarfile
from pathlib import Path

import pytest

from parsers.errors import SourceError
from parsers.files.configurations import Setting
from parsers.zookeeper.files import find_zookeeper_files, read_changes, read_nodes
from parsers.zookeeper.kafka_nodes import clusters_of
from tests.parsers.zookeeper.file_bytes import CREATE, DELETE, MULTI, SET_DATA, create, log, set_data, snapshot, text

RECORDED = Path(__file__).resolve().parents[2] / "bytes" / "zookeeper" / "kafka-0.9.tar.xz"
TOPIC = "/config/topics/orders"
WEEK = b'{"version":1,"config":{"retention.ms":"604800000","unclean.leader.election.enable":"true"}}'
DAY = b'{"version":1,"config":{"retention.ms":"86400000","cleanup.policy":"delete"}}'
NODES = {
    "/cluster/id": (b'{"version":"1","id":"some-id"}', 3, 10),
    "/config/brokers/<default>": (b'{"version":1,"config":{"log.retention.hours":"2"}}', 4, 11),
    "/config/brokers/7": (b'{"version":1,"config":{"log.retention.ms":"5"}}', 5, 12),
    TOPIC: (DAY, 9, 99),
    "/config/topics/broken": (b"\xff{", 6, 1),
    "/config/users/eve": (b'{"version":1,"config":{"SCRAM-SHA-256":"hush"}}', 6, 1),
    "/consumers/g/offsets/t/0": (b"5", 7, 1),
}


def written(folder: Path, name: str, content: bytes) -> str:
    """A file in a folder version-2."""
    path = folder / "version-2" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    return str(path)


def test_a_real_snapshot_says_what_the_real_log_before_it_says(tmp_path: Path) -> None:
    """ZooKeeper 3.9 made it from the log that a broker of 0.9 left in ZooKeeper 3.4."""
    with tarfile.open(RECORDED) as packed:
        packed.extractall(tmp_path, filter="data")
    of_log, of_snapshot = (list(read_nodes(file.path)) for file in find_zookeeper_files(str(tmp_path)))
    assert sorted(of_log) == sorted(of_snapshot)
    (cluster,) = clusters_of(of_log)
    expected = [("cleanup.policy", "compact"), ("segment.bytes", "104857600")]
    assert [(one.name, one.value) for one in cluster.settings] == expected
    assert {(one.resource_name, one.log_offset) for one in cluster.settings} == {("__consumer_offsets", 94)}


@pytest.mark.parametrize("packed", [False, True])
def test_a_snapshot_tells_settings_and_the_id_of_the_cluster(tmp_path: Path, *, packed: bool) -> None:
    """Of topics, of brokers and of all of them; nothing else is kept, and what is no JSON says nothing."""
    content = snapshot(NODES)
    path = written(tmp_path, "snapshot.9.gz" if packed else "snapshot.9", gzip.compress(content) if packed else content)
    (cluster,) = clusters_of(read_nodes(path))
    assert cluster.cluster_id == "some-id"
    assert cluster.settings == (
        Setting("broker", "7", "log.retention.ms", "5", 5, 12),
        Setting("default", "", "log.retention.hours", "2", 4, 11),
        Setting("topic", "orders", "cleanup.policy", "delete", 9, 99),
        Setting("topic", "orders", "retention.ms", "86400000", 9, 99),
    )


def test_a_log_tells_when_a_setting_changed(tmp_path: Path) -> None:
    """A change that the snapshot has as well counts once; what is set no longer, or deleted, has no value."""
    multi = b"\0\0\0\1" + SET_DATA.to_bytes(4, "big") + text(set_data(TOPIC, b'{"config":{}}'))
    of_log = written(
        tmp_path,
        "log.1",
        log(
            [
                (2, 50, CREATE, create(TOPIC, WEEK)),
                (9, 99, SET_DATA, set_data(TOPIC, DAY)),
                (10, 100, MULTI, multi),
                (11, 101, CREATE, create("/config/topics/gone", WEEK)),
                (12, 102, DELETE, text("/config/topics/gone")),
            ]
        ),
    )
    nodes = [*read_nodes(of_log), *read_nodes(written(tmp_path, "snapshot.9", snapshot(NODES)))]
    (cluster,) = clusters_of(nodes)
    settings = [(one.resource_name, one.name, one.value, one.log_offset, one.timestamp_ms) for one in cluster.settings]
    assert [one for one in settings if one[0] in {"orders", "gone"}] == [
        ("gone", "retention.ms", "604800000", 11, 101),
        ("gone", "retention.ms", None, 12, 102),
        ("orders", "retention.ms", "604800000", 2, 50),
        ("orders", "cleanup.policy", "delete", 9, 99),
        ("orders", "retention.ms", "86400000", 9, 99),
        ("orders", "cleanup.policy", None, 10, 100),
        ("orders", "retention.ms", None, 10, 100),
    ]


def test_two_clusters_may_share_a_zookeeper(tmp_path: Path) -> None:
    """Each has a root of its own."""
    nodes = {f"/{root}{path}": node for root in ("a", "b") for path, node in NODES.items()}
    clusters = list(clusters_of(read_nodes(written(tmp_path, "snapshot.9", snapshot(nodes)))))
    assert [(one.cluster_id, len(one.settings)) for one in clusters] == [("some-id", 4), ("some-id", 4)]


@pytest.mark.parametrize("at", range(0, 700, 13))
def test_a_broken_snapshot_says_nothing(tmp_path: Path, at: int) -> None:
    """Whichever byte before the seal is another, and wherever it is cut off."""
    content = snapshot(NODES)
    at = min(at, len(content) - 14)
    flipped = content[:at] + bytes([content[at] ^ 0x55]) + content[at + 1 :]
    for broken in (flipped, content[:at]):
        with pytest.raises(SourceError, match="byte"):
            list(read_nodes(written(tmp_path, "snapshot.9", broken)))


def test_a_torn_log_tells_what_came_before(tmp_path: Path) -> None:
    """And that it is torn."""
    content = log([(2, 50, CREATE, create(TOPIC, WEEK)), (9, 99, SET_DATA, set_data(TOPIC, DAY))])
    for broken in (content[:-80], content[:-70] + b"\x55" + content[-69:]):
        nodes = read_nodes(written(tmp_path, "log.1", broken))
        assert next(nodes).zxid == 2
        with pytest.raises(SourceError, match="byte"):
            next(nodes)
    assert len(list(read_nodes(written(tmp_path, "log.1", content[:-64])))) == 2


WHOLE_LOG = log([(1, 1, CREATE, create(TOPIC, WEEK)), (2, 2, SET_DATA, set_data(TOPIC, DAY))])
BROKEN = {
    "an empty log": ("log.1", b"", 0),
    "a log without its head": ("log.1", WHOLE_LOG[16:], 0),
    "a torn log": ("log.1", WHOLE_LOG[:-80], 1),
    "a log with a changed byte": ("log.1", WHOLE_LOG[:60] + b"\xff" + WHOLE_LOG[61:], 1),
    "a torn packed log": ("log.1.gz", gzip.compress(WHOLE_LOG, 0)[:-90], 1),
    "a packed log without its checksum": ("log.1.gz", gzip.compress(WHOLE_LOG)[:-6], 2),
    "a packed log that is none": ("log.1.gz", WHOLE_LOG, 0),
    "an empty snapshot": ("snapshot.9", b"", 0),
    "a torn snapshot": ("snapshot.9", snapshot(NODES)[:-30], 0),
    "a snapshot with a changed byte": ("snapshot.9", snapshot(NODES)[:90] + b"\xff" + snapshot(NODES)[91:], 0),
    "a torn packed snapshot": ("snapshot.9.gz", gzip.compress(snapshot(NODES))[:-40], 0),
}


@pytest.mark.parametrize("name", BROKEN)
def test_of_a_broken_file_all_else_is_read_and_the_rest_is_set_aside(tmp_path: Path, name: str) -> None:
    """It says where it is broken, what is expected there and what was found; a snapshot is none."""
    file, content, expected = BROKEN[name]
    read = read_changes(written(tmp_path, file, content), ".*")
    assert read.changes.num_rows == expected
    assert read.troubles
    assert all(one.expected and one.actual and one.position >= 0 for one in read.troubles)
    assert read.snapshot_zxid is None
