"""`lagbook dump` as it is called: its lines, its Parquet, its exit codes, and what it leaves alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd  # noqa: F401 - before a command is called here: what looks for it in vain does so once for good
import pyarrow.parquet as pq
import pytest

from tests.parsers.log_writer import simple_batch

if TYPE_CHECKING:
    from tests.dagster_project.cli.conftest import Lagbook

REPO = Path(__file__).resolve().parents[4]
RECORDED = REPO / "tests" / "bytes" / "dump" / "features-4.1"
OFFSETS = RECORDED / "__consumer_offsets-0" / "00000000000000000000.log"
SHARES = RECORDED / "__share_group_state-0" / "00000000000000000000.log"
ABORTED = RECORDED / "__consumer_offsets-7" / "00000000000000000000.txnindex"
DATA = REPO / "tests" / "bytes" / "batches" / "kafka-4.1" / "compacted-0" / "00000000000000000000.log"


def test_lines_of_several_files(lagbook: Lagbook) -> None:
    """Files are shown one after the other, each line with the name of its file."""
    result = lagbook("dump", str(OFFSETS), str(ABORTED), str(DATA))
    assert (result.exit_code, result.stderr) == (0, "")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert list(dict.fromkeys(row["file"] for row in rows)) == [str(OFFSETS), str(ABORTED), str(DATA)]
    assert rows[0]["key"] == {"type": 2, "data": {"group": "classic-coop"}}
    assert result.stdout.isascii()


def test_options(lagbook: Lagbook, tmp_path: Path) -> None:
    """--kind overrules the directory, --text shows text, --output writes a file."""
    as_data = lagbook("dump", str(OFFSETS), "--kind", "data")
    assert isinstance(json.loads(as_data.stdout.splitlines()[0])["key"], str)
    as_text = lagbook("dump", str(DATA), "--text")
    assert json.loads(as_text.stdout.splitlines()[0])["key"].isprintable()
    written = tmp_path / "lines.jsonl"
    assert lagbook("dump", str(SHARES), "--output", str(written)).stdout == ""
    assert written.read_text() == lagbook("dump", str(SHARES)).stdout


def test_lone_segment(lagbook: Lagbook, tmp_path: Path) -> None:
    """A segment whose directory names no topic is shown as data, with a hint beside the answer."""
    lone = tmp_path / "lone" / OFFSETS.name
    lone.parent.mkdir()
    lone.write_bytes(OFFSETS.read_bytes())
    plain = lagbook("dump", str(lone))
    assert plain.exit_code == 0
    assert "--kind offsets" in plain.stderr
    output = lagbook("dump", str(lone), "--kind", "offsets")
    assert output.stderr == ""
    assert output.stdout.replace(str(lone), str(OFFSETS)) == lagbook("dump", str(OFFSETS)).stdout


def test_trouble_ends_with_1(lagbook: Lagbook, tmp_path: Path) -> None:
    """What can't be read is a line in its place, and the exit code says that there was such a line."""
    broken = tmp_path / "orders-0" / OFFSETS.name
    broken.parent.mkdir()
    broken.write_bytes(simple_batch(0) + b"\x07" * 30 + simple_batch(2))
    result = lagbook("dump", str(broken))
    assert result.exit_code == 1
    assert ["trouble" in json.loads(line) for line in result.stdout.splitlines()] == [False] * 2 + [True] + [False] * 2


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("dump",), "Missing argument 'FILE...'"),
        (("dump", "gone/00000000000000000000.log"), "gone/00000000000000000000.log: there is no such file"),
        (("dump", str(OFFSETS.parent)), f"name the files in it, as in {OFFSETS.parent}/*.log"),
        (("dump", "-"), "-: a pipe can't be read"),
        (("dump", __file__), "expected one of these: segment"),
        (("dump", str(DATA), "--kind", "orders"), "'orders' is not one of"),
        (("dump", str(DATA), "--format", "parquet"), "--format parquet needs --output FILE."),
        (("dump", str(DATA), "--output", "gone/lines"), "gone/lines: it can't be written"),
        (("dump", str(DATA), "--output", str(DATA)), "it is one of the files to be read"),
        (("dump", str(DATA), "--format", "parquet", "--output", "gone/x"), "gone/x: it can't be written"),
        (("dump", str(DATA), "--format", "parquet", "--output", os.devnull), "can't be written to a pipe"),
        (("dump", str(OFFSETS), str(ABORTED), "--format", "parquet", "--output", "x"), "is of another kind than"),
    ],
)
def test_refusals(lagbook: Lagbook, words: tuple[str, ...], sentence: str) -> None:
    """A call that can't be taken ends with 2 and one sentence, and nothing is shown."""
    result = lagbook(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert sentence in result.stderr


@pytest.mark.parametrize("path", [OFFSETS, SHARES, ABORTED, DATA], ids=lambda path: path.parent.name + path.suffix)
def test_parquet(lagbook: Lagbook, tmp_path: Path, path: Path) -> None:
    """The Parquet file has a row for each line."""
    output = tmp_path / "columns.parquet"
    assert lagbook("dump", str(path), str(path), "--format", "parquet", "--output", str(output)).exit_code == 0
    rows = pq.read_table(output).to_pylist()
    lines = [json.loads(line) for line in lagbook("dump", str(path), str(path)).stdout.splitlines()]
    assert [row["file"] for row in rows] == [line["file"] for line in lines]
    if path is OFFSETS:
        assert [row["offset"] for row in rows] == [line["offset"] for line in lines]
        groups = [None if row["group_metadata"] is None else row["group_metadata"]["generation"] for row in rows]
        assert groups == [(line["value"] or {"data": {}})["data"].get("generation") for line in lines]
    assert [entry.name for entry in tmp_path.iterdir()] == ["columns.parquet"]


def test_parquet_with_trouble(lagbook: Lagbook, tmp_path: Path) -> None:
    """What could not be read is counted beside the columns."""
    broken, output = tmp_path / OFFSETS.name, tmp_path / "columns.parquet"
    broken.write_bytes(simple_batch(0) + b"\x07" * 30 + simple_batch(2))
    result = lagbook("dump", str(broken), "--kind", "offsets", "--format", "parquet", "--output", str(output))
    assert result.exit_code == 1
    assert "could not be read" in result.stderr
    rows = pq.read_table(output).to_pylist()
    assert [row["key"] for row in rows] == [b"key-0", b"key-1", b"key-2", b"key-3"]


def test_parquet_through_a_link(lagbook: Lagbook, tmp_path: Path) -> None:
    """A link stays a link: what it points to is replaced, and nothing is left beside it."""
    target, link = tmp_path / "columns.parquet", tmp_path / "link"
    target.write_bytes(b"of yesterday")
    link.symlink_to(target)
    assert lagbook("dump", str(DATA), "--format", "parquet", "--output", str(link)).exit_code == 0
    assert link.is_symlink()
    assert pq.read_table(target).num_rows > 0
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["columns.parquet", "link"]


FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize("to_file", [True, False])
def test_a_full_disk_is_told_in_a_sentence(to_file: bool) -> None:  # noqa: FBT001 - as pytest passes it
    """Lines that can't be written end the command with 1 and no stack trace."""
    command = [sys.executable, "-m", "dagster_project.cli", "dump", str(DATA)]
    with FULL.open("wb") as full:
        words = [*command, "--output", str(FULL)] if to_file else command
        done = subprocess.run(words, cwd=REPO, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("lagbook: ")
    assert "it can't be written: No space left on device" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_closed_pipe_and_lean_start(tmp_path: Path) -> None:
    """`| head` ends the command without a word, and nothing slow was imported for the first line."""
    large = tmp_path / "orders-0" / OFFSETS.name
    large.parent.mkdir()
    large.write_bytes(b"".join(simple_batch(200 * number, 200) for number in range(100)))
    code = (
        "import sys\nfrom dagster_project.cli.main import main\ntry:\n    main(['dump', sys.argv[1]])\n"
        "finally:\n    print(*{'dagster', 'duckdb', 'pandas', 'pyspark', 'scipy'} & set(sys.modules), file=sys.stderr)"
    )
    command = [sys.executable, "-c", code, str(large)]
    with subprocess.Popen(command, cwd=REPO, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        first = running.stdout.readline()
        running.stdout.close()
        complaint = running.stderr.read()
    assert complaint == b"\n"
    assert json.loads(first)["offset"] == 0


def test_help(lagbook: Lagbook) -> None:
    """The help shows how to call it, what a line has, and how it ends."""
    shown = lagbook("dump", "--help").stdout
    for words in ("Examples:", "--kind offsets", "A line of a record has:", "Exit codes:"):
        assert words in shown
