"""Who owned a partition, from when to when, and how it ended: claims of one member that follow on each other.

Put here which claims make up an owner, and what they say of it. What is claimed at a time is in `claims`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from assets.arrays.neighbours import NOBODY, or_null, taken
from assets.catalog.core.ownership import OWNERSHIP
from assets.transforms.groups.group_rows import shaped
from assets.transforms.groups.ownership_ends import UNKNOWN, endings, is_begun, words
from assets.transforms.groups.partition_claims import FAR, OWNER, Claims

if TYPE_CHECKING:
    from assets.arrays.neighbours import Mask
    from assets.transforms.groups.group_log import GroupLog
    from parsers.words import Int64Array

GOES_ON = ("log_offset", "seen_at", "from_log_offset", "from_at", "generation", "revoking_at")
"""What is remembered of an owner, since the record that said so need not be there any more."""


class Stretches(NamedTuple):
    """Owners: the first and the last claim of each, and the first of those by which it was to give up."""

    first: Claims
    last: Claims
    revoking: Int64Array
    """Row of the version; NOBODY for an owner that was not to give up."""


def ownership(log: GroupLog, members: pa.Table, claimed: pa.Table, found: Claims, remembered: pa.Table) -> pa.Table:
    """Owners by what versions of members claim; some go on from what was remembered of them."""
    first = ~_goes_on(log, found)
    last = np.append(first, np.True_)[1:]
    told = Stretches(found[first], found[last], _revoking(found, np.cumsum(first) - 1))
    begun = _begun(log, members, told)
    rows = {name: taken(claimed[name], told.first.row) for name in OWNER}
    return shaped(
        OWNERSHIP, rows | _of_last(members, told) | _ended(log, members, told) | _recalled(begun, told, remembered)
    )


def _goes_on(log: GroupLog, found: Claims) -> Mask:
    """The claim follows on one of the same member, and nothing that was not seen can lie between them."""
    row = np.searchsorted(log.offset, found.start)
    follows = np.zeros(found.row.size, np.bool_)
    follows[1:] = (found.owner[1:] == found.owner[:-1]) & (found.end[:-1] == found.start[1:]) & ~found.is_cut[:-1]
    follows[1:] &= log.since[row][1:] <= found.start[:-1]
    return follows


def _revoking(found: Claims, stretch: Int64Array) -> Int64Array:
    """Per stretch, the version since which the owner was to give up, if it was at the end."""
    turns = np.flatnonzero(~found.is_revoking)
    last_kept = np.full(stretch.max(initial=NOBODY) + 1, NOBODY, np.int64)
    last_kept[stretch[turns]] = turns
    begins = np.searchsorted(stretch, np.arange(last_kept.size))
    ends = np.searchsorted(stretch, np.arange(last_kept.size), side="right")
    since = np.where(last_kept == NOBODY, begins, last_kept + 1)
    return np.where(since < ends, np.append(found.version, NOBODY)[since], NOBODY)


def _begun(log: GroupLog, members: pa.Table, told: Stretches) -> dict[str, pa.Array]:
    """The first claim, and whether the member surely did not own the partition before."""
    seen_at = taken(members["from_at"], told.first.version)
    is_known = is_begun(log, members, told.first.version)
    return {
        "log_offset": pa.array(told.first.start),
        "seen_at": seen_at,
        "from_log_offset": or_null(told.first.start, is_known),
        "from_at": taken(seen_at, np.where(is_known, np.arange(is_known.size), NOBODY)),
        "generation": taken(members["generation"], told.first.version),
        "revoking_at": taken(members["from_at"], told.revoking),
    }


def _recalled(begun: dict[str, pa.Array], told: Stretches, remembered: pa.Table) -> dict[str, pa.Array]:
    """The same, but from memory where the owner was known before."""
    rows = told.first.remembered
    own = np.arange(rows.size)
    place = np.where(rows == NOBODY, own, rows + rows.size)
    places = dict.fromkeys(GOES_ON, place) | {"revoking_at": np.where(told.revoking == told.first.version, place, own)}
    both = {name: pa.chunked_array([begun[name], *remembered[name].chunks]) for name in GOES_ON}
    return {name: taken(column, places[name]) for name, column in both.items()}


def _of_last(members: pa.Table, told: Stretches) -> dict[str, pa.Array]:
    """What was known of the member in the end."""
    columns = {
        name: taken(members[name], told.last.version) for name in ("group_instance_id", "client_id", "client_host")
    }
    return columns | {"last_generation": taken(members["generation"], told.last.version)}


def _ended(log: GroupLog, members: pa.Table, told: Stretches) -> dict[str, pa.Array]:
    """The record by which each owned it no longer, and how that came about; the end is exact unless that is unknown."""
    end = told.last.end
    row = np.where(end == FAR, NOBODY, np.searchsorted(log.offset, end))
    how = endings(log, members, told.last.version, told.last.start, row)
    how = np.where(told.last.is_cut, UNKNOWN, how)
    exact = np.where(how == UNKNOWN, NOBODY, row)
    return {
        "until_log_offset": or_null(end, row != NOBODY),
        "until_at": taken(log.at, row),
        "to_log_offset": or_null(end, exact != NOBODY),
        "to_at": taken(log.at, exact),
        "end_reason": words(np.where((row == NOBODY) & (how != UNKNOWN), NOBODY, how)),
    }
