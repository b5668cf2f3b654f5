"""The sensors that notify people, as Dagster calls them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import dagster as dg
import pytest

from assets.storage.warehouse import Warehouse
from dagster_project.alerting.sensors import FAILED_RUNS, NEW_INCIDENTS
from dagster_project.definitions import build_definitions
from dagster_project.deployment.alerts import Alerts, declared_alerts
from dagster_project.notifications import deliveries, delivery_note
from dagster_project.notifications.channel import DeliveryError, Notifier
from dagster_project.notifications.webhook import from_section
from dagster_project.places import Places
from dagster_project.refresh import JOB_NAME
from dagster_project.settings import Settings
from tests.dagster_project.cli.conftest import change, example_warehouse, warehouse
from tests.dagster_project.notifications.conftest import section, server

if TYPE_CHECKING:
    from pathlib import Path

    from tests.dagster_project.notifications.receivers import Requests

__all__ = ["example_warehouse", "server", "warehouse"]
NEW = "INSERT INTO mart.incidents BY NAME SELECT * REPLACE ('feedfeedfeed' AS incident_id) FROM mart.incidents LIMIT 1"


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deliveries, "WAITS_S", (0.0, 0.0))


def hook(url: str) -> Alerts:
    """A webhook that is notified of everything."""
    return Alerts("low", (Notifier("hook", "low", "webhook", from_section(section(f'url = "{url}"'))),))


def tick(place: Path, alerts: Alerts) -> str:
    """What a tick of the sensor says."""
    resources = {"places": Places({None: Settings(warehouse=str(place))}), "read_alerts": lambda: alerts}
    with dg.build_sensor_context(resources=resources) as context:
        reason = NEW_INCIDENTS(context)
    assert isinstance(reason, dg.SkipReason)
    return str(reason.skip_message)


def failed_run(instance: dg.DagsterInstance, place: Path, alerts: Alerts) -> str:
    """What the sensor of failed runs says of a run that failed."""

    @dg.op
    def step() -> None:
        raise dg.Failure("no space left")

    @dg.job(name=JOB_NAME)
    def job() -> None:
        step()

    result = job.execute_in_process(instance=instance, raise_on_error=False)
    resources = {"places": Places({None: Settings(warehouse=str(place))}), "read_alerts": lambda: alerts}
    context = dg.build_run_status_sensor_context(
        "failed_runs", result.get_run_failure_event(), instance, result.dagster_run, resources=resources
    ).for_run_failure()
    reason = FAILED_RUNS(context)
    assert isinstance(reason, dg.SkipReason)
    return str(reason.skip_message)


def test_a_tick_sends_what_is_new_once(warehouse: Path, server: Requests) -> None:
    """And says to whom; a restart of Dagster changes nothing of that, for it is kept beside the tables."""
    alerts = hook(server.url)
    assert tick(warehouse, alerts).startswith("hook: the first look; ")
    change(warehouse, NEW)
    assert tick(warehouse, alerts) == f"hook: 1 new incident sent to 127.0.0.1:{server.port}"
    assert tick(warehouse, alerts) == "hook: nothing is new"
    assert [row["incident_id"] for body in server.bodies for row in body["incidents"]] == ["feedfeedfeed"]


def test_a_tick_fails_with_the_notifier_and_the_next_waits(warehouse: Path, server: Requests) -> None:
    """A page of red ticks helps nobody; the address is a secret."""
    alerts = hook(f"{server.url}/hush")
    tick(warehouse, alerts)
    change(warehouse, NEW)
    server.codes = [503] * 3
    with pytest.raises(DeliveryError, match=r"^hook: 127\.0\.0\.1:\d+ answers 503 Service Unavailable; 1 ") as error:
        tick(warehouse, alerts)
    assert "hush" not in str(error.value)
    assert (error.value.__cause__, error.value.__context__) == (None, None)
    assert tick(warehouse, alerts).startswith("hook: it failed before, and is tried again at ")
    assert len(server.bodies) == 3


def test_a_mistake_in_lagbook_toml_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is made while Dagster runs: a tick reads the file anew, and shows file and key in place of a trace."""
    (tmp_path / "lagbook.toml").write_text("[alerts]\nseverity = 5\n")
    monkeypatch.setenv("LAGBOOK_FILE", str(tmp_path / "lagbook.toml"))
    places = Places({None: Settings(warehouse=str(tmp_path))})
    with dg.build_sensor_context(resources={"places": places, "read_alerts": declared_alerts}) as context:
        reason = NEW_INCIDENTS(context)
    assert isinstance(reason, dg.SkipReason)
    mistake = "lagbook.toml: [alerts] severity: expected a text, found a number"
    assert reason.skip_message == f"Nobody is notified until this is mended: {tmp_path}/{mistake}"


def test_nothing_to_look_at_is_a_sentence(tmp_path: Path, server: Requests) -> None:
    """No notifier, and no table yet."""
    assert "[[alerts.notify]]" in tick(tmp_path, Alerts())
    assert "nothing was read into" in tick(tmp_path, hook(server.url))


def test_a_run_that_fails_is_sent(warehouse: Path, server: Requests) -> None:
    """With its sentence and run, also where no table was ever made."""
    with dg.DagsterInstance.ephemeral() as instance:
        assert failed_run(instance, warehouse, hook(server.url)).startswith("hook: 1 failed run sent to ")
        failed_run(instance, warehouse / "none", hook(server.url))
        runs = instance.get_runs()
    sentences = [one["sentence"] for body in server.bodies for one in body["failures"]]
    assert len(sentences) == 2
    assert all("no space left" in sentence for sentence in sentences)
    assert {run.run_id for run in runs} == {sentence.split("run ")[1][:36] for sentence in sentences}


def test_a_run_that_failed_is_sent_where_nothing_can_be_written(tmp_path: Path, server: Requests) -> None:
    """The warehouse itself may be why it failed."""
    (tmp_path / "file").write_text("no folder")
    with dg.DagsterInstance.ephemeral() as instance:
        failed_run(instance, tmp_path / "file", hook(server.url))
    assert [len(body["failures"]) for body in server.bodies] == [1]


def test_a_failed_run_waits_for_a_notifier_that_is_down(warehouse: Path, server: Requests) -> None:
    """The sensor of incidents sends it when the notifier is back."""
    tick(warehouse, hook(server.url))
    with dg.DagsterInstance.ephemeral() as instance, pytest.raises(DeliveryError):
        failed_run(instance, warehouse, hook("http://127.0.0.1:1"))
    assert "is tried again at" in tick(warehouse, hook(server.url))
    note = delivery_note.read(Warehouse(str(warehouse)), "hook")
    assert [len(note.waiting), note.failed_attempts] == [1, 1]


def test_both_sensors_are_off_until_somebody_switches_them_on() -> None:
    """As all automation here."""
    sensors = build_definitions(Settings()).get_repository_def().sensor_defs
    states = {sensor.name: sensor.default_status for sensor in sensors}
    assert states == dict.fromkeys(("new_segments", "new_incidents", "failed_runs"), dg.DefaultSensorStatus.STOPPED)
