"""Which tables a SELECT reads: those that it names, and those below the macros that it calls.

Put here how that is found out, which is by DuckDB's own parser. What a model or a macro says belongs in its file.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import duckdb

from assets import models

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assets.models import Macro

BINDINGS: Final = {
    "_snapshot_before": frozenset({"internal.offset_snapshots"}),
    "_partitions_of": frozenset({"internal.group_partitions", "core.commits"}),
}
"""Macros that `assets.duckdb.macro_bindings` creates, with the tables that it creates each from."""
TABLE_NAME: Final = re.compile(r"(?:raw|core|internal|mart)\.[a-z_]+")

TEXTS: Final = ("text", "value")
"""What DuckDB 2 calls the text of a literal, and what DuckDB 1 does."""

_Node = dict[str, Any]


@dataclass(frozen=True, slots=True)
class References:
    """What one statement names: tables of the warehouse, and functions, DuckDB's own among them."""

    tables: frozenset[str]
    functions: frozenset[str]


def tables_of(statements: Iterable[str]) -> frozenset[str]:
    """The tables that statements read, by themselves or through macros."""
    return frozenset[str]().union(*map(_tables_of, statements))


def tables_of_macro(macro: Macro) -> frozenset[str]:
    """The tables that a macro reads, by itself or through macros that it builds on."""
    return _tables_of(_as_statement(macro))


def _tables_of(statement: str) -> frozenset[str]:
    names = references(statement)
    bound = (BINDINGS[name] for name in names.functions & BINDINGS.keys())
    below = (tables_of_macro(macro) for macro in models.MACROS if macro.name in names.functions)
    return names.tables.union(*bound, *below)


def _as_statement(macro: Macro) -> str:
    """The body of a macro; an expression as the SELECT of one value."""
    return macro.body if macro.is_table else f"SELECT ({macro.body}\n)"


@cache
def references(statement: str) -> References:
    """What a SELECT names; DuckDB's error where it is none.

    A table may stand as a text, too, where a macro takes the name of one.
    """
    ((tree,),) = duckdb.execute("SELECT json_serialize_sql($1, skip_default := true)", [statement]).fetchall()
    parsed = json.loads(tree)
    if parsed["error"]:
        message = f"{parsed['error_message']}: {statement}"
        raise duckdb.ParserException(message)
    nodes = list(_nodes(parsed))
    named = {
        f"{node['schema_name']}.{node['table_name']}"
        for node in nodes
        if node.get("schema_name") and "table_name" in node
    }
    texts = {text for node in nodes for name in TEXTS if TABLE_NAME.fullmatch(text := str(node.get(name)))}
    functions = {node["function_name"] for node in nodes if "function_name" in node}
    return References(frozenset(named | texts), frozenset(functions))


def _nodes(tree: object) -> Iterator[_Node]:
    """Every node of a tree, in any order."""
    left = [tree]
    while left:
        one = left.pop()
        if isinstance(one, dict):
            yield one
            left.extend(part for part in one.values() if isinstance(part, (dict, list)))
        elif isinstance(one, list):
            left.extend(one)
