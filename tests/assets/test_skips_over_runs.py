"""The same logs, read in one run or in several, say the same of offsets that groups went past."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest

from assets.catalog import TABLES
from assets.storage.warehouse import Warehouse
from tests.assets.recorded import opened, read

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PARTS = {"offsets": "__consumer_offsets-*", "payments": "payments-*", "audit": "audit-*"}
"""Which folders of a log directory a run may find that it has not found before."""

BEYOND_ALL_COMMITS = 2800
"""Where a log begins that leaves groups behind."""


def skips(warehouse: Warehouse) -> list[tuple[Any, ...]]:
    """All rows of mart.skips."""
    with opened(warehouse) as connection:
        return connection.sql("FROM mart.skips ORDER BY ALL").fetchall()


def read_in(runs: Sequence[Sequence[str]], logs: Path, folder: Path) -> list[tuple[Any, ...]]:
    """Read a log directory that has more of its folders in each run."""
    warehouse = Warehouse(str(folder / "warehouse"))
    for table in TABLES.values():
        warehouse.begin(table)
    copy = folder / "logs"
    copy.mkdir()
    for file in logs.iterdir():
        if file.is_file():
            shutil.copy2(file, copy)
    starts = (copy / "log-start-offset-checkpoint").read_text(encoding="ascii").splitlines()[2:]
    starts.append(f"audit 0 {BEYOND_ALL_COMMITS}")
    (copy / "log-start-offset-checkpoint").write_text("\n".join(["0", str(len(starts)), *starts, ""]), encoding="ascii")
    for parts in runs:
        for part in parts:
            for path in logs.glob(PARTS[part]):
                shutil.copytree(path, copy / path.name)
        read(warehouse, [copy])
    return skips(warehouse)


@pytest.fixture(scope="module")
def once(incident: Path, tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Any, ...]]:
    """What one run says."""
    tables = read_in([list(PARTS)], incident, tmp_path_factory.mktemp("once"))
    assert {"below_log_start", "overtaken_by_log_start"} <= {
        row[TABLES["mart.skips"].column_names.index("kind")] for row in tables
    }
    return tables


@pytest.mark.parametrize(
    "runs",
    [
        [["offsets"], ["payments", "audit"]],
        pytest.param([["payments"], ["audit", "offsets"], []], marks=pytest.mark.slow),
        [["audit"], ["offsets"], ["payments"]],
    ],
    ids=["offsets first", "three, the last without news", "three"],
)
def test_skips_do_not_depend_on_how_often_logs_are_read(
    incident: Path, once: list[tuple[Any, ...]], runs: list[list[str]], tmp_path: Path
) -> None:
    """Neither their number nor their times: no event has the time of a reading."""
    assert read_in(runs, incident, tmp_path) == once
