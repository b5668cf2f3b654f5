"""The projection of a group coordinator's state: groups and members, commits, and the actor of each commit.

Put here how the projections of `groups`, `commits` and `topic_names` depend on each other within a chunk.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from assets.transforms.commits.attribution import CommitAttribution
from assets.transforms.commits.commits import Commits
from assets.transforms.groups.groups import Groups
from assets.transforms.topic_names import TopicNames

if TYPE_CHECKING:
    from assets.transforms.projection import LogChunk, Tables


class Coordinator:
    """Topic names come first, for ownership; then groups, for the actors of commits; then the commits."""

    tables: tuple[str, ...] = (*Commits.tables, *Groups.tables, *TopicNames.tables)

    def __init__(self, names: TopicNames, groups: Groups, commits: Commits) -> None:
        """Begin with the three projections."""
        self._names, self._groups, self._commits = names, groups, commits

    @classmethod
    def resume(cls, memory: Tables) -> Coordinator:
        """Resume from a memory; from nothing at the beginning of the log."""
        return cls(TopicNames.resume(memory), Groups.resume(memory), Commits.resume(memory))

    def replay(self, chunk: LogChunk) -> Tables:
        """Give the rows that no later record can change."""
        names = self._names.replay(chunk)
        attribution = CommitAttribution(chunk.commits, self._names.current_names(chunk.names))
        groups = self._groups.replay(chunk, attribution)
        return {**self._commits.replay(replace(chunk, commits=attribution.attributed_commits())), **groups, **names}

    def open_rows(self) -> Tables:
        """Give the rows that later records may still end."""
        return {**self._commits.open_rows(), **self._groups.open_rows(), **self._names.open_rows()}

    def memory(self) -> Tables:
        """Give what each of them remembers; no two of their tables have one name."""
        return {**self._commits.memory(), **self._groups.memory(), **self._names.memory()}
