"""`lagbook records`: the records of claims in a file, as many as the tables count, or what is missing."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow.parquet as pq
import pytest

from assets.extraction.log_ranges import LogRange
from parsers.files.discovery import discover
from tests.assets.extraction.logs import extraction_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.dagster_project.cli.conftest import Lagbook


def query(warehouse: Path, sql: str, *values: object) -> list[tuple[Any, ...]]:
    """The rows of a question to the warehouse."""
    with duckdb.connect(str(warehouse / "lagbook.duckdb"), read_only=True) as connection:
        return connection.execute(sql, values).fetchall()


def incident(warehouse: Path, kind: str, pattern: str) -> str:
    """The id of the incident of a kind and pattern."""
    question = "SELECT incident_id FROM mart.incidents WHERE kind = ? AND pattern = ?"
    return str(query(warehouse, question, kind, pattern)[0][0])


def test_every_claim_has_as_many_records_as_its_row_says(incidents: Path, logs: Path) -> None:
    """Certain and possible ranges of all claims of the recording, counted in the tables and in the files."""
    segments = discover([str(logs)], None).segments
    claims = [
        claim
        for table in ("replays", "skips")
        for certainty in ("certain", "possible")
        for claim in query(
            incidents,
            f"SELECT cluster, topic, partition, {certainty}_from, {certainty}_to, records_{certainty}"  # noqa: S608
            f" FROM mart.{table} WHERE records_{certainty} IS NOT NULL AND {certainty}_from < {certainty}_to",
        )
    ]
    assert len(claims) > 30
    for *place, count in claims:
        wanted = LogRange(*place)
        of_log = [one for one in segments if (one.cluster, one.topic, one.partition) == wanted.log]
        rows, tally = extraction_of(of_log, wanted.from_offset, wanted.to_offset, [])
        assert (len(rows), tally.is_whole) == (count, True), wanted


def test_the_records_of_an_incident_are_written_once_and_never_over(
    lagbook: Lagbook, incidents: Path, tmp_path: Path
) -> None:
    """As many as the audit counts, with their offsets; the second call is refused and changes nothing."""
    output = tmp_path / "never-read.parquet"
    words = ("records", incident(incidents, "skip", "set_forward"), "--to", str(output), "--warehouse", str(incidents))
    done = lagbook(*words)
    assert done.exit_code == 0, done.stderr
    assert "300 records in" in done.stdout
    rows = pq.read_table(output).to_pylist()
    places = {(row["topic"], row["partition"], row["offset"]) for row in rows}
    assert places == {("audit", partition, offset) for partition in range(3) for offset in range(1000, 1100)}
    assert {row["value"] for row in rows if row["partition"] == 1 and row["offset"] == 1000} == {b"audit-1 300"}
    before = output.read_bytes()
    again = lagbook(*words)
    assert (again.exit_code, output.read_bytes()) == (2, before)
    assert "exists" in again.stderr
    assert list(tmp_path.iterdir()) == [output]


def test_a_segment_that_is_gone_is_named_with_its_offsets(
    lagbook: Lagbook, incidents: Path, logs: Path, tmp_path: Path
) -> None:
    """The rest is written, and the call ends with 3."""
    left = tmp_path / "left"
    shutil.copytree(logs, left)
    (left / "audit-1" / "00000000000000000000.log").unlink()
    output, name = tmp_path / "again.jsonl", incident(incidents, "replay", "set_back")
    places = ("--logs", str(left), "--warehouse", str(incidents), "--json")
    done = lagbook("records", name, "--to", str(output), "--value-as", "text", *places)
    assert done.exit_code == 3, done.stderr
    summary = json.loads(done.stdout)
    assert summary["is_whole"] is False
    missing = {one["partition"]: one["missing"] for one in summary["ranges"]}
    assert missing == {0: [], 1: [[420, 670]], 2: []}
    lines = [json.loads(line) for line in output.read_text(encoding="ascii").splitlines()]
    assert len(lines) == summary["records"] == 500
    assert lines[0]["value"] == "audit-0 420"


def test_a_claim_of_a_group_is_cut_to_the_offsets_of_the_call(
    lagbook: Lagbook, incidents: Path, tmp_path: Path
) -> None:
    """What is certain is less than what is possible."""
    claim = ("--group", "admin-reset", "--topic", "audit", "--partition", "0", "--kind", "skip")
    counts = {}
    for certainty in ("certain", "possible"):
        output = tmp_path / f"{certainty}.parquet"
        more = ("--certainty", certainty, "--to", str(output), "--warehouse", str(incidents))
        assert lagbook("records", *claim, *more).exit_code == 0
        counts[certainty] = pq.read_table(output).num_rows
    assert counts == {"certain": 95, "possible": 100}
    cut = ("--offsets", "1050:1060", "--to", str(tmp_path / "cut.parquet"), "--warehouse", str(incidents))
    assert lagbook("records", *claim, *cut).exit_code == 0
    assert pq.read_table(tmp_path / "cut.parquet").column("offset").to_pylist() == list(range(1050, 1060))


def test_a_range_of_a_log_needs_no_warehouse(lagbook: Lagbook, logs: Path, tmp_path: Path) -> None:
    """Without an end it goes to the end of the log."""
    output = tmp_path / "range.jsonl"
    done = lagbook(
        "records",
        "--topic",
        "audit",
        "--partition",
        "2",
        "--offsets",
        "1390:",
        "--logs",
        str(logs),
        "--to",
        str(output),
    )
    assert done.exit_code == 0, done.stderr
    assert [json.loads(line)["offset"] for line in output.read_text().splitlines()] == list(range(1390, 1400))


def test_keys_alone_are_written_once_for_each_partition(lagbook: Lagbook, incidents: Path, tmp_path: Path) -> None:
    """Records without a key are one row of their partition."""
    output = tmp_path / "keys.parquet"
    name = incident(incidents, "replay", "set_back")
    words = ("--keys", "--key-as", "text", "--to", str(output), "--warehouse", str(incidents))
    done = lagbook("records", name, *words)
    assert done.exit_code == 0, done.stderr
    assert "3 keys of 750 records" in done.stdout
    rows = pq.read_table(output).to_pylist()
    assert [(row["partition"], row["key"], row["records"]) for row in rows] == [(n, None, 250) for n in range(3)]
    assert list(tmp_path.iterdir()) == [output]


def test_keys_of_nothing_are_an_empty_file_with_its_columns(lagbook: Lagbook, logs: Path, tmp_path: Path) -> None:
    """And the missing offsets are told."""
    output = tmp_path / "keys.parquet"
    place = ("--topic", "audit", "--partition", "2", "--offsets", "9000:9001", "--logs", str(logs))
    assert lagbook("records", *place, "--keys", "--to", str(output)).exit_code == 3
    table = pq.read_table(output)
    assert (table.num_rows, "first_offset" in table.schema.names) == (0, True)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("0123456789ab",), "is not in this warehouse"),
        ((), "Give INCIDENT"),
        (("0123456789ab", "--topic", "audit"), "leave --topic out"),
        (("--group", "nobody", "--topic", "audit", "--partition", "0"), "nobody is not in this warehouse"),
        (("--group", "admin-reset", "--topic", "audit", "--partition", "9"), "there is no claim"),
        (("--topic", "audit", "--partition", "0", "--offsets", "9:3"), "FROM has to be below TO"),
        (("--topic", "audit", "--partition", "0", "--offsets", "-1:3"), "expected FROM:TO"),
        (("--topic", "no-such", "--partition", "0", "--offsets", "1:"), "no segment of no-such-0"),
        (("--topic", "audit", "--partition", "0", "--offsets", "1:3", "--value-as", "a.b"), "expected bytes, text"),
    ],
)
def test_a_call_that_means_nothing_is_refused(
    lagbook: Lagbook, incidents: Path, tmp_path: Path, words: tuple[str, ...], sentence: str
) -> None:
    """With a sentence, and without a file."""
    done = lagbook("records", *words, "--to", str(tmp_path / "x.parquet"), "--warehouse", str(incidents))
    assert done.exit_code == 2
    assert sentence in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_link_that_leads_nowhere_is_not_written_through(lagbook: Lagbook, logs: Path, tmp_path: Path) -> None:
    """The name is taken, whatever it leads to."""
    output = tmp_path / "x.parquet"
    output.symlink_to(tmp_path / "elsewhere.parquet")
    place = ("--topic", "audit", "--partition", "2", "--offsets", "0:1", "--logs", str(logs))
    assert lagbook("records", *place, "--to", str(output)).exit_code == 2
    assert list(tmp_path.iterdir()) == [output]


def test_a_name_that_says_no_format_is_refused(lagbook: Lagbook, logs: Path, tmp_path: Path) -> None:
    """With --format it is taken."""
    place = ("--topic", "audit", "--partition", "2", "--offsets", "0:1", "--logs", str(logs))
    assert lagbook("records", *place, "--to", str(tmp_path / "x.txt")).exit_code == 2
    assert lagbook("records", *place, "--to", str(tmp_path / "x.txt"), "--format", "jsonl").exit_code == 0
