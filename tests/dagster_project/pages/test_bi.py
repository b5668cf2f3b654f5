"""What other tools are told of the tables: columns that are there, and files that dbt itself reads."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Final

import duckdb
import pytest
import yaml  # type: ignore[import-untyped]

from assets.catalog import TABLES
from assets.duckdb import database
from assets.storage.warehouse import Warehouse
from dagster_project.pages import bi
from tests.environments import environment

ROOT: Final = Path(__file__).parents[3]
PAGE: Final = ROOT / "docs" / "how-to" / "read-tables.md"
FENCED: Final = re.compile(r"^```python\n(.+?)^```$", re.MULTILINE | re.DOTALL)
PROFILE: Final = """
lagbook_marts:
  target: prod
  outputs:
    prod:
      type: duckdb
      path: marts.duckdb
      attach:
        - path: {file}
          alias: lagbook
          read_only: true
"""
PROJECT: Final = "name: lagbook_marts\nversion: '1.0.0'\nprofile: lagbook_marts\n"
MODEL: Final = "SELECT group_id, count(*) AS incidents FROM {{ source('lagbook_mart', 'incidents') }} GROUP BY ALL"


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Warehouse:
    """Every table, without rows, and the DuckDB file."""
    empty = Warehouse(str(tmp_path_factory.mktemp("bi") / "warehouse"))
    for table in TABLES.values():
        empty.append(table, (), {})
    database.build(empty)
    return empty


def test_charts_and_times_name_columns_that_are_there() -> None:
    """Of the tables to begin with, each has its time column."""
    for name, column in bi.TIMES.items():
        assert column in TABLES[name].column_names, name
    for _what, table, metric, by in bi.CHARTS:
        named = [*re.findall(r"\((\w+)\)", metric), *by.split(", ")]
        assert set(named) <= set(TABLES[table].column_names), table


def test_sources_and_models_have_every_column_with_the_type_of_the_file(warehouse: Warehouse) -> None:
    """What DuckDB says of the file that a run builds."""
    with duckdb.connect(str(warehouse.duckdb_path), read_only=True) as connection:
        rows = connection.sql(
            "SELECT schema_name || '.' || table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal"
        ).fetchall()
    own = {(table, column): kind for table, column, kind in rows if table in TABLES}
    layers = {table for table in TABLES if table.split(".")[0] in bi.LAYERS}
    sources = yaml.safe_load(bi.dbt_sources())["sources"]
    of_dbt = {
        (f"{source['schema']}.{table['name']}", column["name"]): column["data_type"]
        for source in sources
        for table in source["tables"]
        for column in table["columns"]
    }
    of_sqlmesh = {
        (model["name"].partition(".")[2], column): kind
        for model in yaml.safe_load(bi.sqlmesh_models())
        for column, kind in model["columns"].items()
    }
    assert of_dbt == of_sqlmesh == {key: kind for key, kind in own.items() if key[0] in layers}


@pytest.mark.slow
def test_dbt_builds_a_model_over_the_sources(warehouse: Warehouse, tmp_path: Path) -> None:
    """As the page says it, in an environment of dbt's own."""
    python = environment("dbt", "dbt-core==1.10.*", "dbt-duckdb")
    (tmp_path / "models").mkdir()
    (tmp_path / "dbt_project.yml").write_text(PROJECT)
    (tmp_path / "profiles.yml").write_text(PROFILE.format(file=json.dumps(str(warehouse.duckdb_path))))
    (tmp_path / "models" / "sources.yml").write_text(bi.dbt_sources(), encoding="utf-8")
    (tmp_path / "models" / "incidents_by_group.sql").write_text(MODEL)
    words = (python.with_name("dbt"), "--no-send-anonymous-usage-stats", "run", "--profiles-dir", tmp_path)
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "PASS=1" in done.stdout


def test_the_snippets_about_delta_tables_run(warehouse: Warehouse) -> None:
    """Those in Python, with the newest Polars, pandas and delta-rs of the index."""
    python = environment("delta-readers", "polars", "deltalake[pyarrow]", "pandas")
    snippets = FENCED.findall(PAGE.read_text("utf-8"))
    assert len(snippets) == 3
    for snippet in snippets:
        words = (python, "-c", snippet)
        done = subprocess.run(words, cwd=Path(warehouse.url).parent, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert done.stdout
