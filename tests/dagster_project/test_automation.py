"""That a refresh starts for what is new, once, and never beside another one."""

from __future__ import annotations

import os
import tarfile
from collections import Counter
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import dagster as dg
import pytest

from assets.catalog import TABLES
from assets.ingest.live.access import Access
from assets.ingest.plan import Sources, plan
from assets.storage.warehouse import Warehouse
from dagster_project.automation import (
    BETWEEN_LOOKS_S,
    EVERY_FIVE_MINUTES,
    HOURLY,
    NEW_SEGMENTS,
    WEEKLY,
)
from dagster_project.definitions import build_definitions
from dagster_project.refresh import JOB_NAME, REFRESH
from dagster_project.run_events import CHECK_JOB
from dagster_project.settings import Settings
from parsers.errors import SourceError
from tests.dagster_project.conftest import OnePlace
from tests.whole_run import whole_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.dagster_project.conftest import Fill

    Look = Callable[[], dg.RunRequest | dg.SkipReason]

RECORDING: Final = Path(__file__).parents[2] / "tests" / "bytes" / "incident-4.1" / "data.tar.xz"
SEGMENT: Final = "data/__consumer_offsets-17/00000000000000000000.log"


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """A log directory with one segment that a broker wrote."""
    with tarfile.open(RECORDING) as packed:
        packed.extract(SEGMENT, tmp_path, filter="data")
    return tmp_path / "data"


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    """A Dagster that forgets."""
    with dg.DagsterInstance.ephemeral() as forgetful:
        yield forgetful


@pytest.fixture
def look(instance: dg.DagsterInstance, warehouse: Warehouse, logs: Path) -> Look:
    """Let the sensor look once."""
    return lambda: _look(instance, warehouse, Sources((str(logs),)))


def _look(instance: dg.DagsterInstance, warehouse: Warehouse, sources: Sources) -> dg.RunRequest | dg.SkipReason:
    with dg.build_sensor_context(instance=instance, resources={"places": OnePlace(warehouse, sources)}) as context:
        result = NEW_SEGMENTS(context)
    assert isinstance(result, (dg.RunRequest, dg.SkipReason))
    return result


def _read(fill: Fill, warehouse: Warehouse, logs: Path) -> None:
    """Make the archive remember every file as it is now."""
    rows: list[dict[str, Any]] = [
        {
            "cluster": read.segment.cluster,
            "path": read.segment.path,
            "size_bytes": read.segment.size_bytes,
            "modified_ms": read.segment.modified_ms,
            "source": "file",
            "start_position": 0,
            "end_position": read.segment.size_bytes,
            "torn_bytes": 0,
            "read_at": datetime(2026, 11, 18, tzinfo=timezone.utc),
        }
        for read in plan(warehouse, Sources((str(logs),))).reads
    ]
    fill("raw.segments", rows)


def _start(instance: dg.DagsterInstance, status: dg.DagsterRunStatus, job_name: str = JOB_NAME) -> None:
    """Have a run in the books."""
    instance.create_run_for_job(dg.Definitions(jobs=[_named(job_name)]).resolve_job_def(job_name), status=status)


def _named(name: str) -> dg.JobDefinition:
    @dg.job(name=name)
    def nothing() -> None: ...

    return nothing


def test_new_segment_starts_a_refresh(look: Look) -> None:
    """A file that the archive has not seen is read, and asked for once."""
    first, second = look(), look()
    assert isinstance(first, dg.RunRequest)
    assert isinstance(second, dg.RunRequest)
    assert first.run_key
    assert first.run_key == second.run_key


def test_known_segments_start_nothing(look: Look, fill: Fill, warehouse: Warehouse, logs: Path) -> None:
    """The sensor says how many files it knows."""
    _read(fill, warehouse, logs)
    result = look()
    assert isinstance(result, dg.SkipReason)
    assert result.skip_message == "Nothing is new: 1 file is known."


def test_grown_segment_starts_a_refresh(look: Look, fill: Fill, warehouse: Warehouse, logs: Path) -> None:
    """A file that has grown since it was read is asked for anew, under another key."""
    before = look()
    _read(fill, warehouse, logs)
    segment = logs.parent / SEGMENT
    segment.write_bytes(segment.read_bytes() * 2)
    after = look()
    assert isinstance(before, dg.RunRequest)
    assert isinstance(after, dg.RunRequest)
    assert after.run_key != before.run_key


def test_rewritten_segment_starts_a_refresh(look: Look, fill: Fill, warehouse: Warehouse, logs: Path) -> None:
    """A file of the same size and another time may have been cleaned, so it is read again."""
    _read(fill, warehouse, logs)
    os.utime(logs.parent / SEGMENT, (1, 1))
    assert isinstance(look(), dg.RunRequest)


def test_no_logs_is_said_in_a_sentence(instance: dg.DagsterInstance, warehouse: Warehouse) -> None:
    """Without configuration the sensor explains itself instead of failing."""
    result = _look(instance, warehouse, Sources(()))
    assert isinstance(result, dg.SkipReason)
    assert "LAGBOOK_LOGS" in str(result.skip_message)


def test_missing_logs_are_refused(instance: dg.DagsterInstance, warehouse: Warehouse, tmp_path: Path) -> None:
    """A place that is named and not there must show as a failed look, never as nothing new."""
    with pytest.raises(SourceError, match="gone"):
        _look(instance, warehouse, Sources((str(tmp_path / "gone"),)))


def test_place_that_is_gone_holds_up_no_other(
    instance: dg.DagsterInstance, fill: Fill, warehouse: Warehouse, logs: Path, tmp_path: Path
) -> None:
    """What is new elsewhere is read first; then the look fails until the place is back."""
    sources = Sources((str(tmp_path / "gone"), str(logs)))
    assert isinstance(_look(instance, warehouse, sources), dg.RunRequest)
    _read(fill, warehouse, logs)
    with pytest.raises(SourceError, match="gone"):
        _look(instance, warehouse, sources)


@pytest.mark.parametrize("status", [dg.DagsterRunStatus.NOT_STARTED, dg.DagsterRunStatus.STARTED])
def test_one_refresh_at_a_time(look: Look, instance: dg.DagsterInstance, status: dg.DagsterRunStatus) -> None:
    """While a refresh waits or works, the sensor starts no other: both would keep the same growth."""
    _start(instance, status)
    result = look()
    assert isinstance(result, dg.SkipReason)
    assert "still at work" in str(result.skip_message)


@pytest.mark.parametrize(
    ("status", "job_name"), [(dg.DagsterRunStatus.FAILURE, JOB_NAME), (dg.DagsterRunStatus.STARTED, "another")]
)
def test_other_runs_hold_nothing_up(
    look: Look, instance: dg.DagsterInstance, status: dg.DagsterRunStatus, job_name: str
) -> None:
    """A run that ended, or one of another job, is no reason to wait."""
    _start(instance, status, job_name)
    assert isinstance(look(), dg.RunRequest)


def _tick(
    schedule: dg.ScheduleDefinition, instance: dg.DagsterInstance, warehouse: Warehouse, sources: Sources
) -> object:
    resources = {"places": OnePlace(warehouse, sources)}
    with dg.build_schedule_context(instance=instance, resources=resources) as context:
        return schedule(context)


def test_schedule_waits_for_the_refresh_that_is_under_way(warehouse: Warehouse) -> None:
    """The hourly start is left out while the last one works."""
    with dg.instance_for_test() as instance:
        assert isinstance(_tick(HOURLY, instance, warehouse, Sources(())), dg.RunRequest)
        _start(instance, dg.DagsterRunStatus.STARTED)
        assert isinstance(_tick(HOURLY, instance, warehouse, Sources(())), dg.SkipReason)


def test_a_running_cluster_is_read_on_from_when_one_is_named(warehouse: Warehouse) -> None:
    """The schedule explains itself without a cluster, starts with one, and waits for the refresh under way.

    A cluster that can't be reached is the run's to fail over.
    """
    with dg.instance_for_test() as instance:
        unnamed, named = Sources(()), Sources((), live=Access("127.0.0.1:1"))
        reason = _tick(EVERY_FIVE_MINUTES, instance, warehouse, unnamed)
        assert isinstance(reason, dg.SkipReason)
        assert "LAGBOOK_BOOTSTRAP" in str(reason.skip_message)
        assert isinstance(_tick(EVERY_FIVE_MINUTES, instance, warehouse, named), dg.RunRequest)
        _start(instance, dg.DagsterRunStatus.STARTED)
        assert isinstance(_tick(EVERY_FIVE_MINUTES, instance, warehouse, named), dg.SkipReason)


def test_a_schedule_with_nothing_new_leaves_no_event(tmp_path: Path, logs: Path) -> None:
    """After a run that read everything no run is started: Dagster's event log stays as it is."""
    place = tmp_path / "wh"
    assert whole_run(place, [logs]).exit_code == 0
    warehouse, sources = Warehouse(str(place)), Sources((str(logs),))
    with dg.instance_for_test() as instance:
        reason = _tick(HOURLY, instance, warehouse, sources)
        assert isinstance(reason, dg.SkipReason)
        assert reason.skip_message == "Nothing is new: 1 file is known."
        assert _event_count(instance) == 0
    os.utime(logs.parent / SEGMENT, (1, 1))
    with dg.instance_for_test() as instance:
        assert isinstance(_tick(HOURLY, instance, warehouse, sources), dg.RunRequest)


def _event_count(instance: dg.DagsterInstance) -> int:
    return sum(len(instance.all_logs(run.run_id)) for run in instance.get_runs())


def test_a_refresh_plans_no_check(tmp_path: Path, logs: Path) -> None:
    """A run that changes nothing is known by its steps, its tables and two checks, not by hundreds."""
    place = tmp_path / "wh"
    assert whole_run(place, [logs]).exit_code == 0
    with dg.instance_for_test() as instance:
        definitions = build_definitions(Settings(logs=(str(logs),), warehouse=str(place)))
        result = definitions.resolve_job_def(JOB_NAME).execute_in_process(instance=instance)
        kinds = Counter(event.event_type_value for event in result.all_events)
        assert {kind: count for kind, count in kinds.items() if "CHECK" in kind} == {"ASSET_CHECK_EVALUATION": 2}
        assert kinds["ASSET_MATERIALIZATION"] == len(TABLES) + 1
        assert _event_count(instance) < 10 * len(TABLES)


def test_the_sensor_looks_at_files_alone(instance: dg.DagsterInstance, warehouse: Warehouse, logs: Path) -> None:
    """A running cluster that can't be reached holds up no file; it has a schedule of its own."""
    sources = Sources((str(logs),), live=Access("127.0.0.1:1"))
    assert isinstance(_look(instance, warehouse, sources), dg.RunRequest)


def test_nobody_is_surprised_by_a_start() -> None:
    """Schedule and sensor refresh the same job, and wait to be switched on."""
    assert HOURLY.cron_schedule == "0 * * * *"
    assert HOURLY.default_status == dg.DefaultScheduleStatus.STOPPED
    assert EVERY_FIVE_MINUTES.cron_schedule == "*/5 * * * *"
    assert EVERY_FIVE_MINUTES.default_status == dg.DefaultScheduleStatus.STOPPED
    assert NEW_SEGMENTS.default_status == dg.DefaultSensorStatus.STOPPED
    assert NEW_SEGMENTS.minimum_interval_seconds == BETWEEN_LOOKS_S
    assert (WEEKLY.cron_schedule, WEEKLY.default_status) == ("0 3 * * 0", dg.DefaultScheduleStatus.STOPPED)
    assert WEEKLY.job_name == CHECK_JOB
    assert {HOURLY.job_name, EVERY_FIVE_MINUTES.job_name, NEW_SEGMENTS.job_name, REFRESH.name} == {JOB_NAME}
