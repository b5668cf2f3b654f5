"""`lagbook doctor` on places that are sound, empty and broken."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assets.catalog import TABLES
from assets.duckdb import database
from assets.frontiers import is_final
from assets.storage.data_files import describe_file
from assets.storage.parquet_writer import write_file
from assets.storage.warehouse import Warehouse
from dagster_project.cli.operations import doctor
from dagster_project.cli.operations.demo import unpack
from parsers.errors import LagbookError
from tests.dagster_project.cli.conftest import NOON
from tests.whole_run import whole_run

if TYPE_CHECKING:
    from pathlib import Path

    from tests.dagster_project.cli.conftest import Lagbook


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recorded incident's log directory."""
    return unpack(tmp_path_factory.mktemp("doctor"))


def test_a_first_run_could_start(lagbook: Lagbook, logs: Path, tmp_path: Path) -> None:
    """Logs are there and the warehouse is yet to be made: versions, what would be read, no problem."""
    result = lagbook("doctor", "--logs", str(logs), "--warehouse", str(tmp_path / "new"), "--json")
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert report["problems"] == []
    assert {"python", "java", "pyspark", "duckdb", "dagster", "lagbook"} <= report["versions"].keys()
    assert report["logs"]["files_to_read"] == 64
    assert (report["tables"], report["duckdb_file"], report["warehouse"]["is_writable"]) == ([], None, True)
    assert not (tmp_path / "new").exists()


def test_a_place_that_is_missing_is_a_problem(lagbook: Lagbook, logs: Path, tmp_path: Path) -> None:
    """One of two places is gone: it is named, the other is still looked at, and the exit code is 1."""
    result = lagbook("doctor", "--logs", str(logs), "--logs", "/nowhere", "--warehouse", str(tmp_path))
    assert result.exit_code == 1
    assert "problem: /nowhere: there is no such file or directory" in result.stdout
    assert "files to read  64" in result.stdout


def test_a_warehouse_that_can_not_be_is_a_problem(lagbook: Lagbook, tmp_path: Path) -> None:
    """Below a file there is no place for a directory."""
    (tmp_path / "file").touch()
    result = lagbook("doctor", "--warehouse", str(tmp_path / "file" / "wh"))
    assert result.exit_code == 1
    assert f"problem: {tmp_path / 'file'} can't be written" in result.stdout


def test_without_java_the_rest_is_still_told(lagbook: Lagbook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing Java is a problem with its remedy, not the end of the report."""

    def no_java() -> str:
        raise LagbookError("Spark needs Java 17 or 21, and none was found")

    monkeypatch.setattr(doctor, "_java", no_java)
    result = lagbook("doctor", "--warehouse", str(tmp_path))
    assert result.exit_code == 1
    assert "problem: Spark needs Java 17 or 21, and none was found" in result.stdout
    assert "pyspark" in result.stdout


def test_the_duckdb_file_is_opened(lagbook: Lagbook, warehouse: Path) -> None:
    """Age and size of a sound file; a foreign one is a problem."""
    sound = json.loads(lagbook("doctor", "--warehouse", str(warehouse), "--json").stdout)
    assert sound["duckdb_file"]["bytes"] == (warehouse / "lagbook.duckdb").stat().st_size
    assert sound["duckdb_file"]["last_read_at"] == "2026-11-18T12:00:00.000Z"
    shutil.copy(__file__, warehouse / "lagbook.duckdb")
    broken = lagbook("doctor", "--warehouse", str(warehouse))
    assert broken.exit_code == 1
    assert "can't be opened as a DuckDB file" in broken.stdout


def test_what_was_never_read_is_named(lagbook: Lagbook, tmp_path: Path) -> None:
    """Offsets of the offsets topic by how they were seen; of any topic the widest gaps first, hostile names as text."""
    place = {"cluster": "c1", "topic": "__consumer_offsets", "partition": 7, "max_copies": 1}
    coverages = [
        {**place, "from_offset": 0, "to_offset": 40, "status": "whole"},
        {**place, "from_offset": 40, "to_offset": 45, "status": "never"},
        {**place, "topic": "a\x1b[2Jb", "from_offset": 3, "to_offset": 103, "status": "never", "max_copies": 0},
    ]
    table, warehouse = TABLES["mart.log_coverage"], Warehouse(str(tmp_path))
    turn, file = warehouse.begin(table), f"{warehouse.table_url(table.full_name)}/seen.parquet"
    pq.write_table(pa.Table.from_pylist(coverages, table.schema), file)
    turn.replace([describe_file(file)], {})
    shown = lagbook("doctor", "--warehouse", str(tmp_path))
    assert shown.exit_code == 0, shown.output
    assert [line for line in shown.stdout.splitlines() if "never seen:" in line] == [
        "  never seen: c1 a\\x1b[2Jb-7, offsets 3 to 102",
        "  never seen: c1 __consumer_offsets-7, offsets 40 to 44",
    ]
    coverage = json.loads(lagbook("doctor", "--warehouse", str(tmp_path), "--json").stdout)["log_coverage"]
    assert (coverage["offsets_seen_whole"], coverage["offsets_never_seen"], len(coverage["never_seen"])) == (40, 5, 2)


def test_what_a_run_would_do_is_said(lagbook: Lagbook, logs: Path, tmp_path: Path) -> None:
    """With the same arguments; without any it would have nothing to read."""
    words = ("doctor", "--warehouse", str(tmp_path / "new"))
    assert "next run: it would read 64 files (3.4 MB); 0 files known, " in lagbook(*words, "--logs", str(logs)).stdout
    answer = json.loads(lagbook(*words, "--logs", str(logs), "--json").stdout)
    assert all(path.endswith(".log") for path in answer["logs"]["first_to_read"])
    assert "next run: it would read nothing: name --logs or --bootstrap" in lagbook(*words).stdout
    missing = lagbook(*words, "--logs", str(logs), "--logs", "/nowhere").stdout
    assert "next run: it would leave out what can't be read, and end with 1: see the problems" in missing


def test_what_was_set_aside_is_named(lagbook: Lagbook, tmp_path: Path) -> None:
    """File, position, what was expected and what was found, neutral, and how many more there are."""
    row = {
        "cluster": "c1",
        "topic": "__consumer_offsets",
        "partition": 7,
        "size_bytes": 9,
        "read_at": NOON,
        "reason": "checksum",
        "expected": "1",
        "found": "2\x1b[2J",
        "bytes": b"",
    }
    rows = [{**row, "path": f"/logs/{i:02}.log", "position": 100 * i} for i in range(22)]
    put(Warehouse(str(tmp_path)), "raw.quarantine", rows)
    shown = lagbook("doctor", "--warehouse", str(tmp_path)).stdout
    assert "rows in quarantine: 22\n  /logs/00.log at byte 0: checksum, expected 1, found 2\\x1b[2J\n" in shown
    assert "  and 2 more, listed in raw.quarantine\n" in shown
    answer = json.loads(lagbook("doctor", "--warehouse", str(tmp_path), "--json").stdout)
    assert (len(answer["set_aside"]), answer["set_aside"][19]["position"]) == (20, 1900)


def test_what_would_make_answers_better_is_said(lagbook: Lagbook, tmp_path: Path) -> None:
    """Segments of which topics, earlier copies, text logs, and settings; a topic's hostile name is text."""
    place = {"cluster": "c1", "partition": 0}
    offsets = {**place, "topic": "__consumer_offsets", "history_offsets": 9, "unseen_offsets": 4}
    topics: list[dict[str, object]] = [
        {**place, "topic": topic, "log_ends_from": source}
        for topic, source in (("a\x1b", None), ("b", "segments"), ("c", "samples"), ("d", None))
    ]
    put(Warehouse(str(tmp_path)), "mart.basis", [offsets, *topics])
    shown = lagbook("doctor", "--warehouse", str(tmp_path)).stdout
    hints = [line.split(": ", 1)[1] for line in shown.splitlines() if line.startswith("better with: ")]
    assert [hint.split(":")[0] for hint in hints] == [
        "--logs with data segments of $'a\\x1b', d",
        "--logs with data segments of c",
        "--logs with an earlier copy of __consumer_offsets, such as a backup",
        "--logs with the brokers' text logs (server.log)",
        "--config with a broker's server.properties, or --bootstrap",
    ]
    assert "4 offsets of it had been compacted" in hints[2]
    assert "better with" not in lagbook("doctor", "--warehouse", str(tmp_path / "new")).stdout


def put(warehouse: Warehouse, name: str, rows: list[dict[str, object]]) -> None:
    """Make a table consist of these rows."""
    table = TABLES[name]
    nullable = pa.schema([field.with_nullable(nullable=True) for field in table.file_schema])
    folder = warehouse.new_folder(table)
    warehouse.make_folder(folder)
    pq.write_table(pa.Table.from_pylist(rows, nullable), f"{folder}/rows.parquet")
    warehouse.replace(table, [describe_file(f"{folder}/rows.parquet")], {})


def test_a_running_cluster_that_does_not_answer_is_a_problem(lagbook: Lagbook, logs: Path, tmp_path: Path) -> None:
    """It is named with its address, and the rest is still looked at; without one the section says none."""
    places = ("--logs", str(logs), "--warehouse", str(tmp_path))
    result = lagbook("doctor", "--bootstrap", "127.0.0.1:1", *places)
    assert result.exit_code == 1
    assert "problem: kafka://127.0.0.1:1 can't be reached: 127.0.0.1:1: " in result.stdout
    assert "files to read  64" in result.stdout
    assert "cluster: none" in lagbook("doctor", *places).stdout


def test_bytes_that_changed_are_told_when_asked(lagbook: Lagbook, tmp_path: Path) -> None:
    """Not even the time of the file is another: only who reads all of it can tell, and changes nothing."""
    table, warehouse = TABLES["mart.log_coverage"], Warehouse(str(tmp_path))
    turn, file = warehouse.begin(table), tmp_path / "mart" / "log_coverage" / "rows.parquet"
    turn.replace([write_file(table.file_schema.empty_table(), str(file))], {})
    sound = json.loads(lagbook("doctor", "--warehouse", str(tmp_path), "--verify", "--json").stdout)
    assert (sound["problems"], sound["files"]) == ([], {"verified": 1, "without_digest": 0})
    before, content = file.stat(), bytearray(file.read_bytes())
    content[content.index(b"parquet-cpp")] ^= 1
    file.write_bytes(content)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert lagbook("doctor", "--warehouse", str(tmp_path)).exit_code == 0
    answer = json.loads(lagbook("doctor", "--warehouse", str(tmp_path), "--verify", "--json").stdout)
    assert answer["problems"] == [f"{file}: the file has other bytes than were written; see `lagbook repair`."]
    assert answer["files"] == {"verified": 0, "without_digest": 0}
    assert not (tmp_path / "_verified.json").exists()


def test_a_duckdb_file_that_changed_is_told_when_asked(lagbook: Lagbook, warehouse: Path) -> None:
    """By a run's digest of it: written to by others, other bytes without a trace, or without any digest."""
    path = warehouse / "lagbook.duckdb"
    database.build(Warehouse(str(warehouse)))
    assert not _of_duckdb_file(lagbook, warehouse)
    before, content = path.stat(), bytearray(path.read_bytes())
    content[-100] ^= 1
    path.write_bytes(content)
    assert "it was written to since it was built" in _of_duckdb_file(lagbook, warehouse)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert "it has other bytes than were built" in _of_duckdb_file(lagbook, warehouse)
    (warehouse / "lagbook.duckdb.blake3").unlink()
    assert "there is no digest of it" in _of_duckdb_file(lagbook, warehouse)


def _of_duckdb_file(lagbook: Lagbook, warehouse: Path) -> str:
    """What a verification says of the DuckDB file."""
    problems = json.loads(lagbook("doctor", "--warehouse", str(warehouse), "--verify", "--json").stdout)["problems"]
    return " ".join(
        problem for problem in problems if "`lagbook repair` deletes it, and `lagbook run` builds it anew" in problem
    )


def test_rows_that_stayed_are_proven_when_asked(lagbook: Lagbook, logs: Path, tmp_path: Path) -> None:
    """Of a sound warehouse nothing differs; a number that somebody changed in a file is a problem with its remedy."""
    assert whole_run(tmp_path / "wh", [logs]).exit_code == 0
    result = lagbook("doctor", "--warehouse", str(tmp_path / "wh"), "--prove", "50", "--json")
    assert result.exit_code == 0, result.output
    proofs = {proof["table"]: proof for proof in json.loads(result.stdout)["proofs"]}
    assert proofs.keys() == {"internal.offset_snapshots", "mart.lag", "mart.group_status"}
    assert ([proof["differing"] for proof in proofs.values()], proofs["mart.lag"]["rows"] > 10) == ([0, 0, 0], True)
    warehouse, table = Warehouse(str(tmp_path / "wh")), TABLES["mart.lag"]
    (file,) = [file for file in warehouse.file_list("mart.lag") if is_final(file.uri)]
    rows = pq.read_table(file.uri)
    place = rows.column_names.index("current_offset")
    changed = rows.set_column(place, rows.schema.field(place), pa.array([7] * rows.num_rows, pa.int64()))
    new = write_file(changed, str(tmp_path / "wh" / "mart" / "lag" / "final-changed.parquet"))
    warehouse.begin(table).revise([file], [new], warehouse.note("mart.lag"))
    result = lagbook("doctor", "--warehouse", str(tmp_path / "wh"), "--prove", "50")
    assert result.exit_code == 1
    assert "made again differ from those in its files: delete" in result.stdout
