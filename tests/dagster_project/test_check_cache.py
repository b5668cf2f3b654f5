"""That verdicts are kept for exactly as long as the table and its rules stay what they were."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from dagster_project.check_cache import FILE, fingerprint, recall, remember
from dagster_project.verdicts import Verdict
from expectations.suites import SUITES
from parsers.errors import WarehouseError

if TYPE_CHECKING:
    from assets.storage.warehouse import Warehouse
    from tests.dagster_project.conftest import Fill

TABLE: Final = "mart.offsets_now"
RULES: Final = SUITES[TABLE]
VERDICTS: Final = {"one_offset": Verdict(holds=False, broken_count=2, broken="[5]")}


def test_verdicts_come_back_for_the_same_table(warehouse: Warehouse, fill: Fill) -> None:
    """What was kept is found, to the letter."""
    fill(TABLE, [])
    asked = fingerprint(warehouse, TABLE, RULES)
    remember(warehouse, TABLE, asked, VERDICTS)
    assert recall(warehouse, TABLE, fingerprint(warehouse, TABLE, RULES)) == VERDICTS


def test_nothing_comes_back_after_a_commit(warehouse: Warehouse, fill: Fill) -> None:
    """A table that changed must be judged."""
    fill(TABLE, [])
    remember(warehouse, TABLE, fingerprint(warehouse, TABLE, RULES), VERDICTS)
    fill(TABLE, [])
    assert recall(warehouse, TABLE, fingerprint(warehouse, TABLE, RULES)) == {}


def test_nothing_comes_back_for_other_rules(warehouse: Warehouse, fill: Fill) -> None:
    """A rule that was added or changed must be asked."""
    fill(TABLE, [])
    remember(warehouse, TABLE, fingerprint(warehouse, TABLE, RULES), VERDICTS)
    assert recall(warehouse, TABLE, fingerprint(warehouse, TABLE, RULES[1:])) == {}


@pytest.mark.parametrize("kept", ["", '{"of": "', "{}"], ids=["empty", "cut off", "of nothing"])
def test_damaged_memory_is_no_memory(warehouse: Warehouse, fill: Fill, kept: str) -> None:
    """A run that died while it wrote leaves the table to be judged again."""
    fill(TABLE, [])
    Path(warehouse.table_url(TABLE), FILE).write_text(kept, encoding="utf-8")
    assert recall(warehouse, TABLE, fingerprint(warehouse, TABLE, RULES)) == {}


def test_memory_does_not_change_the_table(warehouse: Warehouse, fill: Fill) -> None:
    """The file lies beside the table's files and is none of them."""
    fill(TABLE, [])
    version, files = warehouse.version(TABLE), warehouse.files(TABLE)
    remember(warehouse, TABLE, fingerprint(warehouse, TABLE, RULES), VERDICTS)
    assert (warehouse.version(TABLE), warehouse.files(TABLE)) == (version, files)


def test_warehouse_that_cannot_be_written_is_named(warehouse: Warehouse) -> None:
    """The sentence says where."""
    folder = Path(warehouse.table_url(TABLE))
    (folder / FILE).mkdir(parents=True)
    with pytest.raises(WarehouseError, match=FILE):
        remember(warehouse, TABLE, "anything", VERDICTS)
