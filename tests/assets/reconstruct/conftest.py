"""A warehouse that gets raw records, and a Spark that does its tasks at once: what the tests of the replay share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.dataset as ds
import pytest

from assets.catalog import TABLES
from assets.catalog.raw.records import OFFSET_RECORDS
from assets.catalog.raw.segments import SEGMENTS
from assets.reconstruct.reconstruct import ReplayResult, replay
from assets.storage.parquet_files import TableFiles
from assets.storage.warehouse import Warehouse
from tests.assets.inline import inline

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from assets.materialize import Materialization
    from assets.storage.transaction import ArchivedFile
    from tests.assets.transforms.offsets_log import Row


class Archive:
    """A warehouse and what is done to it."""

    def __init__(self, folder: Path) -> None:
        """Begin with nothing."""
        self.warehouse = Warehouse(str(folder))
        self.added = 0

    def add(self, rows: Sequence[Row], gone: Sequence[ArchivedFile] = ()) -> None:
        """Keep raw records, as one run of the ingest would, which may take files away."""
        folder = self.warehouse.new_folder(OFFSET_RECORDS)
        self.warehouse.make_folder(folder)
        self.added += 1
        with TableFiles({OFFSET_RECORDS.full_name: folder}, f"part-{self.added}") as files:
            files.write(OFFSET_RECORDS.full_name, pa.RecordBatch.from_pylist([*rows], OFFSET_RECORDS.schema))
        self.warehouse.append(OFFSET_RECORDS, [file for _, file in files.written()], {}, gone)

    def name_topic(self, topic: str, topic_id: str) -> None:
        """Keep what the folder of a topic says of its id."""
        needed = [field for field in SEGMENTS.schema if not field.nullable]
        filled = {field.name: pa.scalar(0).cast(field.type).as_py() for field in needed}
        row = {**filled, "cluster": "c", "topic": topic, "topic_id": topic_id}
        folder = self.warehouse.new_folder(SEGMENTS)
        self.warehouse.make_folder(folder)
        with TableFiles({SEGMENTS.full_name: folder}, topic_id) as files:
            files.write(SEGMENTS.full_name, pa.RecordBatch.from_pylist([row], SEGMENTS.schema))
        self.warehouse.append(SEGMENTS, [file for _, file in files.written()], {})

    def replay(self) -> list[Materialization]:
        """Bring the core tables up to the raw records."""
        return self.replayed().tables

    def replayed(self) -> ReplayResult:
        """What became of a replay."""
        return replay(inline, self.warehouse)

    def rows(self, name: str = "core.commits") -> list[dict[str, Any]]:
        """All rows of a table, in the order of its key."""
        files = self.warehouse.files(name)
        rows: list[dict[str, Any]] = (
            ds.dataset(files, schema=TABLES[name].schema).to_table().to_pylist() if files else []
        )
        return sorted(rows, key=lambda row: [row[column] for column in TABLES[name].key])


@pytest.fixture
def archives(tmp_path: Path) -> Callable[[], Archive]:
    """Give archives, each with a warehouse of its own."""
    numbers = iter(range(1_000_000))
    return lambda: Archive(tmp_path / str(next(numbers)))


@pytest.fixture
def archive(archives: Callable[[], Archive]) -> Archive:
    """Give one archive."""
    return archives()
