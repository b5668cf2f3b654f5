"""The assets of tables that models and transforms make, and what Dagster shows of any table, from its declaration.

Put here what is the same for every table. The declarations stand in `assets.catalog`, steps of one table alone in
`assets.raw`, `assets.core` and `assets.marts`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final, Protocol

import dagster as dg

from assets import models
from assets.catalog import TABLES
from assets.frontiers import from_transform_with_frontiers
from assets.lookups import from_transform_with_lookups
from assets.materialize import from_model, from_transform, from_transform_with_memory, model_reads
from assets.storage.warehouse import Warehouse
from assets.sums import from_transform_with_sums
from assets.transforms.declaration import (
    TransformWithFrontiers,
    TransformWithLookups,
    TransformWithMemory,
    TransformWithSums,
)
from parsers.errors import LagbookError, WarehouseError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from assets.catalog import Table
    from assets.materialize import Materialization
    from assets.transforms.declaration import AnyTransform
from assets.materialize import Materialization

OWNERS: Final = ["team:lagbook"]

Store = dg.ResourceParam[Warehouse]
Facts = dict[str, int | float | list[str]]
"""What a materialization shows beside what all have."""
Results = Iterator[dg.MaterializeResult[None] | dg.AssetCheckEvaluation]


@dataclass(frozen=True, slots=True)
class RuleResults:
    """What its rules say of a table: facts, events that are news, and why a rule could not be judged."""

    facts: Mapping[str, int | list[str]]
    evaluations: Sequence[dg.AssetCheckEvaluation] = ()
    errors: Sequence[str] = ()


class TableRules(Protocol):
    """Judges a table by its rules, as it stands."""

    def results(self, full_name: str) -> RuleResults:
        """What they say."""


Rules = dg.ResourceParam[TableRules]


def table_spec(
    full_name: str, *, deps: Iterable[str] = (), kinds: set[str], code_version: str | None = None
) -> dg.AssetSpec:
    """What Dagster's catalogue says of a table: key, group, owners, kinds, description, columns, version of the code.

    Without a version of its own, the code is that of the release.
    """
    table = TABLES[full_name]
    return dg.AssetSpec(
        [table.layer, table.name],
        deps=[dg.AssetKey(name.split(".")) for name in sorted(deps)],
        group_name=table.layer,
        owners=OWNERS,
        kinds=kinds,
        description=table.meaning,
        code_version=code_version or version("lagbook"),
        metadata={"dagster/column_schema": column_schema(table)},
    )


def table_asset(
    full_name: str, *, deps: Iterable[str], kinds: set[str], code_version: str | None = None
) -> Callable[[Callable[..., Results]], dg.AssetsDefinition]:
    """Decorate the function that makes one table."""
    spec = table_spec(full_name, deps=deps, kinds=kinds, code_version=code_version)
    return lambda step: dg.multi_asset(specs=[spec], name=full_name.replace(".", "_"))(in_sentences(step))


def in_sentences(step: Callable[..., Results]) -> Callable[..., Results]:
    """The step, whose errors that a user can act on begin with their sentence; the trace is behind it."""

    @wraps(step)
    def run(*args: Any, **kwargs: Any) -> Results:  # noqa: ANN401 - the step's own
        try:
            yield from step(*args, **kwargs)
        except LagbookError as error:
            raise dg.Failure(str(error), allow_retries=False) from error

    return run


def model_asset(table: Table) -> dg.AssetsDefinition:
    """The asset of a table that its model makes, from the tables that the model reads."""
    version_of_model = models.fingerprint(table.name)

    @table_asset(table.full_name, deps=model_reads(table), kinds={"duckdb", "parquet"}, code_version=version_of_model)
    def materialize(warehouse: Store, rules: Rules) -> Results:
        """Run the model."""
        yield from timed_results(warehouse, rules, lambda: from_model(warehouse, table))

    return materialize


def transform_asset(table: Table, transform: AnyTransform) -> dg.AssetsDefinition:
    """The asset of a table that a transform makes, from the tables that the transform reads."""
    deps = transform.reads - {table.full_name}
    version_of_transform = f"{version('lagbook')}-{models.fingerprint(*transform.all_models)}"

    @table_asset(table.full_name, deps=deps, kinds={"python", "parquet"}, code_version=version_of_transform)
    def materialize(warehouse: Store, rules: Rules) -> Results:
        """Run the transform."""
        yield from timed_results(warehouse, rules, lambda: from_any_transform(warehouse, table, transform))

    return materialize


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


def column_schema(table: Table) -> dg.TableSchema:
    """The table's columns as Dagster's catalogue shows them."""
    return dg.TableSchema(
        columns=[
            dg.TableColumn(c.name, str(c.type), c.comment, dg.TableColumnConstraints(nullable=not c.required))
            for c in table.columns
        ]
    )


def timed_results(warehouse: Warehouse, rules: TableRules, materialize: Callable[[], Materialization]) -> Results:
    """Make a table, and what Dagster shows of it, with the seconds that it took."""
    started = time.monotonic()
    materialization = materialize()
    yield from results(warehouse, rules, materialization, {"lagbook/seconds": round(time.monotonic() - started, 3)})


def results(
    warehouse: Warehouse,
    rules: TableRules,
    materialization: Materialization,
    facts: Mapping[str, int | float | list[str]] | None = None,
) -> Results:
    """What Dagster shows of a table that was brought up to date, and of its rules; a rule without a verdict fails it.

    A blocking rule that is broken fails the step at its end, and what is built on its tables is not built.
    """
    table = materialization.table
    rule_results = rules.results(table.full_name)
    yield dg.MaterializeResult(
        asset_key=[table.layer, table.name],
        metadata={
            "dagster/row_count": materialization.rows,
            "lagbook/bytes": sum(file.size_bytes for file in warehouse.file_list(table.full_name)),
            "dagster/uri": warehouse.table_url(table.full_name),
            "lagbook/unchanged": materialization.unchanged,
            **(facts or {}),
            **rule_results.facts,
        },
    )
    yield from rule_results.evaluations
    if rule_results.errors:
        raise WarehouseError(f"{table.full_name} can't be judged: {'; '.join(rule_results.errors)}")
