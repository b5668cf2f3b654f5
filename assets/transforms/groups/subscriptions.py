"""Subscriptions and assignments of members, one row each, and the matches of regular expressions.

Put here what makes rows of the lists of members. The members are in `members`, times of ownership in `ownership`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.arrays.keys import row_keys
from assets.arrays.neighbours import following, take_rows
from assets.catalog.core.groups import ASSIGNMENTS, SUBSCRIPTIONS
from assets.transforms.groups.group_kinds import RecordKind
from assets.transforms.groups.group_log import timestamps
from assets.transforms.groups.group_rows import fill_columns, of_log, own_schema, validity
from assets.transforms.groups.member_versions import sooner
from assets.transforms.groups.partition_lists import flatten

if TYPE_CHECKING:
    from assets.transforms.groups.group_log import GroupLog
    from parsers.words import Int64Array

LISTS: Final = ("assigned", "revoking", "target")
SAME: Final = ("group_id", "group_type", "log_offset", "member_id", "from_at", "to_at", "to_log_offset", "is_gap_free")


def subscriptions(log: GroupLog, members: pa.Table) -> pa.Table:
    """One row per version of a member, and one per match of a regular expression."""
    topics, regex = members["subscribed_topics"], members["subscribed_regex"]
    columns = {name: members[name] for name in SAME} | {"topics": topics, "regex": regex}
    has_subscription = pc.or_(pc.is_valid(topics), pc.is_valid(regex))
    own = fill_columns(SUBSCRIPTIONS, {name: column.combine_chunks() for name, column in columns.items()})
    return pa.concat_tables([own.filter(has_subscription), _matches(log)])


def _matches(log: GroupLog) -> pa.Table:
    """Matches of regular expressions, each valid until the next match or the expression's tombstone."""
    row, end = find_matches(log)
    value = take_rows(log.values(RecordKind.REGEX, "consumer"), row)
    columns = {
        "topics": pc.struct_field(value, "topics"),
        "regex": log.take("regular_expression", row),
        "resolved_at": timestamps(pc.struct_field(value, "timestamp")),
    }
    return fill_columns(SUBSCRIPTIONS, of_log(log, row) | validity(log, row, end) | columns)


def find_matches(log: GroupLog) -> tuple[Int64Array, Int64Array]:
    """The records with matches of expressions, and the record that ended each."""
    is_match = log.is_about(RecordKind.REGEX)
    key = row_keys(log.kind_of_group, log.records["regular_expression"])
    row = np.flatnonzero(is_match & log.is_value)
    return row, sooner(following(key, is_match)[row], log.ends_at[row])


def assignments(members: pa.Table) -> pa.Table:
    """One row per version, list and topic."""
    parts = [_list_of(members, kind) for kind in LISTS]
    return pa.concat_tables([own_schema(ASSIGNMENTS).empty_table(), *parts])


def _list_of(members: pa.Table, kind: str) -> pa.Table:
    version, places = flatten(members[kind].combine_chunks())
    columns = {name: take_rows(members[name], version) for name in (*SAME, "generation")}
    columns |= {name: pc.struct_field(places, name) for name in ("topic", "topic_id", "partitions")}
    return fill_columns(ASSIGNMENTS, columns | {"kind": pa.repeat(kind, version.size)})
