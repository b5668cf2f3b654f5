"""The subject of what a coordinator keeps of its groups: their members, what they committed, and who committed it.

Put here how these subjects hang together within a stretch. What each makes of it is told in `groups`, `commits` and
`topic_names`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from assets.transforms.commits.attribution import Identifying
from assets.transforms.commits.commits import Commits
from assets.transforms.groups.groups import Groups
from assets.transforms.topic_names import TopicNames

if TYPE_CHECKING:
    from assets.transforms.projection import Stretch, Tables


class Coordinator:
    """Names of topics first, for who owns them; then the groups, for who committed; and then what they committed."""

    tables: tuple[str, ...] = (*Commits.tables, *Groups.tables, *TopicNames.tables)

    def __init__(self, names: TopicNames, groups: Groups, commits: Commits) -> None:
        """Begin with what each of them remembers."""
        self._names, self._groups, self._commits = names, groups, commits

    @classmethod
    def resumed(cls, memory: Tables) -> Coordinator:
        """Go on from a memory; from nothing at the beginning of the log."""
        return cls(TopicNames.resumed(memory), Groups.resumed(memory), Commits.resumed(memory))

    def replay(self, stretch: Stretch) -> Tables:
        """Give what no later record can change."""
        names = self._names.replay(stretch)
        asking = Identifying(stretch.commits, self._names.by_now(stretch.names))
        groups = self._groups.replay(stretch, asking)
        return {**self._commits.replay(replace(stretch, commits=asking.identified())), **groups, **names}

    def standing(self) -> Tables:
        """Give what later records may still end."""
        return {**self._commits.standing(), **self._groups.standing(), **self._names.standing()}

    def memory(self) -> Tables:
        """Give what each of them remembers; no two of their tables have one name."""
        return {**self._commits.memory(), **self._groups.memory(), **self._names.memory()}
