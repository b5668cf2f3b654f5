"""From what becomes of each step of a run to one line per finished table, and the outcome of the run.

Put here how a run is watched and what became of it. How it is started and summed up belongs to `run`.
"""

from __future__ import annotations

import re
import time
import traceback
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

from assets.steps.step import (
    BLOCKING_RULES_BROKEN,
    PARTITIONS_FAILED,
    PLACES_UNREADABLE,
    ROW_COUNT,
    RULES_BROKEN,
    RULES_HOLD,
    UNCHANGED,
    TableResult,
)
from dagster_project.cli.terminal import brief
from parsers.errors import LagbookError

if TYPE_CHECKING:
    from collections.abc import Callable

    from assets.steps.step import Facts

_OWN_ERROR: Final = re.compile(r"^(?:parsers\.errors|dagster_project\.java)\.\w+: (.+)$", re.MULTILINE)
"""An error of ours inside another's text: Spark hands a worker's exception on as a page of Java."""
_ANY_ERROR: Final = re.compile(r"^[A-Za-z_][\w.]*(?:Error|Exception): .+$", re.MULTILINE)
"""An error's last words in Python, below the stack trace that led to it."""
_LONGEST_REASON: Final = 1_000


@dataclass(frozen=True, slots=True)
class TableDone:
    """A table that a run brought up to date."""

    table: str
    rows: int | None
    seconds: float
    is_changed: bool


@dataclass(frozen=True, slots=True)
class CheckFailed:
    """An expectation that did not hold; a blocking one stops what would be built on the table."""

    table: str
    check: str
    is_blocking: bool


@dataclass(frozen=True, slots=True)
class Failure:
    """A step that ended with an error, its reason in one sentence, and the whole of it for the log."""

    table: str
    reason: str
    details: str


@dataclass(slots=True)
class Outcome:
    """The outcome of a run."""

    tables: list[TableDone] = field(default_factory=list)
    checks_passed: int = 0
    checks_failed: list[CheckFailed] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    places_unreadable: list[str] = field(default_factory=list)
    """Places that could be looked at when the run was planned, and no more when it read; files that can't be read."""
    partitions_failed: list[str] = field(default_factory=list)
    """Partitions of the offsets topic that could not be replayed, each with a sentence."""

    @property
    def is_changed(self) -> bool:
        """Whether the run changed anything at all."""
        return any(done.is_changed for done in self.tables)

    @property
    def is_failed(self) -> bool:
        """Whether a table could not be built, must not be trusted or lacks a partition, or a place went away."""
        return self.failure is not None

    @property
    def failure(self) -> str | None:
        """The first failure, in one sentence; None without one."""
        sentences = (
            *(f"{failure.table} failed: {failure.reason}" for failure in self.failures),
            *self.partitions_failed,
            *(f"{check.table} does not hold to {check.check}" for check in self.checks_failed if check.is_blocking),
            *self.places_unreadable,
        )
        return next(iter(sentences), None)

    def rows_of(self, table: str) -> int | None:
        """Rows of a table that was looked after; None for any other."""
        return next((done.rows for done in self.tables if done.table == table), None)

    def as_json(self) -> dict[str, Any]:
        """The outcome as plain values, without the stack traces."""
        return {
            "changed": self.is_changed,
            "tables": [asdict(done) for done in self.tables],
            "checks_passed": self.checks_passed,
            "checks_failed": [asdict(check) for check in self.checks_failed],
            "partitions_failed": self.partitions_failed,
            "failures": [{"table": failure.table, "reason": failure.reason} for failure in self.failures],
        }


class Follower:
    """Takes what becomes of each step of one run, and passes on each finished table."""

    def __init__(self, show: Callable[[str], None], begin: Callable[[str], None]) -> None:
        """`show` gets a line per finished table, `begin` the name of each step that begins."""
        self.outcome = Outcome()
        self._show = show
        self._begin = begin
        self._started: dict[str, float] = {}

    def take_start(self, step: str) -> None:
        """Take the beginning of a step."""
        self._started[step] = time.monotonic()
        self._begin(step)

    def take_table(self, step: str, result: TableResult) -> None:
        """Take a table that a step brought up to date."""
        facts, name = result.facts, result.full_name
        self._take_sentences(facts, PLACES_UNREADABLE, self.outcome.places_unreadable)
        self._take_sentences(facts, PARTITIONS_FAILED, self.outcome.partitions_failed)
        rows = facts.get(ROW_COUNT)
        seconds = time.monotonic() - self._started.get(step, time.monotonic())
        row_count, is_changed = rows if isinstance(rows, int) else None, facts.get(UNCHANGED) is not True
        done = TableDone(name, row_count, round(seconds, 1), is_changed)
        self.outcome.tables.append(done)
        if done.is_changed:
            self._show(f"{name:<20} {_count(done.rows):>17} {seconds:8.1f} s")
        self._take_rules(name, facts)

    def take_error(self, step: str, error: Exception) -> None:
        """Take the end of a step that failed."""
        self.take_failure(step, "".join(traceback.format_exception_only(error)), _details(error))

    def take_failure(self, step: str, last_words: str, details: str) -> None:
        """Take the same in words: the error's last ones, and all of them for the log."""
        self.outcome.failures.append(Failure(step, _reason(last_words), details))
        self._show(f"{step:<20} FAILED")

    def _take_sentences(self, facts: Facts, name: str, known: list[str]) -> None:
        """Add the sentences of a table's facts that are new."""
        if isinstance(sentences := facts.get(name), list):
            known.extend(one for one in map(str, sentences) if one not in known)

    def _take_rules(self, table: str, facts: Facts) -> None:
        """Count the rules that hold, and name those that are broken."""
        if isinstance(holding := facts.get(RULES_HOLD), int):
            self.outcome.checks_passed += holding
        for name, is_blocking in ((RULES_BROKEN, False), (BLOCKING_RULES_BROKEN, True)):
            rules = facts.get(name)
            for rule in rules if isinstance(rules, list) else ():
                self.outcome.checks_failed.append(CheckFailed(table, rule, is_blocking))
                self._show(f"{table:<20} check {rule} FAILED{' and stops what is built on it' * is_blocking}")


def _details(error: Exception) -> str:
    """The places that an error of ours came from, for the log; all there is to say of one that nobody foresaw."""
    if not isinstance(error, LagbookError):
        return "".join(traceback.format_exception(error))
    places = "".join(traceback.format_tb(error.__traceback__))
    cause = "".join(traceback.format_exception_only(error.__cause__)) if error.__cause__ else ""
    return f"{error}\n{cause}Raised at:\n{places}"


def _count(rows: int | None) -> str:
    return "" if rows is None else f"{rows:,} rows"


def _reason(last_words: str) -> str:
    """One sentence: our own where there is one inside, else the last error named, else the first line."""
    own, named = _OWN_ERROR.search(last_words), _ANY_ERROR.findall(last_words)
    return brief(own[1] if own else [last_words.strip().partition("\n")[0], *named][-1], _LONGEST_REASON)
