"""Damage by a seed: one bit of one file of a warehouse flips, or its end is gone, and nothing but the bytes tell of it.

Put here the judging of one such damage: it is noticed or changes no row, and what is noticed can be mended.
"""

from __future__ import annotations

import os
import random
import shutil
from collections import Counter
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import duckdb
from click.testing import CliRunner

from assets.catalog import TABLES
from assets.duckdb import file_digest
from assets.duckdb.database import in_memory
from assets.maintenance import mending
from assets.maintenance.integrity import examine
from assets.maintenance.verification import Scope, Verification
from assets.reconstruct.checkpoint import CHECKPOINTS
from assets.storage.data_files import locate
from assets.storage.delta.log_digests import write_log_digests
from assets.storage.warehouse import Warehouse
from dagster_project.cli.main import main
from parsers.errors import LagbookError
from tests.campaign.answers import BrokenError, built, rows_about
from tests.campaign.histories import silent, woven, write
from tests.campaign.sound_groups import GROUPS, TOPICS, sound_events
from tests.campaign.strangers import slots

if TYPE_CHECKING:
    from collections.abc import Sequence

LOG_OF_RUNS: Final = "lagbook-run.log"
"""For people: nothing is read from it."""
CUTS: Final = 6
"""One of so many damages is a cut."""
MENDED: Final = 20
"""Of one of so many damages it is judged that it can be mended: that takes a run."""


def judge_flip(seed: int, scratch: Path) -> Counter[str]:
    """Judge the damage of a seed; whether it was noticed, and mended."""
    dice = random.Random(seed)  # noqa: S311 - made up, not secret
    logs, sound = _sound(scratch)
    with TemporaryDirectory(dir=scratch) as folder:
        warehouse = Path(folder, "warehouse")
        shutil.copytree(sound, warehouse)
        what = damage(dice.choice(files_of(warehouse)), dice)
        try:
            return _judge(warehouse, logs, sound, is_mended=seed % MENDED == 0)
        except Exception as error:
            raise BrokenError(f"{what.replace(str(warehouse), '')}: {error}") from error


def _judge(warehouse: Path, logs: Path, sound: Path, *, is_mended: bool) -> Counter[str]:
    if not is_noticed(warehouse):
        if rows_of(warehouse) != _rows(sound):
            raise BrokenError("other rows, and nothing says so")
        return Counter({"harmless": 1})
    if is_mended:
        mend(warehouse, logs, _answers(sound))
    return Counter({"noticed": 1, "of these mended": int(is_mended)})


def damage(file: Path, dice: random.Random) -> str:
    """Flip a bit of a file or cut it, and let it have the time that it had; says which."""
    before, content = file.stat(), bytearray(file.read_bytes())
    place = dice.randrange(len(content))
    if dice.randrange(CUTS):
        bit = dice.randrange(8)
        content[place] ^= 1 << bit
        what = f"bit {bit} of byte {place} of {file}"
    else:
        del content[place:]
        what = f"{file} cut at byte {place}"
    file.write_bytes(content)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    return what


def files_of(warehouse: Path) -> list[Path]:
    """The files that may be damaged."""
    files = (file for file in warehouse.rglob("*") if file.is_file() and file.stat().st_size)
    return sorted(file for file in files if file.name != LOG_OF_RUNS)


def is_noticed(warehouse: Path) -> bool:
    """Whether an examination says that something is damaged, or refuses to go on."""
    here = Warehouse(str(warehouse))
    try:
        examination = examine(here, with_footers=True, verification=Verification(here, Scope.ALL))
        return bool(examination) or file_digest.mismatch_reason(here.duckdb_path) is not None
    except LagbookError:
        return True


def rows_of(warehouse: Path) -> dict[str, list[str]]:
    """All rows of every table, out of its files and out of the DuckDB file."""
    here = Warehouse(str(warehouse))
    with in_memory(here, TABLES) as connection:
        tables = _all_rows(connection, [*TABLES])
    with duckdb.connect(str(here.duckdb_path), read_only=True) as connection:
        for name, rows in _all_rows(connection, [*TABLES]).items():
            tables[f"shown {name}"] = rows
    files = [file for name in (*TABLES, CHECKPOINTS.full_name) for file in here.file_list(name)]
    return {**tables, "files": sorted(repr(file).replace(here.url, "") for file in files)}


def mend(warehouse: Path, logs: Path, expected: dict[str, list[str]]) -> None:
    """Have it mended by hand and run again; refuse an answer that is another one."""
    here = Warehouse(str(warehouse))
    if here.duckdb_path.exists() and file_digest.mismatch_reason(here.duckdb_path):
        here.duckdb_path.unlink()
    done = CliRunner().invoke(main, ["repair", "--yes", "--warehouse", str(warehouse)])
    if done.exit_code:
        raise BrokenError(f"repair ended with {done.exit_code}: {done.output[-1000:]}")
    built(logs, warehouse)
    if rows_about(warehouse, GROUPS, TOPICS) != expected:
        raise BrokenError("mended, and yet other rows")


def _all_rows(connection: duckdb.DuckDBPyConnection, names: Sequence[str]) -> dict[str, list[str]]:
    return {name: sorted(map(repr, connection.execute(f"FROM {name}").fetchall())) for name in names}


@cache
def _sound(scratch: Path) -> tuple[Path, Path]:
    """Logs, and a warehouse that a run made of them and another one verified."""
    quiet = {slot.number: silent(slot.log_partition, slot.record_count) for slot in slots(len(sound_events()))}
    logs = write(scratch / "flips" / "data", woven(sound_events(), quiet), TOPICS)
    warehouse = scratch / "flips" / "warehouse"
    built(logs, warehouse)
    mending.heal(Warehouse(str(warehouse)))
    _write_delta_checkpoints(Warehouse(str(warehouse)))
    return logs, warehouse


def _write_delta_checkpoints(warehouse: Warehouse) -> None:
    """Give every other log a checkpoint, as `deltalake` does every 20 commits."""
    for name in [*TABLES][::2]:
        if delta := warehouse.open_table(name):
            delta.create_checkpoint()
            write_log_digests(*locate(f"{warehouse.table_url(name)}/_delta_log"), 0)


@cache
def _rows(sound: Path) -> dict[str, list[str]]:
    return rows_of(sound)


@cache
def _answers(sound: Path) -> dict[str, list[str]]:
    return rows_about(sound, GROUPS, TOPICS)
