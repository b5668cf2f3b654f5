"""The bound on what one record may assign: opened, each partition becomes a row with all the names beside it.

Any client may lead a group of its own, give itself a million partitions in four bytes each, and a name of 32 kB. Put
here how large a record is when it is opened, and which are not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.catalog.core.groups import ASSIGNED
from assets.transforms.groups.partition_lists import flatten

if TYPE_CHECKING:
    from parsers.words import Int64Array

OPENED_BYTES_MOST: Final = 120 << 20
"""A record that takes more is not opened: one of 300,000 partitions, under short names."""
ROW_BYTES: Final = 400
"""A partition takes so much while its owners are worked out, without names."""
TEXT_COPIES: Final = 7
"""So many copies of each name are made meanwhile."""
TEXTS: Final = ("group_id", "member_id", "group_instance_id", "client_id", "client_host")
COLUMNS: Final = ("assigned", "revoking", "target")


def bounded(members: pa.Table) -> pa.Table:
    """Versions of members without the partitions of records that take too much: those are unknown."""
    texts = sum((_lengths(members[name]) for name in TEXTS), np.zeros(members.num_rows, np.int64))
    _, record = np.unique(members["log_offset"].to_numpy(), return_inverse=True)
    for column in COLUMNS:
        size_bytes = np.bincount(record, _opened_bytes(members[column], texts), minlength=1)[record]
        if (size_bytes > OPENED_BYTES_MOST).any():
            lists = pc.if_else(pa.array(size_bytes <= OPENED_BYTES_MOST), members[column], pa.scalar(None, ASSIGNED))
            members = members.set_column(members.column_names.index(column), column, lists)
    return members


def _opened_bytes(lists: pa.ChunkedArray, texts: Int64Array) -> Int64Array:
    """The bytes that each list of partitions takes as rows."""
    owner, topics = flatten(lists.combine_chunks())
    count = pc.fill_null(pc.list_value_length(pc.struct_field(topics, "partitions")), 0).to_numpy().astype(np.int64)
    row = ROW_BYTES + TEXT_COPIES * (texts[owner] + _lengths(pc.struct_field(topics, "topic")))
    return np.bincount(owner, count * row, minlength=len(lists))


def _lengths(texts: pa.Array) -> Int64Array:
    lengths: Int64Array = pc.fill_null(pc.binary_length(texts), 0).to_numpy().astype(np.int64)
    return lengths
