"""A macro of `lagbook.duckdb`: its name, arguments and meaning, and the statements that create it.

Put here what follows from one macro and its file below `macros/`. Which macros there are is in
`assets.models.declared_macros`, which ones SQL calls in `assets.models.macro_calls`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Final

from assets.models import files

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Macro:
    """A macro: its name, its arguments, and in one sentence what it returns, a table or one value."""

    name: str
    arguments: tuple[str, ...]
    meaning: str
    is_table: bool = True
    optional: tuple[str, ...] = ()
    """Arguments that may be left out, and are NULL then."""

    @property
    def is_helper(self) -> bool:
        """Whether only models and other macros call it."""
        return self.name.startswith("_")

    @property
    def statement(self) -> str:
        """The SQL that creates it."""
        return self._creating(self.body)

    @property
    def refusals(self) -> list[str]:
        """The SELECTs that are errors when an argument names a group, topic or partition that is in no record."""
        arguments = {*self.arguments, *self.optional}
        return [f"FROM {call}" for names, call in _REFUSALS.items() if arguments.issuperset(names)]

    def refusing_statement(self, columns: Mapping[str, str]) -> str:
        """The SQL that creates it with its refusals, which have rows of these columns and types, if they had any."""
        nothing = ", ".join(f'nothing::{kind} AS "{name}"' for name, kind in columns.items())
        branches = [f"UNION ALL SELECT {nothing} {refusal}" for refusal in self.refusals]
        return self._creating("\n".join([f"FROM (\n{self.body})", *branches]))

    def _creating(self, body: str) -> str:
        kind = " TABLE" if self.is_table else ""
        arguments = [*self.arguments, *(f"{name} := NULL" for name in self.optional)]
        return f"CREATE OR REPLACE MACRO {self.name}({', '.join(arguments)}) AS{kind}\n{body}"

    @property
    def comment(self) -> str:
        """The SQL that gives it its comment, which `duckdb_functions()` shows."""
        meaning = self.meaning.replace("'", "''")
        return f"COMMENT ON MACRO{' TABLE' if self.is_table else ''} {self.name} IS '{meaning}'"

    @cached_property
    def body(self) -> str:
        """The SQL of what it returns: the SELECT of its file, or the one expression of it."""
        sql = files.macro(self.name)
        return sql if self.is_table else re.sub(r"^SELECT\s+", "", sql, count=1, flags=re.MULTILINE)

    @cached_property
    def functions(self) -> frozenset[str]:
        """The functions that its body calls, macros and others."""
        return functions_in(self.body)


@cache
def functions_in(sql: str) -> frozenset[str]:
    """The functions that SQL calls, by their names."""
    return frozenset(re.findall(r"\b(\w+)\(", files.without_comments(sql)))


_REFUSALS: Final = {
    ("grp",): "_refusal('group', grp, NULL, TRUE)",
    ("grp", "tpc"): "_refusal('topic', tpc, grp, _is_name('group', grp, NULL))",
    ("tpc", "prt"): "_refusal('partition', tpc || '-' || prt, grp, _is_name('topic', tpc, grp))",
}
"""Arguments of a macro for users -> what is an error unless the warehouse has what they name."""
