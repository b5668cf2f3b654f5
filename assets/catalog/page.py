"""The docs page of the tables.

Put here how the page looks. What it says stands in the rooms of the layers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa

from assets.catalog import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assets.catalog import Column, Table

HEAD: Final = """# Tables

Made by `python -m dagster_project.pages`; do not edit by hand. Columns marked with a star are never NULL;
those marked with a circle (°) are in no file: DuckDB works them out from the others.
In `raw` numbers are as Kafka recorded them; in the other layers unknown is NULL. A column with listed values has no
others.
"""


def page() -> str:
    """The whole page."""
    return "\n".join([HEAD, *(line for table in TABLES.values() for line in _section(table))])


def _section(table: Table) -> Iterator[str]:
    yield f"## {table.full_name}\n\n{table.meaning}\n\nKey: {', '.join(table.key)}.\n"
    yield "| column | type | meaning |\n|---|---|---|"
    for column in table.columns:
        mark = "*" if column.required else "°" if column.derived else ""
        yield f"| {column.name}{mark} | {_type_name(column.type)} | {_meaning(column)} |"
    yield ""


def _meaning(column: Column) -> str:
    """What it means, with each of its values."""
    values = (f"`{value}`: {meaning}" for value, meaning in column.values.items())
    return "<br>".join([column.meaning, *values])


def _type_name(kind: pa.DataType) -> str:
    """Nested types are named by their outer shape; their fields are in the schema of every file."""
    if pa.types.is_struct(kind):
        return "struct of " + ", ".join(field.name for field in kind)
    if pa.types.is_list(kind):
        return f"list of {_type_name(kind.value_type)}"
    return str(kind)
