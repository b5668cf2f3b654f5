"""Following a real Dagster run of toy assets."""

from __future__ import annotations

from typing import Any

import dagster as dg
import pytest

from dagster_project.cli.progress import BLOCKING_RULES_BROKEN, RULES_BROKEN, Follower
from parsers.errors import WarehouseError

RUN_ID = "00000000-0000-0000-0000-000000000001"


def _table(*, unchanged: bool = False, places_unreadable: list[str] | None = None) -> dg.MaterializeResult[Any]:
    metadata = {} if places_unreadable is None else {"lagbook/places_unreadable": places_unreadable}
    return dg.MaterializeResult(metadata={"dagster/row_count": 1234, "lagbook/unchanged": unchanged, **metadata})


@dg.asset(key=["raw", "records"])
def good() -> dg.MaterializeResult[Any]:
    """A table that is built."""
    return _table()


@dg.asset(key=["raw", "segments"])
def half() -> dg.MaterializeResult[Any]:
    """A table that lacks a place which could not be listed."""
    return _table(places_unreadable=["s3://logs: it can't be listed"])


@dg.asset(key=["core", "commits"], deps=[good])
def known() -> dg.MaterializeResult[Any]:
    """A table that was current, and lacks no place."""
    return _table(unchanged=True, places_unreadable=[])


@dg.asset(key=["core", "members"], deps=[good])
def ours() -> dg.MaterializeResult[Any]:
    """A table whose place can't be written."""
    raise WarehouseError("/wh/core can't be written: No space left on device")


@dg.asset(key=["core", "log_ends"], deps=[good])
def theirs() -> dg.MaterializeResult[Any]:
    """A table whose worker failed: Spark hands the sentence on inside a page of its own."""
    raise RuntimeError(
        "Job aborted\n  at org.apache.spark\nparsers.errors.SourceError: /logs/a.log: it is gone\n  at java.lang"
    )


@dg.asset(key=["core", "generations"], deps=[good])
def a_bug() -> dg.MaterializeResult[Any]:
    """A table whose worker failed for a reason that nobody foresaw."""
    raise RuntimeError(
        "\n  An exception was thrown\nTraceback:\n  File x\nValueError: cannot reshape\n\n  at java.lang"
    )


@dg.asset(key=["core", "log_gaps"])
def check_result() -> dg.MaterializeResult[Any]:
    """A table that breaks two of its rules."""
    rules: dict[str, Any] = {
        "lagbook/rules_hold": 5,
        RULES_BROKEN: ["rows_exist"],
        BLOCKING_RULES_BROKEN: ["offsets_grow"],
    }
    return dg.MaterializeResult(metadata={"dagster/row_count": 1, **rules})


def follow(*assets: dg.AssetsDefinition) -> tuple[Follower, list[str]]:
    """Run these assets in process under a follower; return it and what it showed."""
    shown: list[str] = []
    follower = Follower(shown.append, lambda _: None)
    definitions = dg.Definitions(assets=assets, jobs=[dg.define_asset_job("all", dg.AssetSelection.all())])
    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_event_listener(RUN_ID, follower)
        definitions.resolve_job_def("all").execute_in_process(instance=instance, raise_on_error=False, run_id=RUN_ID)
    return follower, shown


def test_tables_are_counted() -> None:
    """Every finished table has its rows and whether it changed; a line is shown for each that did."""
    follower, shown = follow(good, known)
    assert [(done.table, done.rows, done.is_changed) for done in follower.outcome.tables] == [
        ("raw.records", 1234, True),
        ("core.commits", 1234, False),
    ]
    assert (follower.outcome.is_changed, follower.outcome.is_failed) == (True, False)
    assert [line.split()[:3] for line in shown] == [["raw.records", "1,234", "rows"]]


@dg.asset(key=["core", "ownership"])
def behind() -> dg.MaterializeResult[Any]:
    """A table that lacks what is new of a partition whose records could not be replayed."""
    sentences = {"lagbook/partitions_failed": ["partition 7 can't be replayed"]}
    return dg.MaterializeResult(metadata={"dagster/row_count": 1, **sentences})


def test_a_partition_that_failed_fails_the_run_and_stops_nothing() -> None:
    """Every table is made, and the sentence is kept once."""
    follower, _ = follow(behind, good)
    assert follower.outcome.partitions_failed == ["partition 7 can't be replayed"]
    assert follower.outcome.is_failed
    assert len(follower.outcome.tables) == 2
    assert follower.outcome.as_json()["partitions_failed"] == ["partition 7 can't be replayed"]


def test_a_broken_blocking_rule_fails_the_run() -> None:
    """A rule that stops what is built on the table is named, and the run counts as failed; a warning is named, too."""
    follower, shown = follow(good, check_result)
    assert follower.outcome.checks_passed == 5
    assert [(check.table, check.check, check.is_blocking) for check in follower.outcome.checks_failed] == [
        ("core.log_gaps", "rows_exist", False),
        ("core.log_gaps", "offsets_grow", True),
    ]
    assert follower.outcome.is_failed
    assert any("check offsets_grow FAILED and stops" in line for line in shown)


@pytest.mark.parametrize(
    ("asset", "table", "reason"),
    [
        (ours, "core.members", "/wh/core can't be written: No space left on device"),
        (theirs, "core.log_ends", "/logs/a.log: it is gone"),
        (a_bug, "core.generations", "ValueError: cannot reshape"),
    ],
)
def test_a_failure_is_one_sentence(asset: dg.AssetsDefinition, table: str, reason: str) -> None:
    """The reason is our own sentence, also out of another's page; the stack trace is kept for the log."""
    follower, _ = follow(good, asset)
    (failure,) = follower.outcome.failures
    assert (failure.table, failure.reason) == (table, reason)
    assert "Stack Trace" in failure.details
    assert follower.outcome.as_json()["failures"] == [{"table": table, "reason": reason}]


def test_a_place_that_went_away_fails_the_run() -> None:
    """The tables are built all the same, and one that lacks nothing takes back nothing of what another said."""
    follower, _ = follow(half, good, known)
    assert follower.outcome.places_unreadable == ["s3://logs: it can't be listed"]
    assert follower.outcome.is_failed
    assert not follower.outcome.failures
    assert len(follower.outcome.tables) == 3


def test_a_table_is_named_even_when_nothing_was_built() -> None:
    """What failed counts as failed without any table done."""
    follower, _ = follow(ours)
    assert follower.outcome.is_failed
    assert not follower.outcome.is_changed
