"""The digest of a file: made while it is written, kept in the log of its table, through checkpoints."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from blake3 import blake3
from deltalake import DeltaTable

from assets.catalog.table import Column, Table
from assets.storage.data_files import as_one, describe_file, locate
from assets.storage.digests import digests_in
from assets.storage.parquet_writer import write_file
from assets.storage.warehouse import Warehouse

TABLE = Table("raw", "numbers", "Numbers.", ("number",), (Column("number", pa.int64(), "A number."),))
ROWS = pa.table({"number": range(10_000)}, TABLE.schema)


def put(warehouse: Warehouse, name: str) -> Path:
    """A file of the table."""
    warehouse.make_folder(warehouse.table_url(TABLE.full_name))
    path = Path(warehouse.table_url(TABLE.full_name), name)
    warehouse.append(TABLE, [write_file(ROWS, str(path))], {})
    return path


def digests(warehouse: Warehouse) -> dict[str, str]:
    """What the table's log has."""
    return digests_in(*locate(f"{warehouse.table_url(TABLE.full_name)}/_delta_log"))


def test_the_digest_is_of_the_bytes_as_they_stand(tmp_path: Path) -> None:
    """Without a second look at the file; whoever reads a file that is there comes to the same."""
    file = write_file(ROWS, str(tmp_path / "a.parquet"))
    assert file.digest == blake3((tmp_path / "a.parquet").read_bytes()).hexdigest()
    assert describe_file(file.path) == file
    assert pq.read_table(file.path).equals(ROWS)


def test_digests_are_in_the_log(tmp_path: Path) -> None:
    """By the files' paths in the table, before a checkpoint, in it, and after it."""
    warehouse = Warehouse(str(tmp_path / "a b"))
    files = [put(warehouse, "first.parquet"), put(warehouse, "second.parquet")]
    DeltaTable(warehouse.table_url(TABLE.full_name)).create_checkpoint()
    for commit in sorted(Path(warehouse.table_url(TABLE.full_name), "_delta_log").glob("*.json"))[:-1]:
        commit.unlink()
    files.append(put(warehouse, "third.parquet"))
    assert digests(warehouse) == {file.name: blake3(file.read_bytes()).hexdigest() for file in files}


def test_a_page_that_changed_is_an_error(tmp_path: Path) -> None:
    """Wherever rows are read through Arrow, also without a digest at hand."""
    path = tmp_path / "a.parquet"
    write_file(ROWS, str(path))
    chunk = pq.read_metadata(path).row_group(0).column(0)
    content = bytearray(path.read_bytes())
    content[chunk.data_page_offset + chunk.total_compressed_size // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(OSError, match="CRC checksum verification failed"):
        as_one([str(path)]).to_table()
