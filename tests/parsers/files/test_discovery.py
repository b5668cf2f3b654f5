"""Finding segments under what users name: log directories, their parents, partitions, files and URLs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from parsers.errors import SourceError
from parsers.files.discovery import Discovery, discover

LOG = "00000000000000000000.log"
OTHER_LOG = "00000000000000000100.log"


def write(path: Path, content: str = "") -> Path:
    """Write a file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    return path


@pytest.fixture
def broker(tmp_path: Path) -> Path:
    """Make the log directory of a broker."""
    root = tmp_path / "brokers" / "one"
    write(root / "meta.properties", "version=1\nnode.id=4\ncluster.id=CLUSTER\n")
    write(root / "replication-offset-checkpoint", "0\n2\n__consumer_offsets 3 77\na-topic 0 9\n")
    write(root / "log-start-offset-checkpoint", "0\n1\na-topic 0 5\n")
    write(root / "cleaner-offset-checkpoint", "0\n1\n__consumer_offsets 3 60\n")
    write(root / "__consumer_offsets-3" / LOG, "12345")
    write(root / "__consumer_offsets-3" / OTHER_LOG)
    write(root / "a-topic-0" / LOG)
    write(root / "a-topic-0" / "partition.metadata", "version: 0\ntopic_id: ID\n")
    return root


def segments_of(discovery: Discovery) -> list[tuple[str, str, int, int]]:
    """Say which segments were found."""
    return [(one.cluster, one.topic, one.partition, one.base_offset) for one in discovery.segments]


ALL = [("CLUSTER", "__consumer_offsets", 3, 0), ("CLUSTER", "__consumer_offsets", 3, 100), ("CLUSTER", "a-topic", 0, 0)]


def test_log_directory(broker: Path) -> None:
    """Under a log directory every segment is found, with what the files beside it say."""
    discovery = discover([str(broker)], None)
    assert segments_of(discovery) == ALL
    offsets, _other, data = discovery.segments
    assert (offsets.broker_id, offsets.size_bytes, offsets.high_watermark, offsets.log_start_offset) == (4, 5, 77, None)
    assert (data.topic_id, data.high_watermark, data.log_start_offset, offsets.topic_id) == ("ID", 9, 5, None)
    assert (offsets.first_dirty_offset, data.first_dirty_offset) == (60, None)
    assert (offsets.is_offsets_topic, data.is_offsets_topic) == (True, False)
    assert (offsets.modified_ms or 0) // 1000 == int((broker / "__consumer_offsets-3" / LOG).stat().st_mtime)
    assert not discovery.skipped


@pytest.mark.parametrize(
    ("epochs", "start"),
    [("0\n2\n3 100\n4 120\n", 100), ("0\n1\n3 0\n", None), ("0\n0\n", None), ("0\n1\n3 110\n", None), (None, None)],
)
def test_a_log_start_that_moved(broker: Path, epochs: str | None, start: int | None) -> None:
    """Where segments were deleted the first leader epoch begins at the first one left; else some were not copied."""
    partition = broker / "b-topic-1"
    write(partition / OTHER_LOG)
    if epochs is not None:
        write(partition / "leader-epoch-checkpoint", epochs)
    (segment,) = discover([str(partition)], None).segments
    assert segment.log_start_offset == start


def test_the_checkpoint_of_log_starts_goes_first(broker: Path) -> None:
    """Records may be deleted within the first segment that is left."""
    write(broker / "log-start-offset-checkpoint", "0\n1\nb-topic 1 105\n")
    write(broker / "b-topic-1" / OTHER_LOG)
    write(broker / "b-topic-1" / "leader-epoch-checkpoint", "0\n1\n3 100\n")
    assert [one.log_start_offset for one in discover([str(broker / "b-topic-1")], None).segments] == [105]


def test_every_way_to_name_it(broker: Path) -> None:
    """Parent, partition directory, file and URL lead to the same segments, and naming one twice finds it once."""
    assert segments_of(discover([str(broker.parent)], None)) == ALL
    assert segments_of(discover([broker.as_uri(), str(broker) + "/"], None)) == ALL
    partition = broker / "__consumer_offsets-3"
    assert segments_of(discover([str(partition)], None)) == ALL[:2]
    assert segments_of(discover([str(partition), str(partition / LOG), str(broker)], None)) == ALL
    assert segments_of(discover([(partition / OTHER_LOG).as_uri()], None)) == ALL[1:2]


def test_relative_path(broker: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative path finds what the absolute one finds, under the absolute name."""
    monkeypatch.chdir(broker / "a-topic-0")
    assert discover(["."], None) == discover([str(broker / "a-topic-0")], None)


def test_cluster_names(tmp_path: Path) -> None:
    """The user's name counts, also where a cluster.id says otherwise; without both the cluster is unnamed."""
    write(tmp_path / "logs" / "topic-0" / LOG)
    assert segments_of(discover([str(tmp_path)], "mine"))[0][0] == "mine"
    assert segments_of(discover([str(tmp_path)], None))[0][0] == "unnamed"
    write(tmp_path / "meta.properties", "broker.id=7\n")
    (segment,) = discover([str(tmp_path / "logs" / "topic-0")], "mine").segments
    assert (segment.cluster, segment.broker_id) == ("mine", 7)
    write(tmp_path / "meta.properties", "broker.id=7\ncluster.id=from-an-image\n")
    named, unnamed = discover([str(tmp_path)], "mine"), discover([str(tmp_path)], None)
    assert (named.segments[0].cluster, set(named.cluster_ids)) == ("mine", {"from-an-image"})
    assert unnamed.segments[0].cluster == "from-an-image"


def test_two_brokers(broker: Path) -> None:
    """The same partition on two brokers is found twice, each with its broker."""
    other = broker.parent / "two"
    write(other / "meta.properties", "version=0\nbroker.id=5\ncluster.id=CLUSTER\n")
    write(other / "a-topic-0" / LOG)
    segments = discover([str(broker.parent)], None).segments
    assert [one.broker_id for one in segments if one.topic == "a-topic"] == [4, 5]


def test_dying_directories(broker: Path) -> None:
    """Directories that are deleted, moved in or not expected are passed over, with the reason."""
    uuid = "0123456789abcdef" * 2
    for kind in ("delete", "future", "stray"):
        write(broker / f"a-topic-0.{uuid}-{kind}" / LOG)
    write(broker / "snapshots" / LOG)
    discovery = discover([str(broker)], None)
    assert segments_of(discovery) == ALL
    reasons = {Path(passed.path).relative_to(broker).parts[0][-8:]: passed.reason for passed in discovery.skipped}
    assert len(reasons) == 4
    assert "deleted topic" in reasons["f-delete"]


def test_damaged_small_files(broker: Path) -> None:
    """A damaged small file is passed over with the reason, and the segments are read without what it would say."""
    write(broker / "replication-offset-checkpoint", "0\n5\n")
    write(broker / "a-topic-0" / "partition.metadata", "?")
    write(broker / "b-topic-1" / OTHER_LOG)
    write(broker / "b-topic-1" / "leader-epoch-checkpoint", "0\n1\n")
    discovery = discover([str(broker)], None)
    assert segments_of(discovery) == [*ALL, ("CLUSTER", "b-topic", 1, 100)]
    assert [one.high_watermark for one in discovery.segments] == [None] * 4
    assert len(discovery.skipped) == 3
    assert all("expected" in passed.reason for passed in discovery.skipped)


@pytest.mark.parametrize("name", ["a b", "what?", "100%20", "[a]*", "#1", "brök\u00e9r", "it's", "new\nline"])
def test_any_folder_may_hold_logs(broker: Path, name: str) -> None:
    """Named by its path, or by a URL in which it is quoted."""
    place = broker.rename(broker.parent / name)
    assert segments_of(discover([str(place)], None)) == segments_of(discover([place.as_uri()], None)) == ALL


def test_what_is_no_file_is_said(broker: Path) -> None:
    """A pipe, a folder or a link to nowhere in the place of a segment holds up nothing, nor does a name in Latin 1."""
    partition = broker / "__consumer_offsets-3"
    os.mkfifo(partition / "00000000000000000200.log")
    (partition / "00000000000000000300.log").mkdir()
    (partition / "00000000000000000400.log").symlink_to("nowhere")
    (partition / "a-socket").symlink_to("nowhere")
    (broker / os.fsdecode(b"caf\xe9-0")).mkdir()
    discovery = discover([str(broker)], None)
    assert segments_of(discovery) == ALL
    sentences = sorted(sentence.removeprefix(f"{broker}/") for sentence in discovery.unreadable)
    assert sentences == [
        *(f"__consumer_offsets-3/00000000000000000{offset}.log: it is no file" for offset in (200, 300, 400)),
        "caf\\xe9-0: it can't be read, since its name is not UTF-8",
    ]


def test_numbers_that_no_broker_has(broker: Path) -> None:
    """Of a partition or an offset: passed over, with the reason."""
    write(broker / "a-topic-2147483648" / LOG)
    write(broker / "a-topic-0" / f"{2**63}.log".zfill(24))
    write(broker / "b-topic-2147483647" / LOG)
    discovery = discover([str(broker)], None)
    assert segments_of(discovery) == [*ALL, ("CLUSTER", "b-topic", 2147483647, 0)]
    assert len(discovery.skipped) == 2


def test_nothing_there(tmp_path: Path) -> None:
    """A place that is not there, or holds no segment, is refused in one sentence."""
    with pytest.raises(SourceError, match="there is no such file or directory"):
        discover([str(tmp_path / "gone")], None)
    write(tmp_path / "topic-0" / "0.log")
    with pytest.raises(SourceError, match=r"no segment .* was found there \(1 files or directories passed over\)"):
        discover([str(tmp_path)], None)


TOPIC_ID = "5fEBmixCR5-dMntYSLI-10"
SEGMENT_ID, OTHER_ID = "BFyXlC8ySMm-Uzxw5lZSMg", "oAtiIQ95REujbuzNd_lkLQ"


@pytest.mark.parametrize("folder", [f"a-topic-3-{TOPIC_ID}", f"a-topic-{TOPIC_ID}/3"])
def test_tiered_storage(tmp_path: Path, folder: str) -> None:
    """Segments under their start offset and id; one that was sent twice is there twice, indexes are no segments."""
    for name in (f"0-{SEGMENT_ID}.log", f"00000000000000000100-{OTHER_ID}.log", f"100-{SEGMENT_ID}.log"):
        write(tmp_path / folder / name)
        write((tmp_path / folder / name).with_suffix(".index"))
    write(tmp_path / folder / f"0-{SEGMENT_ID}.leader_epoch_checkpoint")
    for place in (tmp_path, tmp_path / folder):
        discovery = discover([str(place)], "c")
        assert segments_of(discovery) == [("c", "a-topic", 3, offset) for offset in (0, 100, 100)]
        assert {(one.topic_id, one.broker_id, one.log_start_offset) for one in discovery.segments} == {
            (TOPIC_ID, None, None)
        }
        assert not discovery.skipped


def test_a_partition_whose_topic_ends_like_an_id(tmp_path: Path) -> None:
    """What stands in the folder decides."""
    write(tmp_path / f"a-0-{TOPIC_ID}" / LOG)
    assert segments_of(discover([str(tmp_path)], None)) == [("unnamed", "a-0-5fEBmixCR5-dMntYSLI", 10, 0)]


def test_a_small_file_that_is_large_costs_its_own_facts(broker: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever wrote it: the other broker has its name, and both have their segments."""
    other = broker.parent / "two"
    write(other / "a-topic-0" / LOG)
    write(other / "meta.properties", "cluster.id=c\n" + "#" * 2000)
    write(other / "log-start-offset-checkpoint", "0\n1\na-topic 0 " + "1" * 2000 + "\n")
    monkeypatch.setattr("parsers.files.discovery.LARGEST_PROPERTIES_BYTES", 1000)
    monkeypatch.setattr("parsers.files.discovery.LARGEST_CHECKPOINT_BYTES", 1000)
    discovery = discover([str(broker.parent)], None)
    assert [one for one in discovery.segments if one.path.startswith(f"{broker}/")] == list(
        discover([str(broker)], None).segments
    )
    (large,) = (one for one in discovery.segments if one.path.startswith(str(other)))
    assert (large.cluster, large.log_start_offset) == ("unnamed", None)
    assert {passed.path for passed in discovery.skipped} >= {
        str(other / "meta.properties"),
        str(other / "log-start-offset-checkpoint"),
    }
