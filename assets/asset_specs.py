"""Dagster's assets, made of the steps: what its catalogue shows of each table, and how it runs one.

Put here what Dagster needs of a step; it is the one module of `assets` that knows Dagster. What a step does stands in
`assets.raw`, `assets.core` and `assets.marts`.
"""

from collections.abc import Iterator
from typing import Final

import dagster as dg

from assets.catalog import TABLES, Table
from assets.steps.step import RunContext, Step
from parsers.errors import LagbookError

OWNERS: Final = ["team:lagbook"]
RESOURCES: Final = frozenset({"warehouse", "sources", "spark", "rules"})
"""What each step works with, by the names of Dagster's resources."""

Results = Iterator[dg.MaterializeResult[None] | dg.AssetCheckEvaluation]


def asset_of(step: Step) -> dg.AssetsDefinition:
    """The asset of the tables that a step brings up to date."""

    @dg.multi_asset(
        specs=[_spec(step, name) for name in step.reads],
        name=op_name(step.name),
        description=step.make.__doc__,
        required_resource_keys=set(RESOURCES),
    )
    def materialize(context: dg.AssetExecutionContext) -> Results:
        resources = context.resources
        run = RunContext(resources.warehouse, resources.sources, resources.spark, resources.rules, context.log)
        yield from _materialized(step, run)

    return materialize


def op_name(step: str) -> str:
    """What Dagster calls a step."""
    return step.replace(".", "__")


def step_name(op: str) -> str:
    """The name of the step that Dagster calls so."""
    return op.replace("__", ".")


def _materialized(step: Step, run: RunContext) -> Results:
    """What a step says of its tables, as Dagster takes it; an error that a user can act on begins with its sentence."""
    try:
        for result in step.make(run):
            yield dg.MaterializeResult(asset_key=result.full_name.split("."), metadata=result.facts)
            yield from result.evaluations
    except LagbookError as error:
        raise dg.Failure(str(error), allow_retries=False) from error


def _spec(step: Step, full_name: str) -> dg.AssetSpec:
    """What Dagster's catalogue says: key, group, owners, kinds, description, columns, version of the code."""
    table = TABLES.get(full_name)
    key = full_name.split(".")
    return dg.AssetSpec(
        key,
        deps=[dg.AssetKey(name.split(".")) for name in sorted(step.reads[full_name])],
        group_name=key[0],
        owners=OWNERS,
        kinds=set(step.kinds),
        description=table.meaning if table else step.meaning,
        code_version=step.code_version(),
        metadata={"dagster/column_schema": column_schema(table)} if table else {},
    )


def column_schema(table: Table) -> dg.TableSchema:
    """The table's columns as Dagster's catalogue shows them."""
    return dg.TableSchema(
        columns=[
            dg.TableColumn(c.name, str(c.type), c.comment, dg.TableColumnConstraints(nullable=not c.required))
            for c in table.columns
        ]
    )
