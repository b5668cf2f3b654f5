"""Everything in a recording is found where its layout says."""

from __future__ import annotations

import json
import tarfile
from typing import TYPE_CHECKING

from benchmarks.truth.recordings import Recording, open_recording

if TYPE_CHECKING:
    from pathlib import Path


def log_dir(folder: Path) -> Path:
    """A log directory with a partition of the offsets topic."""
    (folder / "__consumer_offsets-0").mkdir(parents=True)
    return folder


def test_a_log_directory_is_what_its_place_says(tmp_path: Path) -> None:
    """The end, snapshots of it in order, the whole history, or what the cleaner left."""
    later, first = log_dir(tmp_path / "snaps" / "01"), log_dir(tmp_path / "snaps" / "00")
    end, history = log_dir(tmp_path / "data"), log_dir(tmp_path / "history" / "whole")
    recording = Recording("made up", (tmp_path,))
    assert (recording.data, recording.snapshots, recording.history) == ([end], [first, later], [history])
    assert recording.after_cleaner == [end]
    after = log_dir(tmp_path / "brokers-one" / "after-cleaner" / "1" / "data")
    assert Recording("made up", (tmp_path,)).after_cleaner == [after]


def test_where_it_lies_says_nothing(tmp_path: Path) -> None:
    """Only folders inside a recording do."""
    end = log_dir(tmp_path / "snaps" / "recording" / "data")
    assert Recording("made up", (tmp_path / "snaps" / "recording",)).data == [end]


def test_archives_are_unpacked(tmp_path: Path) -> None:
    """Into the scratch folder, under the paths that they lie at, beside what lies open."""
    log_dir(tmp_path / "data")
    for brokers in ("brokers-one", "brokers-three"):
        (tmp_path / "recording" / brokers).mkdir(parents=True)
        with tarfile.open(tmp_path / "recording" / brokers / "before-cleaner.tar.xz", "w:xz") as packed:
            packed.add(tmp_path / "data", "data")
    (tmp_path / "recording" / "truth.json").write_text('{"payers": {}}')
    recording = open_recording("made up", [tmp_path / "recording"], tmp_path / "scratch")
    assert [path.parts[-3:] for path in recording.data] == [
        ("brokers-one", "before-cleaner", "data"),
        ("brokers-three", "before-cleaner", "data"),
    ]
    assert recording.truth == {"payers": {}}


def test_a_group_is_disturbed_by_what_is_no_orderly_step(tmp_path: Path) -> None:
    """And one of which nothing is written down may have been."""
    steps = [("calm", "start"), ("calm", "leave"), ("hit", "start"), ("hit", "kill")]
    (tmp_path / "truth.json").write_text(json.dumps({"calm": {}, "hit": {}, "unknown": {}}))
    (tmp_path / "events.jsonl").write_text(
        "".join(json.dumps({"group": one, "kind": kind}) + "\n" for one, kind in steps)
    )
    assert Recording("made up", (tmp_path,)).disturbed_groups == {"hit", "unknown"}


def test_log_starts_are_those_of_the_end(tmp_path: Path) -> None:
    """The first segment that is left, or the checkpoint where it says more."""
    for name in ("orders-0/00000000000000000007.log", "orders-1/00000000000000000000.log"):
        (log_dir(tmp_path / "data") if not (tmp_path / "data").exists() else tmp_path / "data").joinpath(
            name
        ).parent.mkdir()
        (tmp_path / "data" / name).touch()
    (tmp_path / "data" / "log-start-offset-checkpoint").write_text("0\n1\norders 1 30\n")
    assert Recording("made up", (tmp_path,)).log_starts == {("orders", 0): 7, ("orders", 1): 30}
