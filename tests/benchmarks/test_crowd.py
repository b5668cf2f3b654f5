"""Who there is: where groups live, and how the commits are shared out."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from benchmarks.crowd import Shape, commits_by_partition, gather, java_hash, log_partition_of

VECTORS = Path(__file__).resolve().parents[1] / "bytes" / "golden" / "vectors-blobs.txt"
HASHED = re.compile(r"^hash .*javaHash=(-?\d+) p50=(\d+) utf8=([0-9a-f]*)$", re.MULTILINE)


def test_groups_live_where_kafka_has_them() -> None:
    """Hash and partition of a group are those that Java gives, for every vector."""
    vectors = HASHED.findall(VECTORS.read_text(encoding="utf-8"))
    assert len(vectors) >= 10
    for hashed, partition, utf8 in vectors:
        group = bytes.fromhex(utf8).decode()
        assert (java_hash(group), log_partition_of(group, 50)) == (int(hashed), int(partition))


def test_one_partition_holds_its_part() -> None:
    """Thirty in a hundred commits go to one partition, and all commits go somewhere."""
    shape = Shape(commits=1_000_000)
    crowd = gather(shape)
    shared = commits_by_partition(shape, crowd)
    assert shared.sum() == 1_000_000
    assert abs(shared[crowd.log_partition[0]] - 300_000) <= 1
    assert np.argmax(shared) == crowd.log_partition[0]


def test_keys_belong_to_their_group() -> None:
    """The keys between a group's bounds are its own, and every group has some."""
    crowd = gather(Shape(commits=1))
    for group in range(len(crowd.groups)):
        keys = crowd.keys[crowd.first_key[group] : crowd.first_key[group + 1]]
        assert {key.group for key in keys} == {group}
        assert len(set(keys)) == len(keys) >= 16
