"""That `lagbook check` shows what is broken, ends as bad as the worst of it, and changes nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pytest

from assets.catalog import TABLES
from assets.storage.parquet_writer import write_file
from assets.storage.warehouse import Warehouse
from dagster_project.rules.check_cache import FILE, Memory, fingerprint, remember
from dagster_project.rules.rules_in_sql import rules_of
from dagster_project.rules.verdicts import HOLDS

if TYPE_CHECKING:
    from tests.dagster_project.cli.conftest import Lagbook

NAME: Final = "mart.offsets_now"
TABLE: Final = TABLES[NAME]
ROW: Final[dict[str, Any]] = {
    "cluster": "c",
    "group_id": "g\x1b[2J",
    "topic": "t",
    "partition": 0,
    "current_offset": 5,
    "is_known": True,
    "log_partition": 3,
    "log_offset": 7,
}
STRANGE: Final = {**ROW, "current_offset": -1}


@pytest.fixture
def tables(tmp_path: Path) -> Warehouse:
    """A warehouse without tables."""
    return Warehouse(str(tmp_path / "wh"))


def _fill(tables: Warehouse, *rows: dict[str, Any]) -> None:
    nullable = pa.schema([field.with_nullable(nullable=True) for field in TABLE.file_schema])
    folder = tables.new_folder(TABLE)
    tables.make_folder(folder)
    tables.replace(TABLE, [write_file(pa.Table.from_pylist(list(rows), nullable), f"{folder}/rows.parquet")], {})


@pytest.mark.parametrize(
    ("rows", "code", "severities"),
    [([ROW], 0, []), ([STRANGE], 3, ["warning"]), ([STRANGE, STRANGE], 1, ["blocking", "warning"])],
    ids=["sound", "a warning", "a blocking rule"],
)
def test_the_worst_breach_is_the_exit_code(
    lagbook: Lagbook, tables: Warehouse, rows: list[dict[str, Any]], code: int, severities: list[str]
) -> None:
    """The broken rules come first those that block, harmless for a terminal, and then the counts."""
    _fill(tables, *rows)
    result = lagbook("check", "--all", "--table", NAME, "--warehouse", tables.url)
    assert result.exit_code == code
    broken = [line.split()[2] for line in result.stdout.splitlines() if line.startswith(NAME)]
    assert broken == severities
    assert "\x1b" not in result.stdout
    count = len(rules_of(NAME))
    assert f"{count - len(broken)} rules hold, {len(broken)} are broken; 1 tables judged" in result.stdout


def test_what_is_remembered_counts_unless_all_is_asked_for(lagbook: Lagbook, tables: Warehouse) -> None:
    """Without --all an unchanged table is not read; nothing is written in either case."""
    _fill(tables, STRANGE)
    root, rules = f"{tables.table_url(NAME)}/", rules_of(NAME)
    files = frozenset(file.removeprefix(root) for file in tables.files(NAME))
    remember(tables, NAME, Memory(fingerprint(rules), files, {rule.name: HOLDS for rule in rules}))
    memory = Path(root, FILE).read_bytes()
    words = ("check", "--json", "--table", NAME, "--warehouse", tables.url)
    remembered, whole = lagbook(*words), lagbook(*words, "--all")
    assert (remembered.exit_code, whole.exit_code) == (0, 3)
    assert json.loads(remembered.stdout)["tables_unchanged"] == [NAME]
    assert json.loads(whole.stdout)["tables_judged"] == {NAME: 1}
    (broken,) = (rule for rule in json.loads(whole.stdout)["rules"] if not rule["holds"])
    assert (broken["rule"], broken["severity"], broken["broken_rows"]) == ("current_offset_is_in_range", "warning", 1)
    assert Path(root, FILE).read_bytes() == memory


def test_a_file_that_cannot_be_read_is_named(lagbook: Lagbook, tables: Warehouse) -> None:
    """A rule without a verdict is worse than one that is broken: exit code 1, and the file."""
    _fill(tables, ROW)
    (file,) = tables.files(NAME)
    Path(file).write_bytes(b"PAR1")
    result = lagbook("check", "--table", NAME, "--warehouse", tables.url)
    assert result.exit_code == 1
    assert NAME in result.stderr
    assert "rows.parquet" in result.stderr


@pytest.mark.parametrize("words", [(), ("--table", "core.nothing")], ids=["no warehouse", "no such table"])
def test_what_is_not_there_is_refused(lagbook: Lagbook, tables: Warehouse, words: tuple[str, ...]) -> None:
    """Exit code 2, and a sentence."""
    if words:
        _fill(tables, ROW)
    result = lagbook("check", *words, "--warehouse", tables.url)
    assert result.exit_code == 2
    assert result.stderr.startswith("lagbook: ")
