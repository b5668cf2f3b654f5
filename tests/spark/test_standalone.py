"""The same run on a real Spark cluster with the warehouse in a store that speaks S3: the same tables.

The processes are in `standalone`, the store in `tests.store`.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import duckdb
import pytest
from pyarrow import fs

from assets.catalog import TABLES
from dagster_project.cli.operations.demo import unpack
from tests.spark.standalone import Standalone, kill, standalone
from tests.store import Store, object_store, url
from tests.whole_run import whole_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

PARTITIONS: Final = "*-*[0-3]"
"""Of the recorded incident: enough for every table, and for both workers."""
BEGAN: Final = datetime.now(timezone.utc)
"""The incident was recorded before; what is later says when a run was."""
BUSY_EVERY: Final = 25


@pytest.fixture(scope="module")
def store() -> Iterator[Store]:
    """An empty store."""
    with object_store() as running:
        yield running


@pytest.fixture(scope="module")
def cluster(store: Store, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standalone]:
    """A cluster of two workers that find the store."""
    with standalone(tmp_path_factory.mktemp("spark"), 2, store.environment) as running:
        yield running


@pytest.fixture(scope="module")
def logs(store: Store, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The recorded incident's logs in the store, put there before anything goes wrong."""
    store.door.see = lambda _method, _path: False
    recorded, chosen = unpack(tmp_path_factory.mktemp("recorded")), tmp_path_factory.mktemp("chosen")
    for folder in filter(Path.is_dir, recorded.glob(PARTITIONS)):
        shutil.copytree(folder, chosen / folder.name)
    for file in filter(Path.is_file, recorded.glob("*")):
        shutil.copy(file, chosen)
    fs.copy_files(str(chosen), url("kafka/broker-1"))
    return url("kafka/broker-1")


def run(folder: Path, logs: str, warehouse: str, environment: Mapping[str, str]) -> dict[str, list[tuple[Any, ...]]]:
    """`lagbook run` in a process of its own, with this folder as where it is; what its DuckDB file holds then."""
    folder.mkdir(exist_ok=True)
    call = [sys.executable, "-m", "dagster_project.cli", "run", "--logs", logs, "--warehouse", warehouse]
    surroundings = {**environment, "LAGBOOK_CACHE": str(folder)}
    done = subprocess.run(call, cwd=folder, env=surroundings, capture_output=True, text=True, check=False)
    log_ends = [path.read_text()[-5000:] for path in folder.rglob("lagbook-run.log")]
    assert done.returncode == 0, "\n".join([done.stdout, done.stderr, *log_ends])
    return rows_in(folder)


def rows_in(folder: Path) -> dict[str, list[tuple[Any, ...]]]:
    """What the DuckDB file below a folder holds."""
    (database,) = folder.rglob("lagbook.duckdb")
    with duckdb.connect(str(database), read_only=True) as connection:
        return {name: _rows(connection, name) for name in TABLES}


def _rows(connection: duckdb.DuckDBPyConnection, name: str) -> list[tuple[Any, ...]]:
    """All rows of a table in their order, but for when they were read."""
    rows = connection.sql(f"FROM {name} ORDER BY ALL").fetchall()
    timeless = (tuple("meanwhile" if _is_new(value) else value for value in row) for row in rows)
    return sorted(timeless, key=repr)


def _is_new(value: object) -> bool:
    return isinstance(value, datetime) and value >= BEGAN


def accidents(cluster: Standalone) -> tuple[dict[str, int], Callable[[str, str], bool]]:
    """Who was killed, and what stands at the store's door: it kills in the middle of a write, and is busy at times.

    Whoever sends a file of rows is at work at that moment, whichever process it is.
    """
    killed: dict[str, int] = {}
    count = 0

    def see(method: str, path: str) -> bool:
        nonlocal count
        count += 1
        is_rows = method == "PUT" and path.endswith(".parquet")
        if is_rows and "/raw/offset_records/" in path and "python" not in killed:
            killed["python"] = kill(cluster.pythons())
        if is_rows and "/core/commits/" in path and "executor" not in killed:
            killed["executor"] = kill(cluster.executors())
        return count % BUSY_EVERY == 0

    return killed, see


@pytest.mark.slow
def test_a_cluster_and_a_store_give_the_tables_of_one_machine(
    cluster: Standalone, store: Store, logs: str, tmp_path: Path
) -> None:
    """Workers and executors are killed in the middle, the store fails now and then: every row is there, once."""
    assert whole_run(tmp_path / "here", [logs]).exit_code == 0
    expected = rows_in(tmp_path / "here")
    killed, store.door.see = accidents(cluster)
    there = {**cluster.environment, "LAGBOOK_SPARK_MASTER": cluster.url}
    actual = run(tmp_path / "there", logs, url("lagbook"), there)
    assert min(killed["python"], killed["executor"]) > 0
    assert actual["raw.quarantine"] == expected["raw.quarantine"]
    assert {name for name in TABLES if actual[name] != expected[name]} == set()
    assert len(actual["raw.offset_records"]) > 1_000
    assert run(tmp_path / "there", logs, url("lagbook"), there) == actual
