"""`lagbook record` as it is called: what it refuses, what it needs, and how it says how a recorder is."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from assets.recorder.directory import RecordDirectory
from assets.recorder.segments import Rolling
from assets.recorder.status import Status
from assets.recorder.status_file import write_status
from tests.broker.cluster import free_ports

if TYPE_CHECKING:
    from tests.dagster_project.cli.conftest import Lagbook

REPO: Final = Path(__file__).resolve().parents[4]
HEAVY: Final = ("pyarrow", "pandas", "duckdb", "deltalake", "dagster", "pyspark", "great_expectations", "rich")
LOADED: Final = f"""
import sys
import assets.ingest.live.cluster, assets.recorder.recorder
import dagster_project.cli.operations.record, dagster_project.reaching
print(sorted(set({HEAVY!r}) & set(sys.modules)))
"""


def test_a_recorder_loads_nothing_of_the_warehouse() -> None:
    """It is to be small beside a broker: what it imports says how large it can be."""
    done = subprocess.run([sys.executable, "-c", LOADED], cwd=REPO, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_without_an_address_it_is_refused(lagbook: Lagbook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence says what to give; nothing is made."""
    monkeypatch.delenv("LAGBOOK_BOOTSTRAP", raising=False)
    result = lagbook("record", "--to", str(tmp_path / "rec"))
    assert (result.exit_code, "give --bootstrap HOST:PORT, or set LAGBOOK_BOOTSTRAP" in result.stderr) == (2, True)
    assert not (tmp_path / "rec").exists()


@pytest.mark.parametrize(
    "words", [("--to", " "), (), ("--to", "d", "--keep-days", "0"), ("--to", "d", "--keep-bytes", "0")]
)
def test_a_call_that_makes_no_sense_is_refused(lagbook: Lagbook, words: tuple[str, ...]) -> None:
    """No directory, or a retention that would keep nothing."""
    assert lagbook("record", "--bootstrap", "127.0.0.1:1", *words).exit_code == 2


def test_a_broker_that_is_not_there_is_one_sentence(lagbook: Lagbook, tmp_path: Path) -> None:
    """A second attempt finds the directory as free as the first."""
    (port,) = free_ports(1)
    words = ("record", "--bootstrap", f"127.0.0.1:{port}", "--to", str(tmp_path / "rec"), "--metrics-port", "0")
    for _ in range(2):
        result = lagbook(*words)
        assert result.exit_code == 2
        assert result.stderr.startswith(f"lagbook: kafka://127.0.0.1:{port} can't be reached: ")
        assert result.stderr.count("\n") == 1


def test_the_status_of_a_recorder_is_a_sentence_and_an_exit_code(lagbook: Lagbook, tmp_path: Path) -> None:
    """0 while one is at work and well, 1 when not, 2 where none ever was."""
    directory = str(tmp_path / "rec")
    assert lagbook("record", "--status", "--to", directory).exit_code == 2
    with RecordDirectory(tmp_path / "rec", Rolling(1 << 30, 1e9)):
        status = Status("kafka://broker1:9092")
        write_status(tmp_path / "rec", status, is_running=True)
        result = lagbook("record", "--status", "--to", directory)
        assert (result.exit_code, result.stdout) == (
            0,
            "connected to kafka://broker1:9092, which has none of the topics yet\n",
        )
        status.fails("disk", "", "the disk is\x1b[2J full")
        write_status(tmp_path / "rec", status, is_running=True)
        result = lagbook("record", "--status", "--to", directory)
        assert result.exit_code == 1
        assert result.stdout.startswith("the disk is\\x1b[2J full, since ")
    result = lagbook("record", "--status", "--to", directory, "--json")
    assert (result.exit_code, json.loads(result.stdout)["is_running"]) == (1, False)


def test_doctor_says_how_the_recorder_of_the_logs_is(lagbook: Lagbook, tmp_path: Path) -> None:
    """One that is not at work is a problem."""
    with RecordDirectory(tmp_path / "rec", Rolling(1 << 30, 1e9)) as directory:
        directory.claim("one", "here")
        directory.log("__consumer_offsets", 0, None).begin(0)
        write_status(tmp_path / "rec", Status("kafka://broker1:9092"), is_running=True)
        words = ("doctor", "--logs", str(tmp_path / "rec"), "--warehouse", str(tmp_path / "wh"), "--json")
        report = json.loads(lagbook(*words).stdout)
        assert (report["problems"], report["recorders"][0]["is_healthy"]) == ([], True)
    report = json.loads(lagbook(*words).stdout)
    (problem,) = report["problems"]
    assert problem.startswith(f"{tmp_path / 'rec'}: no recorder is at work; the last one was killed")
