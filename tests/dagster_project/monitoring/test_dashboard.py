"""The dashboard and the rules of deploy/: they ask for figures that there are, in words that Prometheus understands."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest

from assets.recorder import metrics
from dagster_project.monitoring.figures import MEANINGS
from tests.broker.cluster import free_ports
from tests.dagster_project.cli.conftest import example_warehouse, warehouse
from tests.environments import packages_of_npm

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["example_warehouse", "warehouse"]
DEPLOY: Final = Path(__file__).parents[3] / "deploy"
DASHBOARD: Final[dict[str, Any]] = json.loads((DEPLOY / "grafana-lagbook.json").read_text(encoding="utf-8"))
RULES: Final = (DEPLOY / "prometheus-rules.yml").read_text(encoding="utf-8")
QUESTIONS: Final = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
OF_GRAFANA: Final = """
import type { Dashboard } from '@grafana/schema';
import type { Options as StatOptions } from
    '@grafana/schema/dist/esm/raw/composable/stat/panelcfg/x/StatPanelCfg_types.gen';
import type { FieldConfig, Options } from
    '@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen';
type Json<T> = T extends string ? `${T}` : T extends object ? { [K in keyof T]: Json<T[K]> } : T;
"""
"""Grafana's own types. Its enums are words in a file."""
TYPES_OF_PANELS: Final = {
    "stat": ("Json<Partial<StatOptions>>", "undefined"),
    "timeseries": ("Json<Partial<Options>>", "Json<Partial<FieldConfig>> | undefined"),
}
"""Type of a panel -> those of its options, and of what its fields have besides."""
CONDITIONS: Final = re.findall(r"expr: (.+)", RULES)
OF_RECORDER: Final = {
    "lagbook_recorder_healthy",
    *(f"{metrics.PREFIX}_{name}{'_total' * (kind == 'counter')}" for name, kind, *_ in metrics.OF_PARTITIONS),
}


@pytest.mark.parametrize("question", [*QUESTIONS, *CONDITIONS])
def test_every_figure_is_one_that_there_is(question: str) -> None:
    """A figure that is renamed would leave a panel empty and an alert silent."""
    names = re.findall(r"lagbook_\w+", question)
    assert names
    assert [name for name in names if name not in MEANINGS and name not in OF_RECORDER] == []


def problems_for_grafana(dashboard: dict[str, Any], folder: Path) -> list[str]:
    """What Grafana's types, as new as npm has them, find wrong with a dashboard."""
    packages = packages_of_npm("grafana-schema", "@grafana/schema", "typescript")
    constants: list[tuple[str, Any]] = [("Json<Dashboard>", dashboard)]
    for panel in dashboard["panels"]:
        types = TYPES_OF_PANELS[panel["type"]]
        constants += zip(types, (panel["options"], panel["fieldConfig"]["defaults"].get("custom")), strict=True)
    lines = [
        f"export const value{number}: {kind} = {'undefined' if value is None else json.dumps(value)};"
        for number, (kind, value) in enumerate(constants)
    ]
    (folder / "node_modules").symlink_to(packages / "node_modules")
    (folder / "dashboard.ts").write_text("\n".join([OF_GRAFANA, *lines]), encoding="utf-8")
    strictly = [
        "--noEmit",
        "--strict",
        "--skipLibCheck",
        "--moduleResolution",
        "bundler",
        "--module",
        "esnext",
        "--target",
        "es2022",
    ]
    tsc = packages / "node_modules" / ".bin" / "tsc"
    done = subprocess.run([tsc, *strictly, "dashboard.ts"], cwd=folder, capture_output=True, text=True, check=False)
    return [line for line in done.stdout.splitlines() if "error TS" in line]


def test_the_dashboard_fits_grafanas_own_schema(tmp_path: Path) -> None:
    """Options and fields of its panels, too; a word that Grafana does not know is an error."""
    assert problems_for_grafana(DASHBOARD, tmp_path) == []
    for place, name in (((), "refresh_every"), (("panels", 0, "options"), "colourMode")):
        mistaken = deepcopy(DASHBOARD)
        part: Any = mistaken
        for key in place:
            part = part[key]
        part[name] = "background"
        (folder := tmp_path / name).mkdir()
        (problem,) = problems_for_grafana(mistaken, folder)
        assert f"'{name}' does not exist in type" in problem or "may only specify known properties" in problem


def test_panels_have_room_of_their_own() -> None:
    """Ids differ, nothing lies over another, and every source is the one that is chosen."""
    panels = DASHBOARD["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels) > 8
    cells = [
        (column, row)
        for panel in panels
        for column in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
        for row in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])
    ]
    assert len(set(cells)) == len(cells)
    assert max(column for column, _ in cells) < 24
    assert {panel["datasource"]["uid"] for panel in panels} == {"${datasource}"}


def _ask(url: str) -> Any:  # noqa: ANN401 - JSON
    try:
        with urlopen(url, timeout=10) as answer:  # noqa: S310 - loopback
            return json.load(answer)
    except HTTPError as error:
        return json.load(error)


@pytest.fixture
def prometheus(tmp_path: Path, warehouse: Path) -> Iterator[str]:
    """The URL of a real Prometheus that scrapes the figures of the warehouse."""
    program = shutil.which("prometheus")
    if program is None:
        pytest.skip("no Prometheus on the PATH")
    port, own = free_ports(2)
    (tmp_path / "prometheus.yml").write_text(
        f"global: {{scrape_interval: 1s}}\nrule_files: [{DEPLOY}/prometheus-rules.yml]\n"
        f"scrape_configs: [{{job_name: lagbook, static_configs: [{{targets: ['127.0.0.1:{port}']}}]}}]\n"
    )
    words = ["metrics", f"--serve={port}", "--warehouse", str(warehouse)]
    options = [f"--config.file={tmp_path}/prometheus.yml", f"--storage.tsdb.path={tmp_path}/data"]
    with (
        (tmp_path / "log").open("wb") as log,
        subprocess.Popen([sys.executable, "-m", "dagster_project.cli", *words], stderr=log) as serving,
        subprocess.Popen([program, *options, f"--web.listen-address=127.0.0.1:{own}"], stderr=log) as running,
    ):
        try:
            yield f"http://127.0.0.1:{own}/api/v1/query"
        finally:
            running.terminate()
            serving.terminate()


def test_a_real_prometheus_scrapes_it_and_understands_every_question(prometheus: str) -> None:
    """All figures arrive, and each panel's question and rule's condition is answered."""
    until = time.monotonic() + 60
    while True:
        assert time.monotonic() < until, "nothing was scraped"
        try:
            series = _ask(f"{prometheus}?{urlencode({'query': 'lagbook_open_incidents'})}")["data"]["result"]
        except URLError:
            series = []
        if series:
            break
        time.sleep(0.5)
    assert {one["metric"]["severity"] for one in series} == {"low", "medium", "high", "critical"}
    for question in [*QUESTIONS, *CONDITIONS]:
        query = question.replace("$cluster", ".*")
        assert _ask(f"{prometheus}?{urlencode({'query': query})}")["status"] == "success", question
