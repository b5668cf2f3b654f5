"""That a refresh that failed is asked for again, under a name that no run had, and ever later."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import TYPE_CHECKING

import dagster as dg
import pytest

from assets.ingest.plan import Sources
from dagster_project.automation import NEW_SEGMENTS
from dagster_project.refresh import JOB_NAME
from dagster_project.retrying import LONGEST_WAIT_S, LOOKED_AT, wait_s
from tests.dagster_project.conftest import OnePlace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from assets.storage.warehouse import Warehouse

    Look = Callable[[float], dg.RunRequest | dg.SkipReason]


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    """A Dagster that forgets."""
    with dg.DagsterInstance.ephemeral() as forgetful:
        yield forgetful


@pytest.fixture
def segment(tmp_path: Path) -> Path:
    """A segment in a log directory."""
    path = tmp_path / "logs" / "t-0" / "00000000000000000000.log"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\0")
    return path


@pytest.fixture
def look(instance: dg.DagsterInstance, warehouse: Warehouse, segment: Path, monkeypatch: pytest.MonkeyPatch) -> Look:
    """Let the sensor look once, so many seconds from now."""

    def looked(later_s: float) -> dg.RunRequest | dg.SkipReason:
        now_s = time.time() + later_s
        monkeypatch.setattr("dagster_project.retrying.time", SimpleNamespace(time=lambda: now_s))
        resources = {"places": OnePlace(warehouse, Sources((str(segment.parents[1]),)))}
        with dg.build_sensor_context(instance=instance, resources=resources) as context:
            result = NEW_SEGMENTS(context)
        assert isinstance(result, (dg.RunRequest, dg.SkipReason))
        return result

    return looked


def _run(instance: dg.DagsterInstance, request: object, *, fails: bool) -> None:
    """Run what the sensor asked for, named as Dagster names it."""
    assert isinstance(request, dg.RunRequest)

    @dg.op
    def work() -> None:
        if fails:
            raise dg.Failure("the store is away")

    @dg.job(name=JOB_NAME)
    def refresh() -> None:
        work()

    tags = {**request.tags, "dagster/run_key": str(request.run_key), "dagster/sensor_name": NEW_SEGMENTS.name}
    refresh.execute_in_process(instance=instance, tags=tags, raise_on_error=False)


def test_a_refresh_that_failed_is_asked_for_again(look: Look, instance: dg.DagsterInstance) -> None:
    """Not at once, but without any file having changed, and under a key that Dagster has not seen."""
    first = look(0)
    _run(instance, first, fails=True)
    waiting, again = look(0), look(wait_s(1) + 1)
    assert isinstance(first, dg.RunRequest)
    assert isinstance(waiting, dg.SkipReason)
    assert "failed: the next is asked for at" in str(waiting.skip_message)
    assert isinstance(again, dg.RunRequest)
    assert again.run_key != first.run_key
    assert look(wait_s(1) + 1) == again


def test_it_waits_longer_with_each_failure(look: Look, instance: dg.DagsterInstance) -> None:
    """Each try has a key of its own."""
    keys, waiting = [], []
    for failures in (1, 2, 3):
        request = look(LONGEST_WAIT_S)
        _run(instance, request, fails=True)
        keys.append(getattr(request, "run_key", None))
        waiting.append(look(wait_s(failures) - 5))
    assert [isinstance(result, dg.SkipReason) for result in waiting] == [True, True, True]
    assert "failed, like 2 before it:" in str(waiting[-1])
    assert len(set(keys)) == len(keys)
    assert isinstance(look(wait_s(3) + 1), dg.RunRequest)


def test_growth_does_not_hasten_it(look: Look, instance: dg.DagsterInstance, segment: Path) -> None:
    """Logs of a broker grow all the time: else each growth would start what fails."""
    _run(instance, look(0), fails=True)
    segment.write_bytes(b"\0\0")
    assert isinstance(look(0), dg.SkipReason)
    assert isinstance(look(wait_s(1) + 1), dg.RunRequest)


def test_success_ends_the_waiting(look: Look, instance: dg.DagsterInstance, segment: Path) -> None:
    """What failed before does not count any more; what a run left unread is not asked for twice."""
    _run(instance, look(0), fails=True)
    again = look(LONGEST_WAIT_S)
    _run(instance, again, fails=False)
    assert look(0) == again
    segment.write_bytes(b"\0\0")
    _run(instance, look(0), fails=True)
    result = look(0)
    assert isinstance(result, dg.SkipReason)
    assert "like" not in str(result.skip_message)


def test_waiting_is_bounded() -> None:
    """From a minute up to an hour, which as many failures as are looked at reach."""
    assert [wait_s(failures) for failures in (1, 2, 3, 4)] == [60, 120, 240, 480]
    assert wait_s(LOOKED_AT) == wait_s(1000) == LONGEST_WAIT_S
