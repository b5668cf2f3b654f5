"""Several clusters in one deployment of Dagster."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

import dagster as dg
import pytest

from assets.catalog import TABLES
from assets.storage.warehouse import Warehouse
from dagster_project.automation import HOURLY, NEW_SEGMENTS, WEEKLY, starts
from dagster_project.definitions import build_definitions
from dagster_project.deployment.clusters import declared_clusters
from dagster_project.places import CLUSTER_TAG, Place, Places
from dagster_project.refresh import JOB_NAME
from dagster_project.retention import daily_tidy
from dagster_project.settings import Settings
from parsers.errors import SourceError
from tests.assets.inline import inline

if TYPE_CHECKING:
    from collections.abc import Callable

RECORDING: Final = Path(__file__).parents[2] / "tests" / "bytes" / "incident-4.1" / "data.tar.xz"
SEGMENT: Final = "data/__consumer_offsets-17/00000000000000000000.log"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A lagbook.toml with two clusters, each with the logs of one partition."""
    for name in ("eu", "us"):
        with tarfile.open(RECORDING) as packed:
            packed.extract(SEGMENT, tmp_path / name, filter="data")
    (tmp_path / "lagbook.toml").write_text(
        'warehouse = "wh"\n[clusters.eu]\nlogs = "eu/data"\n[clusters.us]\nlogs = ["us/data"]\n'
    )
    monkeypatch.setenv("LAGBOOK_FILE", str(tmp_path / "lagbook.toml"))
    return tmp_path


def places() -> Places:
    """The places of the file."""
    return Places({name: one.settings(Settings()) for name, one in declared_clusters().items()})


def tick(sensor: Callable[..., Any], instance: dg.DagsterInstance) -> Any:  # noqa: ANN401 - what a tick answers
    """What a sensor or schedule answers."""
    build = dg.build_sensor_context if isinstance(sensor, dg.SensorDefinition) else dg.build_schedule_context
    with build(instance=instance, resources={"places": places()}) as context:
        return sensor(context)


def partitions(answer: object) -> list[str | None]:
    """The clusters of which runs were requested."""
    assert isinstance(answer, list), answer
    return [request.partition_key for request in answer]


def test_a_run_of_a_partition_reads_its_cluster_into_its_warehouse(folder: Path) -> None:
    """Its rows have its name; the other cluster's warehouse is not touched."""
    definitions = build_definitions(Settings())
    with dg.instance_for_test() as instance, patch("dagster_project.spark_session.start_session", lambda _: inline()):
        job = definitions.resolve_job_def(JOB_NAME)
        done = job.execute_in_process(instance=instance, partition_key="us")
        assert done.success
        assert {event.partition for event in done.get_asset_materialization_events()} == {"us"}
    assert (folder / "wh" / "us" / "lagbook.duckdb").exists()
    assert not (folder / "wh" / "eu" / "lagbook.duckdb").exists()


def test_a_check_by_itself_finds_the_warehouse_of_its_tag(folder: Path) -> None:
    """As of `weekly`; without a tag it is refused, and no warehouse is judged for another."""
    Warehouse(str(folder / "wh" / "us")).replace(TABLES["mart.incidents"], [], {})
    job = build_definitions(Settings()).resolve_job_def("check_all")
    one = ["mart__incidents_no_incident_is_open"]
    with dg.instance_for_test() as instance:
        assert job.execute_in_process(instance=instance, op_selection=one, tags={CLUSTER_TAG: "us"}).success
        assert not job.execute_in_process(instance=instance, op_selection=one, raise_on_error=False).success


def test_every_asset_has_a_partition_for_each_cluster(folder: Path) -> None:
    """And none without clusters."""
    graph = build_definitions(Settings()).resolve_asset_graph()
    keys = [dg.AssetKey(name.split(".")) for name in TABLES]
    definitions = {graph.get(key).partitions_def for key in keys}
    assert definitions == {dg.StaticPartitionsDefinition(["eu", "us"])}
    (folder / "lagbook.toml").write_text("")
    graph = build_definitions(Settings()).resolve_asset_graph()
    assert {graph.get(key).partitions_def for key in keys} == {None}


@pytest.mark.usefixtures("folder")
def test_each_cluster_is_looked_at_by_itself() -> None:
    """One whose refresh is under way holds up no other, and keys differ."""
    with dg.instance_for_test() as instance:
        answer = tick(NEW_SEGMENTS, instance)
        assert partitions(answer) == ["eu", "us"]
        assert len({request.run_key for request in answer}) == 2

        @dg.job(name=JOB_NAME, partitions_def=dg.StaticPartitionsDefinition(["eu", "us"]))
        def nothing() -> None: ...

        instance.create_run_for_job(nothing, status=dg.DagsterRunStatus.STARTED, tags={"dagster/partition": "eu"})
        assert partitions(tick(NEW_SEGMENTS, instance)) == ["us"]
        assert partitions(tick(HOURLY, instance)) == ["us"]
        for schedule in (WEEKLY, daily_tidy):
            assert [request.tags[CLUSTER_TAG] for request in tick(schedule, instance)] == ["eu", "us"]


def test_a_cluster_that_can_not_be_looked_at_holds_up_no_other(folder: Path) -> None:
    """It is an error once nothing else is to be done."""
    (folder / "eu").rename(folder / "gone")
    with dg.instance_for_test() as instance:
        assert partitions(tick(NEW_SEGMENTS, instance)) == ["us"]
        (folder / "us").rename(folder / "gone2")
        with pytest.raises(SourceError, match=r"eu: .*us: "):
            tick(NEW_SEGMENTS, instance)


@pytest.mark.usefixtures("folder")
def test_reasons_name_their_cluster() -> None:
    """A tick that starts nothing says why, of each."""

    def nothing(place: Place) -> dg.SkipReason:
        return dg.SkipReason(f"nothing in {Path(place.warehouse.url).name}")

    answer = starts(places().every(), nothing)
    assert isinstance(answer, dg.SkipReason)
    assert answer.skip_message == "eu: nothing in eu; us: nothing in us"


@pytest.mark.usefixtures("folder")
def test_a_run_that_names_no_cluster_is_refused() -> None:
    """With the tag and the names that there are."""
    assert places().settings_of({CLUSTER_TAG: "us"}).cluster == "us"
    with pytest.raises(SourceError, match=r"lagbook/cluster: eu, us$"):
        places().settings_of({})
    with pytest.raises(SourceError, match=r"which cluster is meant"):
        places().settings_of({"dagster/partition": "ap"})
