"""Marts to which rows are added by hand, and what is folded from them into incidents.

Put here what tests of findings and incidents share. What is folded how belongs in the tests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from assets import models
from assets.catalog import TABLES
from assets.materialize import model_reads
from assets.transforms.marts import commit_sums

if TYPE_CHECKING:
    import duckdb

SKIP = {
    "cluster": "c",
    "group_id": "g",
    "topic": "t",
    "partition": 0,
    "kind": "set_forward",
    "possible_from": 10,
    "possible_to": 30,
    "certain_from": 20,
    "certain_to": 30,
    "cause": "admin_reset",
    "certainty": "proven",
    "log_partition": 7,
    "log_offset": 8,
    "evidence": [6, 8],
    "occurred_at": "2026-01-01 00:08:00+00",
}
LIKELY = {
    **SKIP,
    "kind": "overtaken_by_log_start",
    "certain_from": None,
    "certain_to": None,
    "estimate_from": 10,
    "estimate_to": 25,
}
LIKELY |= {"certainty": "likely", "cause": "retention"}


class Findings:
    """Marts to which rows are added, and what is folded from them."""

    def __init__(self, database: duckdb.DuckDBPyConnection) -> None:
        """Begin with empty marts; the sums of commits follow core.commits."""
        self.database = database
        database.execute("CREATE SCHEMA IF NOT EXISTS mart")
        reads = model_reads(TABLES["mart.findings"]) | model_reads(TABLES["mart.not_excluded"])
        for name in sorted(reads - {commit_sums.FULL_NAME}):
            nullable = pa.schema([field.with_nullable(nullable=True) for field in TABLES[name].schema])
            database.register("no_rows", nullable.empty_table())
            database.execute(f"CREATE OR REPLACE TABLE {name} AS FROM no_rows")

    def add(self, table: str, row: dict[str, Any], **changed: Any) -> Findings:  # noqa: ANN401 - a value of any column
        """One row of a mart."""
        usual = {"is_ordinary": False} if table == "mart.replays" else {}
        values = {f'"{name}"': value for name, value in {**usual, **row, **changed}.items()}
        marks = ", ".join("?" * len(values))
        self.database.execute(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})", list(values.values()))  # noqa: S608 - names of this file
        return self

    def skip(self, **changed: Any) -> Findings:  # noqa: ANN401 - a value of any column
        """One proven skip."""
        return self.add("mart.skips", SKIP, **changed)

    def incidents(self, columns: str) -> list[tuple[Any, ...]]:
        """What is folded, the worst first."""
        for name in ("findings", "incidents"):
            self.database.execute(f"CREATE OR REPLACE TABLE mart.{name} AS {models.select(name)}")
        return self.database.sql(f"SELECT {columns} FROM mart.incidents ORDER BY rank").fetchall()  # noqa: S608 - names of this file

    def not_excluded(self, columns: str) -> list[tuple[Any, ...]]:
        """What is only possible, by group and kind."""
        self.database.execute(f"CREATE OR REPLACE TABLE mart.not_excluded AS {models.select('not_excluded')}")
        return self.database.sql(f"SELECT {columns} FROM mart.not_excluded ORDER BY group_id, kind").fetchall()  # noqa: S608 - names of this file
