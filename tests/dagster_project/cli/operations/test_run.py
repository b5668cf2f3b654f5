"""What `lagbook run` says and how it ends, without a run; `test_demo` has the real ones."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from dagster import raise_execution_interrupts

from assets import raw
from assets.storage.warehouse import Warehouse
from dagster_project.cli.operations import run, run_result
from dagster_project.cli.operations.demo import unpack
from dagster_project.cli.progress import CheckFailed, Failure, Outcome, TableDone

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from click.testing import Result

    from tests.dagster_project.cli.conftest import Lagbook

    Ending = Callable[[Outcome], Result]

ENDINGS = (signal.SIGINT, signal.SIGTERM)
BUILT = TableDone("core.commits", 10_616, 1.5, is_changed=True)
CLEAN = TableDone("raw.quarantine", 0, 1.5, is_changed=False)


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recorded incident's log directory."""
    return unpack(tmp_path_factory.mktemp("run"))


@pytest.fixture
def ending(lagbook: Lagbook, logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ending:
    """`lagbook run --json` whose job ended with this outcome."""

    def call(outcome: Outcome) -> Result:
        monkeypatch.setattr(run, "execute", lambda *_, **__: outcome)
        return lagbook("run", "--logs", str(logs), "--warehouse", str(tmp_path), "--json")

    return call


def test_a_run_that_did_its_work_ends_with_zero(ending: Ending) -> None:
    """The summary has what was read, every table, and the checks; a check that only warns fails nothing."""
    warning = CheckFailed("core.commits", "offsets_begin_at_0", is_blocking=False)
    result = ending(Outcome([BUILT, CLEAN], 7, [warning]))
    assert result.exit_code == 0
    summary = json.loads(result.stdout)
    assert (summary["files_read"], summary["files_known"], summary["changed"]) == (64, 0, True)
    assert summary["tables"][0] == {"table": "core.commits", "rows": 10616, "seconds": 1.5, "is_changed": True}
    assert (summary["checks_passed"], len(summary["checks_failed"]), summary["failures"]) == (7, 1, [])


def test_a_table_that_failed_is_named(ending: Ending) -> None:
    """Exit code 1, one sentence with the reason and the log file, and no stack trace."""
    result = ending(Outcome([CLEAN], failures=[Failure("core.commits", "no space left", "Traceback: a page of it")]))
    assert result.exit_code == 1
    assert "lagbook: core.commits failed: no space left (details in " in result.stderr
    assert "a page of it" not in result.stdout + result.stderr
    assert json.loads(result.stdout)["failures"] == [{"table": "core.commits", "reason": "no space left"}]


def test_files_that_were_not_kept_are_not_called_read(
    lagbook: Lagbook, logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another run was faster, or the disk is full."""
    failed = Outcome([], failures=[Failure(run_result.INGEST, "another run wrote there meanwhile", "")])
    monkeypatch.setattr(run, "execute", lambda *_, **__: failed)
    result = lagbook("run", "--logs", str(logs), "--warehouse", str(tmp_path))
    assert "64 files to read, of which nothing was kept (3.4 MB), 0 known" in result.stdout
    assert run_result.INGEST in {step.name for step in raw.STEPS}


def test_a_blocking_check_ends_with_one(ending: Ending) -> None:
    """A table that must not be trusted is a failed run."""
    assert ending(Outcome([BUILT], 0, [CheckFailed("core.commits", "unique", is_blocking=True)])).exit_code == 1


def test_the_summary_in_words(lagbook: Lagbook, logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Failed checks by name, and one line of totals."""
    outcome = Outcome([BUILT, CLEAN], 7, [CheckFailed("raw.quarantine", "everything_read", is_blocking=False)])
    monkeypatch.setattr(run, "execute", lambda *_, **__: outcome)
    result = lagbook("run", "--logs", str(logs), "--warehouse", str(tmp_path))
    warning, totals = result.stdout.splitlines()
    assert warning == "warning: raw.quarantine does not hold to everything_read"
    assert totals.startswith("64 files read (3.4 MB), 0 known; 0 rows in quarantine; 7 checks passed, 1 failed; ")


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        (None, {"a": "high", "b": "low"}, "2 new incidents, the worst high: lagbook audit --warehouse "),
        ({"b": "low"}, {"a": "high", "b": "low"}, "1 new incident, the worst high: lagbook audit --warehouse "),
        ({"a": "high"}, {"a": "critical"}, "No new incident."),
        ({"a": "high"}, None, ""),
    ],
)
def test_a_run_ends_with_what_it_brought_to_light(
    lagbook: Lagbook,
    logs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    before: dict[str, str] | None,
    after: dict[str, str] | None,
    sentence: str,
) -> None:
    """The number of incidents that were not there before, the worst of them, and the command that lists them."""
    answers = [before, after]
    monkeypatch.setattr(run, "open_incidents", lambda _: answers.pop(0))
    monkeypatch.setattr(run, "execute", lambda *_, **__: Outcome([BUILT], 7))
    result = lagbook("run", "--logs", str(logs), "--warehouse", str(tmp_path))
    totals, *last = result.stdout.splitlines()
    assert totals.startswith("64 files read")
    assert [line.startswith(sentence) for line in last] == ([True] if sentence else [])


def test_the_incidents_of_a_file_that_can_not_be_read_are_not_known(tmp_path: Path) -> None:
    """Not none at all: a run that can't tell says nothing."""
    assert run_result.open_incidents(Warehouse(str(tmp_path))) is None
    (tmp_path / "lagbook.duckdb").write_bytes(b"not a database" * 1000)
    assert run_result.open_incidents(Warehouse(str(tmp_path))) is None


@pytest.fixture
def _handlers() -> Iterator[None]:
    before = {each: signal.getsignal(each) for each in ENDINGS}
    yield
    for each, handler in before.items():
        signal.signal(each, handler)


def _end_under_a_foreign_handler(ending: signal.Signals) -> None:
    with run.interruptible():
        signal.signal(ending, lambda *_: None)
        os.kill(os.getpid(), ending)


def _be_killed_after_a_step() -> None:
    with run.interruptible():
        with raise_execution_interrupts():
            pass
        os.kill(os.getpid(), signal.SIGTERM)


@pytest.mark.usefixtures("_handlers")
@pytest.mark.parametrize("ending", ENDINGS)
def test_an_end_is_noticed_through_foreign_handlers(ending: signal.Signals) -> None:
    """Dagster and Spark replace the handler and go on; Ctrl-C and `kill` still end the command."""
    with pytest.raises(KeyboardInterrupt):
        _end_under_a_foreign_handler(ending)


@pytest.mark.usefixtures("_handlers")
def test_a_script_can_end_what_it_runs_in_the_background() -> None:
    """There SIGINT is ignored, and Dagster would have SIGTERM ignored as well."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with pytest.raises(KeyboardInterrupt):
        _be_killed_after_a_step()


def test_a_quiet_end_is_not_an_interruption() -> None:
    """Without Ctrl-C nothing is raised, and the next one counts again."""
    with run.interruptible():
        pass
    with run.interruptible():
        pass


def test_noise_goes_to_the_log(tmp_path: Path) -> None:
    """What child processes write to stderr is in the log file, what is for the user is on the terminal."""
    script = (
        "import pathlib, subprocess, sys; from dagster_project.cli.operations.run import hush\n"
        "with hush(pathlib.Path(sys.argv[1])) as terminal:\n"
        "    subprocess.run(['sh', '-c', 'echo from a child >&2'])\n"
        "    print('a library', file=sys.stderr)\n"
        "    print('for the user', file=terminal)\n"
        "print('after', file=sys.stderr)\n"
    )
    log = tmp_path / "run.log"
    done = subprocess.run([sys.executable, "-c", script, log], check=True, capture_output=True, text=True)
    assert done.stderr == "for the user\nafter\n"
    assert log.read_text() == "from a child\na library\n"


def test_noise_that_the_log_has_no_room_for_is_dropped() -> None:
    """A full disk is what the user has to hear of, not what libraries say about it."""
    script = (
        "import contextlib, pathlib, sys; from dagster_project.cli.operations.run import hush\n"
        "with hush(pathlib.Path('/dev/full')) as terminal:\n"
        "    with contextlib.suppress(OSError):\n"
        "        print('a library', file=sys.stderr)\n"
        "    print('for the user', file=terminal)\n"
        "print('after', file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert done.stderr == "for the user\nafter\n"


def test_a_log_that_can_not_be_written_is_one_sentence(lagbook: Lagbook, logs: Path, tmp_path: Path) -> None:
    """It is the first that a run writes into a warehouse; a folder may be there, and barred."""
    (tmp_path / "lagbook-run.log").mkdir()
    result = lagbook("run", "--logs", str(logs), "--warehouse", str(tmp_path))
    assert (result.exit_code, result.stdout) == (2, "")
    *_, sentence = result.stderr.splitlines()
    assert sentence.startswith(f"lagbook: {tmp_path}/lagbook-run.log can't be written: Is a directory")


def test_a_cluster_that_can_not_be_reached_is_one_sentence(lagbook: Lagbook, tmp_path: Path) -> None:
    """With nothing else to read the call is refused, and nothing is made."""
    result = lagbook("run", "--bootstrap", "127.0.0.1:1", "--warehouse", str(tmp_path / "wh"))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("lagbook: kafka://127.0.0.1:1 can't be reached: 127.0.0.1:1: ")
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "wh").exists()


def test_files_are_read_beside_a_cluster_that_can_not_be_reached(
    lagbook: Lagbook, logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run says what it could not read, and ends with 1."""
    monkeypatch.setattr(run, "execute", lambda *_, **__: Outcome([BUILT], 7))
    words = ("--logs", str(logs), "--bootstrap", "127.0.0.1:1", "--warehouse", str(tmp_path), "--json")
    result = lagbook("run", *words)
    assert result.exit_code == 1
    summary = json.loads(result.stdout)
    assert (summary["files_read"], summary["cluster"], summary["live_offsets"]) == (64, None, None)
    assert "127.0.0.1:1" in summary["places_unreadable"][0]
    assert "the other places were read" in result.stderr


def test_a_place_that_goes_away_after_the_plan_fails_the_run(
    lagbook: Lagbook, logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run that reads makes a plan of its own: what it could not list is said as well."""
    lost = "s3://logs: it can't be listed"
    monkeypatch.setattr(run, "execute", lambda *_, **__: Outcome([BUILT], 7, places_unreadable=[lost]))
    result = lagbook("run", "--logs", str(logs), "--warehouse", str(tmp_path), "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["places_unreadable"] == [lost]
    assert f"{lost}; the other places were read" in result.stderr


@pytest.mark.parametrize("seconds", ["0", "-1", "601", "nan", "soon"])
def test_a_timeout_is_a_number_of_seconds(lagbook: Lagbook, tmp_path: Path, seconds: str) -> None:
    """More than none, and no more than ten minutes."""
    words = ("--bootstrap", "127.0.0.1:1", "--timeout", seconds, "--warehouse", str(tmp_path))
    assert lagbook("run", *words).exit_code == 2
