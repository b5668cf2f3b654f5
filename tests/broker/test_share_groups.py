"""A share group read from a running broker, held against the broker's files and against kafka-share-groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow.dataset as ds
import pytest
from click.testing import CliRunner

from assets.catalog import TABLES
from assets.storage.warehouse import Warehouse
from dagster_project.cli.main import main
from tests.broker.cluster import running
from tests.broker.conftest import available
from tests.broker.releases import NEWEST
from tests.broker.share_recording import GROUP, SETTINGS, ShareDay
from tests.whole_run import whole_run

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

READ_DIFFERENTLY: Final = frozenset({"cluster", "read_at", "path"})
ARCHIVED: Final = ("group_id", "topic", "partition", "from_offset", "to_offset", "cause", "delivery_count")


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ShareDay]:
    """A folder with two warehouses, of the day as the running broker and as its files have it, and what was told."""
    folder = tmp_path_factory.mktemp("share")
    with running(available(NEWEST), folder / "cluster", 1, **SETTINGS) as cluster:
        day = ShareDay(cluster, folder)
        day.play()
        read = whole_run(folder / "live", [], "--bootstrap", cluster.bootstrap)
        assert read.exit_code == 0, read.output
        logs = cluster.broker.copy_logs(folder / "copy")
    read = whole_run(folder / "files", [logs])
    assert read.exit_code == 0, read.output
    return folder, day


def rows(warehouse: Path, name: str) -> list[dict[str, Any]]:
    """The rows of a table without what depends on how it was read, in order."""
    table = ds.dataset(Warehouse(str(warehouse)).files(name), schema=TABLES[name].schema).to_table()
    plain = ({key: value for key, value in row.items() if key not in READ_DIFFERENTLY} for row in table.to_pylist())
    return sorted(plain, key=repr)


def test_a_running_broker_gives_the_records_that_its_files_have(day: tuple[Path, ShareDay]) -> None:
    """Each record of __share_group_state, in every column."""
    folder, _day = day
    live = rows(folder / "live", "raw.internal_records")
    assert live
    assert live == rows(folder / "files", "raw.internal_records")


def test_what_was_given_up_is_the_same_from_either(day: tuple[Path, ShareDay]) -> None:
    """A running broker tells its limit of deliveries as well as server.properties does."""
    folder, _day = day
    live, files = (rows(folder / name, "mart.share_archived") for name in ("live", "files"))
    assert len(live) == len(files) == 6
    assert {row["cause"] for row in live} == {"rejected", "out_of_attempts"}
    assert [[row[name] for name in ARCHIVED if name != "cause"] for row in live] == [
        [row[name] for name in ARCHIVED if name != "cause"] for row in files
    ]


def test_describe_says_what_the_tool_said_at_the_end(day: tuple[Path, ShareDay]) -> None:
    """In its columns, from the running broker alone."""
    folder, played = day
    answer = CliRunner().invoke(main, ["describe", GROUP, "--warehouse", str(folder / "live")])
    assert [line.split() for line in answer.stdout.splitlines()] == [
        line.split() for line in played.answers_of_tool[-1]["offsets"].splitlines() if line
    ]
