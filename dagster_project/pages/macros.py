"""The docs page of the macros that users call, written from the list of macros.

Put here how the page looks. What a macro takes and answers is declared in `assets.models`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from assets.models import MACROS

if TYPE_CHECKING:
    from assets.models import Macro

HEAD: Final = """# Macros

Written by `python -m dagster_project.pages` from the list of macros; do not edit by hand.

Every `lagbook.duckdb` has them. `ts` is an instant, such as `'2026-11-17 02:30:00Z'`; `'infinity'` is the end of the
records that were read. An argument in brackets may be left out: `lag_at('2026-11-17 02:30:00Z', grp := 'payments')`
answers about one group, and faster. DuckDB 1.2 takes such an argument by its name only; later releases take it by its
place too: `lag_at('2026-11-17 02:30:00Z', 'payments')`. A group, topic or partition that is in no record is an error
that names the nearest; a list of names that may not all be there is asked as `FROM lag_at(ts) WHERE group_id IN (...)`.
Macros whose names begin with `_` are parts of these.
"""
TABLE_HEAD: Final = "| call | result |\n|---|---|"


def page() -> str:
    """The whole page: macros that return tables, then those that return one value."""
    used = sorted((macro for macro in MACROS if not macro.name.startswith("_")), key=lambda macro: macro.name)
    tables = [_row(macro) for macro in used if macro.is_table]
    values = [_row(macro) for macro in used if not macro.is_table]
    return "\n".join([HEAD, "## Tables\n", TABLE_HEAD, *tables, "\n## Values\n", TABLE_HEAD, *values, ""])


def _row(macro: Macro) -> str:
    arguments = [*macro.arguments, *(f"[{name}]" for name in macro.optional)]
    return f"| `{macro.name}({', '.join(arguments)})` | {macro.meaning} |"
