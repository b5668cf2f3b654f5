"""The changes of nodes that a file of ZooKeeper tells of, as columns.

Put here what snapshots and transaction logs both tell of a node. Where the bytes stand belongs in `loops`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from parsers.messages.strings import are_utf8, gather, intern
from parsers.spans import pack
from parsers.zookeeper import loops

if TYPE_CHECKING:
    from collections.abc import Iterable

    from parsers.log.damage.quarantine import Trouble
    from parsers.words import ByteArray, Int64Array

CHANGES: Final = pa.schema(
    [
        *(("path", pa.dictionary(pa.int32(), pa.string())), ("data", pa.binary()), ("kind", pa.int8())),
        *(("zxid", pa.int64()), ("changed_ms", pa.int64()), ("created_ms", pa.int64()), ("version", pa.int32())),
        *(("run", pa.int64()), ("position", pa.int64()), ("session_id", pa.int64())),
        *(("ephemeral_owner", pa.int64()), ("created_zxid", pa.int64())),
    ]
)
"""A node after a change. A log does not say when a node was created that it sets, nor the version of what it deletes.

Between transactions of one run none is missing in the file. `session_id` made the change; the node vanishes with the
session `ephemeral_owner`, which is 0 for a node that stays.
"""
SESSION_ENDS: Final = pa.schema(
    [
        *(("zxid", pa.int64()), ("changed_ms", pa.int64()), ("session_id", pa.int64())),
        *(("position", pa.int64()), ("is_expired", pa.bool_())),
    ]
)
"""The ends of sessions: their client closed them, or they expired."""
_GROUP_NAME: Final = re.compile(r"\(\?P<\w+>")
ROWS_AT_ONCE: Final = 1 << 17


class FileChanges(NamedTuple):
    """The changes of wanted nodes in a file, in its order, and what of it could not be read."""

    changes: pa.Table
    troubles: tuple[Trouble, ...]
    session_ends: pa.Table = SESSION_ENDS.empty_table()
    runs: tuple[tuple[int, int], ...] = ()
    """The first and the last zxid of each run of transactions without a gap."""
    snapshot_zxid: int | None = None
    """Of a snapshot the last transaction that is surely in it."""


def either(*patterns: str) -> str:
    """A pattern of what any of several matches, without the names of their groups."""
    return "|".join(f"(?:{_GROUP_NAME.sub('(?:', pattern)})" for pattern in patterns)


def rows_for(size_bytes: int) -> Int64Array:
    """Empty rows for a walk over so many bytes at a time."""
    return np.empty((max(ROWS_AT_ONCE, size_bytes // 8 + 1), loops.COLUMNS), np.int64)


def wanted_changes(buffer: ByteArray, rows: Int64Array, wanted: str) -> pa.Table:
    """The rows whose paths match a pattern, with their texts; a path that is no UTF-8 is none of Kafka's."""
    paths = intern(buffer, pack(rows[:, loops.PATH_START], rows[:, loops.PATH_END]))
    is_text = are_utf8(buffer, paths.distinct)
    names = gather(buffer, np.where(is_text, paths.distinct, 0), pa.string())
    is_wanted = np.asarray(pc.match_substring_regex(names, f"^(?:{wanted})$"), np.bool_) & is_text
    mine, codes = rows[is_wanted[paths.codes]], paths.codes[is_wanted[paths.codes]]
    version, created = mine[:, loops.VERSION], mine[:, loops.CREATED_MS]
    columns = [
        pa.DictionaryArray.from_arrays(pa.array(codes), names),
        gather(buffer, pack(mine[:, loops.DATA_START], mine[:, loops.DATA_END]), pa.binary()),
        pa.array(mine[:, loops.KIND].astype(np.int8)),
        pa.array(mine[:, loops.ZXID]),
        pa.array(mine[:, loops.AT_MS]),
        _or_null(created),
        pa.array(version.astype(np.int32), mask=version == loops.UNKNOWN),
        pa.array(mine[:, loops.RUN]),
        pa.array(mine[:, loops.POSITION]),
        *(_or_null(mine[:, column]) for column in (loops.SESSION, loops.EPHEMERAL_OWNER, loops.CREATED_ZXID)),
    ]
    return pa.Table.from_arrays(columns, schema=CHANGES)


def session_ends(rows: Int64Array) -> pa.Table:
    """The ends of sessions among the rows."""
    ends = rows[rows[:, loops.KIND] == loops.CLOSED]
    columns = [pa.array(ends[:, column]) for column in (loops.ZXID, loops.AT_MS, loops.SESSION, loops.POSITION)]
    return pa.Table.from_arrays([*columns, pa.array(ends[:, loops.VERSION] == 0)], schema=SESSION_ENDS)


def _or_null(numbers: Int64Array) -> pa.Array:
    return pa.array(numbers, mask=numbers == loops.UNKNOWN)


def together(parts: Iterable[pa.Table]) -> pa.Table:
    """The changes of several parts of a file, or of several files."""
    return pa.concat_tables([CHANGES.empty_table(), *parts]).unify_dictionaries()
