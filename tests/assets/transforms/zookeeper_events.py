"""Rows of raw.zookeeper_events, made one by one.

Put here how such a row is made. What follows from it is in the tests.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from assets.catalog.raw.external import EXTERNAL_COMMITS, ZOOKEEPER_EVENTS
from assets.transforms.projection import RUNS, StoreEvents

if TYPE_CHECKING:
    from assets.transforms.log_chunks import Reader
    from assets.transforms.projection import LogChunk

    Row = dict[str, Any]

STEP = 1 << 16
A, B, ADMIN = 11, 12, 99
"""Sessions."""
GIVEN = {"cluster": "c", "log_partition": -7, "store": "/", "source_file": "s/version-2/log.1", "read_at": 0}


@dataclass(frozen=True)
class ZooKeeper:
    """The transactions of a store in order, each with the next zxid; adding one gives another."""

    events: tuple[Row, ...] = ()
    commits: tuple[Row, ...] = ()
    zxid: int = 0
    runs: tuple[tuple[int, int], ...] = ()
    begin: int = 1

    def group(self, name: str = "created") -> ZooKeeper:
        """Create or remove the node of g."""
        return self._event(f"group_{name}")

    def member(self, member_id: str, session: int, name: str = "created") -> ZooKeeper:
        """Create or remove the node of a consumer."""
        return self._event(f"member_{name}", member_id=member_id, session_id=session)

    def owner(self, member_id: str | None, session: int, name: str = "created", partition: int = 0) -> ZooKeeper:
        """Create or remove the node of the owner of t's partition."""
        return self._event(f"owner_{name}", member_id=member_id, session_id=session, topic="t", partition=partition)

    def end(self, session: int, name: str = "closed") -> ZooKeeper:
        """End a session."""
        return self._event(f"session_{name}", group_id=None, session_id=session)

    def commit(self, offset: int | None, session: int | None, partition: int = 0, **values: Any) -> ZooKeeper:  # noqa: ANN401 - columns
        """Set the offset of t's partition."""
        at = (self.zxid + 1) * STEP + 7
        place = {"log_offset": at, "batch_base_offset": at - 7, "timestamp_ms": 1000 * (self.zxid + 1)}
        key = {"group_id": "g", "topic": "t", "partition": partition, "committed_offset": offset}
        versions = [one["version"] for one in self.commits if one["partition"] == partition]
        rest = {"metadata": None, "version": len(versions), "session_id": session, "is_sampled": False}
        row = {**GIVEN, "store_kind": "zookeeper", **place, **key, **rest, **values}
        return self._with(commits=(*self.commits, row))

    def snapshot(self, *present: Row, server: str = "s") -> ZooKeeper:
        """Take a snapshot that has some nodes: each by its event, as the next ones would have it."""
        path = f"{server}/version-2/snapshot.{self.zxid:x}"
        base = self.zxid * STEP
        taken = {"event": "snapshot_taken", "log_offset": base + STEP - 1}
        rows = [{"log_offset": base + 9 + number, **one} for number, one in enumerate(present)]
        events = [_row(base, **one, source_file=path) for one in (*rows, taken)]
        return self._with(zxid=self.zxid, events=(*self.events, *events))

    def gap(self) -> ZooKeeper:
        """Leave a transaction out."""
        run = (self.begin, self.zxid)
        return self._with(zxid=self.zxid + 1, runs=(*self.runs, run), begin=self.zxid + 2)

    def chunk(self, reader: Reader, low: int = 0, high: int = 1 << 62) -> LogChunk:
        """The rows from one position on and before another."""
        runs = [*self.runs, (self.begin, self.zxid)]
        last = [_row(end * STEP, event="transactions_read", log_offset=end * STEP + STEP - 1) for _, end in runs]
        events = [row for row in sorted((*self.events, *last), key=_place) if low <= row["log_offset"] < high]
        commits = [row for row in self.commits if low <= row["log_offset"] < high]
        ranges = [{"from_log_offset": first * STEP, "log_offset": end * STEP + STEP - 1} for first, end in runs]
        return reader.store_chunk(
            pa.Table.from_pylist(commits, EXTERNAL_COMMITS.schema),
            StoreEvents(
                pa.Table.from_pylist(events, ZOOKEEPER_EVENTS.schema),
                pa.Table.from_pylist([one for one in ranges if one["log_offset"] >= low], RUNS),
            ),
        )

    def positions(self) -> list[int]:
        """Where a store can be cut: before each transaction."""
        return [zxid * STEP for zxid in range(1, self.zxid + 2)]

    def _event(self, event: str, group_id: str | None = "g", **values: Any) -> ZooKeeper:  # noqa: ANN401 - columns
        base = (self.zxid + 1) * STEP
        row = _row(base, event=event, group_id=group_id, timestamp_ms=1000 * (self.zxid + 1), **values)
        return self._with(events=(*self.events, row))

    def _with(self, **values: Any) -> ZooKeeper:  # noqa: ANN401 - fields
        fields = ("events", "commits", "runs", "begin")
        rest: dict[str, Any] = {name: getattr(self, name) for name in fields}
        return ZooKeeper(**{**rest, "zxid": self.zxid + 1, **values})


def present(event: str, created: int, **values: Any) -> Row:  # noqa: ANN401 - columns
    """A node of g that a snapshot has, created by a transaction."""
    return {"event": f"{event}_present", "group_id": "g", "from_log_offset": created * STEP, **values}


def _row(base: int, **values: Any) -> Row:  # noqa: ANN401 - columns
    blank = dict.fromkeys(ZOOKEEPER_EVENTS.column_names)
    return {**blank, **GIVEN, "log_offset": base, "batch_base_offset": base, **values}


def _place(row: Row) -> int:
    place: int = row["log_offset"]
    return place
