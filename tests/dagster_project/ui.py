"""A real `dagster dev`, asked through the GraphQL API that its pages use.

Put here how it is started and asked. What it has to show belongs to the tests.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.error import URLError
from urllib.request import Request, urlopen

from tests.broker.cluster import free_ports

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

REPO: Final = Path(__file__).resolve().parents[2]
START_S: Final = 300
RUN_S: Final = 900
ANSWER_S: Final = 120
ENDS: Final = {"SUCCESS", "FAILURE", "CANCELED"}

LAUNCH: Final = """
mutation Launch($params: ExecutionParams!) {
  launchPipelineExecution(executionParams: $params) {
    __typename
    ... on LaunchRunSuccess { run { runId } }
    ... on PythonError { message }
  }
}
"""
STATUS: Final = """
query Status($runId: ID!) {
  runOrError(runId: $runId) { __typename ... on Run { status } }
}
"""
SHOWN: Final = """
query Shown {
  assetNodes {
    assetKey { path }
    groupName
    kinds
    assetMaterializations(limit: 1) { runId metadataEntries { label __typename ... on IntMetadataEntry { intValue } } }
    assetChecksOrError {
      ... on AssetChecks {
        checks { name blocking executionForLatestMaterialization { status evaluation { success severity } } }
      }
    }
  }
}
"""
AUTOMATION: Final = """
query Automation {
  repositoriesOrError {
    ... on RepositoryConnection {
      nodes { name location { name } schedules { name } sensors { name } pipelines { name } }
    }
  }
}
"""


class Ui:
    """The GraphQL API of a running UI."""

    def __init__(self, port: int, process: subprocess.Popen[bytes]) -> None:
        """Remember where it listens, and what has to live for it."""
        self._process = process
        self.root = f"http://127.0.0.1:{port}"
        self.url = f"{self.root}/graphql"

    def ask(self, query: str, **variables: object) -> dict[str, Any]:
        """Send a query and return its data."""
        body = json.dumps({"query": query, "variables": variables}).encode()
        request = Request(self.url, body, {"Content-Type": "application/json"})  # noqa: S310 - this machine
        with urlopen(request, timeout=ANSWER_S) as response:  # noqa: S310 - this machine
            answer = json.load(response)
        assert "errors" not in answer, answer["errors"]
        data: dict[str, Any] = answer["data"]
        return data

    def locations(self) -> list[dict[str, Any]]:
        """The code locations that are loaded; none while the UI is starting."""
        try:
            nodes: list[dict[str, Any]] = self.ask(AUTOMATION)["repositoriesOrError"].get("nodes", [])
        except (URLError, ConnectionError, TimeoutError):
            return []
        return nodes

    def status(self, run_id: str) -> str:
        """How a run is doing."""
        return str(self.ask(STATUS, runId=run_id)["runOrError"]["status"])

    def assets(self) -> dict[str, dict[str, Any]]:
        """What the pages show of each asset, by its name."""
        return {".".join(node["assetKey"]["path"]): node for node in self.ask(SHOWN)["assetNodes"]}

    def run(self, job: str) -> None:
        """Launch a job, and wait until it has succeeded."""
        location = self.locations()[0]
        selector = {
            "repositoryName": location["name"],
            "repositoryLocationName": location["location"]["name"],
            "pipelineName": job,
        }
        launched = self.ask(LAUNCH, params={"selector": selector, "runConfigData": {}})["launchPipelineExecution"]
        assert launched["__typename"] == "LaunchRunSuccess", launched
        run_id = launched["run"]["runId"]
        self.wait(lambda: self.status(run_id) in ENDS, RUN_S)
        assert self.status(run_id) == "SUCCESS"

    def wait(self, until: Callable[[], object], seconds: float) -> None:
        """Wait until something is so, for some seconds at most."""
        deadline = time.monotonic() + seconds
        while not until():
            assert self._process.poll() is None, "the UI has stopped"
            assert time.monotonic() < deadline, f"nothing came of it in {seconds} seconds"
            time.sleep(0.5)


@contextmanager
def dagster_dev(folder: Path, settings: Mapping[str, str]) -> Iterator[Ui]:
    """A running `dagster dev` on the repository's workspace; it and all it started are gone afterwards."""
    home = folder / "home"
    home.mkdir()
    shutil.copy(REPO / "dagster.yaml", home)
    (port,) = free_ports(1)
    command = [sys.executable, "-m", "dagster", "dev", "-w", "workspace.yaml", "-h", "127.0.0.1", "-p", str(port)]
    environment = {**os.environ, "PYTHONPATH": str(REPO), "DAGSTER_HOME": str(home), **settings}
    with (folder / "ui.log").open("wb") as log:
        running = subprocess.Popen(command, cwd=REPO, env=environment, stdout=log, stderr=log, start_new_session=True)
        try:
            ui = Ui(port, running)
            ui.wait(ui.locations, START_S)
            yield ui
        finally:
            _stop(running)


def _stop(running: subprocess.Popen[bytes]) -> None:
    """Ask politely, then end the session that was started for it."""
    running.send_signal(signal.SIGINT)
    try:
        running.wait(30)
    finally:
        if running.poll() is None:
            os.killpg(running.pid, signal.SIGKILL)
            running.wait()
