"""Which tables a SELECT reads: those that it names, and those below the macros that it calls.

Put here how tables are read off a SELECT. Which macros it calls is in `assets.models.macro_calls`.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from assets.models import files
from assets.models.macro import functions_in
from assets.models.macro_calls import called_in, calls_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assets.models.macro import Macro

BINDINGS: Final = {
    "if": frozenset[str](),
    "_folder": frozenset[str](),
    "_snapshot_before": frozenset({"internal.offset_snapshots"}),
    "_partitions_of": frozenset({"internal.group_partitions", "core.commits"}),
}
"""Macros without a file, which `assets.duckdb` creates, with the tables that it creates each from."""
TABLE_NAME: Final = re.compile(r"\b(?:raw|core|internal|mart)\.[a-z_]+\b")
"""No alias has the name of a layer, so wherever such a name stands it is that of a table, in a text for a macro too.

To ask DuckDB's parser would take fifty times as long; a test does, of every statement there is.
"""


def tables_of(statements: Iterable[str]) -> frozenset[str]:
    """The tables that statements read, by themselves or through macros."""
    return frozenset[str]().union(*map(_tables_of, statements))


@cache
def tables_of_macro(macro: Macro) -> frozenset[str]:
    """The tables that a macro reads, by itself or through macros that it builds on."""
    return _own_tables(macro.body).union(*map(tables_of_macro, calls_of(macro)))


@cache
def _tables_of(statement: str) -> frozenset[str]:
    return _own_tables(statement).union(*map(tables_of_macro, called_in(statement)))


def _own_tables(sql: str) -> frozenset[str]:
    """The tables that SQL names, and those below macros of BINDINGS."""
    bound = (BINDINGS[name] for name in functions_in(sql) if name in BINDINGS)
    return frozenset(TABLE_NAME.findall(files.without_comments(sql))).union(*bound)
