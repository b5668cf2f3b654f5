"""From Dagster's events of a run to one line per finished table and the outcome of the run.

Put here how a run is watched and what became of it. How it is started and summed up belongs to `run`.
"""

from __future__ import annotations

import re
import time
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

from dagster_project.cli.terminal import brief

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import dagster as dg

_OWN_ERROR: Final = re.compile(r"^(?:parsers\.errors|dagster_project\.java)\.\w+: (.+)$", re.MULTILINE)
"""An error of ours inside another's text: Spark hands a worker's exception on as a page of Java."""
_ANY_ERROR: Final = re.compile(r"^[A-Za-z_][\w.]*(?:Error|Exception): .+$", re.MULTILINE)
"""An error's last words in Python, below the stack trace that led to it."""
_LONGEST_REASON: Final = 1_000
RULES_BROKEN: Final = "lagbook/rules_broken"
BLOCKING_RULES_BROKEN: Final = "lagbook/blocking_rules_broken"
"""In the metadata of a materialized table: the names of its rules that do not hold."""


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
    """Takes the events of one run as they come, and passes on each finished table."""

    def __init__(self, show: Callable[[str], None], begin: Callable[[str], None]) -> None:
        """`show` gets a line per finished table, `begin` the name of each table that begins."""
        self.outcome = Outcome()
        self._show = show
        self._begin = begin
        self._started: dict[str | None, float] = {}
        self._run_failure: str | None = None
        self._takers: dict[str, Callable[[dg.DagsterEvent], None]] = {
            "STEP_START": self._take_start,
            "ASSET_MATERIALIZATION": self._take_table,
            "STEP_FAILURE": self._take_failure,
            "RESOURCE_INIT_FAILURE": self._take_run_failure,
            "PIPELINE_FAILURE": self._take_run_failure,
        }

    def __call__(self, entry: dg.EventLogEntry) -> None:
        """Take one event."""
        event = entry.dagster_event
        if event is not None and event.event_type_value in self._takers:
            self._takers[event.event_type_value](event)

    def take_end(self, *, is_success: bool) -> None:
        """Take the end of the run: one that failed outside of any step, before the first, has failed all the same."""
        if not is_success and not self.outcome.is_failed:
            reason = self._run_failure or "no step failed, but the run did"
            self.outcome.failures.append(Failure("the run", reason, reason))

    def _take_run_failure(self, event: dg.DagsterEvent) -> None:
        error = getattr(event.event_specific_data, "error", None)
        self._run_failure = _reason(error.cause or error) if error else event.message

    def _take_start(self, event: dg.DagsterEvent) -> None:
        self._started[event.step_key] = time.monotonic()
        self._begin(str(event.step_key).replace("__", "."))

    def _take_table(self, event: dg.DagsterEvent) -> None:
        metadata = {
            name: value.value for name, value in event.step_materialization_data.materialization.metadata.items()
        }
        self._take_sentences(metadata, "lagbook/places_unreadable", self.outcome.places_unreadable)
        self._take_sentences(metadata, "lagbook/partitions_failed", self.outcome.partitions_failed)
        rows = metadata.get("dagster/row_count")
        seconds = time.monotonic() - self._started.get(event.step_key, time.monotonic())
        name = ".".join(event.asset_key.path) if event.asset_key else str(event.step_key)
        row_count, is_changed = rows if isinstance(rows, int) else None, metadata.get("lagbook/unchanged") is not True
        done = TableDone(name, row_count, round(seconds, 1), is_changed)
        self.outcome.tables.append(done)
        if done.is_changed:
            self._show(f"{name:<20} {_count(done.rows):>17} {seconds:8.1f} s")
        self._take_rules(name, metadata)

    def _take_sentences(self, metadata: Mapping[str, object], name: str, known: list[str]) -> None:
        """Add the sentences of a table's metadata that are new."""
        if isinstance(sentences := metadata.get(name), list):
            known.extend(one for one in map(str, sentences) if one not in known)

    def _take_rules(self, table: str, metadata: Mapping[str, object]) -> None:
        """Count the rules that hold, and name those that are broken."""
        if isinstance(holding := metadata.get("lagbook/rules_hold"), int):
            self.outcome.checks_passed += holding
        for name, is_blocking in ((RULES_BROKEN, False), (BLOCKING_RULES_BROKEN, True)):
            rules = metadata.get(name)
            for rule in rules if isinstance(rules, list) else ():
                self.outcome.checks_failed.append(CheckFailed(table, rule, is_blocking))
                self._show(f"{table:<20} check {rule} FAILED{' and stops what is built on it' * is_blocking}")

    def _take_failure(self, event: dg.DagsterEvent) -> None:
        error = event.step_failure_data.error
        details = error.to_string() if error else "no reason was given"
        table = str(event.step_key).replace("__", ".")
        self.outcome.failures.append(Failure(table, _reason(error.cause or error) if error else details, details))
        self._show(f"{table:<20} FAILED")


def _count(rows: int | None) -> str:
    return "" if rows is None else f"{rows:,} rows"


def _reason(error: Any) -> str:  # noqa: ANN401 - Dagster does not export the type
    """One sentence: our own where there is one inside, else the last error named, else the first line."""
    own, named = _OWN_ERROR.search(error.message), _ANY_ERROR.findall(error.message)
    return brief(own[1] if own else [error.message.strip().partition("\n")[0], *named][-1], _LONGEST_REASON)
