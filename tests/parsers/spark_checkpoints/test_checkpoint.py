"""What a checkpoint says as a whole: complete and planned batches, their times, and files that are torn or gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyarrow import fs

from parsers.files.discovery import discover
from parsers.spark_checkpoints.checkpoint import Checkpoint, read_checkpoint
from parsers.spark_checkpoints.checkpoint_files import checkpoints_among, find_checkpoints
from tests.parsers.spark_checkpoints.recorded import (
    PLANNED_MS,
    QUERY_ID,
    processed,
    unpack,
    write_batch,
    write_commit,
    write_metadata,
)
from tests.store import store_apart, url

if TYPE_CHECKING:
    from pathlib import Path


def _read(place: Path) -> Checkpoint:
    (files,) = find_checkpoints(str(place))
    return read_checkpoint(files)


def _offsets(at: int) -> dict[str, dict[str, int]]:
    return {"orders": {"0": at}}


def test_a_recorded_checkpoint_says_what_its_sink_processed(tmp_path: Path) -> None:
    """The end of each complete batch is the end that the sink wrote down; the killed batch is planned and no more."""
    unpack(tmp_path)
    killed, restarted = _read(tmp_path / "killed"), _read(tmp_path / "restarted")
    assert killed.query_id == restarted.query_id == QUERY_ID
    assert ([one.number for one in killed.complete], [one.number for one in killed.planned]) == ([0, 1, 2], [3])
    ends = {(batch, partition): end for batch, _, partition, _, end in processed("restarted")}
    assert ends == {
        (one.number, partition): end for one in restarted.complete for partition, end in one.offsets["orders"].items()
    }
    assert (restarted.planned, restarted.troubles) == ((), ())


def test_a_batch_is_complete_when_its_commit_was_written(tmp_path: Path) -> None:
    """And no later than the next plan, behind which a copy's time may lie."""
    write_batch(tmp_path, 0, _offsets(1))
    write_batch(tmp_path, 1, _offsets(2))
    write_commit(tmp_path, 1, PLANNED_MS + 60_000)
    write_batch(tmp_path, 2, _offsets(3))
    write_commit(tmp_path, 2, PLANNED_MS - 1)
    times = [one.completed_ms for one in _read(tmp_path).complete]
    assert times == [PLANNED_MS + 500, PLANNED_MS + 2000, PLANNED_MS + 2000]


def test_a_later_commit_stands_for_earlier_batches(tmp_path: Path) -> None:
    """A batch begins when the one before is complete, whatever became of that one's file."""
    write_batch(tmp_path, 4, _offsets(1), is_complete=False)
    write_batch(tmp_path, 5, _offsets(2))
    assert [(one.number, one.completed_ms) for one in _read(tmp_path).complete] == [
        (4, PLANNED_MS + 5000),
        (5, PLANNED_MS + 5500),
    ]


def test_torn_files_cost_their_batches_alone(tmp_path: Path) -> None:
    """Each with its path; an empty commit is none."""
    for number in range(5):
        write_batch(tmp_path, number, _offsets(number), {"logOffset": number})
    torn = tmp_path / "offsets" / "1"
    torn.write_bytes(torn.read_bytes()[:-4])
    short = write_batch(tmp_path, 2, _offsets(2))
    empty = tmp_path / "commits" / "4"
    empty.write_bytes(b"")
    checkpoint = _read(tmp_path)
    assert [one.number for one in checkpoint.complete] == [0, 3]
    assert [one.number for one in checkpoint.planned] == [4]
    assert {path for path, _ in checkpoint.troubles} == {str(torn), str(short), str(empty)}


def test_a_checkpoint_without_a_readable_id_has_none(tmp_path: Path) -> None:
    """It stays a checkpoint, and the file is a trouble."""
    write_batch(tmp_path, 0, _offsets(1))
    for content in ("{", '{"id":"\\ud800"}', '{"id":7}', "[" * 100_000):
        (tmp_path / "metadata").write_text(content)
        checkpoint = _read(tmp_path)
        assert (checkpoint.query_id, len(checkpoint.complete), len(checkpoint.troubles)) == (None, 1, 1)


def test_checkpoints_are_found_below_a_place(tmp_path: Path) -> None:
    """Several, by their folders; Spark's temporary files and other folders called offsets are none."""
    for name in ("a", "b/c"):
        write_metadata(tmp_path / name, name)
        write_batch(tmp_path / name, 0, _offsets(1))
        (tmp_path / name / "offsets" / ".1.6f.tmp").write_text("v1")
        (tmp_path / name / "offsets" / ".0.crc").write_bytes(b"crc")
    (tmp_path / "other" / "offsets").mkdir(parents=True)
    (tmp_path / "other" / "offsets" / "0").write_text("of something else")
    checkpoints = find_checkpoints(str(tmp_path))
    assert [one.path for one in checkpoints] == [str(tmp_path / "a"), str(tmp_path / "b/c")]
    assert [list(one.offsets) for one in checkpoints] == [[0], [0]]


def test_a_place_without_a_checkpoint_has_none(tmp_path: Path) -> None:
    """Neither an empty folder nor one that is not there."""
    assert find_checkpoints(str(tmp_path)) == find_checkpoints(str(tmp_path / "nowhere")) == []


def test_a_checkpoint_in_a_store_is_read_as_one_on_a_disk(tmp_path: Path) -> None:
    """Also behind a URL that names the store's address; every batch has the URL of its file."""
    unpack(tmp_path)
    with store_apart(1 << 30):
        fs.copy_files(str(tmp_path / "killed"), url("killed"))
        for named in (url("killed"), url("killed") + "?scheme=http"):
            (files,) = find_checkpoints(named)
            remote = read_checkpoint(files)
            assert files.path == named.replace("killed", "killed/checkpoint")
            assert [one.offsets for one in remote.complete] == [
                one.offsets for one in _read(tmp_path / "killed").complete
            ]
            assert remote.complete[0].path == named.replace("killed", "killed/checkpoint/offsets/0")
            (same,) = checkpoints_among(discover([named], None).checkpoint_files)
            assert (same.path, len(same.files)) == (files.path, len(files.files))
