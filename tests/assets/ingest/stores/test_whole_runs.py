"""Checkpoints and SQL tables through whole runs: the recorded query of Spark, and a table that a consumer writes."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

from tests.assets.ingest.stores.sql.declared_tables import CREATE, WRITE, run
from tests.parsers.spark_checkpoints.recorded import QUERY_ID, processed, unpack, write_batch
from tests.whole_run import whole_run

if TYPE_CHECKING:
    from pathlib import Path

DECLARED = """
[checkpoints.orders-etl]
path = "live/checkpoint"
[tables.billing]
sqlite = "b.db"
table = "consumer offsets"
group = "billing"
[tables.billing.columns]
topic = "topic"
partition = "part"
committed_offset = "next offset"
"""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The three states of the recorded query."""
    return unpack(tmp_path_factory.mktemp("recorded"))


def _go(recorded: Path, state: str, place: Path) -> Path:
    """Let the files in a place be those of a state; gives the place."""
    live = place / "live"
    shutil.rmtree(live, ignore_errors=True)
    shutil.copytree(recorded / state, live)
    return live


def _query(warehouse: Path, question: str) -> list[Any]:
    with duckdb.connect(str(warehouse / "lagbook.duckdb"), read_only=True) as connection:
        return connection.execute(question).fetchall()


def _processed_again(partition: int) -> tuple[int, int]:
    """The range that the sink of the recorded query processed again behind the end of what it had processed."""
    before, behind = processed("restarted"), processed("rewound")
    again = [(first, last) for _, _, its, first, last in behind[len(before) :] if its == partition]
    return min(first for first, _ in again), max(last for _, last in again)


@pytest.mark.slow
def test_a_query_that_was_killed_restarted_and_set_back(recorded: Path, tmp_path: Path) -> None:
    """The killed batch counts when it is complete; what was taken out of the checkpoint by hand was read twice."""
    warehouse = tmp_path / "warehouse"
    first = whole_run(warehouse, [_go(recorded, "killed", tmp_path)])
    assert (first.exit_code, "1 store of offsets to read" in first.output) == (0, True), first.output
    assert _query(warehouse, "SELECT DISTINCT group_id, current_offset, lag FROM mart.lag_now") == [(QUERY_ID, 30, 70)]
    assert whole_run(warehouse, [_go(recorded, "restarted", tmp_path)]).exit_code == 0
    commits = "SELECT kind, count(*), max(committed_offset) FROM core.commits GROUP BY ALL ORDER BY ALL"
    assert _query(warehouse, commits) == [("advance", 18, 100), ("first", 2, 10)]
    assert not _query(warehouse, "FROM core.log_gaps")
    assert "Nothing is new" in whole_run(warehouse, [tmp_path / "live"]).output
    assert whole_run(warehouse, [_go(recorded, "rewound", tmp_path)]).exit_code == 0
    replays = "SELECT partition, kind, certain_from, certain_to FROM mart.replays ORDER BY ALL"
    assert _query(warehouse, replays) == [(one, "set_back", *_processed_again(one)) for one in (0, 1)]
    assert _query(warehouse, "SELECT certainty FROM mart.incidents") == [("proven",)]
    assert _query(warehouse, "SELECT DISTINCT store_kind FROM core.commits") == [("spark_checkpoint",)]


def test_declared_stores_are_read_under_their_names(recorded: Path, tmp_path: Path) -> None:
    """A checkpoint's group, a table's rows as they change; a torn file and a bad row are set aside."""
    warehouse, file = tmp_path / "warehouse", tmp_path / "stores.toml"
    file.write_text(DECLARED)
    live = _go(recorded, "killed", tmp_path)
    run(tmp_path / "b.db", CREATE)
    run(
        tmp_path / "b.db",
        WRITE,
        ("-", "orders", 0, 60, None),
        ("-", "orders", 1, 20, None),
        ("-", "orders", -1, 5, None),
    )
    torn = live / "checkpoint" / "offsets" / "1"
    torn.write_bytes(torn.read_bytes()[:-3])
    words = ("--external-stores", str(file))
    assert "set aside in raw.quarantine, the rest is read" in whole_run(warehouse, [live / "logs"], *words).output
    now = "SELECT group_id, partition, current_offset, lag FROM mart.lag_now ORDER BY ALL"
    both = [("billing", 0, 60, 40), ("billing", 1, 20, 80), ("orders-etl", 0, 30, 70), ("orders-etl", 1, 30, 70)]
    assert _query(warehouse, now) == both
    aside = "SELECT path, expected FROM raw.quarantine ORDER BY path"
    assert _query(warehouse, aside) == [
        (str(torn), "the offset of a source, as JSON"),
        (f"{file}: [tables.billing]", "column part: a number from 0 to 2147483647"),
    ]
    run(tmp_path / "b.db", 'UPDATE "consumer offsets" SET "next offset" = 10 WHERE part = 0')
    run(tmp_path / "b.db", 'UPDATE "consumer offsets" SET "next offset" = 90 WHERE part = 1')
    assert whole_run(warehouse, [live / "logs"], *words).exit_code == 0
    steps = "SELECT partition, kind, committed_offset FROM core.commits WHERE group_id = 'billing' ORDER BY log_offset"
    assert _query(warehouse, steps)[2:] == [(0, "rewind", 10), (1, "unknown", 90)]
    again = whole_run(warehouse, [live / "logs"], *words)
    assert "Nothing is new" in again.output


def test_two_checkpoints_of_one_query_are_not_mixed(tmp_path: Path) -> None:
    """Of copies that went on differently the newest is read, and the run says so and ends with 1."""
    for name, planned_ms in (("a", 1_700_000_009_000), ("b", 1_700_000_008_000)):
        write_batch(tmp_path / name, 0, {"orders": {"0": 5}})
        write_batch(tmp_path / name, 1, {"orders": {"0": planned_ms % 1000 + 6}}, planned_ms=planned_ms)
        (tmp_path / name / "metadata").write_text('{"id":"same"}')
    done = whole_run(tmp_path / "warehouse", [tmp_path])
    assert f"{tmp_path}/b: expected the batches of {tmp_path}/a, another checkpoint of the query same" in done.output
    offsets = "SELECT committed_offset, source_file FROM raw.external_commits ORDER BY log_offset"
    assert _query(tmp_path / "warehouse", offsets) == [(5, f"{tmp_path}/a/offsets/0"), (6, f"{tmp_path}/a/offsets/1")]


def test_a_place_that_holds_nothing_is_named(tmp_path: Path) -> None:
    """A declared checkpoint that is none, and a database that is not there, are complaints of their own."""
    (tmp_path / "live" / "checkpoint").mkdir(parents=True)
    (tmp_path / "stores.toml").write_text(DECLARED)
    done = whole_run(tmp_path / "warehouse", [], "--external-stores", str(tmp_path / "stores.toml"))
    assert done.exit_code == 2
    assert f"{tmp_path}/live/checkpoint: expected a checkpoint, as declared for orders-etl, found none" in done.output
    assert "[tables.billing] sqlite: expected a database, found no file" in done.output
