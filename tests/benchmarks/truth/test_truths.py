"""The truth is what members wrote down, with the times at which they processed something again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest

from benchmarks.truth.recordings import Recording
from benchmarks.truth.truths import ANY_TIME, Key, Truth, truths

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

NOTHING: Final[Mapping[str, str]] = {}
SUMMARY = {"processed": 7, "distinct": 5, "next": 9, "duplicated": [[4, 6]], "missed": [[0, 3], [7, 8]]}


def of_one(folder: Path, summary: dict[str, Any], written: Mapping[str, str] = NOTHING, log_start: int = 0) -> Truth:
    """The truth of one partition of a recording with these files of processed records, by member."""
    (folder / "processed").mkdir()
    (folder / "truth.json").write_text(json.dumps({"payers": {"0": summary}}))
    for member, text in written.items():
        (folder / "processed" / f"payers.{member}.jsonl").write_text(text)
    recording = Recording("made up", (folder,))
    return truths(recording, {"payers": ["orders"]}, {("orders", 0): log_start})[Key("payers", "orders", 0)]


def test_without_times_every_time_may_be_meant(tmp_path: Path) -> None:
    """Where nobody wrote down each record."""
    assert of_one(tmp_path, SUMMARY).again.tolist() == [[4, ANY_TIME], [5, ANY_TIME]]


def test_times_are_those_of_every_processing_but_the_first(tmp_path: Path) -> None:
    """By whichever member it was, and in whatever order members are read."""
    first, second = "[10, 0, 3]\n[11, 0, 4]\n[12, 0, 5]\n[30, 0, 4]\n", "[20, 0, 4]\n[21, 0, 5]\n[22, 0, 6]\n"
    truth = of_one(tmp_path, SUMMARY, {"first": first, "second": second})
    assert truth.again.tolist() == [[4, 20], [4, 30], [5, 21]]


def test_another_life_of_the_topic_is_no_second_reading(tmp_path: Path) -> None:
    """An offset that each life processed once is not among what truth.json calls duplicated."""
    summary = SUMMARY | {"duplicated": [], "earlier": [SUMMARY | {"duplicated": [], "missed": [[2, 3]]}]}
    truth = of_one(tmp_path, summary, {"first": "[10, 0, 4]\n[20, 0, 4]\n"})
    assert truth.again.size == 0
    assert truth.missed.tolist() == [0, 1, 2, 7]


def test_the_beginning_that_a_group_never_read_is_not_asked_for(tmp_path: Path) -> None:
    """It was never declared done; but who claims that it was missed is right."""
    truth = of_one(tmp_path, SUMMARY)
    assert truth.known_missed.tolist() == [7]
    assert truth.is_unread(truth.missed).all()


def test_what_the_log_lost_beyond_the_last_is_missed(tmp_path: Path) -> None:
    """Nobody can read it any more."""
    assert of_one(tmp_path, SUMMARY, log_start=12).known_missed.tolist() == [7, 9, 10, 11]


def test_a_group_without_commits_has_no_truth_to_recall(tmp_path: Path) -> None:
    """Nothing in the offsets topic is about it."""
    (tmp_path / "truth.json").write_text(json.dumps({"payers": {"orders-0": SUMMARY}}))
    assert truths(Recording("made up", (tmp_path,)), {}, {}) == {}


def test_a_partition_of_one_of_several_topics_needs_a_name(tmp_path: Path) -> None:
    """Rather than a guess."""
    (tmp_path / "truth.json").write_text(json.dumps({"payers": {"0": SUMMARY}}))
    with pytest.raises(ValueError, match="of which of orders, payments"):
        truths(Recording("made up", (tmp_path,)), {"payers": ["orders", "payments"]}, {})
