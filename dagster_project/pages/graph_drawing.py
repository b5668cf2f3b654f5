"""The asset graph as a drawing: steps from the top down, each below the steps whose tables it reads.

Put here where boxes are placed. Which steps there are is said by `graph`, how a box looks by `svg`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from dagster_project.pages.graph import parents, steps
from dagster_project.pages.svg import box, curve, document, words

if TYPE_CHECKING:
    from dagster_project.pages.graph import Step

FILE: Final = "lagbook.duckdb"
WIDTH: Final = 960
MARGIN: Final = 10
ACROSS: Final = 5
"""So many boxes fit beside each other."""
CELL: Final = (WIDTH - 2 * MARGIN) / ACROSS
GAP: Final = 8
LINE: Final = 15
BETWEEN: Final = 34
TITLE: Final = "Which step makes which tables, from the tables of which other steps"


@dataclass(frozen=True, slots=True)
class Box:
    """A step at its place."""

    step: Step
    x: float
    y: float
    width: float
    columns: int

    @property
    def height(self) -> float:
        """As many lines as its tables fill; a step of several tables has its name above them."""
        lines = -(-len(self.step.tables) // self.columns) + (len(self.step.tables) > 1)
        return lines * LINE + 10

    @property
    def layer(self) -> str:
        """The layer that names its colour."""
        return self.step.tables[0].split(".")[0]

    def nearest(self, x: float) -> float:
        """The place on its edge that is nearest to x, away from the corners."""
        return min(max(x, self.x + CELL / 2 - GAP), self.x + self.width - CELL / 2 + GAP)


def drawing() -> str:
    """The drawing of all steps that write tables; a pointer over a box marks the lines to and from it."""
    boxes = place_boxes()
    above = parents(drawn_steps())
    lines = [_line(boxes[parent], boxes[name]) for name in above for parent in sorted(above[name])]
    parts = [part for one in boxes.values() for part in _draw(one)]
    rules = "".join(
        f"svg:has(#{name}:hover) .{name} {{ stroke: var(--accent); stroke-width: 2; }}\n" for name in sorted(boxes)
    )
    bottom = max(one.y + one.height for one in boxes.values())
    return document(WIDTH, bottom + MARGIN, TITLE, [*lines, *parts], rules)


def drawn_steps() -> list[Step]:
    """All steps but the one that writes the DuckDB file, which reads every table."""
    return [step for step in steps() if FILE not in step.tables]


def place_boxes() -> dict[str, Box]:
    """Every step's box, by its name: rows of equal distance from the sources, few boxes beside each other."""
    above = parents(drawn_steps())
    depth = {step: _depth(step.name, above) for step in drawn_steps()}
    boxes: dict[str, Box] = {}
    y: float = MARGIN
    for _, group in groupby(sorted(depth, key=depth.__getitem__), key=depth.__getitem__):
        for line in _lines(sorted(group, key=lambda step: _middle(step, above, boxes))):
            row = _row(line, y)
            boxes |= {one.step.name: one for one in row}
            y += max(one.height for one in row) + BETWEEN
    return boxes


def _line(parent: Box, child: Box) -> str:
    """The line from one box down to another."""
    middle = child.x + child.width / 2
    marked = f' class="{parent.step.name} {child.step.name}"'
    return curve((parent.nearest(middle), parent.y + parent.height), (middle, child.y), marked)


def _draw(one: Box) -> list[str]:
    return [f'<g id="{one.step.name}">', box(one.x, one.y, one.width, one.height, one.layer), *_labels(one), "</g>"]


def _labels(one: Box) -> list[str]:
    if len(one.step.tables) == 1:
        return [words(one.x + one.width / 2, one.y + LINE + 2, one.step.tables[0])]
    cell = one.width / one.columns
    names = [
        words(one.x + (number % one.columns + 0.5) * cell, one.y + (number // one.columns + 2) * LINE + 2, table)
        for number, table in enumerate(one.step.tables)
    ]
    return [words(one.x + one.width / 2, one.y + LINE + 1, one.step.name, "name"), *names]


def _depth(name: str, above: dict[str, set[str]]) -> int:
    return 1 + max((_depth(parent, above) for parent in above[name]), default=-1)


def _middle(step: Step, above: dict[str, set[str]], boxes: dict[str, Box]) -> tuple[float, str]:
    """Where the steps above are on average, so that lines cross little."""
    places = [boxes[name].x + boxes[name].width / 2 for name in above[step.name]]
    return (sum(places) / len(places) if places else 0, step.name)


def _lines(row: list[Step]) -> list[list[Step]]:
    """Steps of several tables take a line for themselves; of the others some stand beside each other."""
    wide = [[step] for step in row if len(step.tables) > 1]
    single = [step for step in row if len(step.tables) == 1]
    count = -(-len(single) // ACROSS)
    return [*wide, *(single[number::count] for number in range(count))]


def _row(line: list[Step], y: float) -> list[Box]:
    """The boxes of a line, in the middle of the page."""
    if len(line[0].tables) > 1:
        return [Box(line[0], MARGIN, y, WIDTH - 2 * MARGIN, ACROSS)]
    left = (WIDTH - len(line) * CELL) / 2
    boxes = [Box(step, left + number * CELL + GAP / 2, y, CELL - GAP, 1) for number, step in enumerate(line)]
    return sorted(boxes, key=attrgetter("x"))
