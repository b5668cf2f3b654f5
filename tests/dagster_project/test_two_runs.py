"""Two runs on one warehouse at once: one waits for the other, and both succeed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from assets.ingest.plan import Sources, plan
from assets.storage.warehouse import Warehouse
from dagster_project.cli.operations.demo import unpack

ROOT = Path(__file__).parents[2]
RUN = """
import sys
from pathlib import Path
from tests.whole_run import whole_run
done = whole_run(Path(sys.argv[1]), sys.argv[2:])
print(done.output)
sys.exit(done.exit_code)
"""


@pytest.mark.slow
def test_both_of_two_runs_at_once_succeed(tmp_path: Path) -> None:
    """Each has logs of its own; what both read is there, and neither has anything left to read."""
    recorded, logs = unpack(tmp_path), [tmp_path / "logs" / name for name in ("first", "second")]
    for folder, partition in zip(logs, ("__consumer_offsets-7", "__consumer_offsets-17"), strict=True):
        shutil.copytree(recorded / partition, folder / partition)
    place = str(tmp_path / "wh")
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", RUN, place, str(folder)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
            stderr=subprocess.STDOUT,
        )
        for folder in logs
    ]
    outputs = [run.communicate()[0] for run in runs]
    assert [run.returncode for run in runs] == [0, 0], "\n".join(outputs)
    warehouse = Warehouse(place)
    assert plan(warehouse, Sources(tuple(map(str, logs)))).is_empty
    partitions = {file.minimum["log_partition"] for file in warehouse.file_list("core.commits")}
    assert partitions == {7, 17}
