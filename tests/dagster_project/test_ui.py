"""That the UI works: a real `dagster dev`, asked through the GraphQL API that its pages use."""

from __future__ import annotations

import tarfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from assets.catalog import TABLES
from assets.storage.warehouse import Warehouse
from dagster_project.alerting import newest_record, open_incidents
from dagster_project.notifications import delivery_note
from dagster_project.notifications.delivery_note import DeliveryNote
from dagster_project.notifications.novelty import read_snapshot
from dagster_project.rules.declared_rules import RULES, name_of
from tests.browser import browser
from tests.dagster_project.notifications.receivers import http_server
from tests.dagster_project.ui import RUN_S, dagster_dev

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.browser import Browser
    from tests.dagster_project.ui import Ui

REPO: Final = Path(__file__).resolve().parents[2]
RECORDING: Final = REPO / "tests" / "bytes" / "incident-4.1" / "data.tar.xz"
SENSOR_TICKS: Final = 2
"""The first sends, and the second has nothing to send."""

TICKS: Final = """
query Ticks($selector: SensorSelector!) {
  sensorOrError(sensorSelector: $selector) { ... on Sensor { sensorState { ticks(limit: 20) { status skipReason } } } }
}
"""


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A place of the test's own, with the recorded incident's logs in `data`."""
    folder = tmp_path_factory.mktemp("ui")
    with tarfile.open(RECORDING) as packed:
        packed.extractall(folder, filter="data")
    (folder / "lagbook.toml").write_text("[alerts]\n")
    return folder


@pytest.fixture(scope="module")
def server(room: Path) -> Iterator[Ui]:
    """A running UI of the recorded logs, and of a warehouse that nothing was read into."""
    settings = {
        "LAGBOOK_LOGS": str(room / "data"),
        "LAGBOOK_WAREHOUSE": str(room / "warehouse"),
        "LAGBOOK_FILE": str(room / "lagbook.toml"),
    }
    with dagster_dev(room, settings) as ui:
        yield ui


@pytest.fixture(scope="module")
def refreshed(server: Ui) -> Ui:
    """The UI after its job `refresh` was launched once and succeeded."""
    server.run("refresh")
    return server


def test_ui_offers_job_schedule_and_sensor(server: Ui) -> None:
    """What is defined is there to be clicked."""
    (location,) = server.locations()
    assert {"name": "refresh"} in location["pipelines"]
    schedules = ["daily_tidy", "every_five_minutes", "hourly", "weekly"]
    assert location["schedules"] == [{"name": name} for name in schedules]
    assert location["sensors"] == [{"name": "failed_runs"}, {"name": "new_incidents"}, {"name": "new_segments"}]


def test_everything_is_materialized(refreshed: Ui) -> None:
    """Every asset of the graph was built by the run, and says how many rows it has."""
    assets = refreshed.assets()
    assert set(assets) == {*TABLES, "lagbook.duckdb"}
    for name, asset in assets.items():
        assert asset["groupName"] == name.split(".")[0]
        assert asset["kinds"]
        (materialized,) = asset["assetMaterializations"]
        labels = {entry["label"] for entry in materialized["metadataEntries"]}
        assert ("dagster/row_count" in labels) == (name in TABLES)


def test_something_was_read(refreshed: Ui) -> None:
    """The recording has commits and members, so green checks are not green for want of rows."""
    assets = refreshed.assets()
    for name in ("raw.offset_records", "core.commits", "core.members", "mart.lag_now", "mart.replays"):
        (materialized,) = assets[name]["assetMaterializations"]
        rows = {entry["label"]: entry.get("intValue") for entry in materialized["metadataEntries"]}
        assert rows["dagster/row_count"] > 0, name


def test_every_rule_is_green_and_the_state_of_the_cluster_a_warning(refreshed: Ui) -> None:
    """Every rule was judged on what the run built, and holds; the recording is old and has incidents."""
    shown = {
        f"{name}.{check['name']}": (check["executionForLatestMaterialization"] or {}).get("status")
        for name, asset in refreshed.assets().items()
        for check in asset["assetChecksOrError"].get("checks", [])
    }
    assert shown.pop(f"{open_incidents.INCIDENTS}.{open_incidents.CHECK}") == "FAILED"
    assert shown.pop(f"{newest_record.BASIS}.{newest_record.CHECK}") == "FAILED"
    assert set(shown) == {f"{table}.{name_of(rule)}" for table, rules in RULES.items() for rule in rules}
    assert Counter(shown.values()) == {"SUCCEEDED": len(shown)}


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A page of a real browser."""
    with browser(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


def test_a_person_sees_which_incidents_are_open(refreshed: Ui, page: Browser) -> None:
    """On the page of the table's checks, as a warning with a list that opens."""
    page.open(f"{refreshed.root}/assets/mart/incidents?view=checks&checkDetail={open_incidents.CHECK}")
    page.shown("4 open incidents of severity high or worse, the worst critical.")
    page.click("[Show Markdown]")
    shown = page.shown("group admin-reset never read 147 offsets in 3 partitions of audit")
    assert "**critical**" not in shown
    assert page.errors == []


def test_a_person_sees_numbers_over_runs_and_the_age_of_records(refreshed: Ui, page: Browser) -> None:
    """What was read, how long that took, and that the newest record is old."""
    page.open(f"{refreshed.root}/assets/raw/segments?view=events", "lagbook/bytes_read", "lagbook/seconds")
    check = f"{refreshed.root}/assets/mart/basis?view=checks&checkDetail={newest_record.CHECK}"
    page.open(check, "has no record of the last 24 hours", "lagbook/newest_record_age_seconds")
    assert page.errors == []


@pytest.mark.slow
def test_a_sensor_that_is_switched_on_sends_each_new_incident_once(refreshed: Ui, page: Browser, room: Path) -> None:
    """By the switch of its page, and the daemon of a real Dagster; the address is on no page."""
    warehouse = Warehouse(str(room / "warehouse"))
    snapshot = read_snapshot(warehouse)
    delivery_note.write(warehouse, "hook", DeliveryNote(clusters=snapshot.clusters))
    with http_server() as requests:
        hook = f'[[alerts.notify]]\nname = "hook"\nkind = "webhook"\nurl = "{requests.url}/hush"\n'
        (room / "lagbook.toml").write_text(f"[alerts]\n{hook}")
        page.open(f"{refreshed.root}/automation")
        page.click("new_incidents")
        page.shown("Preview tick result")
        page.switch()
        page.shown("Running")
        until = time.monotonic() + RUN_S
        while len(_ticks(refreshed)) < SENSOR_TICKS:
            assert time.monotonic() < until, "the sensor did not tick"
            time.sleep(1)
        sent = [row["incident_id"] for body in requests.bodies for row in body["incidents"]]
    assert sorted(sent) == sorted(snapshot.severities)
    reasons = _ticks(refreshed)
    assert {reason.partition(":")[0] for reason in reasons} == {"hook"}
    assert "hush" not in f"{reasons} {page.evaluate('document.documentElement.innerHTML')}"


def _ticks(ui: Ui) -> list[str]:
    """What the ticks of the sensor said."""
    (location,) = ui.locations()
    selector = {
        "repositoryName": location["name"],
        "repositoryLocationName": location["location"]["name"],
        "sensorName": "new_incidents",
    }
    state = ui.ask(TICKS, selector=selector)["sensorOrError"]["sensorState"]
    return [tick["skipReason"] for tick in state["ticks"] if tick["skipReason"]]
