"""The rules of one run's tables: Great Expectations and DuckDB are loaded for the first of them.

Put here when rules are loaded and let go. What they say belongs to `dagster_project.rules`, what Dagster shows of it to
`dagster_project.checks`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import ExitStack

    import duckdb

    from assets.steps.step import RuleResults
    from assets.storage.warehouse import Warehouse

    Judge = Callable[[Warehouse, duckdb.DuckDBPyConnection, str], RuleResults]


class RunRules:
    """Judges the tables of one run."""

    def __init__(self, warehouse: Warehouse, stack: ExitStack, load: Callable[[], Judge]) -> None:
        """Take the run's warehouse, what is closed at its end, and the way to load what judges."""
        self._warehouse, self._stack, self._load = warehouse, stack, load
        self._results: Callable[[str], RuleResults] | None = None

    def results(self, full_name: str) -> RuleResults:
        """What its rules say of a table as it stands."""
        if self._results is None:
            judge = self._load()
            # Loading Great Expectations takes two seconds, which pass while Spark works.
            from dagster_project.rules.judging import reading  # noqa: PLC0415

            connection = self._stack.enter_context(reading(self._warehouse))
            self._results = partial(judge, self._warehouse, connection)
        return self._results(full_name)
