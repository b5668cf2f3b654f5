"""The docs page of the asset graph: the drawing, and for each table its inputs and its readers.

Put here how the page looks. What the graph is is said by `graph`.
"""

from __future__ import annotations

from typing import Final

from dagster_project.pages.graph import inputs_of
from dagster_project.pages.graph_drawing import drawn_steps

HEAD: Final = """# Asset graph

Written by `python -m dagster_project.pages` from Dagster's definitions; do not edit by hand.

Each box is a step of a run and has the tables that the step writes. A line leads from a step to one that reads its
tables; a line that follows from two others is left out. Colours are layers: grey `raw`, blue `core`, dashed `internal`,
orange `mart`. A last step, which is not drawn, writes all tables into `lagbook.duckdb`. Open the drawing by itself and
point to a box: its lines are marked.

[![The steps of a run and their tables](../diagrams/graph.svg)](../diagrams/graph.svg)

## Inputs and readers

| table | made from | read by |
|---|---|---|
"""


def page() -> str:
    """The whole page."""
    tables = [table for step in drawn_steps() for table in step.tables]
    inputs = {table: inputs_of(table) for table in tables}
    readers = {table: sorted(name for name, read in inputs.items() if table in read) for table in tables}
    rows = [f"| {_links([table])} | {_links(inputs[table])} | {_links(readers[table])} |" for table in sorted(tables)]
    return HEAD + "\n".join(rows) + "\n"


def _links(names: list[str]) -> str:
    return ", ".join(f"[{name}](tables.md#{name.replace('.', '')})" for name in names)
