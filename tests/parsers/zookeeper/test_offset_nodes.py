"""What consumers kept in ZooKeeper, from files made byte by byte: each commit once, and what is broken set aside."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from parsers.spans import frozen
from parsers.zookeeper.offset_nodes import OFFSET_NODES, offset_nodes
from parsers.zookeeper.snapshots import read_snapshot
from parsers.zookeeper.transactions import read_transactions
from tests.parsers.zookeeper.file_bytes import (
    CREATE,
    DELETE,
    MULTI,
    SET_DATA,
    create,
    log,
    multi,
    set_data,
    snapshot,
    text,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from parsers.zookeeper.changes import FileChanges
    from parsers.zookeeper.offset_nodes import OffsetNodes

T0, T1 = "/consumers/g/offsets/t/0", "/consumers/g/offsets/t/1"
EPOCH = 1 << 32
CHANGES = [
    (EPOCH + 1, 100, CREATE, create(T0, b"5")),
    (EPOCH + 2, 200, CREATE, create("/consumers/g/owners/t/0", b"member-0")),
    (EPOCH + 3, 300, SET_DATA, set_data(T0, b"9", 1)),
    (EPOCH + 4, 400, DELETE, text(T0)),
]


def of_log(changes: Iterable[tuple[int, int, int, bytes]]) -> FileChanges:
    """What is read of a log of these changes."""
    return of_bytes(log(changes))


def of_bytes(content: bytes) -> FileChanges:
    """What is read of a log of these bytes."""
    return read_transactions(frozen(np.frombuffer(content, np.uint8)), OFFSET_NODES)


def of_snapshot(nodes: dict[str, Any]) -> FileChanges:
    """What is read of a snapshot with these nodes."""
    return read_snapshot(frozen(np.frombuffer(snapshot(nodes), np.uint8)), OFFSET_NODES)


def read(**files: FileChanges) -> OffsetNodes:
    """What the files of one ensemble say."""
    return offset_nodes(files)


def values_of(nodes: OffsetNodes, root: str = "") -> list[tuple[Any, ...]]:
    """The zxid of each commit behind its epoch, its offset, its version, and whether others may be missing."""
    return [
        ((row["log_offset"] >> 16) % EPOCH, row["committed_offset"], row["version"], row["is_sampled"])
        for row in nodes.commits[root].to_pylist()
    ]


def test_a_log_tells_every_commit_and_removal() -> None:
    """With the group, topic and partition of the path, and the time of the transaction."""
    nodes = read(one=of_log(CHANGES))
    assert values_of(nodes) == [(1, 5, 0, False), (3, 9, 1, False), (4, None, None, False)]
    first = nodes.commits[""].to_pylist()[0]
    assert (first["group_id"], first["topic"], first["partition"], first["timestamp_ms"]) == ("g", "t", 0, 100)
    assert first["batch_base_offset"] == EPOCH + 1 << 16


def test_a_transaction_may_have_several_commits() -> None:
    """Each has a position of its own, whose upper bits are the zxid."""
    parts = (CREATE, create(T0, b"5")), (CREATE, create(T1, b"6")), (-1, struct.pack(">i", 0))
    rows = read(one=of_log([(EPOCH + 7, 100, MULTI, multi(*parts))])).commits[""].to_pylist()
    assert sorted(row["committed_offset"] for row in rows) == [5, 6]
    assert {row["log_offset"] >> 16 for row in rows} == {EPOCH + 7}
    assert len({row["log_offset"] for row in rows}) == 2


def test_copies_of_several_servers_are_one_commit_each() -> None:
    """Whichever of them is behind."""
    assert values_of(read(one=of_log(CHANGES[:2]), two=of_log(CHANGES), three=of_log(CHANGES[2:]))) == values_of(
        read(one=of_log(CHANGES))
    )


def test_a_snapshot_has_the_newest_commit_at_the_same_position() -> None:
    """So that it is the same row when a log has it; alone it is a sample."""
    snap = of_snapshot({T0: (b"9", EPOCH + 3, 300, 1)})
    assert values_of(read(one=snap)) == [(3, 9, 1, True)]
    assert read(one=snap, two=of_log(CHANGES)).commits[""].equals(read(two=of_log(CHANGES)).commits[""])
    (sample,) = read(one=snap).commits[""].to_pylist()
    whole = read(two=of_log(CHANGES)).commits[""].to_pylist()[1]
    same = ("log_offset", "committed_offset", "timestamp_ms", "version", "group_id", "topic", "partition")
    assert [sample[name] for name in same] == [whole[name] for name in same]


def test_a_removal_behind_missing_transactions_may_hide_commits() -> None:
    """Nobody knows what it removed."""
    assert values_of(read(one=of_log([CHANGES[0], CHANGES[3]])))[1] == (4, None, None, True)


def test_roots_are_stores_of_their_own() -> None:
    """Several clusters may share a ZooKeeper."""
    nodes = read(one=of_log([(1, 1, CREATE, create(f"{root}{T0}", b"5")) for root in ("/a", "/b/c")]))
    assert sorted(nodes.commits) == ["/a", "/b/c"]


@pytest.mark.parametrize(
    ("path", "data"),
    [
        (T0, b""),
        (T0, b"5x"),
        (T0, b"9" * 19),
        (T0, b"\xff"),
        ("/consumers/g/offsets/t/4294967296", b"5"),
    ],
)
def test_a_node_without_an_offset_is_set_aside(path: str, data: bytes) -> None:
    """With its place, and the other commits stay."""
    nodes = read(one=of_log([(1, 1, CREATE, create(path, data)), (2, 2, CREATE, create(T1, b"6"))]))
    (trouble,) = nodes.troubles
    assert (trouble.path, trouble.trouble.reason, trouble.trouble.position) == ("one", "offset node", 16)
    assert values_of(nodes) == [(2, 6, 0, False)]


def test_an_epoch_that_no_position_holds_is_set_aside() -> None:
    """A forged one, mostly."""
    nodes = read(one=of_log([(1 << 47, 1, CREATE, create(T0, b"5"))]))
    assert not nodes.commits
    assert len(nodes.troubles) == 1


def test_names_that_are_no_text_are_no_groups() -> None:
    """Nor do they hold up others."""
    path = b"/consumers/\xff/offsets/t/0"
    assert values_of(read(one=of_log([(1, 1, CREATE, text(path) + create("", b"5")[4:]), CHANGES[0]]))) == [
        (1, 5, 0, False)
    ]


@pytest.mark.parametrize("at", range(16, 320, 7))
def test_a_broken_transaction_is_set_aside_alone(at: int) -> None:
    """Whichever byte of the first two is another, all behind them are read, and the broken one has its place."""
    content = bytearray(log(CHANGES * 3))
    ends = [len(log(CHANGES[:count])) - 64 for count in range(5)]
    at = min(at, ends[2] - 1)
    content[at] ^= 0x55
    actual = of_bytes(bytes(content))
    (trouble,) = actual.troubles
    broken = 0 if at < ends[1] else 1
    assert trouble.position == ends[broken]
    assert trouble.position + trouble.size_bytes == ends[broken + 1]
    assert actual.changes.num_rows == 9 - (broken == 0)


@pytest.mark.parametrize("cut", range(1, 60, 5))
def test_a_torn_log_tells_what_came_before(cut: int) -> None:
    """And where it is torn; zeros behind it were written in advance."""
    whole = log(CHANGES)[:-64]
    for content in (whole[:-cut], whole[:-cut] + bytes(100)):
        actual = of_bytes(content)
        assert [one.position for one in actual.troubles] == [len(log(CHANGES[:3])) - 64]
        assert actual.changes.num_rows == 2


def test_zeros_amid_a_log_are_set_aside() -> None:
    """A page that a crash lost; what follows is read."""
    content = log(CHANGES)[:-64]
    actual = of_bytes(content + bytes(4096) + content[16:])
    (trouble,) = actual.troubles
    assert (trouble.position, trouble.size_bytes) == (len(content), 4096)
    assert actual.changes.num_rows == 6


def test_a_file_that_is_no_log_is_set_aside() -> None:
    """As a whole."""
    for content in (b"", b"ZKLG", b"nothing of the kind, and long enough"):
        actual = of_bytes(content)
        assert (actual.changes.num_rows, [one.position for one in actual.troubles]) == (0, [0])
