"""That verdicts are remembered with the files that they are about, for as long as the rules stay what they were."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from dagster_project.rules.check_cache import FILE, Memory, fingerprint, recall, remember
from dagster_project.rules.rules_in_sql import rules_of
from dagster_project.rules.verdicts import Verdict
from parsers.errors import WarehouseError

if TYPE_CHECKING:
    from assets.storage.warehouse import Warehouse
    from tests.dagster_project.conftest import Fill

TABLE: Final = "mart.offsets_now"
RULES: Final = rules_of(TABLE)
MEMORY: Final = Memory(
    fingerprint(RULES),
    frozenset({"a/rows.parquet", "b/rows.parquet"}),
    {"one_offset": Verdict(holds=False, broken_count=2, broken="[5]", is_at_least=True)},
    {"one_offset": frozenset({"b/rows.parquet"})},
)


def test_what_is_remembered_comes_back(warehouse: Warehouse, fill: Fill) -> None:
    """To the letter."""
    fill(TABLE, [])
    remember(warehouse, TABLE, MEMORY)
    assert recall(warehouse, TABLE, fingerprint(RULES)) == MEMORY


def test_nothing_comes_back_for_other_rules(warehouse: Warehouse, fill: Fill) -> None:
    """A rule that was added or changed must be asked."""
    fill(TABLE, [])
    remember(warehouse, TABLE, MEMORY)
    assert recall(warehouse, TABLE, fingerprint(RULES[1:])) is None


@pytest.mark.parametrize("content", ["", '{"of": "', "{}"], ids=["empty", "cut off", "of nothing"])
def test_damaged_memory_is_no_memory(warehouse: Warehouse, fill: Fill, content: str) -> None:
    """A run that died while it wrote leaves the table to be judged again."""
    fill(TABLE, [])
    Path(warehouse.table_url(TABLE), FILE).write_text(content, encoding="utf-8")
    assert recall(warehouse, TABLE, fingerprint(RULES)) is None


def test_a_flipped_bit_is_no_memory(warehouse: Warehouse, fill: Fill) -> None:
    """It would be another count of rows, another rule, or a traceback."""
    fill(TABLE, [])
    remember(warehouse, TABLE, MEMORY)
    path = Path(warehouse.table_url(TABLE), FILE)
    text = path.read_text("utf-8")
    for word, flipped in (('"broken_count": 2', '"broken_count": 3'), ('"holds"', '"iolds"'), ('"files"', '"fimes"')):
        assert word in text
        path.write_text(text.replace(word, flipped), encoding="utf-8")
        assert recall(warehouse, TABLE, fingerprint(RULES)) is None


def test_memory_does_not_change_the_table(warehouse: Warehouse, fill: Fill) -> None:
    """The file lies beside the table's files and is none of them."""
    fill(TABLE, [])
    version, files = warehouse.version(TABLE), warehouse.files(TABLE)
    remember(warehouse, TABLE, MEMORY)
    assert (warehouse.version(TABLE), warehouse.files(TABLE)) == (version, files)


def test_warehouse_that_cannot_be_written_is_named(warehouse: Warehouse) -> None:
    """The sentence says where."""
    folder = Path(warehouse.table_url(TABLE))
    (folder / FILE).mkdir(parents=True)
    with pytest.raises(WarehouseError, match=FILE):
        remember(warehouse, TABLE, MEMORY)
