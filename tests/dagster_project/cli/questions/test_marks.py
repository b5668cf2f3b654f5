"""Incidents that are dealt with, and those that are new since the last look, from `lagbook audit`."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from tests.dagster_project.cli.conftest import change

if TYPE_CHECKING:
    from pathlib import Path

    from tests.dagster_project.cli.conftest import Lagbook


def listed(lagbook: Lagbook, warehouse: Path, *words: str) -> list[str]:
    """The ids of the incidents that an audit prints."""
    result = lagbook("audit", *words, "--warehouse", str(warehouse))
    assert result.exit_code in {0, 3}, result.output
    ids = re.findall(r"^\d+\. \w+ ([0-9a-f]{12}) ", result.stdout, re.MULTILINE)
    assert result.exit_code == (3 if ids else 0)
    return ids


def test_what_is_dealt_with_is_left_out_until_that_is_taken_back(lagbook: Lagbook, warehouse: Path) -> None:
    """In words and as JSON; the summary says how many are left out, and a list has the note."""
    where = ("--warehouse", str(warehouse))
    first, *others = listed(lagbook, warehouse)
    done = lagbook("audit", "--ack", first, "--note", "planned \x1b[2J, OPS-12", *where)
    assert (done.exit_code, done.stdout.startswith(f"{first} is acknowledged: 2026-11-18 ")) == (0, True)
    assert listed(lagbook, warehouse) == others
    summary = lagbook("audit", *where).stdout.splitlines()[0]
    assert summary.endswith("Not shown: 1 acknowledged (--acknowledged lists them).")
    assert first not in {row["incident_id"] for row in json.loads(lagbook("audit", "--json", *where).stdout)}
    lines = lagbook("audit", "--acknowledged", *where).stdout
    assert (first in lines, "note: planned \\x1b[2J, OPS-12" in lines, "\x1b" in lines) == (True, True, False)
    (row,) = json.loads(lagbook("audit", "--acknowledged", "--json", *where).stdout)
    assert (row["incident_id"], row["note"], row["severity"]) == (first, "planned \x1b[2J, OPS-12", "high")
    assert lagbook("audit", "--unack", first, *where).exit_code == 0
    assert listed(lagbook, warehouse) == [first, *others]
    assert "no incident is acknowledged" in lagbook("audit", "--acknowledged", *where).stderr


def test_an_incident_that_became_graver_is_shown_again(lagbook: Lagbook, warehouse: Path) -> None:
    """Somebody dealt with what it was then."""
    first, *others = listed(lagbook, warehouse)
    lagbook("audit", "--ack", first, "--warehouse", str(warehouse))
    change(warehouse, "UPDATE mart.incidents SET severity = 'critical' WHERE incident_id = $one", one=first)
    assert listed(lagbook, warehouse) == [first, *others]


def test_an_incident_is_new_once(lagbook: Lagbook, warehouse: Path) -> None:
    """--new shows what it has not shown before, the worst first; another audit changes nothing of that."""
    everything = listed(lagbook, warehouse)
    assert listed(lagbook, warehouse, "--new", "--first", "2") == everything[:2]
    assert listed(lagbook, warehouse) == everything
    assert listed(lagbook, warehouse, "--new", "--group", "admin-reset") == [
        one for one in everything[2:] if one in listed(lagbook, warehouse, "--group", "admin-reset")
    ]
    assert set(listed(lagbook, warehouse, "--new")) < set(everything[2:]) | set(everything)
    assert listed(lagbook, warehouse, "--new") == []
    summary = lagbook("audit", "--new", "--warehouse", str(warehouse)).stdout.splitlines()[0]
    assert f"Not shown: {len(everything)} incidents listed before." in summary
    change(
        warehouse, "UPDATE mart.incidents SET incident_id = 'feedfeedfeed' WHERE incident_id = $one", one=everything[0]
    )
    change(
        warehouse, "UPDATE mart.findings SET incident_id = 'feedfeedfeed' WHERE incident_id = $one", one=everything[0]
    )
    assert listed(lagbook, warehouse, "--new") == ["feedfeedfeed"]


def test_nothing_of_that_changes_the_file(lagbook: Lagbook, warehouse: Path) -> None:
    """The DuckDB file is as it was, byte for byte."""
    before = sha256((warehouse / "lagbook.duckdb").read_bytes()).digest()
    (first, *_) = listed(lagbook, warehouse, "--new")
    lagbook("audit", "--ack", first, "--warehouse", str(warehouse))
    assert sha256((warehouse / "lagbook.duckdb").read_bytes()).digest() == before


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--ack", "../../x"), "incident ../../x is not in this warehouse; the nearest are "),
        (("--unack", "../../x"), "incident ../../x is not acknowledged; `lagbook audit --acknowledged` lists what is."),
        (("--ack", "a", "--new"), "Give one of --new, --ack, --unack and --acknowledged."),
        (("--note", "why"), "--note belongs to --ack."),
    ],
)
def test_a_mistaken_call_writes_nothing(
    lagbook: Lagbook, warehouse: Path, words: tuple[str, ...], sentence: str
) -> None:
    """One sentence, exit code 2."""
    result = lagbook("audit", *words, "--warehouse", str(warehouse))
    assert (result.exit_code, sentence in result.stderr) == (2, True)
    assert [file.name for file in warehouse.iterdir()] == ["lagbook.duckdb"]
