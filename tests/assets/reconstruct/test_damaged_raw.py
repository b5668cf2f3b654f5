"""A raw file that rots unseen, met by the task that reads it: the sentence names it, and what mends it does."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from assets.ingest.ingest import ingest
from assets.ingest.plan import Sources, plan
from assets.reconstruct.reconstruct import replay
from assets.storage.warehouse import Warehouse
from dagster_project.cli.main import main
from parsers.errors import WarehouseError
from tests.assets.inline import inline

SEGMENTS = Path(__file__).resolve().parents[2] / "bytes" / "dump" / "features-4.1"
RECORDS = "raw.offset_records"


def read(warehouse: Warehouse) -> None:
    """Read the logs, and replay what is new."""
    ingest(inline, warehouse, plan(warehouse, Sources((str(SEGMENTS),), "c")))
    replay(inline, warehouse)


def rot(path: Path) -> None:
    """Flip a bit of an offset."""
    group = pq.read_metadata(path).row_group(0)
    columns = (group.column(number) for number in range(group.num_columns))
    chunk = next(column for column in columns if column.path_in_schema == "log_offset")
    content = bytearray(path.read_bytes())
    content[chunk.data_page_offset + chunk.total_compressed_size - 1] ^= 1
    path.write_bytes(content)


def test_a_task_names_the_damaged_file_and_what_mends_it(tmp_path: Path) -> None:
    """Nothing is made of it; after the repair the next run reads the log again, and has all rows."""
    warehouse = Warehouse(str(tmp_path))
    ingest(inline, warehouse, plan(warehouse, Sources((str(SEGMENTS),), "c")))
    path = max(map(Path, warehouse.files(RECORDS)), key=lambda file: pq.read_metadata(file).num_rows)
    rot(path)
    with pytest.raises(WarehouseError, match=rf"{path} has other bytes than were written.*CRC.*`lagbook repair`"):
        replay(inline, warehouse)
    assert warehouse.files("core.commits") == []
    assert CliRunner().invoke(main, ["repair", "--yes", "--warehouse", str(tmp_path)]).exit_code == 0
    read(warehouse)
    read(undamaged := Warehouse(str(tmp_path / "undamaged")))
    assert warehouse.row_count(RECORDS) == undamaged.row_count(RECORDS) > 0
    assert warehouse.row_count("core.commits") == undamaged.row_count("core.commits") > 0
