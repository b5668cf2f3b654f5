"""Following toy steps that run, change nothing, break rules and fail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import dagster as dg
import pytest

from assets.asset_specs import asset_of
from assets.steps.in_order import run_in_order
from assets.steps.step import BLOCKING_RULES_BROKEN, RULES_BROKEN, Results, RunContext, Step, TableResult
from assets.storage.warehouse import Warehouse
from dagster_project.cli.progress import Follower
from dagster_project.run_events import failure_of
from parsers.errors import LagbookError, WarehouseError
from tests.assets.steps.toy_runs import run_context

if TYPE_CHECKING:
    from pathlib import Path


def step(name: str, *reads: str, error: Exception | None = None, **facts: Any) -> Step:  # noqa: ANN401 - any fact
    """A step that makes one table of 1,234 rows, or fails."""

    def make(_run: RunContext) -> Results:
        if error:
            raise error
        others = {f"lagbook/{fact}": value for fact, value in facts.items()}
        yield TableResult(name, {"dagster/row_count": 1234, "lagbook/unchanged": False, **others})

    return Step(name, {name: frozenset(reads)}, frozenset(), make)


GOOD = step("raw.records")
HALF = step("raw.segments", places_unreadable=["s3://logs: it can't be listed"])
KNOWN = step("core.commits", "raw.records", unchanged=True, places_unreadable=[])
BEHIND = step("core.ownership", partitions_failed=["partition 7 can't be replayed"])
BROKEN = step("core.log_gaps", rules_hold=5, rules_broken=["rows_exist"], blocking_rules_broken=["offsets_grow"])
ERRORS = {
    "/wh/core can't be written: No space left on device": WarehouseError(
        "/wh/core can't be written: No space left on device"
    ),
    "/logs/a.log: it is gone": RuntimeError(
        "Job aborted\n  at org.apache.spark\nparsers.errors.SourceError: /logs/a.log: it is gone\n  at java.lang"
    ),
    "ValueError: cannot reshape": RuntimeError(
        "\n  An exception was thrown\nTraceback:\n  File x\nValueError: cannot reshape\n\n  at java.lang"
    ),
}
"""What is to be printed of errors: our own, a worker's inside Spark's page, and one that nobody foresaw."""


@pytest.fixture
def run(tmp_path: Path) -> RunContext:
    """What the steps work with."""
    return run_context(Warehouse(str(tmp_path)))


def follow(run: RunContext, *steps: Step) -> tuple[Follower, list[str]]:
    """Run these steps under a follower; return it and what it showed."""
    shown: list[str] = []
    follower = Follower(shown.append, lambda _: None)
    run_in_order(steps, run, follower)
    return follower, shown


def test_tables_are_counted(run: RunContext) -> None:
    """Every finished table has its rows and whether it changed; a line is shown for each that did."""
    follower, shown = follow(run, GOOD, KNOWN)
    assert [(done.table, done.rows, done.is_changed) for done in follower.outcome.tables] == [
        ("raw.records", 1234, True),
        ("core.commits", 1234, False),
    ]
    assert (follower.outcome.is_changed, follower.outcome.is_failed) == (True, False)
    assert [line.split()[:3] for line in shown] == [["raw.records", "1,234", "rows"]]


def test_a_partition_that_failed_fails_the_run_and_stops_nothing(run: RunContext) -> None:
    """Every table is made, and the sentence is kept once."""
    follower, _ = follow(run, BEHIND, GOOD)
    assert follower.outcome.partitions_failed == ["partition 7 can't be replayed"]
    assert follower.outcome.is_failed
    assert len(follower.outcome.tables) == 2
    assert follower.outcome.as_json()["partitions_failed"] == ["partition 7 can't be replayed"]


def test_a_broken_blocking_rule_fails_the_run(run: RunContext) -> None:
    """A rule that stops what is built on the table is named, and the run counts as failed; a warning is named, too."""
    follower, shown = follow(run, GOOD, BROKEN)
    assert {RULES_BROKEN, BLOCKING_RULES_BROKEN} == {"lagbook/rules_broken", "lagbook/blocking_rules_broken"}
    assert follower.outcome.checks_passed == 5
    assert [(check.table, check.check, check.is_blocking) for check in follower.outcome.checks_failed] == [
        ("core.log_gaps", "rows_exist", False),
        ("core.log_gaps", "offsets_grow", True),
    ]
    assert follower.outcome.failure == "core.log_gaps does not hold to offsets_grow"
    assert any("check offsets_grow FAILED and stops" in line for line in shown)


@pytest.mark.parametrize("reason", ERRORS)
def test_a_failure_is_one_sentence(run: RunContext, reason: str) -> None:
    """The reason is our own sentence, also out of another's page; the stack trace is kept for the log."""
    follower, _ = follow(run, GOOD, step("core.members", error=ERRORS[reason]))
    (failure,) = follower.outcome.failures
    assert (failure.table, failure.reason) == ("core.members", reason)
    assert "in _is_done" in failure.details
    assert ("Traceback" in failure.details) is not isinstance(ERRORS[reason], LagbookError)
    assert follower.outcome.as_json()["failures"] == [{"table": "core.members", "reason": reason}]


@pytest.mark.parametrize("reason", ERRORS)
def test_a_failure_in_dagster_is_the_same_sentence(run: RunContext, reason: str) -> None:
    """What its events say of a run is what the command line prints."""
    failing = step("core.members", error=ERRORS[reason])
    resources = {"warehouse": run.warehouse, "sources": run.sources, "spark": run.spark, "rules": run.rules}
    with dg.DagsterInstance.ephemeral() as instance:
        done = dg.materialize([asset_of(failing)], instance=instance, resources=resources, raise_on_error=False)
        assert failure_of(instance, done.run_id) == f"core.members failed: {reason}"


def test_a_place_that_went_away_fails_the_run(run: RunContext) -> None:
    """The tables are built all the same, and one that lacks nothing takes back nothing of what another said."""
    follower, _ = follow(run, HALF, GOOD, KNOWN)
    assert follower.outcome.places_unreadable == ["s3://logs: it can't be listed"]
    assert follower.outcome.is_failed
    assert not follower.outcome.failures
    assert len(follower.outcome.tables) == 3


def test_a_run_where_nothing_was_built_has_failed(run: RunContext) -> None:
    """What failed counts as failed without any table done."""
    follower, _ = follow(run, step("core.members", error=WarehouseError("the disk is full")))
    assert follower.outcome.is_failed
    assert not follower.outcome.is_changed
