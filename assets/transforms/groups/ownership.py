"""The owners of partitions, from when to when, and the end reason: consecutive claims of one member.

Put here which claims make up a time of ownership, and its columns. The claims are in `partition_claims`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from assets.arrays.columns import or_null
from assets.arrays.neighbours import NO_ROW, take_rows
from assets.catalog.core.ownership import OWNERSHIP
from assets.transforms.groups.group_rows import fill_columns
from assets.transforms.groups.ownership_ends import UNKNOWN, endings, is_begun, words
from assets.transforms.groups.partition_claims import FAR, OWNER, Claims

if TYPE_CHECKING:
    from assets.arrays.neighbours import Mask
    from assets.transforms.groups.group_log import GroupLog
    from parsers.words import Int64Array

GOES_ON = ("log_offset", "seen_at", "from_log_offset", "from_at", "generation", "revoking_at")
"""What is remembered of an owner, since its first record may be forgotten."""


class OwnershipSpans(NamedTuple):
    """Times of ownership: the first and the last claim of each, and the version that first revoked it."""

    first: Claims
    last: Claims
    revoking: Int64Array
    """Row of the version; NO_ROW for an owner without a pending revocation."""


def ownership(log: GroupLog, members: pa.Table, claimed: pa.Table, claims: Claims, remembered: pa.Table) -> pa.Table:
    """Rows of core.ownership from the claims of members' versions; some continue remembered ones."""
    first = ~_goes_on(log, claims)
    last = np.append(first, np.True_)[1:]
    spans = OwnershipSpans(claims[first], claims[last], _revoking(claims, np.cumsum(first) - 1))
    first_columns = _first_columns(log, members, spans)
    rows = {name: take_rows(claimed[name], spans.first.row) for name in OWNER}
    return fill_columns(
        OWNERSHIP,
        rows
        | _last_columns(members, spans)
        | _end_columns(log, members, spans)
        | _restore_remembered(first_columns, spans, remembered),
    )


def _goes_on(log: GroupLog, claims: Claims) -> Mask:
    """The claim directly follows one of the same member, and no gap lies between them."""
    row = np.searchsorted(log.offset, claims.start)
    follows = np.zeros(claims.row.size, np.bool_)
    follows[1:] = (claims.owner[1:] == claims.owner[:-1]) & (claims.end[:-1] == claims.start[1:]) & ~claims.is_cut[:-1]
    follows[1:] &= log.since[row][1:] <= claims.start[:-1]
    return follows


def _revoking(claims: Claims, span: Int64Array) -> Int64Array:
    """Per time of ownership, the version since which a revocation is pending, if it is at the end."""
    turns = np.flatnonzero(~claims.is_revoking)
    last_kept = np.full(span.max(initial=NO_ROW) + 1, NO_ROW, np.int64)
    last_kept[span[turns]] = turns
    begins = np.searchsorted(span, np.arange(last_kept.size))
    ends = np.searchsorted(span, np.arange(last_kept.size), side="right")
    since = np.where(last_kept == NO_ROW, begins, last_kept + 1)
    return np.where(since < ends, np.append(claims.version, NO_ROW)[since], NO_ROW)


def _first_columns(log: GroupLog, members: pa.Table, spans: OwnershipSpans) -> dict[str, pa.Array]:
    """Columns of the first claim; the start is known if the member surely did not own the partition before."""
    version_from_at = take_rows(members["from_at"], spans.first.version)
    is_known = is_begun(log, members, spans.first.version)
    return {
        "log_offset": pa.array(spans.first.start),
        "seen_at": version_from_at,
        "from_log_offset": or_null(spans.first.start, is_known),
        "from_at": take_rows(version_from_at, np.where(is_known, np.arange(is_known.size), NO_ROW)),
        "generation": take_rows(members["generation"], spans.first.version),
        "revoking_at": take_rows(members["from_at"], spans.revoking),
    }


def _restore_remembered(
    first_columns: dict[str, pa.Array], spans: OwnershipSpans, remembered: pa.Table
) -> dict[str, pa.Array]:
    """The same, but from memory where the owner is remembered."""
    rows = spans.first.remembered
    own = np.arange(rows.size)
    place = np.where(rows == NO_ROW, own, rows + rows.size)
    places = dict.fromkeys(GOES_ON, place) | {
        "revoking_at": np.where(spans.revoking == spans.first.version, place, own)
    }
    both = {name: pa.chunked_array([first_columns[name], *remembered[name].chunks]) for name in GOES_ON}
    return {name: take_rows(column, places[name]) for name, column in both.items()}


def _last_columns(members: pa.Table, spans: OwnershipSpans) -> dict[str, pa.Array]:
    """The description of the member at the end."""
    columns = {
        name: take_rows(members[name], spans.last.version) for name in ("group_instance_id", "client_id", "client_host")
    }
    return columns | {"last_generation": take_rows(members["generation"], spans.last.version)}


def _end_columns(log: GroupLog, members: pa.Table, spans: OwnershipSpans) -> dict[str, pa.Array]:
    """The record that ended each ownership, and the reason; the end is exact unless the reason is unknown."""
    end = spans.last.end
    row = np.where(end == FAR, NO_ROW, np.searchsorted(log.offset, end))
    end_reason = endings(log, members, spans.last.version, spans.last.start, row)
    end_reason = np.where(spans.last.is_cut, UNKNOWN, end_reason)
    exact = np.where(end_reason == UNKNOWN, NO_ROW, row)
    return {
        "until_log_offset": or_null(end, row != NO_ROW),
        "until_at": take_rows(log.at, row),
        "to_log_offset": or_null(end, exact != NO_ROW),
        "to_at": take_rows(log.at, exact),
        "end_reason": words(np.where((row == NO_ROW) & (end_reason != UNKNOWN), NO_ROW, end_reason)),
    }
