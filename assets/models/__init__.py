"""The SQL of the tables: one file is one SELECT, named like its table or its macro, and DuckDB runs it.

A model's name is unique, in whatever folder it lies. In folders called `intermediate` are intermediate models: each
becomes a common table expression of the models that read it by its name. Put here what a model and those that it reads
are as one SELECT. Where results are written belongs in `assets.marts` and `assets.duckdb.database`.
"""

from __future__ import annotations

import re
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from assets.models import files
from assets.models.macro import Macro
from assets.models.macro_calls import MACROS, called_in, statements_of

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["MACROS", "Macro", "fingerprint", "select"]

_FIRST_EXPRESSION: Final = re.compile(r"^WITH ", re.MULTILINE)
_INPUT: Final = re.compile(r"\b(?:FROM|JOIN)\s+\(?(\w+)\b(?![.(])|\('(\w+)'\)")
"""A table behind FROM or JOIN, or one that a macro is given by its name."""


def select(model: str) -> str:
    """The SELECT of a model, with the intermediate models that it reads in front, each behind those that it reads."""
    sql = files.model(model)
    expressions = [f"{name} AS (\n{files.model(name)})" for name in dict.fromkeys(_intermediates(sql))]
    if not expressions:
        return sql
    if _FIRST_EXPRESSION.search(sql):
        return _FIRST_EXPRESSION.sub(lambda _: "".join(["WITH ", *(f"{one},\n" for one in expressions)]), sql, count=1)
    return "WITH " + ",\n".join(expressions) + f"\n{sql}"


def _intermediates(sql: str) -> Iterator[str]:
    """The intermediate models that SQL names, each behind those that it reads."""
    names = frozenset(name for names in _INPUT.findall(files.without_comments(sql)) for name in names)
    for name in sorted(names & files.intermediate_names()):
        yield from _intermediates(files.model(name))
        yield name


def fingerprint(*models: str) -> str:
    """A digest of the SQL of models and of all macros that they call; without a model, of all models and macros."""
    selects = [select(model) for model in models or files.model_names()]
    statements = frozenset[str]().union(*(statements_of(macro) for sql in selects for macro in called_in(sql)))
    every = () if models else (macro.statement for macro in MACROS)
    return sha256("\0".join([*selects, *sorted(statements.union(every))]).encode()).hexdigest()[:15]
