"""The entity diagram names tables and columns that are in the catalogue."""

from __future__ import annotations

import re

import pytest

from assets.catalog import TABLES
from dagster_project.pages.entities import FIRST_TABLES, GRID, JOINS, Join, drawing, page


@pytest.mark.parametrize("join", JOINS, ids=lambda join: f"{join.table}-{join.other}")
def test_a_join_is_of_columns_that_both_tables_have(join: Join) -> None:
    """Of one type, so that they can be compared."""
    types = [
        (TABLES[join.table].schema.field(one).type, TABLES[join.other].schema.field(other).type)
        for one, other in join.columns
    ]
    assert types
    assert all(one == other for one, other in types)


def test_every_joined_table_has_its_place() -> None:
    """No two at one."""
    assert {name for join in JOINS for name in (join.table, join.other)} <= GRID.keys()
    assert len(set(GRID.values())) == len(GRID)


def test_a_box_lists_the_key_of_its_table() -> None:
    """In the order of the catalogue, below the table's name."""
    texts = re.findall(r"<text [^>]*>([^<]*)</text>", drawing())
    for name in GRID:
        place = texts.index(name) + 1
        key = TABLES[name].key
        assert tuple(texts[place : place + len(key)]) == key


def test_the_page_describes_the_tables_to_know_first() -> None:
    """Eight, each with its meaning."""
    assert len(FIRST_TABLES) == 8
    assert all(TABLES[name].meaning in page() for name in FIRST_TABLES)
