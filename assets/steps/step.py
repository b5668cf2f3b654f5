"""What a step is, what it works with, and what it says of a table that it brought up to date.

Put here what knows neither Dagster nor Great Expectations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final, Protocol

if TYPE_CHECKING:
    from assets.ingest.plan import Sources
    from assets.spark.lazy_spark import LazySpark
    from assets.storage.warehouse import Warehouse

Facts = Mapping[str, Any]
"""What is shown of a table: numbers, words and lists of sentences."""
RULES_HOLD: Final = "lagbook/rules_hold"
RULES_BROKEN: Final = "lagbook/rules_broken"
BLOCKING_RULES_BROKEN: Final = "lagbook/blocking_rules_broken"
"""In the facts of a table: how many of its rules hold, and the names of those that do not."""
UNCHANGED: Final = "lagbook/unchanged"
PLACES_UNREADABLE: Final = "lagbook/places_unreadable"
PARTITIONS_FAILED: Final = "lagbook/partitions_failed"
SECONDS: Final = "lagbook/seconds"
ROW_COUNT: Final = "dagster/row_count"
URI: Final = "dagster/uri"
"""These two are names of Dagster's own, which plots and links them."""


@dataclass(frozen=True, slots=True)
class RuleResults:
    """What its rules say of a table: facts, events that are news, and why a rule could not be judged."""

    facts: Facts
    evaluations: Sequence[Any] = ()
    """Dagster's; a run without it has none."""
    errors: Sequence[str] = ()


TableRules = Callable[[str], RuleResults]
"""Judges a table by its rules, as it stands."""


class Log(Protocol):
    """Takes what a step says beside its facts."""

    def info(self, msg: str, *args: object) -> None:
        """What was done."""

    def warning(self, msg: str, *args: object) -> None:
        """What did not stop the step."""

    def error(self, msg: str, *args: object) -> None:
        """What went wrong and held up nothing else."""


@dataclass(frozen=True, slots=True)
class RunContext:
    """What the steps of one run work with."""

    warehouse: Warehouse
    sources: Sources
    spark: LazySpark
    rules: TableRules
    log: Log


@dataclass(frozen=True, slots=True)
class TableResult:
    """A table that was brought up to date: what is shown of it, and Dagster's events of its rules."""

    full_name: str
    facts: Facts
    evaluations: Sequence[Any] = ()

    @property
    def blocking_rules_broken(self) -> list[str]:
        """The broken rules that stop what would be built on the table."""
        return list(self.facts.get(BLOCKING_RULES_BROKEN, ()))


Results = Iterator[TableResult]


def _release() -> str:
    return version("lagbook")


@dataclass(frozen=True, slots=True)
class Step:
    """One function that brings tables up to date."""

    name: str
    reads: Mapping[str, frozenset[str]]
    """The full names of what it makes, each with the tables that must be there before."""
    kinds: frozenset[str]
    make: Callable[[RunContext], Results]
    code_version: Callable[[], str] = _release
    """Gives that of the release, unless the step knows of a closer one; a plain run asks for none."""
    meaning: str = ""
    """Of what is no table; a table has its own."""


def step_of_table(full_name: str, make: Callable[[RunContext], Results], kinds: set[str], *reads: str) -> Step:
    """A step that brings one table up to date, after those that it reads."""
    return Step(full_name, {full_name: frozenset(reads)}, frozenset(kinds), make)
