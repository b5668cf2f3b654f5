"""A warehouse to write small tables into. What more than one module of this room needs stands here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assets.catalog import TABLES
from assets.storage.data_files import describe_file
from assets.storage.warehouse import Warehouse
from dagster_project.places import Place, Places

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from assets.ingest.plan import Sources

    Fill = Callable[[str, Sequence[dict[str, Any]]], None]


class OnePlace(Places):
    """A deployment without clusters, of this warehouse and these sources."""

    def __init__(self, warehouse: Warehouse, sources: Sources) -> None:
        """Take both."""
        super().__init__({})
        self._place = Place(None, warehouse, sources)

    def every(self) -> list[Place]:
        """The one."""
        return [self._place]


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    """An empty warehouse."""
    return Warehouse(str(tmp_path / "warehouse"))


@pytest.fixture
def fill(warehouse: Warehouse) -> Fill:
    """Make a table consist of these rows, NULL where a row says nothing."""

    def write(full_name: str, rows: Sequence[dict[str, Any]]) -> None:
        table = TABLES[full_name]
        nullable = pa.schema([field.with_nullable(nullable=True) for field in table.schema])
        folder = warehouse.new_folder(table)
        warehouse.make_folder(folder)
        pq.write_table(pa.Table.from_pylist(list(rows), nullable), f"{folder}/rows.parquet")
        warehouse.replace(table, [describe_file(f"{folder}/rows.parquet")], {})

    return write
