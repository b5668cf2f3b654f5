"""The walks over a transaction log and over the nodes of a snapshot: a row of numbers for each change of a node.

Put here what is asked of every byte. What the numbers mean to Kafka belongs in `changes` and the modules above it.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from parsers.compiled import compiled
from parsers.words import ByteArray, Int64Array, big32, big64

POSITION, ZXID, AT_MS, CREATED_MS, KIND, VERSION, RUN, PATH_START, PATH_END, DATA_START, DATA_END = range(11)
SESSION, EPHEMERAL_OWNER, CREATED_ZXID = range(11, 14)
COLUMNS: Final = 14
"""Of a row; a start below zero is no data."""
CREATED, SET, DELETED, STATE, CLOSED, BEGUN = range(6)
"""Kinds: what a transaction did to a node, and what a snapshot has of it. The last two are of no node: the end of a
session, with the number of its client's request as the version, 0 where the session expired; and a transaction that
does not follow the one before it, whose zxid is the version."""
UNKNOWN: Final = -1

LARGEST_BYTES: Final = 64 << 20
"""Of one value or transaction; ZooKeeper itself takes 1 MB unless it is told otherwise."""
HEAD_BYTES: Final = 12
"""Checksum and length of a transaction."""
_TXN_HEAD_BYTES: Final = 32
_END_OF_RECORD: Final = 0x42
STAT_BYTES: Final = 68
"""ACL, then czxid, mzxid, ctime, mtime, three versions, owner of an ephemeral node, pzxid."""
_ZXID_AT, _TIME_AT, _TYPE_AT = 12, 20, 28
_CZXID_AT, _MZXID_AT, _CTIME_AT, _MTIME_AT, _VERSION_AT, _EPHEMERAL_OWNER_AT = 8, 16, 24, 32, 40, 52
_REQUEST_AT: Final = 8
_SET_DATA: Final = 5
_MULTI: Final = 14
_CLOSE_SESSION: Final = -11
_CONTAINER, _TTL = 19, 21
_COUNTER_BITS: Final = 32
END, ZEROS, BROKEN, FULL = range(4)
"""Why a walk stopped: at the end of the buffer, at bytes written in advance, at what is no transaction, or for now."""

ADLER: Final = 65521
ADLER_BLOCK: Final = 5552
"""So many bytes are summed before a remainder is taken."""


@compiled
def adler32(buffer: ByteArray, start: int, end: int) -> int:
    """Give the Adler-32 of buffer[start:end]."""
    low, high, at = np.uint64(1), np.uint64(0), start
    while at < end:
        stop = min(at + ADLER_BLOCK, end)
        for index in range(at, stop):
            low += np.uint64(buffer[index])
            high += low
        low %= np.uint64(ADLER)
        high %= np.uint64(ADLER)
        at = stop
    return int((high << np.uint64(16)) | low)


@compiled
def is_transaction(buffer: ByteArray, at: int, end: int) -> bool:
    """Say whether a whole transaction stands at a position: its length, its last byte and its checksum fit."""
    if at + HEAD_BYTES > end:
        return False
    length = big32(buffer, at + 8)
    if not _TXN_HEAD_BYTES <= length <= LARGEST_BYTES or at + HEAD_BYTES + length >= end:
        return False
    body = at + HEAD_BYTES
    return bool(buffer[body + length] == _END_OF_RECORD and adler32(buffer, body, body + length) == big64(buffer, at))


@compiled
def next_transaction(buffer: ByteArray, start: int, end: int, budget: int) -> int:
    """Give the position of the next whole transaction, -1 without one, or where its search costs too much."""
    for at in range(start, end - HEAD_BYTES):
        length = big32(buffer, at + 8)
        stop = at + HEAD_BYTES + length
        if length < _TXN_HEAD_BYTES or length > LARGEST_BYTES or stop >= end or buffer[stop] != _END_OF_RECORD:
            continue
        budget -= length
        if budget < 0:
            return -1
        if is_transaction(buffer, at, end):
            return at
    return -1


@compiled
def _text_end(buffer: ByteArray, at: int, end: int) -> int:
    """Give where a text ends that stands behind its length; -1 where it does not fit."""
    if at < 0 or at + 4 > end or big32(buffer, at) < 0:
        return -1
    stop = at + 4 + big32(buffer, at)
    return int(stop) if stop <= end else -1


@compiled
def _is_ephemeral(buffer: ByteArray, at: int, end: int) -> int:
    """Read behind a created node's data, its list of rights first, whether it goes with its session; -1 if unknown."""
    if at + 4 > end:
        return -1
    rights = big32(buffer, at)
    at += 4
    for _ in range(rights):
        at = _text_end(buffer, _text_end(buffer, at + 4, end), end)
        if at < 0:
            return -1
    return int(buffer[at]) if at < end and buffer[at] <= 1 else -1


@compiled
def _change(buffer: ByteArray, at: int, end: int, kind: int, row: Int64Array) -> int:  # noqa: PLR0911 - no exceptions
    """Read one change of a node into a row; 1 for a change, 0 for what changes no data, -1 where it does not fit."""
    is_created = kind == 1 or kind == 15 or kind == 19 or kind == 21  # noqa: PLR1714, PLR2004 - loops take no sets
    is_deleted = kind == 2 or kind == 20  # noqa: PLR1714, PLR2004
    if not (is_created or is_deleted or kind == _SET_DATA):
        return 0
    if at + 4 > end:
        return -1
    length = big32(buffer, at)
    data = at + 4 + length
    if length < 0 or data > end:
        return -1
    row[KIND] = CREATED if is_created else DELETED if is_deleted else SET
    row[PATH_START], row[PATH_END], row[DATA_START], row[DATA_END] = at + 4, data, -1, -1
    row[VERSION] = 0 if is_created else UNKNOWN
    row[EPHEMERAL_OWNER] = UNKNOWN
    if is_deleted:
        return 1
    if data + 4 > end:
        return -1
    size = big32(buffer, data)
    stop = data + 4 + max(size, 0)
    if size < -1 or stop + (0 if is_created else 4) > end:
        return -1
    if size >= 0:
        row[DATA_START], row[DATA_END] = data + 4, stop
    if not is_created:
        row[VERSION] = big32(buffer, stop)
    elif kind == _CONTAINER or kind == _TTL:  # noqa: PLR1714, SIM109 - loops take no sets
        row[EPHEMERAL_OWNER] = 0
    else:
        row[EPHEMERAL_OWNER] = _is_ephemeral(buffer, stop, end)
    return 1


@compiled
def _changes(buffer: ByteArray, body: int, end: int, rows: Int64Array, count: int) -> int:  # noqa: PLR0911 - no exceptions
    """Read the changes of a transaction into rows; their number, or -1 where its body is none."""
    kind = big32(buffer, body + _TYPE_AT)
    at = body + _TXN_HEAD_BYTES
    if kind == _CLOSE_SESSION:
        rows[count, KIND], rows[count, VERSION] = CLOSED, big32(buffer, body + _REQUEST_AT)
        rows[count, EPHEMERAL_OWNER] = UNKNOWN
        return 1
    if kind != _MULTI:
        return int(_change(buffer, at, end, kind, rows[count]))
    if at + 4 > end:
        return -1
    parts, changed = big32(buffer, at), 0
    at += 4
    for _ in range(parts):
        if at + 8 > end:
            return -1
        length = big32(buffer, at + 4)
        if length < 0 or at + 8 + length > end:
            return -1
        one = _change(buffer, at + 8, at + 8 + length, big32(buffer, at), rows[count + changed])
        if one < 0:
            return -1
        changed += one
        at += 8 + length
    return changed


@compiled
def _describe(buffer: ByteArray, at: int, rows: Int64Array, run: int) -> None:
    """Fill in what a transaction says of all that it did."""
    body = at + HEAD_BYTES
    zxid, at_ms, session = big64(buffer, body + _ZXID_AT), big64(buffer, body + _TIME_AT), big64(buffer, body)
    for row in rows:
        is_created = row[KIND] == CREATED
        row[POSITION], row[ZXID], row[RUN], row[AT_MS], row[SESSION] = at, zxid, run, at_ms, session
        row[CREATED_MS] = at_ms if is_created else UNKNOWN
        row[CREATED_ZXID] = zxid if is_created else UNKNOWN
        if row[EPHEMERAL_OWNER] == 1:
            row[EPHEMERAL_OWNER] = session


@compiled
def walk_transactions(buffer: ByteArray, start: int, rows: Int64Array, last: Int64Array) -> tuple[int, int, int]:
    """Read transactions from a position on: where it stopped, how many rows there are, and why.

    `last` has the zxid of the transaction before, and the number of its run: transactions without one that is missing.
    """
    at, end, count = start, buffer.size, 0
    while at < end:
        if at + HEAD_BYTES <= end and big64(buffer, at) == 0 and big32(buffer, at + 8) == 0:
            return at, count, ZEROS
        if not is_transaction(buffer, at, end):
            return at, count, BROKEN
        body = at + HEAD_BYTES
        stop = body + big32(buffer, at + 8)
        if count + 2 + (stop - body) // 8 > rows.shape[0]:
            return at, count, FULL
        zxid = big64(buffer, body + _ZXID_AT)
        changed = _changes(buffer, body, stop, rows, count)
        if changed < 0:
            return at, count, BROKEN
        if zxid != last[0] + 1:
            rows[count + changed, KIND], rows[count + changed, VERSION] = BEGUN, last[0]
            changed += 1
            last[1] += zxid >> _COUNTER_BITS == last[0] >> _COUNTER_BITS
        last[0] = zxid
        _describe(buffer, at, rows[count : count + changed], last[1])
        count += changed
        at = stop + 1
    return at, count, END


@compiled
def walk_nodes(buffer: ByteArray, start: int, rows: Int64Array) -> tuple[int, int, int]:
    """Read the nodes of a snapshot from a position on, up to the path of the root, which ends them."""
    at, end, count = start, buffer.size, 0
    while at + 4 <= end:
        path = at + 4
        data = path + big32(buffer, at)
        if data < path or data + 4 > end:
            return at, count, BROKEN
        if data == path + 1 and buffer[path] == 0x2F:  # noqa: PLR2004 - a slash
            return data, count, END
        stat = data + 4 + max(big32(buffer, data), 0)
        if big32(buffer, data) < -1 or stat + STAT_BYTES > end:
            return at, count, BROKEN
        if count == rows.shape[0]:
            return at, count, FULL
        row = rows[count]
        row[POSITION], row[KIND], row[RUN], row[PATH_START], row[PATH_END] = at, STATE, 0, path, data
        row[DATA_START], row[DATA_END] = (data + 4, stat) if big32(buffer, data) >= 0 else (-1, -1)
        row[ZXID], row[CREATED_MS] = big64(buffer, stat + _MZXID_AT), big64(buffer, stat + _CTIME_AT)
        row[AT_MS], row[VERSION] = big64(buffer, stat + _MTIME_AT), big32(buffer, stat + _VERSION_AT)
        row[SESSION], row[CREATED_ZXID] = 0, big64(buffer, stat + _CZXID_AT)
        row[EPHEMERAL_OWNER] = big64(buffer, stat + _EPHEMERAL_OWNER_AT)
        count += 1
        at = stat + STAT_BYTES
    return at, count, BROKEN
