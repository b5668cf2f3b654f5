"""`lagbook audit` against a small DuckDB file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from assets.tables import TABLES
from tests.dagster_project.cli.conftest import change

if TYPE_CHECKING:
    from pathlib import Path

    from tests.dagster_project.cli.conftest import Lagbook


def test_a_set_back_is_told_in_words(lagbook: Lagbook, warehouse: Path) -> None:
    """Partitions that were set back alike share a sentence: who, what, how much, when, why, and the records behind."""
    result = lagbook("audit", "--group", "admin-reset", "--warehouse", str(warehouse))
    assert result.exit_code == 3, result.output
    finding, why, evidence, summary = result.stdout.splitlines()
    assert finding == "2026-11-18T12:02:00.000Z  group admin-reset re-read offsets 420 to 669 of audit-0, -1 and -2"
    assert why.strip() == "set back from 670 to 420, 250 offsets each; cause: admin reset"
    assert evidence.strip() == "evidence: __consumer_offsets-7, records 1 and 2"
    assert summary == (
        "Looked for offsets that were read again, partitions that changed hands before all was committed, offsets that"
        " were passed over among 5 commits and removals, 2026-11-18T12:01:00.000Z to 2026-11-18T12:05:00.000Z."
    )


def test_what_is_not_certain_is_not_claimed(lagbook: Lagbook, warehouse: Path) -> None:
    """Without a certain range the sentence says `may have`."""
    result = lagbook("audit", "--group", "bounded", "--warehouse", str(warehouse))
    assert "group bounded may have re-read offsets 420 to 669 of audit-0\n" in result.stdout


def test_hand_overs_of_one_member_share_a_sentence(lagbook: Lagbook, warehouse: Path) -> None:
    """What is possible and what is probable of each partition; where probably nothing was read again, nothing."""
    result = lagbook("audit", "--group", "killed", "--warehouse", str(warehouse))
    assert result.exit_code == 3, result.output
    finding, why, evidence, _ = result.stdout.splitlines()
    assert finding == (
        "2026-11-18T12:06:00.000Z  group killed may have re-read some of"
        " orders-0 (offsets 10 to 39, probably 10 to 19) and -1 (offsets 10 and more)"
    )
    assert why.strip() == r"handed over after member m-\x1b[1m at /10.0.0.1; cause: member crash"
    assert evidence.strip() == "evidence: __consumer_offsets-7, records 3, 4 and 9"


def test_hand_overs_that_are_alike_are_told_as_one_range(lagbook: Lagbook, warehouse: Path) -> None:
    """All partitions that the member owned stood at the same offsets."""
    change(
        warehouse,
        "UPDATE mart.replays SET outer_to = 40, estimate_from = 10, estimate_to = 20 WHERE how = 'handed over'",
    )
    result = lagbook("audit", "--group", "killed", "--warehouse", str(warehouse))
    assert "may have re-read offsets 10 to 39 of orders-0, -1 and -2, probably 10 to 19\n" in result.stdout


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
    assert [row["kind"] for row in rows] == ["replay"] * 4 + ["overlap"] * 2 + ["skip"] * 3
    assert [row["partition"] for row in rows] == [0, 1, 2, 0, 0, 1, 0, 0, 0]
    assert {name: value for name, value in rows[0].items() if value is not None} == {
        "kind": "replay",
        "cluster": "c1",
        "group_id": "admin-reset",
        "topic": "audit",
        "partition": 0,
        "how": "set back",
        **dict.fromkeys(("from_offset", "outer_from", "certain_from", "estimate_from"), 420),
        **dict.fromkeys(("to_offset", "outer_to", "certain_to", "estimate_to"), 670),
        "records_outer": 249,
        **dict.fromkeys(("at", "detected_at"), "2026-11-18T12:02:00.000Z"),
        "cause": "admin reset",
        "by": "admin",
        "confidence": "certain",
        "log_partition": 7,
        "log_offset": 2,
        "evidence": [1, 2],
    }
    assert rows[0].keys() == {"kind", *TABLES["mart.replays"].column_names}


@pytest.mark.parametrize(
    ("words", "count"),
    [
        (("--from", "2026-11-18T12:02"), 9),
        (("--from", "2026-11-18T12:02:01"), 5),
        (("--from", "2026-11-18T12:04:01"), 2),
        (("--from", "2026-11-18T12:06:01"), 0),
        (("--to", "2026-11-18T12:02"), 0),
        (("--from", "2026-11-18T12:00", "--to", "2026-11-18T12:03", "--group", "bounded"), 1),
        (("--group", "bounded", "--group", "admin-reset"), 4),
        (("--cluster", "c2"), 0),
        (("--cluster", "c1"), 9),
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
        "Nothing found. Looked for offsets that were read again, partitions that changed hands before all was"
        " committed, offsets that were passed over among 5 commits"
    )


def test_a_window_that_ends_before_it_begins_is_refused(lagbook: Lagbook, warehouse: Path) -> None:
    """Exit code 2 and one sentence, before anything is opened."""
    result = lagbook("audit", "--from", "2026-11-18", "--to", "2026-11-17", "--warehouse", str(warehouse))
    assert result.exit_code == 2
    assert "--from has to be before --to." in result.stderr
