"""The commits of a chunk with the columns that name their actors, filled while the records of groups are read.

Put here how attributions, made piece by piece, become columns. The rules of attribution belong in `committers`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.arrays.columns import or_null
from assets.arrays.neighbours import NO_ROW, at_rows
from assets.transforms.commits.committers import ACTORS, Attribution, CommitLookups, attribute_commits
from assets.transforms.groups.partition_claims import FAR

if TYPE_CHECKING:
    from assets.transforms.groups.holders import MemberIndex
    from parsers.words import Int64Array

DESCRIBED: Final = ("group_instance_id", "client_id", "client_host")
MEMBER: Final = ("member_id", *DESCRIBED)
ATTRIBUTED: Final = ("actor", "generation", *MEMBER)
"""The columns of core.commits that are filled here."""


class CommitAttribution:
    """The commits of a chunk, attributed in the order of the log as the records of groups are read."""

    def __init__(self, commits: pa.Table, names: pa.Table) -> None:
        """Take the commits and markers, and the names of topic ids up to their end."""
        self._commits, self._lookups, self._names = commits, CommitLookups.of(commits), names
        self._attributed_count = self._member_count = 0
        self._attributions: list[Attribution] = []
        self._members: list[pa.Table] = []

    def attribute_up_to(self, index: MemberIndex, up_to: int = FAR) -> None:
        """Attribute the commits before a log offset that are not attributed yet."""
        low, self._attributed_count = self._attributed_count, int(np.searchsorted(self._lookups.at, up_to))
        if low == self._attributed_count:
            return
        attribution = attribute_commits(self._lookups.part(low, self._attributed_count), index, self._names)
        is_used = np.zeros(index.members.num_rows + 1, np.bool_)
        is_used[attribution.version] = True
        rows = np.flatnonzero(is_used[:-1])
        place = np.full(is_used.size, NO_ROW, np.int64)
        place[rows] = np.arange(rows.size) + self._member_count
        self._members.append(index.members.select(MEMBER).take(pa.array(rows)))
        self._member_count += rows.size
        self._attributions.append(attribution._replace(version=place[attribution.version]))

    def attributed_commits(self) -> pa.Table:
        """The commits with the columns `ATTRIBUTED`; all of them are attributed by now."""
        if not self._attributions:
            return self._with(*(np.empty(0, np.int64) for _ in range(4)))
        return self._with(*(np.concatenate(part) for part in zip(*self._attributions, strict=True)))

    def _with(
        self, actor: Int64Array, generation: Int64Array, version: Int64Array, is_described: Int64Array
    ) -> pa.Table:
        described = np.where(is_described, version, NO_ROW)
        columns = {
            "actor": _dictionary_column(actor, pa.array(ACTORS)),
            "generation": or_null(generation, generation != NO_ROW, pa.int32()),
            "member_id": self._texts("member_id", version),
            **{name: self._texts(name, described) for name in DESCRIBED},
        }
        rows = self._commits
        for name in ATTRIBUTED:
            rows = rows.append_column(name, columns[name])
        return rows

    def _texts(self, name: str, version: Int64Array) -> pa.Array:
        """A text column of the members' versions, dictionary-encoded."""
        texts = pa.chunked_array([part[name].combine_chunks() for part in self._members], pa.string())
        coded = texts.combine_chunks().dictionary_encode()
        places = pc.fill_null(coded.indices, NO_ROW).to_numpy().astype(np.int64)
        return _dictionary_column(at_rows(places, version), coded.dictionary)


def _dictionary_column(places: Int64Array, dictionary: pa.Array) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(places.astype(np.int32), mask=places == NO_ROW), dictionary)
