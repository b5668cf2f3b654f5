"""A transaction log of ZooKeeper: what changed its nodes, each change with a number, a time and a checksum.

Put here how a log's bytes become changes of nodes. A log ends where zeros begin, which were written in advance, or with
a transaction that a crash cut off. What is broken before its end is set aside, up to the next whole transaction.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from parsers.log.damage.quarantine import Trouble, quote_bytes
from parsers.zookeeper.changes import SESSION_ENDS, FileChanges, rows_for, session_ends, together, wanted_changes
from parsers.zookeeper.loops import (
    BEGUN,
    BROKEN,
    CLOSED,
    COLUMNS,
    END,
    HEAD_BYTES,
    KIND,
    VERSION,
    ZEROS,
    ZXID,
    next_transaction,
    walk_transactions,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parsers.words import ByteArray, Int64Array

MAGIC: Final = b"ZKLG"
FORMAT: Final = 2
HEADER: Final = struct.Struct(">4siq")
NO_ZXID: Final = -2
SEARCHES: Final = 16
"""The search for whole transactions behind broken ones reads no more than so many times the file."""
REASON: Final = "broken transaction"


def read_transactions(buffer: ByteArray, wanted: str) -> FileChanges:
    """The changes of nodes whose paths match a pattern, and the stretches in which there is no whole transaction."""
    head = bytes(buffer[: HEADER.size])
    if len(head) < HEADER.size or HEADER.unpack(head)[:2] != (MAGIC, FORMAT):
        expected = f"{MAGIC.decode()} and version {FORMAT}"
        return FileChanges(together(()), (Trouble(0, buffer.size, None, "no log", expected, repr(head[:8]), head),))
    troubles: list[Trouble] = []
    last = np.array([NO_ZXID, 0], np.int64)
    changes, ends, begins = [], [SESSION_ENDS.empty_table()], [np.empty((0, COLUMNS), np.int64)]
    for rows in _parts(buffer, last, troubles):
        is_node = rows[:, KIND] < CLOSED
        changes.append(wanted_changes(buffer, rows[is_node], wanted))
        ends.append(session_ends(rows))
        begins.append(rows[rows[:, KIND] == BEGUN])
    runs = _runs(np.concatenate(begins), int(last[0]))
    return FileChanges(together(changes), tuple(troubles), pa.concat_tables(ends), runs)


def _runs(begins: Int64Array, last_zxid: int) -> tuple[tuple[int, int], ...]:
    """The first and the last transaction of each run."""
    last = [*begins[1:, VERSION].tolist(), last_zxid]
    return tuple(zip(begins[:, ZXID].tolist(), last[: len(begins)], strict=True))


def _parts(buffer: ByteArray, last: Int64Array, troubles: list[Trouble]) -> Iterator[Int64Array]:
    """The rows of transactions, so many at a time."""
    rows, at = rows_for(0), HEADER.size
    budget = SEARCHES * buffer.size
    while at < buffer.size:
        at, count, reason = walk_transactions(buffer, at, rows, last)
        if count:
            yield rows[:count].copy()
        elif reason not in {BROKEN, ZEROS, END}:
            rows = rows_for(buffer.size)
        if reason == ZEROS and not buffer[at:].any():
            return
        if reason in {BROKEN, ZEROS}:
            following = int(next_transaction(buffer, at + 1, buffer.size, budget))
            budget -= (following if following > 0 else buffer.size) - at
            end = following if following > 0 else _data_end(buffer, at)
            troubles.append(_trouble(buffer, at, end, is_last=following < 0))
            at, last[1] = (following, last[1] + 1) if following > 0 else (buffer.size, last[1])


def _data_end(buffer: ByteArray, at: int) -> int:
    """Where zeros begin that reach to the end of the file."""
    return at + int(np.flatnonzero(buffer[at:])[-1]) + 1


def _trouble(buffer: ByteArray, at: int, end: int, *, is_last: bool) -> Trouble:
    """A stretch without a whole transaction: at the end of a log mostly one that a crash cut off."""
    actual = "bytes that are none, up to the end" if is_last else "bytes that are none, up to the next one"
    expected = f"a transaction: {HEAD_BYTES} bytes of checksum and length, a body that fits both, and 0x42"
    return Trouble(at, end - at, None, REASON, expected, actual, quote_bytes(buffer, at, end))
