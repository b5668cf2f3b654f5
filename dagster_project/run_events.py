"""What went wrong in a run of Dagster's, from the events that it left.

Put here how events are read. What is made of them is the same as for a run of the command line:
`dagster_project.cli.progress`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import dagster as dg

from assets.asset_specs import step_name
from assets.steps.step import TableResult
from dagster_project.cli.progress import Follower

if TYPE_CHECKING:
    from collections.abc import Callable

CHECK_JOB: Final = "check_all"
"""The job that only looks at tables: it neither waits for writers nor counts as a run of the warehouse."""


def failure_of(instance: dg.DagsterInstance, run_id: str) -> str | None:
    """The first failure of a run, in one sentence; None where nothing went wrong."""
    follower = Follower(lambda _line: None, lambda _step: None)
    for entry in instance.all_logs(run_id, of_type=set(_TAKERS)):
        if event := entry.dagster_event:
            _TAKERS[event.event_type](follower, event)
    return follower.outcome.failure


def _take_table(follower: Follower, event: dg.DagsterEvent) -> None:
    materialization = event.step_materialization_data.materialization
    facts = {name: value.value for name, value in materialization.metadata.items()}
    name = ".".join(materialization.asset_key.path)
    follower.take_table(name, TableResult(name, facts))


def _take_failure(follower: Follower, event: dg.DagsterEvent) -> None:
    error, step = event.step_failure_data.error, step_name(str(event.step_key))
    if error is None:
        follower.take_failure(step, "no reason was given", "no reason was given")
    else:
        follower.take_failure(step, (error.cause or error).message, error.to_string())


_TAKERS: Final[dict[dg.DagsterEventType, Callable[[Follower, dg.DagsterEvent], None]]] = {
    dg.DagsterEventType.ASSET_MATERIALIZATION: _take_table,
    dg.DagsterEventType.STEP_FAILURE: _take_failure,
}
