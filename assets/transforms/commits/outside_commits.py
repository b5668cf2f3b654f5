"""The number of commits in a row that a key of an Empty group has: a program makes more of them than an admin.

Put here the counting, over the commits of a chunk and the remembered last commits. Which commits came while a group had
no members is in `committers`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.arrays.columns import numbers
from assets.transforms.commits.committers import ACTORS, ADMIN, ADMIN_MOST, SIMPLE

if TYPE_CHECKING:
    from parsers.words import Int64Array

COUNT: Final = "outside_commits"
"""Column: the number of commits in a row to an Empty group, this one included; 0 for any other commit."""
GENERATION: Final = "generation"


def with_outside_commits(effective: pa.Table) -> pa.Table:
    """The effective commits with the column `COUNT`, each counted alone."""
    is_outside = pc.fill_null(pc.equal(effective["actor"], ACTORS[ADMIN]), fill_value=False)
    return effective.append_column(COUNT, is_outside.cast(pa.int64()))


def count_outside_commits(rows: pa.Table, number: Int64Array, order: Int64Array) -> Int64Array:
    """`COUNT` of all rows; `order` has those that count, key by key, and `number` the number of each one's key.

    A generation of a group is Empty once.
    """
    outside, generation = numbers(rows[COUNT]), numbers(rows[GENERATION])
    if not outside.any():
        return outside
    of, at = outside[order] > 0, generation[order]
    goes_on = np.zeros(order.size, np.bool_)
    goes_on[1:] = of[1:] & of[:-1] & (number[1:] == number[:-1]) & (at[1:] == at[:-1])
    starts = np.flatnonzero(~goes_on)
    start = starts[np.cumsum(~goes_on) - 1]
    count: Int64Array = outside.copy()
    count[order] = np.where(of, np.arange(order.size) - start + outside[order[start]], 0)
    return count


def reattribute_programs(actor: pa.ChunkedArray, count: Int64Array) -> pa.ChunkedArray:
    """The actors, with `simple_consumer` for commits beyond the number that an admin makes."""
    is_program = count > ADMIN_MOST
    if not is_program.any():
        return actor
    return pc.if_else(pa.array(is_program), ACTORS[SIMPLE], actor.cast(pa.string())).dictionary_encode()
