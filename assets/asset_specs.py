"""The assets of tables that models and transforms make, and what Dagster shows of any table, from its declaration.

Put here what is the same for every table. The declarations stand in `assets.catalog`, steps of one table alone in
`assets.raw`, `assets.core` and `assets.marts`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import dagster as dg

from assets.catalog import TABLES
from assets.frontiers import from_transform_with_frontiers
from assets.materialize import from_model, from_transform, from_transform_with_memory, model_reads
from assets.storage.warehouse import Warehouse
from assets.transforms.declaration import TransformWithFrontiers, TransformWithMemory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from assets.catalog import Table
    from assets.materialize import Materialization
    from assets.transforms.declaration import AnyTransform
from assets.materialize import Materialization

OWNERS: Final = ["team:lagbook"]

Store = dg.ResourceParam[Warehouse]


def table_spec(full_name: str, *, deps: Iterable[str] = (), kinds: set[str]) -> dg.AssetSpec:
    """What Dagster's catalogue says of a table: key, group, owners, kinds, description and columns."""
    table = TABLES[full_name]
    return dg.AssetSpec(
        [table.layer, table.name],
        deps=[dg.AssetKey(name.split(".")) for name in sorted(deps)],
        group_name=table.layer,
        owners=OWNERS,
        kinds=kinds,
        description=table.meaning,
        metadata={"dagster/column_schema": column_schema(table)},
    )


def table_asset(
    full_name: str, *, deps: Iterable[str], kinds: set[str]
) -> Callable[[Callable[..., dg.MaterializeResult[None]]], dg.AssetsDefinition]:
    """Decorate the function that makes one table."""
    return dg.multi_asset(specs=[table_spec(full_name, deps=deps, kinds=kinds)], name=full_name.replace(".", "_"))


def model_asset(table: Table) -> dg.AssetsDefinition:
    """The asset of a table that its model makes, from the tables that the model reads."""

    @table_asset(table.full_name, deps=model_reads(table), kinds={"duckdb", "parquet"})
    def materialize(warehouse: Store) -> dg.MaterializeResult[None]:
        """Run the model."""
        return result(warehouse, from_model(warehouse, table))

    return materialize


def transform_asset(table: Table, transform: AnyTransform) -> dg.AssetsDefinition:
    """The asset of a table that a transform makes, from the tables that the transform reads."""

    @table_asset(table.full_name, deps=transform.reads - {table.full_name}, kinds={"python", "parquet"})
    def materialize(warehouse: Store) -> dg.MaterializeResult[None]:
        """Run the transform."""
        return result(warehouse, from_any_transform(warehouse, table, transform))

    return materialize


def from_any_transform(warehouse: Warehouse, table: Table, transform: AnyTransform) -> Materialization:
    """Make a table by its transform, in the way that its kind asks for."""
    if isinstance(transform, TransformWithFrontiers):
        return from_transform_with_frontiers(warehouse, table, transform)
    if isinstance(transform, TransformWithMemory):
        return from_transform_with_memory(warehouse, table, transform)
    return from_transform(warehouse, table, transform)


def column_schema(table: Table) -> dg.TableSchema:
    """The table's columns as Dagster's catalogue shows them."""
    return dg.TableSchema(
        columns=[
            dg.TableColumn(c.name, str(c.type), c.comment, dg.TableColumnConstraints(nullable=not c.required))
            for c in table.columns
        ]
    )


def result(
    warehouse: Warehouse,
    materialization: Materialization,
    facts: Mapping[str, int | float | list[str]] | None = None,
) -> dg.MaterializeResult[None]:
    """What Dagster shows of a materialization: rows, place, whether anything changed, and the step's own facts."""
    table = materialization.table
    return dg.MaterializeResult(
        asset_key=[table.layer, table.name],
        metadata={
            "dagster/row_count": materialization.rows,
            "dagster/uri": warehouse.table_url(table.full_name),
            "dagster/column_schema": column_schema(table),
            "lagbook/unchanged": materialization.unchanged,
            **(facts or {}),
        },
    )
