"""An instance that records no event: who listens gets all of them, and the run ends as on any other."""

from __future__ import annotations

from uuid import uuid4

import dagster as dg
import pytest

from dagster_project.cli.operations.unrecorded import unrecorded_instance


@dg.asset
def first() -> None:
    """An asset that is made."""


@dg.asset(deps=[first])
def second() -> None:
    """An asset that can't be made."""
    raise ValueError


@pytest.mark.parametrize(("assets", "is_success"), [([first], True), ([first, second], False)])
def test_listeners_get_every_event(assets: list[dg.AssetsDefinition], *, is_success: bool) -> None:
    """Of steps that end well and of those that fail, in their order."""
    definitions = dg.Definitions(assets=assets, executor=dg.in_process_executor)
    events: list[str] = []
    run_id = str(uuid4())
    with unrecorded_instance() as instance:
        instance.add_event_listener(
            run_id, lambda entry: events.append(str(entry.get_dagster_event().event_type_value))
        )
        done = definitions.resolve_implicit_global_asset_job_def().execute_in_process(
            instance=instance, run_id=run_id, raise_on_error=False
        )
    assert done.success is is_success
    assert events.count("STEP_START") == len(assets)
    assert events.count("ASSET_MATERIALIZATION") == 1
    assert ("STEP_FAILURE" in events, events[-1]) == (
        not is_success,
        "PIPELINE_SUCCESS" if is_success else "PIPELINE_FAILURE",
    )
