"""An erased group leaves no row, no file and no old version behind, stays out, and takes nothing from other groups."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pyarrow.parquet as pq
import pytest
from pyarrow import fs

from assets.catalog import TABLES
from assets.duckdb.database import in_memory
from assets.ingest.erased_groups import ERASED, FILE, read_erased, write_erased
from assets.ingest.ingest import ingest
from assets.ingest.plan import Sources, plan
from assets.maintenance.erasure import RECORDS, erase, finish, look, readmit
from assets.reconstruct.reconstruct import replay
from assets.storage.warehouse import Warehouse
from dagster_project.cli.operations.demo import unpack
from parsers.errors import WarehouseError
from tests.assets.inline import inline
from tests.store import store_apart, url

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT: Final = Path(__file__).parents[3]
GROUP: Final = "admin-reset"
HOME, OTHER = 13, 17
"""The partitions of the offsets topic that have the group, and another one."""
PARTITION: Final = "__consumer_offsets-{}"
KILLED: Final = """
import os, signal, sys
from assets.maintenance import erasure
from assets.storage.warehouse import Warehouse
place, group, last = sys.argv[1], sys.argv[2], int(sys.argv[3])
steps = 0
def counted(step):
    def run(*words):
        global steps
        if steps == last:
            os.kill(os.getpid(), signal.SIGKILL)
        steps += 1
        return step(*words)
    return run
for name in ("write_erased", "forget_incidents", "_delete", "_clean", "_delete_former_files"):
    setattr(erasure, name, counted(getattr(erasure, name)))
erasure.erase(Warehouse(place), group)
"""


def read(warehouse: Warehouse, logs: Path) -> None:
    """Read the logs and replay them, as a run does."""
    ingest(inline, warehouse, plan(warehouse, Sources((str(logs),), "c")))
    replay(inline, warehouse)


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The logs of a partition with the group and of one with others."""
    folder = tmp_path_factory.mktemp("recorded")
    whole = unpack(folder)
    (folder / "logs").mkdir()
    for number in (HOME, OTHER):
        shutil.move(whole / PARTITION.format(number), folder / "logs")
    return folder / "logs"


@pytest.fixture(scope="session")
def pristine(recorded: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A warehouse of these logs."""
    folder = tmp_path_factory.mktemp("made") / "wh"
    read(Warehouse(str(folder)), recorded)
    return folder


@pytest.fixture
def warehouse(pristine: Path, tmp_path: Path) -> Warehouse:
    """A copy of the warehouse."""
    shutil.copytree(pristine, tmp_path / "wh")
    return Warehouse(str(tmp_path / "wh"))


def mentions(warehouse: Warehouse, group: str) -> list[str]:
    """The files of a warehouse, of whatever version, that name a group."""
    files = [path for path in Path(warehouse.url).rglob("*") if path.is_file()]
    files_of_group = [
        path for path in files if path.suffix == ".parquet" and group in repr(pq.read_table(path).to_pylist())
    ]
    return sorted(
        path.name for path in (*files_of_group, *(path for path in files if group.encode() in path.read_bytes()))
    )


def rows(warehouse: Warehouse, name: str, but: str = GROUP) -> list[str]:
    """The rows of a table that are not about a group."""
    with in_memory(warehouse, [name]) as connection:
        about = "group_id IS DISTINCT FROM $grp" if "group_id" in TABLES[name].column_names else "$grp IS NOT NULL"
        answer = connection.execute(f"SELECT * FROM {name} WHERE {about}", {"grp": but}).fetchall()  # noqa: S608 - names of ours
    return sorted(map(repr, answer))


def of_others(warehouse: Warehouse) -> dict[str, list[str]]:
    """What tables say of other groups, and of the log."""
    names = ("core.commits", "core.ownership", "core.generations", "core.log_gaps", "core.quarantine")
    return {name: rows(warehouse, name) for name in names}


def count(warehouse: Warehouse, where: str) -> int:
    """How many records of the offsets topic are so."""
    with in_memory(warehouse, [RECORDS]) as connection:
        ((number,),) = connection.execute(f"SELECT count(*) FROM {RECORDS} WHERE {where}").fetchall()  # noqa: S608 - of this file
    return int(number)


def test_looking_changes_nothing(warehouse: Warehouse) -> None:
    """It counts the rows by table and names what goes as a whole."""
    before = {path: path.read_bytes() for path in Path(warehouse.url).rglob("*") if path.is_file()}
    work = look(warehouse, GROUP)
    assert dict(work.rows)[RECORDS] == count(warehouse, f"group_id = '{GROUP}'") > 0
    assert f"{warehouse.url}/core" in work.places
    assert before == {path: path.read_bytes() for path in Path(warehouse.url).rglob("*") if path.is_file()}


def test_an_erased_group_is_in_no_file_and_other_groups_stay_as_they_were(warehouse: Warehouse, recorded: Path) -> None:
    """Every version's files are gone; records keep their place in the log, so that no gap hides anything of others."""
    assert mentions(warehouse, GROUP)
    before, records = of_others(warehouse), count(warehouse, "true")
    erase(warehouse, GROUP)
    assert mentions(warehouse, GROUP) == []
    read(warehouse, recorded)
    assert mentions(warehouse, GROUP) == []
    assert of_others(warehouse) == before
    assert count(warehouse, "true") == records
    assert count(warehouse, f"control_type = '{ERASED}' AND key_bytes IS NULL AND offset_commit IS NULL") > 0


def test_logs_that_are_read_again_do_not_bring_it_back(warehouse: Warehouse, recorded: Path, tmp_path: Path) -> None:
    """A copy of the log that is no known file, and a warehouse that reads on; and nothing contradicts the archive."""
    erase(warehouse, GROUP)
    other = tmp_path / "other"
    shutil.copytree(recorded, other)
    for log in other.glob("*/*.log"):
        log.write_bytes(log.read_bytes()[:-100])
    before = count(warehouse, "true")
    read(warehouse, other)
    assert mentions(warehouse, GROUP) == []
    assert count(warehouse, "true") == before
    assert rows(warehouse, "raw.diverged_records") == []


def test_a_group_is_erased_from_a_warehouse_in_a_store(warehouse: Warehouse, tmp_path: Path) -> None:
    """Derived tables go, and of the raw tables every file that had the group."""
    with store_apart(1 << 30):
        fs.copy_files(warehouse.url, url("wh"))
        remote = Warehouse(url("wh"), cache=str(tmp_path / "cache"))
        erase(remote, GROUP)
        fs.copy_files(url("wh"), str(tmp_path / "back"))
    back = Warehouse(str(tmp_path / "back"))
    assert not (tmp_path / "back" / "core").exists()
    assert mentions(back, GROUP) == []
    assert count(back, f"control_type = '{ERASED}'") > 0


def test_a_group_that_is_let_in_again_stays_when_logs_bring_it(recorded: Path, tmp_path: Path) -> None:
    """Of logs that were not read yet; what was erased stays erased."""
    warehouse = Warehouse(str(tmp_path / "wh"))
    (tmp_path / "first").mkdir()
    shutil.copytree(recorded / PARTITION.format(OTHER), tmp_path / "first" / PARTITION.format(OTHER))
    read(warehouse, tmp_path / "first")
    erase(warehouse, GROUP)
    assert readmit(warehouse, GROUP)
    assert not readmit(warehouse, GROUP)
    read(warehouse, recorded)
    assert count(warehouse, f"group_id = '{GROUP}'") > 0


def test_a_list_with_a_flipped_bit_stops_a_run(tmp_path: Path) -> None:
    """With another key, or another digest, a run would read again what was erased."""
    warehouse = Warehouse(str(tmp_path))
    write_erased(warehouse, read_erased(warehouse).with_group(GROUP))
    erased, text = read_erased(warehouse), (tmp_path / FILE).read_text("utf-8")
    for secret in (erased.key, *erased.digests):
        (tmp_path / FILE).write_text(text.replace(secret, f"{int(secret[0], 16) ^ 1:x}{secret[1:]}"), encoding="utf-8")
        with pytest.raises(WarehouseError, match="a run might bring erased groups back"):
            read_erased(warehouse)


@pytest.mark.parametrize("last", [0, 1, 3, 6, 8, 11])
def test_an_erasure_that_is_killed_is_carried_to_its_end(warehouse: Warehouse, recorded: Path, last: int) -> None:
    """By the next run or by the same command; from its first mark on, nothing shows the group as if it were there."""
    words: Sequence[str] = (sys.executable, "-c", KILLED, warehouse.url, GROUP, str(last))
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == -9, done.stderr
    again = Warehouse(warehouse.url)
    assert read_erased(again).is_pending is (last > 0)
    if last > 0:
        assert finish(again)
    else:
        erase(again, GROUP)
    assert not finish(again)
    assert mentions(again, GROUP) == []
    read(again, recorded)
    assert mentions(again, GROUP) == []
