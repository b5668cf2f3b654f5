"""The commits of a stretch with the columns that say who stood behind each, found while records of groups are read.

Put here how what was found piece by piece becomes columns. What may be concluded is told in `committers`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.arrays.neighbours import NOBODY, at_rows, or_null
from assets.transforms.commits.committers import BY, Asks, Found, judged
from assets.transforms.groups.partition_claims import FAR

if TYPE_CHECKING:
    from assets.transforms.groups.holders import Standing
    from parsers.words import Int64Array

DESCRIBED: Final = ("group_instance_id", "client_id", "client_host")
MEMBER: Final = ("member_id", *DESCRIBED)
WHO: Final = ("actor", "generation", *MEMBER)
"""The columns of core.commits that are filled here."""


class Identifying:
    """The commits of a stretch, of which some have been asked about."""

    def __init__(self, commits: pa.Table, names: pa.Table) -> None:
        """Take the commits and markers, and what topic ids are called up to their end."""
        self._commits, self._asks, self._names = commits, Asks.of(commits), names
        self._done = self._member_count = 0
        self._found: list[Found] = []
        self._members: list[pa.Table] = []

    def ask(self, standing: Standing, up_to: int = FAR) -> None:
        """Find who stood behind the commits before a log offset that were not asked about yet."""
        low, self._done = self._done, int(np.searchsorted(self._asks.at, up_to))
        if low == self._done:
            return
        found = judged(self._asks.part(low, self._done), standing, self._names)
        is_used = np.zeros(standing.members.num_rows + 1, np.bool_)
        is_used[found.version] = True
        rows = np.flatnonzero(is_used[:-1])
        place = np.full(is_used.size, NOBODY, np.int64)
        place[rows] = np.arange(rows.size) + self._member_count
        self._members.append(standing.members.select(MEMBER).take(pa.array(rows)))
        self._member_count += rows.size
        self._found.append(found._replace(version=place[found.version]))

    def identified(self) -> pa.Table:
        """The commits, when all have been asked about."""
        if not self._found:
            return self._with(*(np.empty(0, np.int64) for _ in range(4)))
        return self._with(*(np.concatenate(part) for part in zip(*self._found, strict=True)))

    def _with(self, by: Int64Array, generation: Int64Array, version: Int64Array, is_described: Int64Array) -> pa.Table:
        described = np.where(is_described, version, NOBODY)
        columns = {
            "actor": _coded(by, pa.array(BY)),
            "generation": or_null(generation, generation != NOBODY, pa.int32()),
            "member_id": self._texts("member_id", version),
            **{name: self._texts(name, described) for name in DESCRIBED},
        }
        rows = self._commits
        for name in WHO:
            rows = rows.append_column(name, columns[name])
        return rows

    def _texts(self, name: str, version: Int64Array) -> pa.Array:
        """What versions of members say, each text once."""
        said = pa.chunked_array([part[name].combine_chunks() for part in self._members], pa.string())
        coded = said.combine_chunks().dictionary_encode()
        places = pc.fill_null(coded.indices, NOBODY).to_numpy().astype(np.int64)
        return _coded(at_rows(places, version), coded.dictionary)


def _coded(places: Int64Array, texts: pa.Array) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(places.astype(np.int32), mask=places == NOBODY), texts)
