"""Damage that a read meets: the sentence names the file and what mends it; other errors stay what they are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assets.catalog.table import Column, Table
from assets.storage.checked_reads import naming_damage
from assets.storage.data_files import as_one, locate
from assets.storage.parquet_writer import write_file
from assets.storage.scanning import scan
from assets.storage.warehouse import Warehouse
from parsers.errors import WarehouseError

if TYPE_CHECKING:
    from collections.abc import Callable

TABLE = Table("raw", "numbers", "Numbers.", ("number",), (Column("number", pa.int64(), "A number."),))
READS: dict[str, Callable[[list[str]], object]] = {
    "all at once": lambda files: as_one(files, TABLE.schema).to_table(),
    "some at a time": lambda files: list(as_one(files, TABLE.schema).to_batches()),
    "by the schema of the first": lambda files: as_one(files).to_table(),
    "counted": lambda files: as_one(files).count_rows(filter=pa.compute.field("number") < 7),
}


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Three files of a table."""
    warehouse = Warehouse(str(tmp_path))
    folder = warehouse.new_folder(TABLE)
    warehouse.make_folder(folder)
    rows = pa.table({"number": range(5_000)}, TABLE.schema)
    warehouse.append(TABLE, [write_file(rows, f"{folder}/{number}.parquet") for number in range(3)], {})
    return warehouse.files(TABLE.full_name)


def rot_page(path: str) -> None:
    """Flip a bit of the rows."""
    chunk = pq.read_metadata(path).row_group(0).column(0)
    rot(path, chunk.data_page_offset + chunk.total_compressed_size // 2)


def rot(path: str, place: int) -> None:
    """Flip a bit."""
    content = bytearray(Path(path).read_bytes())
    content[place] ^= 1
    Path(path).write_bytes(content)


@pytest.mark.parametrize("way", READS)
def test_the_one_damaged_file_of_many_has_a_name(files: list[str], way: str) -> None:
    """However it is read."""
    rot_page(files[1])
    with pytest.raises(WarehouseError, match=rf"{files[1]} has other bytes than were written.*CRC.*`lagbook repair`"):
        READS[way](files)


def test_a_damaged_footer_has_a_name(files: list[str]) -> None:
    """Its end says that it is Parquet."""
    rot(files[0], -2)
    with pytest.raises(WarehouseError, match=rf"{files[0]} has other bytes than were written"):
        as_one(files).to_table()


def test_duckdb_tells_the_name_too(files: list[str]) -> None:
    """Where it reads through Arrow."""
    rot_page(files[2])
    connection = duckdb.connect()
    connection.register("numbers", scan(as_one(files, TABLE.schema)))
    with pytest.raises(duckdb.Error, match=rf"{files[2]} has other bytes than were written"):
        connection.sql("SELECT sum(number) FROM numbers").fetchall()


def test_an_error_over_sound_files_stays(files: list[str]) -> None:
    """A wrong column is a mistake of ours, and a store that does not answer says nothing of bytes."""
    with pytest.raises(pa.ArrowInvalid, match="No match for FieldRef"):
        as_one(files).to_table(columns=["other"])
    with pytest.raises(TimeoutError), naming_damage(*at(files)):
        raise TimeoutError(110, "late")


def test_a_file_outside_of_any_table_is_no_damage_of_one(tmp_path: Path) -> None:
    """The error stays as Arrow words it."""
    path = str(tmp_path / "a.parquet")
    write_file(pa.table({"number": range(9)}), path)
    rot_page(path)
    with pytest.raises(OSError, match="CRC"):
        as_one([path]).to_table()


def at(files: list[str]) -> tuple[pa.fs.FileSystem, list[str]]:
    """The file system of files, and their names."""
    return locate(files[0])[0], [locate(file)[1] for file in files]
