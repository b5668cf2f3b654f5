"""Which tables a SELECT reads: those that it names, and those below the macros that it calls.

Put here how tables are read off a SELECT, by DuckDB's own parser. Which macros it calls is in
`assets.models.macro_calls`.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import duckdb

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
TABLE_NAME: Final = re.compile(r"(?:raw|core|internal|mart)\.[a-z_]+")

TEXTS: Final = ("text", "value")
"""What DuckDB 2 calls the text of a literal, and what DuckDB 1 does."""

_Node = dict[str, Any]


def tables_of(statements: Iterable[str]) -> frozenset[str]:
    """The tables that statements read, by themselves or through macros."""
    return frozenset[str]().union(*map(_tables_of, statements))


def tables_of_macro(macro: Macro) -> frozenset[str]:
    """The tables that a macro reads, by itself or through macros that it builds on."""
    return _own_tables(_as_statement(macro)).union(*map(tables_of_macro, calls_of(macro)))


def _tables_of(statement: str) -> frozenset[str]:
    return _own_tables(statement).union(*map(tables_of_macro, called_in(statement)))


def _as_statement(macro: Macro) -> str:
    """The body of a macro; an expression as the SELECT of one value."""
    return macro.body if macro.is_table else f"SELECT ({macro.body}\n)"


@cache
def _own_tables(statement: str) -> frozenset[str]:
    """The tables that a SELECT names, and those below macros of BINDINGS; DuckDB's error where it is no SELECT.

    A table may stand as a text, too, where a macro takes the name of one.
    """
    ((tree,),) = duckdb.execute("SELECT json_serialize_sql($1, skip_default := true)", [statement]).fetchall()
    nodes: list[_Node] = []
    # The parser of JSON hands over every node when it ends: to walk the tree would take three times as long.
    json.loads(tree, object_hook=nodes.append)
    if nodes[-1]["error"]:
        message = f"{nodes[-1]['error_message']}: {statement}"
        raise duckdb.ParserException(message)
    named = {
        f"{node['schema_name']}.{node['table_name']}"
        for node in nodes
        if node.get("schema_name") and "table_name" in node
    }
    texts = (node[name] for node in nodes for name in TEXTS if isinstance(node.get(name), str))
    bound = (BINDINGS[node["function_name"]] for node in nodes if node.get("function_name") in BINDINGS)
    return frozenset(named).union(filter(TABLE_NAME.fullmatch, texts), *bound)
