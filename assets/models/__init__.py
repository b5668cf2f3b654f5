"""The SQL of the marts: one file is one SELECT, named like its table or its macro, and run by DuckDB.

Put here the files and the list of what each takes. Where their results are written belongs in `assets.marts` and
`assets.database`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Macro:
    """A table macro that every `lagbook.duckdb` has: its name, its arguments and what it answers."""

    name: str
    arguments: tuple[str, ...]
    answers: str

    @property
    def statement(self) -> str:
        """The SQL that creates it."""
        select = (FOLDER / "macros" / f"{self.name}.sql").read_text(encoding="utf-8")
        return f"CREATE OR REPLACE MACRO {self.name}({', '.join(self.arguments)}) AS TABLE\n{select}"


MACROS: Final = (
    Macro("state_at", ("ts",), "Committed offsets as they stood at an instant."),
    Macro("members_at", ("ts",), "Members of every classic group at an instant."),
    Macro("owner_at", ("ts",), "Who owned each partition at an instant."),
    Macro("log_ends_at", ("ts",), "Log start and end of each data partition at an instant."),
    Macro("lag_at", ("ts",), "Lag and owner of each committed or owned partition at an instant."),
)
"""In the order in which they build on each other."""


def select(model: str) -> str:
    """The SELECT of a mart."""
    return (FOLDER / f"{model}.sql").read_text(encoding="utf-8")
