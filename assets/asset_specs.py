"""What Dagster is told about a table: its columns, rows and place, from the one description of it.

Put here metadata only. The description itself stands in `assets.catalog`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import dagster as dg

from assets.catalog import TABLES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from assets.catalog import Table
    from assets.materialize import Made
    from assets.storage.warehouse import Warehouse

OWNERS: Final = ["team:lagbook"]


def table_spec(full_name: str, *, deps: Sequence[str] = (), kinds: set[str]) -> dg.AssetSpec:
    """What Dagster's catalogue says of a table: key, group, owners, kinds, description and columns."""
    table = TABLES[full_name]
    return dg.AssetSpec(
        [table.layer, table.name],
        deps=[dg.AssetKey(name.split(".")) for name in deps],
        group_name=table.layer,
        owners=OWNERS,
        kinds=kinds,
        description=table.meaning,
        metadata={"dagster/column_schema": column_schema(table)},
    )


def table_asset(
    full_name: str, *, deps: Sequence[str], kinds: set[str]
) -> Callable[[Callable[..., dg.MaterializeResult[None]]], dg.AssetsDefinition]:
    """Decorate the function that makes one table."""
    return dg.multi_asset(specs=[table_spec(full_name, deps=deps, kinds=kinds)], name=full_name.replace(".", "_"))


def column_schema(table: Table) -> dg.TableSchema:
    """The table's columns as Dagster's catalogue shows them."""
    return dg.TableSchema(
        columns=[
            dg.TableColumn(c.name, str(c.type), c.meaning, dg.TableColumnConstraints(nullable=not c.required))
            for c in table.columns
        ]
    )


def result(
    warehouse: Warehouse, made: Made, told: Mapping[str, int | float | list[str]] | None = None
) -> dg.MaterializeResult[None]:
    """What a materialization says: rows, place, whether anything changed, and what the step tells besides."""
    table = made.table
    return dg.MaterializeResult(
        asset_key=[table.layer, table.name],
        metadata={
            "dagster/row_count": made.rows,
            "dagster/uri": warehouse.table_url(table.full_name),
            "dagster/column_schema": column_schema(table),
            "lagbook/unchanged": made.unchanged,
            **(told or {}),
        },
    )
