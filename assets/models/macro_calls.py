"""Which macros SQL calls, by itself and through other macros, and the order in which they can be created.

Put here what follows from the calls. The macros are in `assets.models.declared_macros`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from assets.models.declared_macros import DECLARED
from assets.models.macro import functions_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assets.models.macro import Macro


def called_in(sql: str) -> list[Macro]:
    """The macros that SQL calls."""
    return _among(functions_in(sql))


def calls_of(macro: Macro) -> list[Macro]:
    """The macros that a macro calls itself."""
    return _among(macro.functions)


def statements_of(macro: Macro) -> frozenset[str]:
    """The SQL that creates a macro and all that it calls."""
    return frozenset({macro.statement}).union(*map(statements_of, calls_of(macro)))


def in_order(macros: Iterable[Macro]) -> Iterator[Macro]:
    """Each macro behind those that it calls, which DuckDB looks up when it creates it."""
    return iter(dict.fromkeys(one for macro in macros for one in (*in_order(calls_of(macro)), macro)))


def _among(functions: frozenset[str]) -> list[Macro]:
    return [macro for macro in DECLARED if macro.name in functions]


MACROS: Final = tuple(in_order(DECLARED))
"""All macros, each behind those that it calls."""
