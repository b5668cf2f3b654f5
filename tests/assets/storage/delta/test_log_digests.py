"""The digests of a Delta log's files: a flip in a checkpoint, or in a change of columns, is noticed."""

from __future__ import annotations

import uuid
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from assets.catalog.table import Column, Table
from assets.maintenance import table_recovery
from assets.storage.data_files import locate
from assets.storage.delta.log_digests import NAME, read_log_digests
from assets.storage.digests import digest_of, digests_in
from assets.storage.parquet_writer import write_file
from assets.storage.schema_evolution import fit
from assets.storage.warehouse import Warehouse
from parsers.errors import WarehouseError

TABLE = Table("raw", "numbers", "Numbers.", ("number",), (Column("number", pa.int64(), "A number."),))
WIDER = replace(TABLE, columns=(*TABLE.columns, Column("other", pa.int64(), "Another.")))
INTERVAL = 20
"""So many commits have a checkpoint."""


def put(warehouse: Warehouse, count: int) -> Path:
    """Commits of a file each; gives the log."""
    folder = warehouse.table_url(TABLE.full_name)
    warehouse.make_folder(folder)
    for number in range(count):
        file = write_file(pa.table({"number": [number]}, TABLE.schema), f"{folder}/{uuid.uuid4().hex}.parquet")
        warehouse.begin(TABLE).revise((), [file], {})
    return Path(folder, "_delta_log")


def flip(path: Path, place: int) -> bytes:
    """Flip a bit; gives the bytes before."""
    content = path.read_bytes()
    path.write_bytes(content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :])
    return content


def assert_every_flip_is_noticed(log: Path, path: Path, step: int) -> None:
    """Wherever it is."""
    system, inner = locate(str(log))
    for place in range(0, path.stat().st_size, step):
        content = flip(path, place)
        with pytest.raises(WarehouseError, match=path.name):
            digests_in(system, inner)
        path.write_bytes(content)
    digests_in(system, inner)


def test_a_flip_in_a_checkpoint_is_noticed(tmp_path: Path) -> None:
    """The checkpoint that a log is read from, and the commits behind it; the older ones count no more."""
    log = put(Warehouse(str(tmp_path)), INTERVAL + 1)
    (checkpoint,) = log.glob("*.checkpoint.parquet")
    newest = max(log.glob("*.json"))
    later = {commit.name for commit in log.glob("*.json") if commit.name[:20] >= checkpoint.name[:20]}
    assert set(read_log_digests(*locate(str(log)))) == {checkpoint.name, *later}
    assert_every_flip_is_noticed(log, checkpoint, 97)
    assert_every_flip_is_noticed(log, newest, 13)


def test_a_damaged_checkpoint_is_not_given_to_deltalake(tmp_path: Path) -> None:
    """It ends the process over some of them. A log that is set back is read again."""
    log = put(Warehouse(str(tmp_path)), INTERVAL + 1)
    (checkpoint,) = log.glob("*.checkpoint.parquet")
    flip(checkpoint, checkpoint.stat().st_size // 2)
    with pytest.raises(WarehouseError, match=f"{checkpoint.name} can't be read: it has other bytes than were written"):
        Warehouse(str(tmp_path)).files(TABLE.full_name)
    table_recovery.restore_last_commit(Warehouse(str(tmp_path)), TABLE.full_name)
    assert len(Warehouse(str(tmp_path)).files(TABLE.full_name)) == INTERVAL - 2, "all commits before it"


def test_a_flip_in_a_change_of_columns_is_noticed(tmp_path: Path) -> None:
    """Of that commit itself no digest is in the log, nor of the one that created the table."""
    warehouse = Warehouse(str(tmp_path))
    log = put(warehouse, 1)
    fit(warehouse, [WIDER])
    commits = sorted(log.glob("*.json"))
    assert len(commits) == 4
    for commit in (commits[0], *commits[2:]):
        assert_every_flip_is_noticed(log, commit, 11)


@pytest.mark.parametrize("note", ["", "{", "[]", '{"files": {"00000000000000000001.json": "ab"}, "blake3": "cd"}'])
def test_a_damaged_note_damages_no_table(tmp_path: Path, note: str) -> None:
    """What the log itself says counts then, and the next commit notes all digests again."""
    warehouse = Warehouse(str(tmp_path))
    log = put(warehouse, 2)
    place, system = log.with_name(NAME), locate(str(log))
    before = read_log_digests(*system)
    place.write_text(note, encoding="ascii")
    assert read_log_digests(*system) == {}
    assert len(digests_in(*system)) == 2
    warehouse.begin(TABLE).remember({})
    assert before.items() < read_log_digests(*system).items()


def test_a_version_that_is_written_again_has_its_own_digest(tmp_path: Path) -> None:
    """After a log was set back or dropped, its commits have the numbers of those that are gone."""
    warehouse = Warehouse(str(tmp_path))
    log = put(warehouse, 3)
    flip(max(log.glob("*.json")), 60)
    table_recovery.restore_last_commit(warehouse, TABLE.full_name)
    assert put(warehouse, 1) == log
    assert read_log_digests(*locate(str(log)))[f"{3:020d}.json"] == digest_of(*locate(str(log / f"{3:020d}.json")))
    table_recovery.drop_log(warehouse, TABLE.full_name)
    put(warehouse, 1)
    assert len(digests_in(*locate(str(log)))) == 1


def test_a_run_that_died_before_it_noted_a_digest_is_no_damage(tmp_path: Path) -> None:
    """The commit has a digest of its own."""
    warehouse = Warehouse(str(tmp_path))
    log = put(warehouse, 1)
    note = log.with_name(NAME)
    before = note.read_bytes()
    put(warehouse, 1)
    note.write_bytes(before)
    assert len(digests_in(*locate(str(log)))) == 2
