"""The stores that a user declared: the names of checkpoints' groups, and SQL tables with the meaning of their columns.

Put here what a declaration says. The file it stands in is read by `dagster_project.deployment.external_stores`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

OUR_COLUMNS: Final = ("group_id", "topic", "partition", "committed_offset", "changed_at", "metadata", "position")


@dataclass(frozen=True, slots=True)
class SqlTable:
    """A table in SQLite or Postgres that a consumer writes in its own transactions; exactly one of both is there."""

    name: str
    """The name of the store, which stays when the table moves."""
    declared_in: str
    """File and table of TOML, for sentences."""
    columns: Mapping[str, str]
    """The table's columns by ours."""
    table: str | None
    query: str | None
    sqlite: str | None = None
    postgres: Callable[[], str] | None = field(default=None, repr=False)
    """Reads the connection string, which is a secret, when it is used."""
    group_id: str | None = None
    cluster: str | None = None
    is_history: bool = False
    is_last_processed: bool = False
    """The table holds the last processed offset, not the next to be read."""

    def statement(self, after: int | None = None, limit: int | None = None) -> str:
        """The SELECT of our columns; of a history those rows alone that lie behind a position, in order."""
        chosen = ", ".join(f"stored.{_quoted(theirs)} AS {ours}" for ours, theirs in self.columns.items())
        relation = f"(\n{self.query}\n)" if self.query else ".".join(map(_quoted, (self.table or "").split(".")))
        position = f"stored.{_quoted(self.columns.get('position', ''))}"
        where = "" if after is None else f" WHERE {position} > {after:d} ORDER BY {position}"
        bound = "" if limit is None else f" LIMIT {limit:d}"
        return f"SELECT {chosen} FROM {relation} AS stored{where}{bound}"  # noqa: S608 - quoted


@dataclass(frozen=True, slots=True)
class ExternalStores:
    """All that is declared: groups of checkpoints by their places, and SQL tables."""

    checkpoints: Mapping[str, str] = field(default_factory=dict)
    tables: tuple[SqlTable, ...] = ()


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
