"""That the environment is read once and right, and that Spark starts only when it is needed and stops afterwards."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import dagster as dg
import pytest

from assets.ingest.live.access import Access
from assets.ingest.plan import Sources
from assets.spark.lazy_spark import LazySpark
from dagster_project import resources, spark_session
from dagster_project.resources import SparkResource
from dagster_project.settings import Settings, open_warehouse
from parsers.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOMS = ("assets", "dagster_project", "expectations", "parsers")
REPO = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("environment", "settings"),
    [
        ({}, Settings(logs=(), warehouse="warehouse", cluster=None, spark_master="local[*]")),
        ({"LAGBOOK_LOGS": " /a , s3://b/c ,"}, Settings(logs=("/a", "s3://b/c"))),
        ({"LAGBOOK_WAREHOUSE": "s3://lake"}, Settings(warehouse="s3://lake")),
        ({"LAGBOOK_CLUSTER": "prod"}, Settings(cluster="prod")),
        ({"SPARK_REMOTE": "sc://spark"}, Settings(spark_master="sc://spark")),
        ({"SPARK_REMOTE": "sc://spark", "LAGBOOK_SPARK_MASTER": "spark://m"}, Settings(spark_master="spark://m")),
        ({"LAGBOOK_LOGS": "", "LAGBOOK_WAREHOUSE": "", "LAGBOOK_CLUSTER": ""}, Settings()),
        (
            {"LAGBOOK_BOOTSTRAP": "b:9092", "LAGBOOK_CLIENT_CONFIG": "f"},
            Settings(bootstrap="b:9092", client_config="f"),
        ),
        ({"XDG_CACHE_HOME": "/c"}, Settings(cache="/c/lagbook")),
        ({"XDG_CACHE_HOME": "/c", "LAGBOOK_CACHE": "/mine"}, Settings(cache="/mine")),
        ({"LAGBOOK_CONFIG": "/a, /b"}, Settings(configs=("/a", "/b"))),
        ({"LAGBOOK_EXTERNAL_STORES": "s.toml"}, Settings(external_stores="s.toml")),
        ({"LAGBOOK_MIRROR_ALIASES": "a=x, b=y"}, Settings(mirror_aliases=("a=x", "b=y"))),
        ({"LAGBOOK_INTERNAL_TOPICS": "k=a, k=b"}, Settings(internal_topics=("k=a", "k=b"))),
        ({"LAGBOOK_WAIT_S": "0"}, Settings(wait_s=0.0)),
        ({"LAGBOOK_TIMEOUT_S": "2.5", "LAGBOOK_BOOTSTRAP": ""}, Settings(timeout_s=2.5)),
    ],
)
def test_settings_come_from_the_environment(environment: Mapping[str, str], settings: Settings) -> None:
    """Each variable is one setting; one that is empty counts as not set."""
    assert Settings.from_environment(environment) == settings


@pytest.mark.parametrize("seconds", ["0", "-1", "soon", "inf", "nan", "601"])
def test_a_timeout_that_can_not_be_waited_for_is_refused(seconds: str) -> None:
    """The variable is named, with what it must be."""
    with pytest.raises(SourceError, match="LAGBOOK_TIMEOUT_S"):
        Settings.from_environment({"LAGBOOK_TIMEOUT_S": seconds})


def test_a_running_cluster_is_a_source_when_its_address_is_set() -> None:
    """Address, settings file and patience go together; a file alone names no cluster."""
    absolute = str(Path("f").absolute())
    assert Settings(bootstrap="b:9092", client_config="f", timeout_s=3.0).live == Access("b:9092", absolute, 3.0)
    assert Settings(client_config="f").live is None


@pytest.mark.parametrize("text", ["many", "0", "-1", "nan"])
def test_a_bound_of_archives_is_a_number_above_zero(text: str) -> None:
    """Anything else is refused, and named."""
    with pytest.raises(SourceError, match="LAGBOOK_UNPACK_RATIO"):
        Settings.from_environment({"LAGBOOK_UNPACK_RATIO": text})
    limits = Settings.from_environment({"LAGBOOK_UNPACK_RATIO": "", "LAGBOOK_UNPACK_BYTES": "5e6"}).unpacking
    assert (limits.size_bytes, limits.ratio) == (5_000_000, Settings().unpacking.ratio)


def test_nothing_else_reads_the_environment() -> None:
    """Settings have one door; Java is looked for in the environment by its own module, which the installer runs."""
    reading = {
        path.relative_to(REPO).as_posix()
        for room in ROOMS
        for path in (REPO / room).rglob("*.py")
        if "LAGBOOK_" in path.read_text(encoding="utf-8") and "environ" in path.read_text(encoding="utf-8")
    }
    assert reading <= {
        "dagster_project/settings.py",
        "dagster_project/reaching.py",
        "dagster_project/cli/options.py",
        "dagster_project/deployment/file.py",
        "dagster_project/file_modes.py",
    }


def test_named_warehouse_wins_over_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What is typed counts more than what is set."""
    monkeypatch.setenv("LAGBOOK_WAREHOUSE", str(tmp_path / "set"))
    assert open_warehouse().url == str(tmp_path / "set")
    assert open_warehouse(str(tmp_path / "typed")).url == str(tmp_path / "typed")


def test_resources_carry_the_settings(tmp_path: Path) -> None:
    """What the assets are given is what was set."""
    given = resources.resources(Settings(("/a",), str(tmp_path), "prod", "local[1]"))
    with dg.build_init_resource_context() as context:
        assert given["sources"](context) == Sources(("/a",), "prod")
    with given["warehouse"](dg.build_init_resource_context()) as warehouse:
        assert warehouse.url == str(tmp_path)
    assert given["spark"].master == "local[1]"


@pytest.mark.parametrize("uses_it", [True, False])
def test_spark_starts_on_use_and_stops_with_the_run(monkeypatch: pytest.MonkeyPatch, *, uses_it: bool) -> None:
    """A run with nothing to do starts no Spark, and one that fails leaves none behind."""
    events: list[str] = []
    session = SimpleNamespace(stop=lambda: events.append("stopped"))

    def start(master: str) -> SimpleNamespace:
        events.append(f"started {master}")
        return session

    monkeypatch.setattr(spark_session, "start_session", start)

    @dg.asset
    def table(spark: dg.ResourceParam[LazySpark]) -> None:
        used = [spark.session, spark.session] if uses_it else []
        message = f"failed with {len(used)}"
        raise RuntimeError(message)

    result = dg.materialize([table], resources={"spark": SparkResource(master="local[7]")}, raise_on_error=False)
    assert not result.success
    assert events == (["started local[7]", "stopped"] if uses_it else [])
