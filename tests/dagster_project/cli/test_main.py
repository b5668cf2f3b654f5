"""The command itself: its help, its exit codes, and how every mistake ends."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest
from click.testing import CliRunner

from dagster_project.cli.main import Lagbook as Group
from dagster_project.cli.main import main
from parsers.errors import LagbookError, SourceError, WarehouseError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.dagster_project.cli.conftest import Lagbook

HEAVY = {"dagster", "duckdb", "great_expectations", "numpy", "pandas", "pyarrow", "pyspark", "rich"}


@pytest.mark.parametrize("command", [None, *main.commands])
def test_every_help_teaches(lagbook: Lagbook, command: str | None) -> None:
    """Each help shows calls to copy and says what the exit codes mean; -h is the same."""
    words = [command] if command else []
    result = lagbook(*words, "--help")
    assert result.exit_code == 0
    assert "Exit codes:" in result.stdout
    assert "  lagbook " in result.stdout
    assert lagbook(*words, "-h").stdout == result.stdout


@pytest.mark.parametrize("command", [None, *main.commands])
def test_every_help_fits_a_terminal(lagbook: Lagbook, command: str | None) -> None:
    """Of 80 columns: no example is broken where a shell would not take it."""
    shown = lagbook(*([command] if command else []), "--help").stdout
    assert [line for line in shown.splitlines() if len(line) > 80] == []


def test_the_commands_are_there(lagbook: Lagbook) -> None:
    """What the documentation promises can be called."""
    assert set(main.commands) == {
        *("demo", "run", "record", "groups", "describe", "audit", "explain", "failover", "report"),
        *("records", "evidence", "verify", "reset-plan", "doctor", "check", "dump", "tidy", "repair"),
        *("notify", "metrics"),
    }
    assert lagbook().stdout == lagbook("--help").stdout


def test_help_answers_at_once() -> None:
    """Nothing heavy is imported before a command needs it."""
    script = "import json, sys, dagster_project.cli.main; print(json.dumps([m.partition('.')[0] for m in sys.modules]))"
    shown = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert not HEAVY.intersection(json.loads(shown.stdout))


def test_the_version_is_told(lagbook: Lagbook) -> None:
    """--version names the command and its release."""
    assert lagbook("--version").stdout.startswith("lagbook")


def test_an_unknown_command_is_refused(lagbook: Lagbook) -> None:
    """Exit code 2 and a hint."""
    result = lagbook("describ")
    assert result.exit_code == 2
    assert result.stderr.startswith("lagbook: No such command 'describ'")
    assert "Try `" in result.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("describe", "caf\udce9"),
        ("audit", "--group", "caf\udce9"),
        ("run", "--logs", "/caf\udce9"),
        ("dump", "caf\udce9"),
    ],
)
def test_what_is_not_utf8_is_refused(lagbook: Lagbook, words: tuple[str, ...]) -> None:
    """Neither DuckDB nor Arrow take such a name: a path in Latin 1, or a byte that slipped in."""
    result = lagbook(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("lagbook: an argument is not UTF-8: ")
    assert "caf\\udce9" in result.stderr


def test_so_is_an_environment_that_is_not_utf8(lagbook: Lagbook, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not typed is named by its variable."""
    monkeypatch.setenv("LAGBOOK_LOGS", "/caf\udce9")
    assert lagbook("run").stderr.startswith("lagbook: LAGBOOK_LOGS is not UTF-8: /caf\\udce9")


def _raising(error: BaseException) -> Callable[[], None]:
    def command() -> None:
        raise error

    return command


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (SourceError("/logs: gone"), 2, "lagbook: /logs: gone"),
        (WarehouseError("wh can't be written"), 2, "lagbook: wh can't be written"),
        (LagbookError("broken"), 1, "lagbook: broken"),
        (LagbookError("group \x1b[2J"), 1, "lagbook: group \\x1b[2J"),
        (KeyboardInterrupt(), 130, "lagbook: interrupted"),
        (click.Abort(), 130, "lagbook: interrupted"),
        (click.FileError("x", "no"), 2, "lagbook: Could not open file 'x': no"),
    ],
)
def test_an_error_is_one_sentence_and_a_code(error: BaseException, code: int, sentence: str) -> None:
    """No stack trace for what a user can act on, and nothing that moves the cursor."""
    group = Group("lagbook", commands=[click.Command("fail", callback=_raising(error))])
    result = CliRunner().invoke(group, ["fail"])
    assert result.exit_code == code
    assert result.stderr.strip() == sentence


def test_a_bug_is_not_hidden() -> None:
    """An error that is nobody's mistake keeps its stack trace."""
    group = Group("lagbook", commands=[click.Command("fail", callback=_raising(ZeroDivisionError()))])
    assert isinstance(CliRunner().invoke(group, ["fail"]).exception, ZeroDivisionError)


def test_a_closed_pipe_is_no_error() -> None:
    """`lagbook ... | head` ends quietly."""
    script = "import sys; from dagster_project.cli.main import main; main(['--help'])"
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""


def test_a_full_disk_below_stdout_is_a_sentence() -> None:
    """`lagbook ... > FILE` where there is no room; an error of any other kind keeps its stack trace."""
    script = "import sys; from dagster_project.cli.main import main; main(['--help'])"
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([sys.executable, "-c", script], stdout=full, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (
        1,
        b"lagbook: the output can't be written: No space left on device\n",
    )
    group = Group("lagbook", commands=[click.Command("fail", callback=_raising(OSError("else")))])
    assert isinstance(CliRunner().invoke(group, ["fail"]).exception, OSError)
