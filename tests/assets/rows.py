"""Empty tables in a DuckDB of one's own, rows put into them, and the SELECT of a model run over them.

Put here what tests of models share. What a model says belongs in the test of it.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, Final

import duckdb

from assets import models
from assets.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterable

NOON: Final = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
Answer = list[tuple[Any, ...]]


class Book:
    """Tables by hand: what is put into them, and what the models make of it."""

    def __init__(self, names: Iterable[str]) -> None:
        """Begin with these tables, without a row."""
        self._connection = duckdb.connect()
        self._connection.execute("SET TimeZone = 'UTC'")
        for layer in ("raw", "core", "mart"):
            self._connection.execute(f"CREATE SCHEMA {layer}")
        for name in names:
            self._create(name)

    def _create(self, name: str) -> None:
        self._connection.register("no_rows", TABLES[name].schema.empty_table())
        self._connection.execute(f"CREATE TABLE {name} AS FROM no_rows")
        self._connection.unregister("no_rows")

    def insert(self, name: str, **row: Any) -> None:  # noqa: ANN401 - a value of any column
        """Add a row; columns that are not named are NULL."""
        marks = ", ".join("?" * len(row))
        self._connection.execute(f"INSERT INTO {name} ({', '.join(row)}) VALUES ({marks})", list(row.values()))  # noqa: S608 - names that the tests write

    def make(self, *names: str) -> None:
        """Fill tables by their models; each has the columns, in order, that it is described with."""
        for name in names:
            self._connection.execute(f"CREATE OR REPLACE TABLE {name} AS {models.select(TABLES[name].name)}")
            columns = [column for column, *_ in self._connection.execute(f"DESCRIBE {name}").fetchall()]
            assert columns == list(TABLES[name].column_names)

    def ask(self, question: str, *values: object) -> Answer:
        """Run a question."""
        return self._connection.execute(question, values).fetchall()


def second(number: float) -> str:
    """An instant on the first day of 2026, so many seconds after noon."""
    return (NOON + timedelta(seconds=number)).isoformat()
