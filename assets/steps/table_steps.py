"""The steps of tables that models and transforms make, from a table's declaration, and what any step shows of a table.

Put here what is the same for every table. How one is made belongs in `assets.materialize`.
"""

from __future__ import annotations

import time
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING

from assets import models
from assets.frontiers import from_transform_with_frontiers
from assets.lookups import from_transform_with_lookups
from assets.materialize import from_model, from_transform, from_transform_with_memory, model_reads
from assets.steps.step import ROW_COUNT, SECONDS, UNCHANGED, URI, Facts, Results, RunContext, Step, TableResult
from assets.sums import from_transform_with_sums
from assets.transforms.declaration import (
    TransformWithFrontiers,
    TransformWithLookups,
    TransformWithMemory,
    TransformWithSums,
)
from parsers.errors import WarehouseError

if TYPE_CHECKING:
    from collections.abc import Callable

    from assets.catalog import Table
    from assets.materialize import Materialization
    from assets.storage.warehouse import Warehouse
    from assets.transforms.declaration import AnyTransform


def model_step(table: Table) -> Step:
    """The step of a table that its model makes, from the tables that the model reads."""

    def make(run: RunContext) -> Results:
        yield from _timed_results(run, lambda: from_model(run.warehouse, table))

    reads = {table.full_name: model_reads(table)}
    version_of_model = partial(models.fingerprint, table.name)
    return Step(table.full_name, reads, frozenset({"duckdb", "parquet"}), make, version_of_model)


def transform_step(table: Table, transform: AnyTransform) -> Step:
    """The step of a table that a transform makes, from the tables that the transform reads."""

    def make(run: RunContext) -> Results:
        yield from _timed_results(run, lambda: from_any_transform(run.warehouse, table, transform))

    reads = {table.full_name: transform.reads - {table.full_name}}

    def version_of_transform() -> str:
        return f"{version('lagbook')}-{models.fingerprint(*transform.all_models)}"

    return Step(table.full_name, reads, frozenset({"python", "parquet"}), make, version_of_transform)


def from_any_transform(warehouse: Warehouse, table: Table, transform: AnyTransform) -> Materialization:
    """Make a table by its transform, in the way that its kind asks for."""
    if isinstance(transform, TransformWithFrontiers):
        return from_transform_with_frontiers(warehouse, table, transform)
    if isinstance(transform, TransformWithLookups):
        return from_transform_with_lookups(warehouse, table, transform)
    if isinstance(transform, TransformWithSums):
        return from_transform_with_sums(warehouse, table, transform)
    if isinstance(transform, TransformWithMemory):
        return from_transform_with_memory(warehouse, table, transform)
    return from_transform(warehouse, table, transform)


def _timed_results(run: RunContext, materialize: Callable[[], Materialization]) -> Results:
    """Make a table, and what is shown of it, with the seconds that it took."""
    started = time.monotonic()
    materialization = materialize()
    yield from results(run, materialization, {SECONDS: round(time.monotonic() - started, 3)})


def results(run: RunContext, materialization: Materialization, facts: Facts) -> Results:
    """What is shown of a table that was brought up to date, and of its rules; one without a verdict fails the step."""
    table, warehouse = materialization.table, run.warehouse
    rule_results = run.rules(table.full_name)
    shown = {
        ROW_COUNT: materialization.rows,
        "lagbook/bytes": sum(file.size_bytes for file in warehouse.file_list(table.full_name)),
        URI: warehouse.table_url(table.full_name),
        UNCHANGED: materialization.unchanged,
        **facts,
        **rule_results.facts,
    }
    yield TableResult(table.full_name, shown, rule_results.evaluations)
    if rule_results.errors:
        raise WarehouseError(f"{table.full_name} can't be judged: {'; '.join(rule_results.errors)}")
