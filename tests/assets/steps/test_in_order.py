"""That steps run behind those that make what they read, and that a failure holds up what rests on it and no more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from assets.graph import STEPS
from assets.steps.in_order import in_order, run_in_order
from assets.steps.step import BLOCKING_RULES_BROKEN, Facts, Results, RunContext, Step, TableResult
from assets.storage.warehouse import Warehouse
from tests.assets.steps.toy_runs import run_context

if TYPE_CHECKING:
    from pathlib import Path


class Notes:
    """Writes down what becomes of each step."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.lines: list[str] = []

    def take_start(self, step: str) -> None:
        """A step begins."""
        self.lines.append(f"{step} starts")

    def take_table(self, step: str, result: TableResult) -> None:
        """It made a table."""
        self.lines.append(f"{step} made {result.full_name}")

    def take_error(self, step: str, error: Exception) -> None:
        """It failed."""
        self.lines.append(f"{step} failed: {error}")


def step(
    name: str, *reads: str, makes: tuple[str, ...] = (), error: Exception | None = None, facts: Facts | None = None
) -> Step:
    """A step that makes tables, by default one of its name, and then fails or does not."""
    tables = makes or (name,)

    def make(_run: RunContext) -> Results:
        for table in tables:
            yield TableResult(table, facts or {})
        if error:
            raise error

    return Step(name, dict.fromkeys(tables, frozenset(reads)), frozenset(), make)


def lines_of(tmp_path: Path, *steps: Step) -> list[str]:
    """What became of these steps."""
    notes = Notes()
    run_in_order(steps, run_context(Warehouse(str(tmp_path))), notes)
    return notes.lines


def starts(lines: list[str]) -> list[str]:
    """The steps that began, in order."""
    return [line.partition(" starts")[0] for line in lines if line.endswith(" starts")]


def test_what_is_read_is_made_before(tmp_path: Path) -> None:
    """In whatever order the steps stand; a table that no step makes holds up nothing."""
    lines = lines_of(tmp_path, step("c", "b"), step("b", "x"), step("a", "b", "c"), step("two", makes=("x", "y")))
    assert starts(lines) == ["two", "b", "c", "a"]
    assert lines[:3] == ["two starts", "two made x", "two made y"]


def test_what_rests_on_a_failure_is_left_out(tmp_path: Path) -> None:
    """Directly or through others, also when the tables were shown before the step failed; all else goes on."""
    lines = lines_of(
        tmp_path,
        step("bad", makes=("x", "y"), error=OSError("the disk is full")),
        step("b", "y"),
        step("c", "b"),
        step("other"),
        step("d", "other"),
    )
    assert starts(lines) == ["bad", "other", "d"]
    assert "bad failed: the disk is full" in lines


def test_a_broken_blocking_rule_holds_up_what_rests_on_its_step(tmp_path: Path) -> None:
    """The step itself goes to its end."""
    broken = step("bad", makes=("x", "y"), facts={BLOCKING_RULES_BROKEN: ["key_is_unique"]})
    assert lines_of(tmp_path, broken, step("b", "x")) == ["bad starts", "bad made x", "bad made y"]


def test_an_interrupt_ends_the_run(tmp_path: Path) -> None:
    """Ctrl-C is no failure of a step."""

    def interrupted(_run: RunContext) -> Results:
        raise KeyboardInterrupt
        yield

    with pytest.raises(KeyboardInterrupt):
        lines_of(tmp_path, Step("a", {"a": frozenset()}, frozenset(), interrupted), step("b"))


def test_the_order_of_the_pipeline_is_one() -> None:
    """Every table is made once, behind all that it reads; the file that people ask comes last."""
    ready: set[str] = set()
    every = [name for each in STEPS for name in each.reads]
    assert len(every) == len(set(every))
    for each in in_order(STEPS):
        assert set().union(*each.reads.values()) <= ready
        ready.update(each.reads)
    assert in_order(STEPS)[-1].name == "lagbook.duckdb"
    assert in_order(STEPS) == in_order(STEPS)
