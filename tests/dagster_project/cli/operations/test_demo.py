"""`lagbook demo` and `lagbook run`, for real: the recorded incident through Spark, every check, DuckDB, and back."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pytest

from dagster_project.cli.main import main
from dagster_project.cli.operations.demo import RECORDING, compare, is_confirmed, truth, unpack
from dagster_project.pages.incident_picture import picture
from parsers.errors import WarehouseError
from tests.dagster_project.cli.documented_questions import FACTS, SILENT, questions
from tests.dagster_project.cli.statements import Statement, statements_of_the_docs
from tests.dagster_project.cli.tutorial import incident, sessions, shows, typed

REPO = Path(__file__).parents[4]
with tarfile.open(REPO / "dagster_project" / "demo" / f"{RECORDING}.tar.xz") as packed:
    FILES = sum(name.endswith(".log") for name in packed.getnames())


@dataclass(frozen=True)
class Shell:
    """A shell in a fresh directory, without anything that the environment would add to a command."""

    room: Path

    def __call__(self, command: str) -> subprocess.CompletedProcess[str]:
        """Run a command line as a user would type it."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith("LAGBOOK_")}
        path = os.pathsep.join([str(REPO), os.environ.get("PYTHONPATH", "")])
        return subprocess.run(  # noqa: S602 - what is run is what the demo prints
            command,
            shell=True,
            cwd=self.room,
            env={**clean, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )

    def lagbook(self, words: str) -> subprocess.CompletedProcess[str]:
        """Run `lagbook` of this tree."""
        return self(f"{sys.executable} -m dagster_project.cli {words}")


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """A directory to type commands in."""
    return Shell(tmp_path_factory.mktemp("user"))


@pytest.fixture(scope="module")
def first(shell: Shell) -> subprocess.CompletedProcess[str]:
    """The first demo of this module."""
    done = shell.lagbook("demo")
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def test_the_demo_tells_what_truly_happened(first: subprocess.CompletedProcess[str]) -> None:
    """The admin's reset is told with its exact range, and the consumers' own logs confirm it."""
    words = " ".join(first.stdout.split())
    assert ": admin-reset re-read 750 offsets in 3 partitions of audit; proven (admin reset): a commit moved " in words
    assert ": admin-reset never read at least 285, probably about 300 offsets in 3 partitions of audit; " in words
    assert "\n4 new incidents, the worst critical: lagbook audit --warehouse demo/warehouse\n" in first.stdout
    assert "\nHistory: all 20,924 offsets of __consumer_offsets in 8 partitions were seen.\n" in first.stdout
    assert "  1,035 of 1,035 offsets that are proven above were read again or never read;\n" in first.stdout
    assert "  4,050 of 4,050 that are proven or likely were;\n" in first.stdout
    assert "DISAGREES" not in first.stdout
    assert "0 rows in quarantine" in first.stdout


def test_every_question_of_the_page_is_known_here() -> None:
    """Twenty-four of them, each with one query and words behind it; of each it is known what the demo has to say."""
    assert list(questions()) == [*range(1, 25)]
    assert FACTS.keys() | SILENT == questions().keys()


@pytest.mark.parametrize("number", questions())
@pytest.mark.usefixtures("first")
def test_a_question_is_answered_as_it_stands_on_the_page(shell: Shell, number: int) -> None:
    """The answer holds what is known of the incident; where that is nothing, the query runs all the same."""
    database = shell.room / "demo" / "warehouse" / "lagbook.duckdb"
    with duckdb.connect(str(database), read_only=True) as connection:
        answer = connection.sql(questions()[number])
        rows = [dict(zip(answer.columns, row, strict=True)) for row in answer.fetchall()]
    assert bool(rows) is (number in FACTS)
    if number in FACTS:
        FACTS[number](rows)


@pytest.mark.parametrize("number", range(len(sessions())))
def test_the_tutorial_shows_what_a_command_answers(
    first: subprocess.CompletedProcess[str], shell: Shell, number: int
) -> None:
    """Every command of docs/tutorial.md, run as it stands, answers what the page shows."""
    command, shown = list(sessions().items())[number]
    answer = first.stdout if command == "make demo" else shell(typed(command)).stdout
    assert shows(answer, shown), answer


@pytest.mark.usefixtures("first")
def test_the_picture_of_the_incident_is_current(shell: Shell) -> None:
    """`docs/diagrams/incident.svg` has the figures of the report about the incident of the tutorial."""
    written = shell.lagbook(f"report --incident {incident()} --output - --warehouse demo/warehouse")
    assert (REPO / "docs" / "diagrams" / "incident.svg").read_text(encoding="utf-8") == picture(written.stdout)


@pytest.mark.parametrize("statement", statements_of_the_docs(), ids=lambda one: one.place)
@pytest.mark.usefixtures("first")
def test_a_query_of_the_docs_runs(shell: Shell, statement: Statement) -> None:
    """Every statement of SQL on a page is one that this release understands, of a group and a topic of the demo."""
    database = shell.room / "demo" / "warehouse" / "lagbook.duckdb"
    text = re.sub(r"'(?:payments|my-group)'", "'admin-reset'", statement.text).replace("'orders'", "'audit'")
    with duckdb.connect(str(database), read_only=True) as connection:
        connection.execute(text)


def test_progress_goes_to_stderr_and_noise_to_the_log(first: subprocess.CompletedProcess[str], shell: Shell) -> None:
    """Stderr has a line per table and nothing of Spark's or Dagster's."""
    lines = first.stderr.splitlines()
    assert lines[0].startswith(f"{FILES} files to read (3.4 MB), 0 known")
    assert all(line.split()[0].split(".")[0] in {"raw", "core", "internal", "mart", "lagbook"} for line in lines[1:])
    assert (shell.room / "demo" / "warehouse" / "lagbook-run.log").exists()


def test_a_second_demo_reads_nothing(first: subprocess.CompletedProcess[str], shell: Shell) -> None:
    """It says that nothing is new, leaves the DuckDB file as it is, and tells the same findings."""
    file = shell.room / "demo" / "warehouse" / "lagbook.duckdb"
    before = file.stat().st_mtime_ns
    second = shell.lagbook("demo")
    assert second.returncode == 0
    assert f"Nothing is new: all {FILES} files are known" in second.stdout
    assert file.stat().st_mtime_ns == before
    findings = [text[text.index("What Lagbook found") :] for text in (first.stdout, second.stdout)]
    assert re.sub(r", \d+ .* ago", "", findings[0]) == re.sub(r", \d+ .* ago", "", findings[1])


def test_what_to_try_next_works_when_it_is_pasted(first: subprocess.CompletedProcess[str], shell: Shell) -> None:
    """The SQL question answers and the page is written; the Dagster command is looked at, not started."""
    ask, look, page = (
        line for line in first.stdout[first.stdout.index("What to try next") :].splitlines() if line.startswith("     ")
    )
    answer, reported = shell(ask), shell(page)
    assert (answer.returncode, reported.returncode) == (0, 0), answer.stderr + reported.stderr
    assert "auto-range" in answer.stdout
    assert "re-read 750 offsets in 3 partitions of audit" in (shell.room / "report-admin-reset.html").read_text()
    assert look.endswith("dev -m dagster_project.definitions")


@pytest.mark.usefixtures("first")
def test_the_audit_agrees_with_the_truth(shell: Shell) -> None:
    """Every certain range was processed twice by the consumers' own logs, and the exit code says that there are any."""
    audit = shell.lagbook("audit --json --warehouse demo/warehouse")
    assert audit.returncode == 3
    rows = json.loads(audit.stdout)
    assert [(row["group_id"], row["partition"], row["certain_from"], row["certain_to"]) for row in rows] == [
        *(("admin-reset", partition, 1005, 1100) for partition in range(3)),
        *(("latest-reset", partition, None, None) for partition in range(3)),
        *(("slow-retention", partition, None, None) for partition in (1, 2, 3, 0)),
        *(("admin-reset", partition, 420, 670) for partition in range(3)),
    ]
    assert is_confirmed(rows)


@pytest.mark.usefixtures("first")
def test_a_place_that_is_gone_holds_up_no_other(shell: Shell) -> None:
    """The rest is looked at, the sentence names the place, and the exit code is 1."""
    run = shell.lagbook(f"run --logs demo/{RECORDING} --logs /nowhere --warehouse demo/warehouse --json")
    assert run.returncode == 1
    assert "lagbook: /nowhere: there is no such file or directory" in run.stderr
    assert json.loads(run.stdout)["files_known"] == FILES


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("run --warehouse wh", "nothing to read was named"),
        ("run --logs /nowhere --warehouse wh", "/nowhere: there is no such file or directory"),
        (f"run --logs {__file__} --warehouse wh", "no segment"),
        (f"run --logs demo/{RECORDING} --warehouse demo/{RECORDING}/meta.properties/wh", "can't be written"),
        ("demo --warehouse s3://bucket/wh", "needs a local directory"),
    ],
)
@pytest.mark.usefixtures("first")
def test_a_call_that_can_not_be_taken_is_refused(shell: Shell, words: str, sentence: str) -> None:
    """Exit code 2, one sentence, no stack trace."""
    refused = shell.lagbook(words)
    assert refused.returncode == 2, refused.stderr
    assert sentence in refused.stderr
    assert "Traceback" not in refused.stderr


def test_unpacking_is_whole_or_not_at_all(tmp_path: Path) -> None:
    """What is there already is left alone; a place that can't be written is a sentence; nothing half is left."""
    logs = unpack(tmp_path)
    (logs / "meta.properties").write_text("mine")
    assert unpack(tmp_path) == logs
    assert (logs / "meta.properties").read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == [RECORDING]
    with pytest.raises(WarehouseError, match="can't be written"):
        unpack(logs / "meta.properties")


def test_a_claim_that_the_truth_denies_is_seen() -> None:
    """The demo would notice a wrong claim: a range that nobody processed twice is not confirmed."""
    row = {"kind": "replay", "group_id": "admin-reset", "partition": 0, "certain_from": 420, "certain_to": 671}
    assert truth()["admin-reset"]["0"]["duplicated"] == [[420, 670]]
    assert not is_confirmed([row])
    assert is_confirmed([{**row, "certain_to": 670}])
    assert not is_confirmed([{**row, "kind": "skip", "certain_to": 670}])
    assert is_confirmed([{**row, "kind": "skip", "certain_from": 1005, "certain_to": 1100}])


def test_what_the_demo_does_not_find_is_counted() -> None:
    """Nothing is told of 250 + 100 offsets in three partitions and of all the rest; what is not possible is named."""
    reset = {"kind": "replay", "group_id": "admin-reset", "partition": 0}
    row = {**reset, "certain_from": 420, "certain_to": 670, "estimate_from": None, "estimate_to": None}
    wrong = {**row, "kind": "skip", "certain_from": None, "certain_to": None, "estimate_from": 999, "estimate_to": 1100}
    every = sum(end - begin for _, of in _truths() for begin, end in of)
    possible = [{**reset, "partition": 1, "possible_from": 0, "possible_to": 500}]
    assert compare([row, wrong], possible) == [
        "250 of 250 offsets that are proven above were read again or never read;",
        "350 of 351 that are proven or likely were;",
        f"{every - 350:,} more were, in no incident: 80 where it could not be excluded or is",
        f"ordinary, and {every - 350 - 80:,} where no record of Kafka tells of it.",
    ]


def _truths() -> list[tuple[str, list[list[int]]]]:
    return [(name, logs[name]) for of in truth().values() for logs in of.values() for name in ("duplicated", "missed")]


def test_the_demo_is_a_command() -> None:
    """Its own warehouse is the default, never the user's."""
    (option,) = (parameter for parameter in main.commands["demo"].params if parameter.name == "warehouse")
    assert option.default == str(Path("demo", "warehouse"))
