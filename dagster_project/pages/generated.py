"""The list of generated files below `docs`, each with the function that returns its text.

Put here a file and its function. What is in the file is said by the function's module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from assets.catalog import page as tables
from dagster_project.cli import page as commands
from dagster_project.pages import bi, entities, graph_drawing, graph_page, macros

if TYPE_CHECKING:
    from collections.abc import Callable

GENERATED: Final[dict[str, Callable[[], str]]] = {
    "reference/tables.md": tables.page,
    "reference/commands.md": commands.page,
    "reference/macros.md": macros.page,
    "reference/main-tables.md": entities.page,
    "reference/graph.md": graph_page.page,
    "reference/dashboards.md": bi.page,
    "reference/dbt-sources.yml": bi.dbt_sources,
    "reference/sqlmesh-external-models.yaml": bi.sqlmesh_models,
    "diagrams/graph.svg": graph_drawing.drawing,
    "diagrams/entities.svg": entities.drawing,
}
