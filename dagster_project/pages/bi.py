"""What other tools are told of the tables: sources of dbt, external models of SQLMesh, and the page about dashboards.

Put here how these files look. What a table has is declared in `assets.catalog`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import duckdb
import yaml  # type: ignore[import-untyped]

from assets.catalog import TABLES
from dagster_project.pages.entities import FIRST_TABLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assets.catalog import Table

DATABASE: Final = "lagbook"
"""What the DuckDB file is called where it is attached: the name of the file without its ending."""
LAYERS: Final = ("mart", "core", "raw")
"""Layers that users read, those for dashboards first."""
NOTICE: Final = "# Made by `python -m dagster_project.pages` from the catalogue; do not edit by hand.\n"
TIMES: Final = {
    "mart.incidents": "detected_at",
    "mart.findings": "occurred_at",
    "mart.replays": "occurred_at",
    "mart.skips": "occurred_at",
    "mart.lag": "as_of",
    "mart.rebalances": "started_at",
    "core.commits": "effective_at",
    "core.ownership": "from_at",
}
"""The column of time that a chart of a table is over."""
CHARTS: Final = (
    ("open incidents by severity", "mart.incidents", "COUNT(*)", "severity"),
    ("records proven to be read twice", "mart.replays", "SUM(records_certain)", "group_id"),
    ("records proven never to be read", "mart.skips", "SUM(records_certain)", "group_id"),
    ("lag in records", "mart.lag", "MAX(records)", "group_id, topic"),
    ("lag in offsets, which compaction and transactions make too large", "mart.lag", "MAX(lag)", "group_id, topic"),
    ("rebalances", "mart.rebalances", "COUNT(*)", "group_id"),
    ("commits", "core.commits", "COUNT(*)", "group_id"),
)
"""Charts to begin with: what it shows, of which table, the metric, and what it is divided by."""
HEAD: Final = """# Dashboards in Superset, Metabase and others

Written by `python -m dagster_project.pages` from the catalogue; do not edit by hand.

A dashboard reads `lagbook.duckdb`, which a run swaps in as a whole: open it read-only, and a tool that has it open
reads on in the old one until it connects again. The steps below were written from the tools' documentation, without the
tools.

## Superset

1. Install `duckdb-engine` and `duckdb` beside Superset, in the same Python.
2. *Settings, Database connections, + Database, Other*, with the SQLAlchemy URI
   `duckdb:////srv/lagbook/warehouse/lagbook.duckdb?access_mode=read_only`.
3. *Datasets, + Dataset*: schema `mart`, table `incidents`. Set its time column below. Then charts as listed.

## Metabase

1. Put the DuckDB driver of MotherDuck into Metabase's `plugins` folder.
2. *Admin, Databases, Add database, DuckDB*: database file `/srv/lagbook/warehouse/lagbook.duckdb`, read-only.
3. *Admin, Table metadata*: hide the schemas `internal` and `main`. Tables and columns have descriptions already.

Where the folder of the warehouse is mounted elsewhere than on the machine that ran Lagbook, large tables need
`SET VARIABLE lagbook_folder = own_folder();` as the connection's initial SQL: see
[Ask in SQL](../how-to/query.md#take-the-file-elsewhere).

## Tables to begin with

| table | content | time column |
|---|---|---|
"""
CHARTS_HEAD: Final = """
## Charts to begin with

`NULL` means unknown and is not 0: no chart should fill gaps with zero.

| chart | table | metric | divided by |
|---|---|---|---|
"""
TAIL: Final = """
## dbt and SQLMesh

[`dbt-sources.yml`](dbt-sources.yml) describes every table and column as a source of dbt. Put it into `models/`, and let
dbt-duckdb attach the file:

```yaml
lagbook_marts:
  target: prod
  outputs:
    prod:
      type: duckdb
      path: marts.duckdb
      attach:
        - path: /srv/lagbook/warehouse/lagbook.duckdb
          alias: lagbook
          read_only: true
```

```jinja
SELECT group_id, count(*) AS incidents FROM {{ source('lagbook_mart', 'incidents') }} GROUP BY ALL
```

[`sqlmesh-external-models.yaml`](sqlmesh-external-models.yaml) is the same for SQLMesh. Put it into `external_models/`,
and attach the file as the catalog `lagbook` of a DuckDB connection. A view over the warehouse's files works only where
they are: see above.
"""


def page() -> str:
    """The page about dashboards."""
    tables = [f"| `{name}` | {TABLES[name].meaning} | `{TIMES[name]}` |\n" for name in FIRST_TABLES]
    charts = [f"| {what} | `{table}` | `{metric}` | `{by}` |\n" for what, table, metric, by in CHARTS]
    return "".join([HEAD, *tables, CHARTS_HEAD, *charts, TAIL])


def dbt_sources() -> str:
    """The sources of dbt: one for each layer."""
    sources = [
        {
            "name": f"{DATABASE}_{layer}",
            "database": DATABASE,
            "schema": layer,
            "tables": [_dbt_table(table) for table in _tables_of(layer)],
        }
        for layer in LAYERS
    ]
    return NOTICE + _as_yaml({"version": 2, "sources": sources})


def sqlmesh_models() -> str:
    """The external models of SQLMesh."""
    tables = [table for layer in LAYERS for table in _tables_of(layer)]
    models = [
        {
            "name": f"{DATABASE}.{table.full_name}",
            "description": table.meaning,
            "columns": duckdb_types(table),
        }
        for table in tables
    ]
    return NOTICE + _as_yaml(models)


def duckdb_types(table: Table) -> dict[str, str]:
    """The types of a table's columns, as DuckDB names them."""
    with duckdb.connect() as connection:
        connection.register("rows", table.schema.empty_table())
        return {str(name): str(kind) for name, kind, *_ in connection.sql("DESCRIBE FROM rows").fetchall()}


def _tables_of(layer: str) -> Iterator[Table]:
    return (table for table in TABLES.values() if table.layer == layer)


def _dbt_table(table: Table) -> dict[str, Any]:
    types = duckdb_types(table)
    columns = [
        {"name": column.name, "description": column.comment, "data_type": types[column.name]}
        for column in table.columns
    ]
    return {"name": table.name, "description": table.meaning, "columns": columns}


def _as_yaml(content: object) -> str:
    text: str = yaml.safe_dump(content, sort_keys=False, width=120, allow_unicode=True)
    return text
