"""The assumptions about raw records: a record that breaks one goes to core.quarantine, with the reason.

Put an assumption here as a row. `log_chunks` turns such a record into a gap of the log; `quarantine` writes its row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.arrays.columns import flags
from assets.transforms.groups.group_kinds import KINDS, RecordKind
from assets.transforms.projection import LAST_COMMIT_TYPE, UNUSABLE
from assets.transforms.transaction_outcomes import ENDINGS

if TYPE_CHECKING:
    from collections.abc import Callable

    from assets.arrays.columns import Mask
    from parsers.words import Int64Array

SHOWN_MOST: Final = 200
"""Characters shown of the actual value: a stranger may have written them."""
MEMBER_TYPES: Final = pa.array(
    [
        number
        for number, kind in KINDS.items()
        if kind.record_kind in (RecordKind.MEMBER, RecordKind.TARGET, RecordKind.CURRENT)
    ],
    pa.int16(),
)


class Assumption(NamedTuple):
    """One thing that the reconstruction assumes of every record."""

    reason: str
    expected: str
    column: str
    """The column whose value is shown; a table without it is not checked."""
    is_broken: Callable[[pa.Table], pa.ChunkedArray]
    """From records to one value per record; NULL counts as no."""


def _is_named_commit(records: pa.Table) -> pa.ChunkedArray:
    """Commits with a readable key: they have at least a group id."""
    is_commit = pc.less_equal(records["record_type"], LAST_COMMIT_TYPE)
    return pc.and_(is_commit, pc.is_valid(records["group_id"]))


ASSUMPTIONS: Final = (
    Assumption(
        "no_producer",
        "a producer id, since the batch is transactional",
        "producer_id",
        lambda records: pc.and_(records["is_transactional"], pc.is_null(records["producer_id"])),
    ),
    Assumption(
        "no_control_type",
        "a control type, since the batch is a control batch",
        "control_type",
        lambda records: pc.and_(records["is_control"], pc.is_null(records["control_type"])),
    ),
    Assumption(
        "marker_outside_transaction",
        "the transactional flag, since the batch ends a transaction",
        "is_transactional",
        lambda records: pc.and_(pc.is_in(records["control_type"], ENDINGS), pc.invert(records["is_transactional"])),
    ),
    Assumption(
        "no_topic",
        "a topic, since the key is of an offset commit",
        "topic",
        lambda records: pc.and_(_is_named_commit(records), pc.is_null(records["topic"])),
    ),
    Assumption(
        "no_partition",
        "a partition, since the key is of an offset commit",
        "partition",
        lambda records: pc.and_(_is_named_commit(records), pc.is_null(records["partition"])),
    ),
    Assumption(
        "no_offset",
        "an offset, since the value is of an offset commit",
        "offset_commit",
        lambda records: pc.and_(
            pc.is_valid(records["offset_commit"]), pc.is_null(pc.struct_field(records["offset_commit"], "offset"))
        ),
    ),
    Assumption(
        "no_member",
        "a member id, since the key is of a member",
        "member_id",
        lambda records: pc.and_(
            pc.is_in(records["record_type"], MEMBER_TYPES),
            pc.and_(pc.is_valid(records["group_id"]), pc.is_null(records["member_id"])),
        ),
    ),
)


class Unusable(NamedTuple):
    """The records that break an assumption, and their rows of core.quarantine."""

    is_broken: Mask
    rows: pa.Table
    """As `UNUSABLE` has them."""


def find_unusable(records: pa.Table) -> Unusable:
    """Check every assumption; a record that breaks several has the first of them as its reason."""
    first = np.full(records.num_rows, len(ASSUMPTIONS))
    for number in reversed(range(len(ASSUMPTIONS))):
        assumption = ASSUMPTIONS[number]
        if assumption.column in records.column_names:
            first[flags(assumption.is_broken(records))] = number
    is_broken = first < len(ASSUMPTIONS)
    return Unusable(is_broken, _rows(records, first, np.flatnonzero(is_broken)))


def _rows(records: pa.Table, first: Int64Array, rows: Int64Array) -> pa.Table:
    """The rows of core.quarantine for some records, each with the assumption that it breaks."""
    if not rows.size:
        return UNUSABLE.empty_table()
    own = records.select(UNUSABLE.names[:4]).take(pa.array(rows))
    broken = [ASSUMPTIONS[number] for number in first[rows]]
    actual = [
        str(records[one.column][row].as_py())[:SHOWN_MOST] for one, row in zip(broken, rows.tolist(), strict=True)
    ]
    reasons = [[one.reason for one in broken], [one.expected for one in broken], actual]
    return pa.table([*own.columns, *map(pa.array, reasons)], names=UNUSABLE.names).cast(UNUSABLE)
