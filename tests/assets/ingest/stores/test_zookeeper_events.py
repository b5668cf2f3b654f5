"""Members and owners in ZooKeeper's files become rows, once each: of real consumers, of copies and of archives."""

from __future__ import annotations

import json
import shutil
import tarfile
from pathlib import Path
from typing import Any

import pytest

from assets.ingest.plan import Sources
from assets.ingest.stores.readers import keep_external_commits
from assets.ingest.stores.zookeeper_events import ZOOKEEPER_EVENTS
from assets.reconstruct.reconstruct import replay
from assets.storage.warehouse import Warehouse
from tests.assets.ingest.stores.test_zookeeper import rows_of, written
from tests.assets.inline import inline
from tests.parsers.zookeeper.file_bytes import (
    CLOSE_SESSION,
    CREATE,
    DELETE,
    EXPIRED,
    SET_DATA,
    create,
    log,
    set_data,
    snapshot,
    text,
)

BYTES = Path(__file__).resolve().parents[3] / "bytes" / "zookeeper"
GROUP, ID, OWNER = "/consumers/g", "/consumers/g/ids/g_a", "/consumers/g/owners/t/0"
OFFSET = "/consumers/g/offsets/t/0"
REGISTERED = json.dumps({"version": 1, "subscription": {"t": 1, "a": 2}, "pattern": "static"}).encode()
A, ADMIN = 11, 99
CHANGES = [
    (1, 10, CREATE, create(GROUP, b""), A),
    (2, 20, CREATE, create(f"{GROUP}/ids", b""), A),
    (3, 30, CREATE, create(ID, REGISTERED, is_ephemeral=True), A),
    (4, 40, CREATE, create(OWNER, b"g_a-1", is_ephemeral=True), A),
    (5, 50, CREATE, create(OFFSET, b"5"), A),
    (6, 60, CREATE, create("/brokers/topics/t", b'{"topic_id":"AAAAAAAAAAAAAAAAAAAAAQ"}'), ADMIN),
    (7, 70, CLOSE_SESSION, b"", A, EXPIRED),
    (8, 80, SET_DATA, set_data(OFFSET, b"3", 1), ADMIN),
]


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    """An empty warehouse."""
    return Warehouse(str(tmp_path / "warehouse"))


def keep(warehouse: Warehouse, *places: Path) -> tuple[int, tuple[str, ...]]:
    """Read what is new in these places: how many events, and complaints."""
    rows = keep_external_commits(warehouse, Sources(tuple(map(str, places))))
    return rows.events, rows.complaints


def events(warehouse: Warehouse) -> list[tuple[Any, ...]]:
    """Zxid and name of each event, group and topic."""
    rows = sorted(rows_of(warehouse, ZOOKEEPER_EVENTS), key=lambda row: (row["log_offset"] >> 16, row["event"]))
    return [(row["log_offset"] >> 16, row["event"], row["group_id"], row["topic"]) for row in rows]


def owners(warehouse: Warehouse) -> list[tuple[Any, ...]]:
    """Group, partition, zxid of beginning and end, and why it ended."""
    replay(inline, warehouse)
    rows = sorted(rows_of(warehouse, "core.ownership"), key=lambda row: row["log_offset"])
    return [
        (
            row["group_id"],
            row["partition"],
            row["log_offset"] >> 16,
            (row["to_log_offset"] or 0) >> 16,
            row["end_reason"],
        )
        for row in rows
    ]


def unpacked(name: str, folder: Path) -> Path:
    """A recording, unpacked."""
    with tarfile.open(BYTES / name) as packed:
        packed.extractall(folder, filter="data")
    return folder


def test_consumers_of_0_9_owned_what_they_owned(warehouse: Warehouse, tmp_path: Path) -> None:
    """One read three partitions for thirteen seconds, and closed its session; it never committed."""
    keep(warehouse, unpacked("kafka-0.9.tar.xz", tmp_path / "recorded"))
    assert owners(warehouse) == [("old-consumer", partition, zxid, 137, "left") for zxid, partition in OWNED_IN_0_9]
    (member,) = rows_of(warehouse, "core.members")
    assert (member["subscribed_topics"], str(member["to_at"] - member["from_at"])) == (
        ["data-snappy"],
        "0:00:12.908000",
    )


OWNED_IN_0_9 = [(134, 1), (135, 2), (136, 0)]


def test_killed_consumers_expire_and_others_leave(warehouse: Warehouse, tmp_path: Path) -> None:
    """An offset was set while the killed one's session lasted: nobody knows by whom."""
    keep(warehouse, unpacked("old-consumers.tar.xz", tmp_path / "recorded") / "zookeeper")
    assert {(group, reason) for group, *_, reason in owners(warehouse)} == {
        ("readers", "expired"),
        ("readers", "left"),
        ("gone", "left"),
    }
    rows = sorted(rows_of(warehouse, "core.commits"), key=lambda row: row["log_offset"])
    assert [(row["kind"], row["actor"]) for row in rows if row["group_id"] == "readers" and not row["partition"]] == [
        ("first", "owner"),
        ("rewind", "unknown"),
        ("advance", "owner"),
    ]
    states = sorted(rows_of(warehouse, "internal.recorded_group_states"), key=lambda row: row["log_offset"])
    assert [row["state"] for row in states if row["group_id"] == "gone"] == ["Empty", None, "Stable", "Empty", "Dead"]


def test_what_nodes_and_sessions_say_is_an_event(warehouse: Warehouse, tmp_path: Path) -> None:
    """With the session that a node goes with, the topics of a consumer and its thread."""
    assert keep(warehouse, written(tmp_path / "one", "log.1", log(CHANGES))) == (7, ())
    assert events(warehouse) == [
        (1, "group_created", "g", None),
        (2, "group_created", "g", None),
        (3, "member_created", "g", None),
        (4, "owner_created", "g", "t"),
        (6, "topic_created", None, "t"),
        (7, "session_expired", None, None),
        (8, "transactions_read", None, None),
    ]
    by_name = {row["event"]: row for row in rows_of(warehouse, ZOOKEEPER_EVENTS)}
    member, owner = by_name["member_created"], by_name["owner_created"]
    assert (member["member_id"], member["session_id"], member["subscribed_topics"]) == ("g_a", A, ["a", "t"])
    assert (owner["member_id"], owner["thread_id"], owner["session_id"]) == ("g_a", 1, A)
    assert by_name["topic_created"]["topic_id"] == "AAAAAAAAAAAAAAAAAAAAAQ"
    assert by_name["transactions_read"]["from_log_offset"] == 1 << 16


def test_only_what_is_new_is_added(warehouse: Warehouse, tmp_path: Path) -> None:
    """Of a log that grew, and of another server's copy of it."""
    server = written(tmp_path / "one", "log.1", log(CHANGES[:4]))
    keep(warehouse, server)
    version = warehouse.version(ZOOKEEPER_EVENTS)
    assert keep(warehouse, server) == (0, ())
    shutil.copytree(server, tmp_path / "two")
    assert keep(warehouse, tmp_path / "two") == (0, ())
    assert warehouse.version(ZOOKEEPER_EVENTS) == version
    assert owners(warehouse) == [("g", 0, 4, 0, None)]
    assert keep(warehouse, written(server, "log.1", log(CHANGES)))[0] == 3
    assert owners(warehouse) == [("g", 0, 4, 7, "expired")]


def test_a_log_that_comes_late_says_what_was_unknown(warehouse: Warehouse, tmp_path: Path) -> None:
    """However files came, the tables are the same."""
    late, early = (written(tmp_path / name, f"log.{name}", log(some)) for name, some in HALVES.items())
    keep(warehouse, late)
    assert owners(warehouse) == []
    keep(warehouse, late, early)
    whole = Warehouse(str(tmp_path / "whole"))
    keep(whole, written(tmp_path / "three", "log.1", log(CHANGES)))
    assert owners(warehouse) == owners(whole) == [("g", 0, 4, 7, "expired")]
    for table in ("core.commits", "internal.recorded_group_states", "core.members"):
        assert sorted(map(repr, rows_of(warehouse, table))) == sorted(map(repr, rows_of(whole, table)))


HALVES = {"5": CHANGES[4:], "1": CHANGES[:4]}


def test_a_gap_leaves_the_end_unknown(warehouse: Warehouse, tmp_path: Path) -> None:
    """A transaction that is broken may have ended any session."""
    content = bytearray(log(CHANGES))
    content[len(log(CHANGES[:5])) - 64 + 30] ^= 0xFF
    keep(warehouse, written(tmp_path / "one", "log.1", bytes(content)))
    assert owners(warehouse) == [("g", 0, 4, 0, "unknown")]
    assert len(rows_of(warehouse, "raw.quarantine")) == 1
    rows = sorted(rows_of(warehouse, "core.commits"), key=lambda row: row["log_offset"])
    assert [row["actor"] for row in rows] == ["owner", "unknown"]


def test_a_snapshot_has_the_nodes_of_then(warehouse: Warehouse, tmp_path: Path) -> None:
    """One that was created while it was written is left to the log."""
    nodes = {
        f"{GROUP}/ids": (b"", 2, 20, 0, 0, 2),
        ID: (REGISTERED, 3, 30, 0, A, 3),
        OWNER: (b"g_a-0", 9, 40, 0, A, 9),
        "/brokers/topics/t": (b"{}", 6, 60),
    }
    keep(warehouse, written(tmp_path / "one", "snapshot.7", snapshot(nodes)))
    assert events(warehouse) == [
        (7, "group_present", "g", None),
        (7, "member_present", "g", None),
        (7, "snapshot_taken", None, None),
        (7, "topic_present", None, "t"),
    ]


def test_files_of_two_ensembles_make_no_members(warehouse: Warehouse, tmp_path: Path) -> None:
    """Their zxids are the same, and their sessions are not; commits are read as before."""
    other = [(one[0], 5 * one[0], *one[2:]) for one in CHANGES]
    one = written(tmp_path / "one", "log.1", log(CHANGES))
    count, (complaint,) = keep(warehouse, one, written(tmp_path / "two", "log.1", log(other)))
    assert (count, "one zxid at two times" in complaint) == (0, True)
    assert len(rows_of(warehouse, "raw.external_commits")) == 2
    alone = Warehouse(str(tmp_path / "alone"))
    assert keep(alone, one)[0] == 7
    count, (complaint,) = keep(alone, tmp_path / "two")
    assert (count, "expected the transaction that" in complaint) == (0, True)


def test_a_subscription_that_is_no_text_stops_nothing(warehouse: Warehouse, tmp_path: Path) -> None:
    """JSON can name what no text has."""
    data = b'{"subscription": {"\\ud800": 1}, "version": 1e999}'
    member = (3, 30, CREATE, create(ID, data, is_ephemeral=True), A)
    keep(warehouse, written(tmp_path / "one", "log.1", log([*CHANGES[:2], member])))
    (row,) = (row for row in rows_of(warehouse, ZOOKEEPER_EVENTS) if row["event"] == "member_created")
    assert row["subscribed_topics"] == ["?"]


@pytest.mark.parametrize("data", [b"", b"\xff-1", b"g_a", b"-1"])
def test_an_owner_without_a_name_is_there_all_the_same(warehouse: Warehouse, tmp_path: Path, data: bytes) -> None:
    """Nobody knows who; the partition is not another's."""
    changes = [
        *CHANGES[:4],
        (5, 50, DELETE, text(OWNER), A),
        (6, 60, CREATE, create(OWNER, data, is_ephemeral=True), A),
    ]
    keep(warehouse, written(tmp_path / "one", "log.1", log(changes)))
    assert owners(warehouse) == [("g", 0, 4, 5, "revoked")]
