"""The graph of the docs is Dagster's: every table and dependency; lines that follow from others are left out."""

from __future__ import annotations

import re
from itertools import combinations

from assets.catalog import TABLES
from dagster_project.pages import graph_page
from dagster_project.pages.graph import Step, ancestors, inputs_of, parents, steps
from dagster_project.pages.graph_drawing import drawing, drawn_steps, place_boxes


def test_every_table_of_the_catalogue_is_in_the_graph() -> None:
    """And nothing else, but the DuckDB file, which is not drawn."""
    assert sorted(table for step in drawn_steps() for table in step.tables) == sorted(TABLES)


def test_a_dependency_that_follows_from_another_is_left_out() -> None:
    """The third step reads the first, but so does the second, which the third reads too."""
    chain = [
        Step("one", ("a",), frozenset()),
        Step("two", ("b",), frozenset({"a"})),
        Step("three", ("c",), frozenset({"a", "b"})),
    ]
    assert parents(chain) == {"one": set(), "two": {"one"}, "three": {"two"}}


def test_leaving_lines_out_loses_no_dependency() -> None:
    """Whatever a step reads is still above it."""
    above = parents(steps())
    writer = {table: step.name for step in steps() for table in step.tables}
    for step in steps():
        assert {writer[table] for table in step.reads} <= ancestors(step.name, above)


def test_no_two_boxes_overlap() -> None:
    """Boxes have room for themselves, inside the page."""
    for one, other in combinations(place_boxes().values(), 2):
        beside = one.x + one.width <= other.x or other.x + other.width <= one.x
        below = one.y + one.height <= other.y or other.y + other.height <= one.y
        assert beside or below, (one.step.name, other.step.name)


def test_a_step_is_below_the_steps_that_it_reads() -> None:
    """So all lines lead down."""
    boxes = place_boxes()
    for name, above in parents(drawn_steps()).items():
        assert all(boxes[parent].y + boxes[parent].height < boxes[name].y for parent in above), name


def test_the_drawing_names_every_table() -> None:
    """Each once, as a text."""
    texts = re.findall(r"<text [^>]*>([^<]*)</text>", drawing())
    assert {name: texts.count(name) for name in TABLES} == dict.fromkeys(TABLES, 1)


def test_the_page_lists_the_declared_inputs_of_a_table() -> None:
    """In the row of mart.incidents stand its inputs, as links."""
    row = next(line for line in graph_page.page().splitlines() if line.startswith("| [mart.incidents]"))
    assert re.findall(r"\[([\w.]+)\]", row.split("|")[2]) == inputs_of("mart.incidents") != []
