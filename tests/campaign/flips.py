"""Damage by a seed: one bit of one file of a warehouse flips, or its end is gone, and nothing but the bytes tell of it.

Put here the judging of one such damage: it is noticed or changes no row, and what is noticed can be mended.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from collections import Counter
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final
from unittest.mock import patch

import duckdb
from click.testing import CliRunner

from assets.catalog import TABLES
from assets.catalog.memory import FRONTIERS
from assets.duckdb import file_digest, portable
from assets.duckdb.database import in_memory
from assets.ingest.ingest import RAW
from assets.maintenance import mending
from assets.maintenance.integrity import examine
from assets.maintenance.verification import Scope, Verification
from assets.reconstruct.checkpoint import CHECKPOINTS
from assets.storage import lease
from assets.storage.data_files import locate
from assets.storage.delta.log_digests import write_log_digests
from assets.storage.warehouse import Warehouse
from dagster_project.cli.main import main
from parsers.errors import LagbookError
from tests.campaign.answers import ENDS_WELL, BrokenError, built, rows_about
from tests.campaign.histories import silent, woven, write
from tests.campaign.sound_groups import GROUPS, TOPICS, sound_events
from tests.campaign.strangers import slots

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assets.maintenance.integrity import Damage

LOG_OF_RUNS: Final = "lagbook-run.log"
"""For people: nothing is read from it."""
ANSWERING: Final = 20
CUTS: Final = 6
"""One of so many damages is a cut."""
COPIED_ROWS: Final = 500
"""So many rows are copied into the DuckDB file; it shows all others out of the tables' files."""
NAMES: Final = (*TABLES, CHECKPOINTS.full_name, FRONTIERS.full_name, *lease.NAMES)
RUN: Final = 20
"""Over one of so many damages a run goes; over one of the others `lagbook repair` goes before it."""
QUESTIONS: Final = (
    ("describe", "--all-groups", "--json"),
    ("audit", "--json"),
    ("explain", "payments", "orders", "0", "--json"),
    ("groups", "--json"),
    ("check", "--json"),
)


def judge_flip(seed: int, scratch: Path) -> Counter[str]:
    """Judge the damage of a seed; whether it was noticed, and mended."""
    dice = random.Random(seed)  # noqa: S311 - made up, not secret
    logs, sound = _sound(scratch)
    with TemporaryDirectory(dir=scratch) as folder:
        warehouse = Path(folder, "warehouse")
        shutil.copytree(sound, warehouse)
        file = dice.choice(files_of(warehouse))
        what = damage(file, dice)
        try:
            return _judge(dice, warehouse, file, sound) + _mend(seed, warehouse, logs, sound)
        except Exception as error:
            raise BrokenError(f"{what}: {error}".replace(str(warehouse), "")) from error


def _judge(dice: random.Random, warehouse: Path, file: Path, sound: Path) -> Counter[str]:
    """Refuse rows that are others without a word, and another answer to a question."""
    names = tables_of(file, warehouse)
    is_silent = not is_noticed(warehouse, names)
    if is_silent and any(rows != _rows(sound)[name] for name, rows in rows_of(warehouse, names).items()):
        raise BrokenError("other rows, and nothing says so")
    question = dice.choice(QUESTIONS)
    if (answer := reply(warehouse, question)) is not None and answer != _reply(sound, question):
        raise BrokenError(f"lagbook {question[0]} gives another answer")
    return Counter({"harmless" if is_silent else "noticed": 1})


def tables_of(file: Path, warehouse: Path) -> tuple[str, ...]:
    """The table that a file belongs to; all of them for the DuckDB file, and none for a note."""
    layer, *others = file.relative_to(warehouse).parts
    if others:
        return (f"{layer}.{others[0]}",)
    return NAMES if file.suffix == ".duckdb" else ()


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
    """The files that may be damaged; the DuckDB file, which answers, stands for one in twenty."""
    files = sorted(file for file in warehouse.rglob("*") if file.is_file() and file.stat().st_size)
    answering = Warehouse(str(warehouse)).duckdb_path
    return [*[answering] * (len(files) // ANSWERING), *(file for file in files if file.name != LOG_OF_RUNS)]


def is_noticed(warehouse: Path, names: Sequence[str]) -> bool:
    """Whether an examination of these tables and the DuckDB file says that something is damaged."""
    file = Warehouse(str(warehouse)).duckdb_path
    try:
        return bool(_damages(warehouse, names)) or file_digest.mismatch_reason(file) is not None
    except LagbookError:
        return True


def _damages(warehouse: Path, names: Sequence[str]) -> list[Damage]:
    """The damage of these tables: those whose files nobody touched are as sound as they were."""
    here = Warehouse(str(warehouse))
    with patch("assets.maintenance.integrity._names", lambda: names):
        return examine(here, with_footers=True, verification=Verification(here, Scope.ALL))


def rows_of(warehouse: Path, names: Sequence[str]) -> dict[str, list[str]]:
    """All rows of these tables, out of their files and out of the DuckDB file, and what their logs say of the files."""
    here, with_rows = Warehouse(str(warehouse)), [name for name in names if name in TABLES]
    with in_memory(here, with_rows) as connection:
        tables = _all_rows(connection, with_rows)
    with duckdb.connect(str(here.duckdb_path), read_only=True) as connection:
        portable.look_beside(connection, here.duckdb_path)
        for name, rows in _all_rows(connection, with_rows).items():
            tables[f"shown {name}"] = rows
    for name in names:
        tables[f"files of {name}"] = sorted(repr(file).replace(here.url, "") for file in here.file_list(name))
    return tables


def reply(warehouse: Path, words: Sequence[str]) -> object:
    """What a command answers, a check by its verdicts; None when it refuses to, an error when it has a traceback."""
    done = CliRunner().invoke(main, [*words, "--warehouse", str(warehouse)])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise BrokenError(f"lagbook {words[0]}: {done.exception!r}") from done.exception
    answer = json.loads(done.stdout) if done.exit_code in ENDS_WELL else None
    return answer["rules"] if words[0] == "check" and answer else answer


def _mend(seed: int, warehouse: Path, logs: Path, sound: Path) -> Counter[str]:
    """Have damage mended by hand, and by turns run, with a repair before or without; refuse what is not mended."""
    if seed % RUN != 1:
        _repair(warehouse)
    if seed % RUN > 1:
        return Counter()
    file = Warehouse(str(warehouse)).duckdb_path
    if file_digest.damage(file):
        file.unlink()
    built(logs, warehouse)
    if rows_about(warehouse, GROUPS, TOPICS) != _answers(sound):
        raise BrokenError("mended, and yet other rows")
    return Counter({"runs over it": 1})


def _repair(warehouse: Path) -> None:
    """Repair a warehouse; refuse damage that is left, except of what the next run makes again."""
    done = CliRunner().invoke(main, ["repair", "--yes", "--warehouse", str(warehouse)])
    if done.exit_code:
        raise BrokenError(f"repair ended with {done.exit_code}: {done.output[-1000:]} {done.exception!r}")
    if damages := _damages(warehouse, RAW):
        raise BrokenError(f"repaired, and yet {damages}")


def _all_rows(connection: duckdb.DuckDBPyConnection, names: Sequence[str]) -> dict[str, list[str]]:
    return {name: sorted(map(repr, connection.execute(f"FROM {name}").fetchall())) for name in names}


@cache
def _sound(scratch: Path) -> tuple[Path, Path]:
    """Logs, and a warehouse that a run made of them and another one verified."""
    quiet = {slot.number: silent(slot.log_partition, slot.record_count) for slot in slots(len(sound_events()))}
    logs = write(scratch / "flips" / "data", woven(sound_events(), quiet), TOPICS)
    warehouse = scratch / "flips" / "warehouse"
    with patch("assets.duckdb.database.COPIED_ROWS_MOST", COPIED_ROWS):
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
    return rows_of(sound, NAMES)


@cache
def _reply(sound: Path, question: tuple[str, ...]) -> object:
    return reply(sound, question)


@cache
def _answers(sound: Path) -> dict[str, list[str]]:
    return rows_about(sound, GROUPS, TOPICS)
