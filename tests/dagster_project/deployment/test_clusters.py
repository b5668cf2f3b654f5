"""The tables `[clusters.NAME]` of lagbook.toml, from a call of the command line."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import click
import pytest
from click.testing import CliRunner

from dagster_project.cli import options
from dagster_project.deployment.clusters import declared_clusters
from dagster_project.settings import Settings
from parsers.errors import LagbookError, SourceError
from tests.dagster_project.cli.conftest import change, example_warehouse, lagbook

if TYPE_CHECKING:
    from pathlib import Path

    from tests.dagster_project.cli.conftest import Lagbook

__all__ = ["example_warehouse", "lagbook"]
NOTHING = {"logs": (), "cluster": None, "warehouse": None, "bootstrap": None, "client_config": None, "configs": ()}
NOTHING = {**NOTHING, "timeout_s": None, "external_stores": None}


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file."""
    monkeypatch.setenv("LAGBOOK_FILE", str(tmp_path / "lagbook.toml"))
    for name in ("LAGBOOK_WAREHOUSE", "LAGBOOK_LOGS", "LAGBOOK_BOOTSTRAP"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "lagbook.toml"


def test_a_cluster_has_sources_and_a_warehouse_of_its_own(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths are relative to the file, URLs stay; sources of the environment are not mixed in."""
    monkeypatch.setenv("LAGBOOK_LOGS", "/elsewhere")
    file.write_text(
        'warehouse = "wh"\n[clusters.eu]\nlogs = ["logs", "/mnt/b2", "s3://b/k"]\nclient_config = "eu.properties"\n'
        'bootstrap = "b:9092"\ntimeout_s = 3\nconfigs = "server.properties"\nexternal_stores = "stores.toml"\n'
        '[clusters.us]\nbootstrap = "c:9092"\nwarehouse = "s3://lake/us"\ncluster = "WAdtR0rX"\n'
    )
    eu, us = (one.settings(Settings.from_environment()) for one in declared_clusters().values())
    here = str(file.parent)
    assert eu.logs == (f"{here}/logs", "/mnt/b2", "s3://b/k")
    assert (eu.warehouse, eu.cluster, eu.bootstrap, eu.timeout_s) == (f"{here}/wh/eu", "eu", "b:9092", 3)
    assert (eu.external_stores, us.external_stores) == (f"{here}/stores.toml", None)
    assert (eu.client_config, eu.configs) == (f"{here}/eu.properties", (f"{here}/server.properties",))
    assert (us.warehouse, us.cluster, us.logs, us.timeout_s) == ("s3://lake/us", "WAdtR0rX", (), 10)


def test_what_is_typed_goes_before_the_file(file: Path) -> None:
    """Sources of a call make it one without clusters; other options override the cluster's."""
    file.write_text('[clusters.eu]\nlogs = "logs"\n[clusters.us]\nlogs = "more"\n')
    one = options.settings({**NOTHING, "cluster": "us", "warehouse": "other"})
    assert (one.logs, one.cluster, one.warehouse) == ((f"{file.parent}/more",), "us", "other")
    typed = options.settings({**NOTHING, "logs": ("here",), "cluster": "us"})
    assert (typed.logs, typed.cluster, typed.warehouse) == (("here",), "us", "warehouse")
    with pytest.raises(LagbookError, match=r"has 2 clusters: name one by --cluster \(eu, us\)"):
        options.settings(NOTHING)
    with pytest.raises(LagbookError, match=r"has no cluster euu: the nearest is eu"):
        options.settings({**NOTHING, "cluster": "euu"})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("clusters = 1", "clusters: expected a table, found a number"),
        ("[clusters]\neu = 1", "[clusters] eu: expected a table, found a number"),
        ("[clusters.eu]", "[clusters.eu] logs: expected logs or bootstrap, found neither"),
        ('[clusters."../eu"]\nlogs = "l"', "[clusters] NAME: expected letters"),
        ('[clusters.eu]\nlogs = [""]', "[clusters.eu] logs: expected a list of texts"),
        ('[clusters.eu]\nlog = "l"', "[clusters.eu] log: there is no such key; did you mean logs?"),
        ('[clusters.eu]\nlogs = "l"\ntimeout_s = -1', "[clusters.eu] timeout_s: expected a number above 0"),
        (
            '[clusters.eu]\nlogs = "l"\nwarehouse = "w"\n[clusters.us]\nlogs = "l"\nwarehouse = "w/"',
            "[clusters] us: expected a warehouse of its own, found that of eu",
        ),
        ('warehouse = 5\n[clusters.eu]\nlogs = "l"', "warehouse: expected a text, found a number"),
    ],
)
def test_a_mistake_is_refused_with_its_address(file: Path, text: str, reason: str) -> None:
    """File, table, key, what is expected and what is there."""
    file.write_text(text)
    with pytest.raises(SourceError, match=re.escape(f"{file}: {reason}")):
        declared_clusters()


def test_a_question_is_answered_from_the_warehouse_of_its_cluster(
    lagbook: Lagbook, file: Path, example_warehouse: Path
) -> None:
    """By the name in the file, whatever its rows are called; without a name it is refused, unless there is one."""
    for name in ("eu", "us"):
        (file.parent / "wh" / name).mkdir(parents=True)
        shutil.copy(example_warehouse, file.parent / "wh" / name)
    change(file.parent / "wh" / "us", "DELETE FROM mart.findings", "DELETE FROM mart.incidents")
    tables = '[clusters.{}]\nlogs = "l"\ncluster = "c1"\n'
    file.write_text('warehouse = "wh"\n' + tables.format("eu") + tables.format("us"))
    for name, is_empty in (("eu", False), ("us", True)):
        rows = json.loads(lagbook("audit", "--json", "--cluster", name).stdout)
        assert (rows == []) == is_empty
        assert f'{{warehouse="{name}"}} 1' in lagbook("metrics", "--cluster", name).stdout
    assert lagbook("audit", "--cluster", "eu").stdout.rstrip().endswith(" --cluster eu")
    several = lagbook("audit", "--json")
    assert (several.exit_code, "--cluster (eu, us)" in several.stderr) == (2, True)
    file.write_text('warehouse = "wh"\n' + tables.format("eu"))
    assert json.loads(lagbook("audit", "--json").stdout)


def test_a_question_that_reads_logs_takes_those_of_its_cluster(file: Path) -> None:
    """By its name in the file; beside a warehouse that is named, `--cluster` is a name in the tables."""
    file.write_text(
        'warehouse = "all"\n[clusters.eu]\nlogs = "logs"\n[clusters.us]\nlogs = "more"\ncluster = "WAdtR0rX"\n'
    )
    settings: list[Settings] = []

    @click.command()
    @options.LOGS
    @options.CLUSTER
    @options.WAREHOUSE
    def ask(logs: tuple[str, ...], cluster: str | None, warehouse: str | None) -> None:
        """Note the settings, and refuse another name than the tables have."""
        assert cluster in {None, "WAdtR0rX"}
        settings.append(options.settings_of_question({"logs": logs, "warehouse": warehouse}))

    for words in (["--cluster", "us"], ["--cluster", "WAdtR0rX", "--warehouse", "wh"], ["--warehouse", "wh"]):
        assert CliRunner().invoke(ask, words, catch_exceptions=False).exit_code == 0
    by_file, in_tables, without = settings
    assert (by_file.logs, by_file.warehouse) == ((f"{file.parent}/more",), f"{file.parent}/all/us")
    assert {(one.logs, one.warehouse) for one in (in_tables, without)} == {((), "wh")}
    with pytest.raises(LagbookError, match=r"2 clusters: name one by --cluster"):
        CliRunner().invoke(ask, [], catch_exceptions=False)


def test_all_clusters_run_one_after_the_other(file: Path) -> None:
    """Each in a process of its own; the worst exit code is the call's, and every cluster has its turn."""
    file.write_text('[clusters.eu]\nlogs = "gone"\n[clusters.us]\nlogs = "gone too"\n')
    command = [sys.executable, "-m", "dagster_project.cli", "run"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    turns = re.findall(r"^== (.*)", done.stderr, re.MULTILINE)
    assert turns == ["cluster eu", "cluster us", "2 clusters, 2 failed"]
    assert (f"{file.parent}/gone" in done.stderr, f"{file.parent}/gone too" in done.stderr) == (True, True)
    refused = subprocess.run([*command, "--warehouse", "w"], capture_output=True, text=True, check=False)
    assert (refused.returncode, "--warehouse is for one cluster" in refused.stderr) == (2, True)
