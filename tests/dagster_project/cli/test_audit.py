"""`lagbook audit` against a small DuckDB file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.dagster_project.cli.conftest import Lagbook


def test_a_rewind_is_told_in_words(lagbook: Lagbook, warehouse: Path) -> None:
    """Partitions that were set back alike share a sentence: who, what, how much, when, why, and the records behind."""
    result = lagbook("audit", "--group", "admin-reset", "--warehouse", str(warehouse))
    assert result.exit_code == 3, result.output
    finding, why, evidence, summary = result.stdout.splitlines()
    assert finding == "2026-11-18T12:02:00.000Z  group admin-reset re-read offsets 420 to 669 of audit-0, -1 and -2"
    assert why.strip() == "set back from 670 to 420, 250 offsets each; cause: admin reset"
    assert evidence.strip() == "evidence: __consumer_offsets-7, records 2, 2 and 2; before them 1, 1 and 1"
    assert summary == (
        "Looked for commits that went backwards, offsets that were passed over among 5 commits and removals,"
        " 2026-11-18T12:01:00.000Z to 2026-11-18T12:05:00.000Z."
    )


def test_what_is_not_certain_is_not_claimed(lagbook: Lagbook, warehouse: Path) -> None:
    """Without a certain range the sentence says `may have`."""
    result = lagbook("audit", "--group", "bounded", "--warehouse", str(warehouse))
    assert "group bounded may have re-read offsets 420 to 669 of audit-0\n" in result.stdout


@pytest.mark.parametrize(
    ("confidence", "claim"),
    [
        ("certain", "never read offsets 20 to 29 of late-0"),
        ("inferred", "probably never read offsets 10 to 24 of late-0, at most to 29"),
        ("bounded", "may never have read offsets 10 to 29 of late-0"),
    ],
)
def test_a_skip_is_told_as_sure_as_it_is(lagbook: Lagbook, warehouse: Path, confidence: str, claim: str) -> None:
    """Flatly, as probable, or as possible; with what was done, why, and the records behind it."""
    result = lagbook("audit", "--group", f"late-{confidence}", "--warehouse", str(warehouse))
    assert result.exit_code == 3, result.output
    finding, why, evidence, _ = result.stdout.splitlines()
    assert finding == f"2026-11-18T12:04:00.000Z  group late-{confidence} {claim}"
    assert why.strip() == "set forward from 10 to 30, 20 offsets; cause: admin reset"
    assert evidence.strip() == "evidence: __consumer_offsets-7, records 6, 7 and 8"


def test_json_has_every_column_of_the_mart(lagbook: Lagbook, warehouse: Path) -> None:
    """Rows carry the kind of the finding, half-open ranges, the time in UTC and the position in the log."""
    result = lagbook("audit", "--json", "--warehouse", str(warehouse))
    assert result.exit_code == 3
    rows = json.loads(result.stdout)
    assert [row["kind"] for row in rows] == ["rewind"] * 4 + ["skip"] * 3
    assert [row["partition"] for row in rows] == [0, 1, 2, 0, 0, 0, 0]
    assert rows[0] == {
        "kind": "rewind",
        "cluster": "c1",
        "group_id": "admin-reset",
        "topic": "audit",
        "partition": 0,
        "from_offset": 420,
        "to_offset": 670,
        "certain_from": 420,
        "certain_to": 670,
        "at": "2026-11-18T12:02:00.000Z",
        "confidence": "certain",
        "cause": "admin reset",
        "commit_before_log_offset": 1,
        "log_partition": 7,
        "log_offset": 2,
    }


@pytest.mark.parametrize(
    ("words", "count"),
    [
        (("--from", "2026-11-18T12:02"), 7),
        (("--from", "2026-11-18T12:02:01"), 3),
        (("--from", "2026-11-18T12:04:01"), 0),
        (("--to", "2026-11-18T12:02"), 0),
        (("--from", "2026-11-18T12:00", "--to", "2026-11-18T12:03", "--group", "bounded"), 1),
        (("--group", "bounded", "--group", "admin-reset"), 4),
        (("--cluster", "c2"), 0),
        (("--cluster", "c1"), 7),
    ],
)
def test_the_window_is_half_open(lagbook: Lagbook, warehouse: Path, words: tuple[str, ...], count: int) -> None:
    """--from is included, --to is not; groups and clusters narrow; the exit code says whether anything was found."""
    result = lagbook("audit", "--json", *words, "--warehouse", str(warehouse))
    assert len(json.loads(result.stdout)) == count
    assert result.exit_code == (3 if count else 0)


def test_nothing_found_says_what_was_looked_at(lagbook: Lagbook, warehouse: Path) -> None:
    """An empty audit names what it looked for and among how much, and ends with 0."""
    result = lagbook("audit", "--group", "owner", "--warehouse", str(warehouse))
    assert result.exit_code == 0
    assert result.stdout.startswith(
        "Nothing found. Looked for commits that went backwards, offsets that were passed over among 5 commits"
    )


def test_a_window_that_ends_before_it_begins_is_refused(lagbook: Lagbook, warehouse: Path) -> None:
    """Exit code 2 and one sentence, before anything is opened."""
    result = lagbook("audit", "--from", "2026-11-18", "--to", "2026-11-17", "--warehouse", str(warehouse))
    assert result.exit_code == 2
    assert "--from has to be before --to." in result.stderr
