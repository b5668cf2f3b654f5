"""The rows of a checkpoint's batches: positions, times, and partitions that are named no longer."""

from __future__ import annotations

from assets.ingest.stores.positions import base_of, batch_in_life
from assets.ingest.stores.spark.rows import archived_plans, commit_columns, metadata_of
from parsers.spark_checkpoints.checkpoint import Batch

NOON_MS = 1_795_176_000_123


def _batch(number: int, offsets: dict[str, dict[int, int]], planned_ms: int = NOON_MS) -> Batch:
    return Batch(number, f"offsets/{number}", planned_ms + number, planned_ms + number + 500, offsets)


def test_a_batch_has_a_row_for_each_partition() -> None:
    """In the order of topics and partitions, at positions that follow each other."""
    columns = commit_columns([_batch(7, {"b": {1: 20, 0: 10}, "a": {2: 30}})], {}, {})
    assert columns["log_offset"] == [base_of(7), base_of(7) + 1, base_of(7) + 2]
    assert columns["batch_base_offset"] == [base_of(7)] * 3
    assert list(zip(columns["topic"], columns["partition"], columns["committed_offset"], strict=True)) == [
        ("a", 2, 30),
        ("b", 0, 10),
        ("b", 1, 20),
    ]
    assert columns["timestamp_ms"] == [NOON_MS + 507] * 3
    assert columns["metadata"] == ["batch 7, planned 2026-11-20T12:00:00.130Z"] * 3
    assert columns["source_file"] == ["offsets/7"] * 3
    assert columns["is_sampled"] == [True] * 3


def test_a_partition_that_is_named_no_longer_is_removed() -> None:
    """As when its topic was deleted; once."""
    batches = [_batch(0, {"a": {0: 1, 1: 1}}), _batch(1, {"a": {0: 2}}), _batch(2, {"a": {0: 3}})]
    columns = commit_columns(batches, {}, {})
    assert list(zip(columns["partition"], columns["committed_offset"], strict=True)) == [
        (0, 1), (1, 1), (0, 2), (1, None), (0, 3),
    ]  # fmt: skip
    assert commit_columns(batches[:2], {0: {0: NOON_MS}}, {})["committed_offset"] == [2, None]


def test_archived_rows_say_which_batches_they_are() -> None:
    """So that the same checkpoint gives nothing twice, in whichever life."""
    batches = [_batch(0, {"a": {0: 1}}), _batch(1, {"a": {0: 2}}), Batch(2, "p", None, None, {"a": {0: 3}})]
    bases = [base_of(batch_in_life(0, 0)), base_of(batch_in_life(3, 1)), base_of(batch_in_life(3, 2))]
    archived = archived_plans(zip(bases, map(metadata_of, batches), strict=True))
    assert archived == {0: {0: NOON_MS}, 3: {1: NOON_MS + 1, 2: None}}
    assert commit_columns(batches, archived, {})["log_offset"] == []


def test_a_checkpoint_that_was_set_back_says_to_which_batch() -> None:
    """At the end of what it had been, by the plan of the batch that follows; only what is lower is sure to be next."""
    batches = [_batch(4, {"a": {0: 50, 1: 7}}), _batch(5, {"a": {0: 60, 1: 8}}, NOON_MS + 9000)]
    archived: dict[int, dict[int, int | None]] = {0: {4: NOON_MS + 4, 5: NOON_MS + 5, 6: NOON_MS + 6}}
    columns = commit_columns(batches, archived, {("a", 0): 70, ("a", 1): 7})
    life = base_of(batch_in_life(1, 4))
    assert columns["log_offset"] == [life, life + 1, base_of(batch_in_life(1, 5)), base_of(batch_in_life(1, 5)) + 1]
    assert columns["committed_offset"] == [50, 7, 60, 8]
    assert columns["is_sampled"] == [False, True, False, False]
    assert columns["timestamp_ms"] == [NOON_MS + 9005] * 2 + [NOON_MS + 9505] * 2
    assert columns["metadata"][0] == "set back to batch 4, planned 2026-11-20T12:00:00.127Z"
    both = archived_plans(zip(columns["batch_base_offset"], columns["metadata"], strict=True))
    assert both == {1: {4: NOON_MS + 4, 5: NOON_MS + 9005}}
