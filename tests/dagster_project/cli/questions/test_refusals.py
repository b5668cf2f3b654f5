"""Refusals that several commands share: what was mistyped is named, and what it was meant to be."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.dagster_project.cli.conftest import Lagbook

COMMANDS = {
    "audit": ("audit", "--ack"),
    "report": ("report", "--incident"),
    "reset-plan": ("reset-plan", "--incident"),
    "evidence": ("evidence", "--to", "pack.zip"),
    "records": ("records", "--to", "records.jsonl"),
}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_a_mistyped_incident_is_refused_with_the_nearest(
    lagbook: Lagbook, warehouse: Path, words: tuple[str, ...]
) -> None:
    """An id that lost its last letter on the way into a ticket."""
    findings = json.loads(lagbook("audit", "--json", "--warehouse", str(warehouse)).stdout)
    incident = findings[0]["incident_id"]
    result = lagbook(*words, incident[:-1], "--warehouse", str(warehouse))
    assert result.exit_code == 2, result.output
    assert f"incident {incident[:-1]} is not in this warehouse; the nearest are {incident}, " in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_an_incident_of_another_cluster_is_not_called_missing(lagbook: Lagbook, warehouse: Path) -> None:
    """It is there, but not where it was asked for."""
    result = lagbook("report", "--incident", "abc", "--cluster", "c1", "--warehouse", str(warehouse))
    assert "incident abc is not of cluster c1; the nearest are " in result.stderr
