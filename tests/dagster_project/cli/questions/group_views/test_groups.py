"""`lagbook groups` against a small DuckDB file with the real macros."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.dagster_project.cli.conftest import HOSTILE, LONG, STABLE, change

if TYPE_CHECKING:
    from pathlib import Path

    from tests.dagster_project.cli.conftest import Lagbook


def names(lagbook: Lagbook, warehouse: Path, *words: str) -> list[str]:
    """The groups that the command lists, in its order."""
    result = lagbook("groups", *words, "--json", "--warehouse", str(warehouse))
    assert result.exit_code == 0, result.output
    return [row["group_id"] for row in json.loads(result.stdout)]


def test_every_group_has_a_row(lagbook: Lagbook, warehouse: Path) -> None:
    """State, type, members, partitions, lag, last commit and incidents; what is not known is a dash."""
    change(warehouse, STABLE)
    result = lagbook("groups", "--warehouse", str(warehouse))
    assert result.exit_code == 0, result.output
    rows = [line.split() for line in result.stdout.splitlines()]
    assert rows[0] == ["GROUP", "STATE", "TYPE", "MEMBERS", "PARTS", "LAG", "WORST", "COMMIT", "INCIDENTS"]
    assert rows[1] == ["admin-reset", "-", "-", "-", "1", "100", "100", "2m", "1"]
    assert rows[-1] == ["owner", "Stable", "classic", "1", "1", "-", "-", "-", "0"]
    assert "4 groups: " in result.stderr
    assert "lagbook: As of 2026-11-18 12:05:00 UTC" in result.stderr


def test_a_name_is_shown_as_a_shell_takes_it_back(lagbook: Lagbook, warehouse: Path) -> None:
    """Nothing of it acts on the terminal; one that is far too long is cut."""
    table = lagbook("groups", "--warehouse", str(warehouse)).stdout
    assert "$'evil\\x1b[2J\\xe2\\x80\\xaegroup\\x0a<b>\\'; DROP TABLE x; --'" in table
    assert "nnn...(+31904 characters)" in table
    assert names(lagbook, warehouse) == ["admin-reset", HOSTILE, LONG, "owner"]


def test_an_instant_has_the_groups_of_then(lagbook: Lagbook, warehouse: Path) -> None:
    """With what they had committed, and the incidents that had been noticed."""
    result = lagbook("groups", "--at", "2026-11-18T12:01:30", "--json", "--warehouse", str(warehouse))
    rows = {row["group_id"]: row for row in json.loads(result.stdout)}
    assert set(rows) == {"admin-reset", "owner"}
    assert (rows["admin-reset"]["last_commit_at"], rows["admin-reset"]["incidents"]) == ("2026-11-18T12:01:00.000Z", 0)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--state", "stable"), ["owner"]),
        (("--state", "stable,dead", "--type", "classic"), ["owner"]),
        (("--type", "consumer", "--type", "share"), []),
        (("--sort", "lag"), ["owner", HOSTILE, LONG, "admin-reset"]),
        (("--sort", "members"), ["admin-reset", HOSTILE, LONG, "owner"]),
        (("--sort", "commit"), ["owner", "admin-reset", HOSTILE, LONG]),
        (("--sort", "incidents"), ["admin-reset", HOSTILE, LONG, "owner"]),
    ],
)
def test_groups_are_chosen_and_sorted(
    lagbook: Lagbook, warehouse: Path, words: tuple[str, ...], expected: list[str]
) -> None:
    """By state and type in any case, and by what counts; a group of which that is not known comes first."""
    change(warehouse, STABLE)
    assert names(lagbook, warehouse, *words) == expected


def test_a_group_that_the_coordinator_forgot_is_not_listed(lagbook: Lagbook, warehouse: Path) -> None:
    """As in the tool: Dead, and without offsets."""
    change(
        warehouse,
        "INSERT INTO core.group_states BY NAME SELECT 'c1' AS cluster, 7 AS log_partition, 'gone' AS group_id, 90 AS"
        " log_offset, 'Dead' AS state, '2026-11-18 12:04Z'::TIMESTAMPTZ AS from_at, 'record' AS source",
    )
    assert "gone" not in names(lagbook, warehouse)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [(("--state", "stabel"), "'stabel' is not one of"), (("--type", "old"), "'old' is not one of")],
)
def test_a_word_that_no_state_has_is_refused(
    lagbook: Lagbook, warehouse: Path, words: tuple[str, ...], sentence: str
) -> None:
    """With the words that there are."""
    result = lagbook("groups", *words, "--warehouse", str(warehouse))
    assert result.exit_code == 2
    assert sentence in result.stderr
