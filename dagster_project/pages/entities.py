"""The main tables as an entity diagram: their keys from the catalogue, and the columns by which they join.

Put here which tables are drawn and how they join. What a table has is declared in `assets.catalog`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from assets.catalog import TABLES
from dagster_project.pages.svg import box, curve, document, words

FIRST_TABLES: Final = (
    *("mart.incidents", "mart.findings", "mart.replays", "mart.skips"),
    *("mart.lag", "mart.rebalances", "core.commits", "core.ownership"),
)
"""The tables to know first."""


@dataclass(frozen=True, slots=True)
class Join:
    """A table whose rows each name a row of another table."""

    table: str
    other: str
    columns: tuple[tuple[str, str], ...]
    """Columns of the first beside those of the other."""


def _same(*names: str) -> tuple[tuple[str, str], ...]:
    return tuple((name, name) for name in names)


RECORD: Final = _same("cluster", "log_partition", "log_offset")
"""The identity of a record of the offsets topic, by which most tables name the record that they rest on."""
CLAIM: Final = (*RECORD, *_same("group_id", "topic", "partition"))
JOINS: Final = (
    Join("mart.findings", "mart.incidents", _same("cluster", "incident_id")),
    Join("mart.findings", "mart.replays", CLAIM),
    Join("mart.findings", "mart.skips", CLAIM),
    Join("mart.replays", "core.commits", RECORD),
    Join("mart.skips", "core.commits", RECORD),
    Join("mart.lag", "core.commits", RECORD),
    Join("core.commits", "raw.offset_records", RECORD),
    Join("core.commits", "raw.external_commits", RECORD),
    Join("core.ownership", "raw.offset_records", RECORD),
    Join("mart.partition_moves", "mart.rebalances", (*RECORD[:2], ("rebalance_log_offset", "log_offset"))),
)
GRID: Final = {
    "mart.incidents": (1, 0),
    "mart.findings": (1, 1),
    "mart.replays": (0, 2),
    "mart.skips": (2, 2),
    "core.commits": (1, 3),
    "mart.lag": (0, 3),
    "core.ownership": (2, 3),
    "raw.offset_records": (1, 4),
    "raw.external_commits": (0, 4),
    "mart.rebalances": (2, 0),
    "mart.partition_moves": (2, 1),
}
"""Column and row of each table."""
TOPS: Final = (10, 150, 350, 550, 750)
WIDTH: Final = 960
HEIGHT: Final = 850
BOX: Final = 240
LINE: Final = 15
TITLE: Final = "The main tables, their keys, and which table names rows of which"
PAGE: Final = """# Main tables

Written by `python -m dagster_project.pages` from the catalogue; do not edit by hand. All tables are in
[tables](tables.md).

## To know first

{first}

## How they join

Boxes list the key of a table. An arrow leads from a table to another of which its rows name one.

[![{title}](../diagrams/entities.svg)](../diagrams/entities.svg)

{joins}
"""


def page() -> str:
    """The docs page: the tables to know first, the drawing, and the columns of each join."""
    first = [f"| [{name}]({_anchor(name)}) | {TABLES[name].meaning} |" for name in FIRST_TABLES]
    joins = [f"| {join.table} | {join.other} | {_condition(join)} |" for join in JOINS]
    return PAGE.format(
        first="\n".join(["| table | content |", "|---|---|", *first]),
        title=TITLE,
        joins="\n".join(["| table | names a row of | by |", "|---|---|---|", *joins]),
    )


def drawing() -> str:
    """The drawing: an arrow for each join, under a box for each table."""
    arrows = [_arrow(join) for join in JOINS]
    return document(WIDTH, HEIGHT, TITLE, [*arrows, *(part for name in GRID for part in _table(name))])


def _anchor(name: str) -> str:
    return f"tables.md#{name.replace('.', '')}"


def _condition(join: Join) -> str:
    return ", ".join(f"`{one}`" if one == other else f"`{one}` = `{other}`" for one, other in join.columns)


def _corner(name: str) -> tuple[float, float]:
    column, row = GRID[name]
    return 20 + column * (WIDTH - 40 - BOX) / 2, TOPS[row]


def _height(name: str) -> float:
    return (len(TABLES[name].key) + 2) * LINE + 20


def _table(name: str) -> list[str]:
    """Name, key, and how many columns there are besides."""
    x, y = _corner(name)
    table = TABLES[name]
    rest = len(table.columns) - len(table.key)
    key = [words(x + 12, y + (2 + number) * LINE + 8, column, "left") for number, column in enumerate(table.key)]
    return [
        box(x, y, BOX, _height(name), table.layer),
        words(x + 12, y + LINE + 3, name, "left name"),
        *key,
        words(x + 12, y + _height(name) - 7, f"and {rest} more columns", "left soft"),
    ]


def _arrow(join: Join) -> str:
    """From the edge of one box to the edge of the other that faces it."""
    (x, y), (other_x, other_y) = _corner(join.table), _corner(join.other)
    marked = ' marker-end="url(#head)"'
    middle, other_middle = x + BOX / 2, other_x + BOX / 2
    if y == other_y:
        begin, end = (x + BOX, other_x) if x < other_x else (x, other_x + BOX)
        return f'<path{marked} d="M{begin:g} {y + 40:g}H{end:g}"/>'
    if y < other_y:
        return curve((middle, y + _height(join.table)), (other_middle, other_y), marked)
    return curve((middle, y), (other_middle, other_y + _height(join.other)), marked)
