"""Whose answers a command gives: those of the warehouse that was named, and never old ones without a word."""

from __future__ import annotations

import json
import os
import shutil
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Final

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

from assets.catalog import TABLES
from assets.duckdb import database, last_run
from assets.duckdb.last_run import LastRun
from assets.storage.data_files import describe_file
from assets.storage.lease import writer_lease
from assets.storage.warehouse import Warehouse
from dagster_project.cli.operations.demo import unpack
from parsers.errors import WarehouseError
from tests.store import store_apart, url
from tests.whole_run import whole_run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.dagster_project.cli.conftest import Lagbook

STARTED = datetime(2026, 11, 18, 2, 30, tzinfo=timezone.utc)
LAG_NOW = TABLES["mart.lag_now"]
BASIS: Final = (
    "lagbook: As of",
    "lagbook: History:",
    "lagbook: Partitions:",
    "lagbook: Log ends",
    "lagbook: Set aside",
)
"""How the lines begin that say what an answer rests on."""


def put_group(warehouse: Warehouse, group: str) -> None:
    """Let the warehouse know one group, which has committed 7 in orders-0."""
    row = {"cluster": "c", "group_id": group, "topic": "orders", "partition": 0, "current_offset": 7, "is_known": True}
    folder = Path(warehouse.new_folder(LAG_NOW))
    folder.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist([row], schema=LAG_NOW.schema), folder / "rows.parquet")
    warehouse.replace(LAG_NOW, [describe_file(str(folder / "rows.parquet"))], {})


def make(folder: Path, group: str) -> Warehouse:
    """A warehouse that knows one group; its DuckDB file is not built yet."""
    warehouse = Warehouse(str(folder))
    warehouse.append(TABLES["raw.segments"], (), {})
    put_group(warehouse, group)
    return warehouse


@pytest.fixture
def built(tmp_path: Path) -> Warehouse:
    """A warehouse with its DuckDB file, which knows `payments`."""
    warehouse = make(tmp_path / "wh", "payments")
    database.build(warehouse)
    return warehouse


def cautions(stderr: str) -> list[str]:
    """What a command says on stderr beside what its answer rests on, which it always says."""
    own = (*BASIS, "lagbook: STALE", "lagbook: payments: ", "lagbook: invoices: ")
    return [line for line in stderr.splitlines() if not line.startswith(own)]


def test_a_current_file_answers_without_a_word(lagbook: Lagbook, built: Warehouse) -> None:
    """A file that was built from the tables as they are, after a run that ended well."""
    last_run.write(built, LastRun(STARTED, STARTED))
    result = lagbook("describe", "payments", "--warehouse", built.url)
    assert (result.exit_code, cautions(result.stderr)) == (0, [])


def test_a_file_of_another_warehouse_is_refused(lagbook: Lagbook, built: Warehouse, tmp_path: Path) -> None:
    """It lies where the right one would: the sentence names both, and nothing is answered."""
    other = make(tmp_path / "other", "invoices")
    shutil.copy(built.duckdb_path, other.duckdb_path)
    result = lagbook("describe", "--all-groups", "--warehouse", other.url)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"shows another warehouse ({built.url}, built at " in result.stderr
    assert f"not {other.url}; `lagbook run` builds it anew" in result.stderr
    database.build(other)
    assert lagbook("describe", "invoices", "--warehouse", other.url).exit_code == 0


def test_a_warehouse_that_was_moved_answers(lagbook: Lagbook, built: Warehouse, tmp_path: Path) -> None:
    """At another place it is the same warehouse."""
    shutil.move(built.url, tmp_path / "moved")
    result = lagbook("describe", "payments", "--warehouse", str(tmp_path / "moved"))
    assert (result.exit_code, cautions(result.stderr)) == (0, [])


def test_a_copy_of_the_file_alone_answers_and_says_what_it_is(
    lagbook: Lagbook, built: Warehouse, tmp_path: Path
) -> None:
    """On a laptop, say: the answer is of when the file was built, and stderr names the warehouse that it is of."""
    laptop = tmp_path / "laptop"
    laptop.mkdir()
    shutil.copy(built.duckdb_path, laptop)
    result = lagbook("describe", "payments", "--warehouse", str(laptop))
    assert result.exit_code == 0, result.stderr
    assert "orders" in result.stdout
    (caution,) = cautions(result.stderr)
    assert caution.startswith(f"lagbook: this is a copy of the file of {built.url} from ")


def test_a_copy_whose_views_have_no_files_names_the_tables(
    lagbook: Lagbook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Instead of an error about a path of another machine; a copy of the whole folder answers."""
    monkeypatch.setattr(database, "COPIED_ROWS_MOST", 0)
    built = make(tmp_path / "wh", "payments")
    database.build(built)
    shutil.copytree(built.url, tmp_path / "whole")
    laptop = tmp_path / "laptop"
    laptop.mkdir()
    shutil.copy(built.duckdb_path, laptop)
    shutil.rmtree(built.url)
    alone = lagbook("describe", "payments", "--warehouse", str(laptop))
    assert (alone.exit_code, alone.stdout) == (1, "")
    assert f"has views over files of its warehouse that are not in {laptop} (mart.lag_now): copy the" in alone.stderr
    whole = lagbook("describe", "payments", "--warehouse", str(tmp_path / "whole"))
    assert (whole.exit_code, cautions(whole.stderr)) == (0, [])


@pytest.mark.parametrize("words", [("describe", "payments"), ("explain", "payments", "orders", "0"), ("audit",)])
def test_a_file_of_an_earlier_release_is_one_sentence(
    lagbook: Lagbook, built: Warehouse, words: tuple[str, ...]
) -> None:
    """Its tables and macros may lack what commands ask for: nothing is answered until a run built it anew."""
    with duckdb.connect(str(built.duckdb_path)) as connection:
        connection.execute("UPDATE built_from SET version = 1 WHERE table_name = 'models'")
        connection.execute("CREATE OR REPLACE MACRO explain(a, b, c, d, e) AS TABLE SELECT 1 AS other")
    result = lagbook(*words, "--warehouse", built.url)
    assert (result.exit_code, result.stdout) == (2, "")
    sentence = f"{built.duckdb_path} is of another release of lagbook; `lagbook run` builds it anew."
    assert result.stderr.strip().endswith(sentence)
    assert len(result.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_an_answer_older_than_the_tables_says_so(lagbook: Lagbook, built: Warehouse, words: tuple[str, ...]) -> None:
    """The old answer is given, with exit code 0, and stderr names the tables that changed, with --json too."""
    put_group(built, "invoices")
    result = lagbook("describe", "payments", "--warehouse", built.url, *words)
    assert result.exit_code == 0
    assert "payments" in result.stdout
    assert "lagbook: this answer is older than the warehouse: it was built at " in result.stderr
    assert "tables have changed since (mart.lag_now); `lagbook run` brings it up to date." in result.stderr


@pytest.mark.parametrize(
    ("run", "sentence"),
    [
        (LastRun(STARTED), "began at 2026-11-18T02:30:00.000Z, was killed before its end."),
        (LastRun(STARTED, STARTED, "a\x1b[2J failed: no space left"), "failed: a\\x1b[2J failed: no space left."),
    ],
)
def test_a_run_that_did_not_end_well_is_told(lagbook: Lagbook, built: Warehouse, run: LastRun, sentence: str) -> None:
    """By every command that answers, and by doctor as a problem, whatever bytes the reason has."""
    last_run.write(built, run)
    for words in (("describe", "payments"), ("audit",)):
        result = lagbook(*words, "--warehouse", built.url)
        assert result.exit_code == 0
        assert sentence in result.stderr
    assert f"problem: the last run, which began at 2026-11-18T02:30:00.000Z, {sentence[-20:]}"[:40] in (
        lagbook("doctor", "--warehouse", built.url).stdout
    )


def test_a_run_that_is_at_work_is_told(lagbook: Lagbook, built: Warehouse) -> None:
    """Its answer is of before it, and doctor names the process; when it is gone, it was killed."""
    last_run.write(built, LastRun(STARTED))
    with writer_lease(built, 0):
        answer = lagbook("describe", "payments", "--warehouse", built.url)
        facts = json.loads(lagbook("doctor", "--warehouse", built.url, "--json").stdout)
    assert f"a run that began at 2026-11-18T02:30:00.000Z is still at work (process {os.getpid()} on " in answer.stderr
    assert facts["at_work"]["pid"] == os.getpid()
    assert not any("at work" in problem for problem in facts["problems"])
    assert "was killed before its end" in lagbook("describe", "payments", "--warehouse", built.url).stderr


def test_a_record_that_is_broken_stops_no_answer(lagbook: Lagbook, built: Warehouse) -> None:
    """The answer is given, and stderr says that nobody knows how old it is."""
    (Path(built.url) / last_run.FILE).write_text("{")
    result = lagbook("describe", "payments", "--warehouse", built.url)
    assert result.exit_code == 0
    assert "lagbook: how old this answer is can't be said: " in result.stderr


def test_tables_without_a_file_are_not_called_nothing(lagbook: Lagbook, tmp_path: Path) -> None:
    """A first run that failed has read something, and the sentence says with what it failed."""
    warehouse = make(tmp_path / "wh", "payments")
    last_run.write(warehouse, LastRun(STARTED, STARTED, "core.commits failed: no space left"))
    result = lagbook("describe", "payments", "--warehouse", warehouse.url)
    assert result.exit_code == 2
    assert "nothing was read" not in result.stderr
    assert "there are tables, and no file was built of them" in result.stderr
    assert "failed: core.commits failed: no space left" in result.stderr


def test_a_failed_run_is_told_until_one_ends_well(
    lagbook: Lagbook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real run whose last step fails: what it read before is answered, with what failed; the next run clears it."""
    recorded, warehouse = unpack(tmp_path), tmp_path / "wh"
    first, second = (tmp_path / "logs" / name for name in ("first", "second"))
    for folder, pattern in ((first, "__consumer_offsets-7"), (second, "__consumer_offsets-13")):
        for partition in recorded.glob(pattern):
            shutil.copytree(partition, folder / partition.name)
        shutil.copy(recorded / "meta.properties", folder)
    assert whole_run(warehouse, [first]).exit_code == 0
    call = ("describe", "--all-groups", "--warehouse", str(warehouse))
    before = lagbook(*call)
    assert (before.exit_code, cautions(before.stderr)) == (0, [])

    def full(_warehouse: Warehouse) -> dict[str, int]:
        message = "no space left on device"
        raise WarehouseError(message)

    with monkeypatch.context() as patched:
        patched.setattr("assets.duckdb.database.build", full)
        assert whole_run(warehouse, [first, second]).exit_code == 1
    stale = lagbook(*call)
    assert (stale.exit_code, stale.stdout) == (0, before.stdout)
    assert "failed: lagbook.duckdb failed: no space left on device." in stale.stderr
    assert "this answer is older than the warehouse" in stale.stderr
    assert whole_run(warehouse, [first, second]).exit_code == 0
    after = lagbook(*call)
    assert (after.exit_code, cautions(after.stderr)) == (0, [])
    assert after.stdout != before.stdout


@pytest.fixture
def _store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A store, a cache of one's own, and a folder to stand in with the DuckDB file of some other warehouse."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    standing = tmp_path / "standing"
    other = make(tmp_path / "other", "stranger")
    database.build(other)
    standing.mkdir()
    shutil.copy(other.duckdb_path, standing)
    monkeypatch.chdir(standing)
    with store_apart(1 << 30):
        yield


@pytest.mark.usefixtures("_store")
def test_a_store_is_asked_for_its_own_answers(lagbook: Lagbook, tmp_path: Path) -> None:
    """The file is built in the cache, once, and again when the store's tables changed; the folder's own is not read."""
    local = make(tmp_path / "payments", "payments")
    fs.copy_files(local.url, url("wh"))
    call = ("describe", "--all-groups", "--warehouse", url("wh"))
    first, second = lagbook(*call), lagbook(*call)
    assert first.exit_code == 0, first.stderr
    assert "payments" in first.stdout
    assert "stranger" not in first.stdout
    assert first.stderr.startswith(f"lagbook: building {tmp_path / 'cache' / 'lagbook'}")
    assert (second.stdout, cautions(second.stderr)) == (first.stdout, [])
    put_group(local, "invoices")
    fs.copy_files(local.url, url("wh"))
    changed = lagbook(*call)
    assert "invoices" in changed.stdout
    assert "payments" not in changed.stdout
    assert "building" in changed.stderr


@pytest.mark.slow
@pytest.mark.usefixtures("_store")
def test_two_warehouses_in_a_store_have_two_files(lagbook: Lagbook, tmp_path: Path) -> None:
    """Each answers for itself, one that was replaced at the same URL too, and one that is not there is refused."""
    for name in ("payments", "invoices"):
        fs.copy_files(make(tmp_path / name, name).url, url(name))
    for name in ("payments", "invoices", "payments"):
        assert name in lagbook("describe", "--all-groups", "--warehouse", url(name)).stdout
    assert len(list((tmp_path / "cache").rglob("lagbook.duckdb"))) == 2
    fs.FileSystem.from_uri(url("payments"))[0].delete_dir("lake/payments")
    fs.copy_files(make(tmp_path / "anew", "anew").url, url("payments"))
    assert "anew" in lagbook("describe", "--all-groups", "--warehouse", url("payments")).stdout
    nothing = lagbook("describe", "--all-groups", "--warehouse", url("nothing"))
    assert nothing.exit_code == 2
    assert f"nothing was read into {url('nothing')} yet" in nothing.stderr


def test_a_flipped_bit_in_the_file_is_a_sentence_or_changes_nothing(lagbook: Lagbook, built: Warehouse) -> None:
    """Wherever it flips; a repair deletes the file."""
    words, path = ("describe", "payments", "--json", "--warehouse", built.url), built.duckdb_path
    expected, content, refused = lagbook(*words).stdout, path.read_bytes(), 0
    for place in range(1000, len(content), len(content) // 40):
        path.write_bytes(content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :])
        result = lagbook(*words)
        assert result.exception is None or isinstance(result.exception, SystemExit), place
        if result.exit_code:
            refused += 1
            assert "`lagbook run` builds it anew" in result.stderr or "can't be opened" in result.stderr
        else:
            assert result.stdout == expected
    assert refused
    assert lagbook("repair", "--warehouse", built.url).exit_code == 1
    assert "lagbook.duckdb" in lagbook("repair", "--warehouse", built.url, "--yes").stdout
    assert not path.exists()


def test_the_file_says_what_it_shows(built: Warehouse) -> None:
    """In SQL: which warehouse, built by which release and when, and from which commit of each table."""
    with duckdb.connect(str(built.duckdb_path), read_only=True) as connection:
        ((place, release),) = connection.sql("SELECT url, release FROM warehouse WHERE built_at <= now()").fetchall()
        commits = dict(connection.sql("SELECT table_name, version FROM built_from WHERE version < 9").fetchall())
    assert (place, commits) == (built.url, {"raw.segments": 0, "mart.lag_now": 1})
    assert release


def test_a_damaged_file_behind_a_view_is_named(
    lagbook: Lagbook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A flipped bit is no answer, and a cut file no traceback: the sentence names the file and `lagbook repair`."""
    monkeypatch.setattr(database, "COPIED_ROWS_MOST", 0)
    warehouse = make(tmp_path / "one", "payments")
    database.build(warehouse)
    (path,) = map(Path, warehouse.files(LAG_NOW.full_name))
    content = path.read_bytes()
    assert lagbook("describe", "payments", "--warehouse", warehouse.url).exit_code == 0
    for damaged in (content[:300] + bytes([content[300] ^ 8]) + content[301:], content[:-40]):
        path.write_bytes(damaged)
        result = lagbook("describe", "payments", "--warehouse", warehouse.url)
        assert (result.exit_code, result.stdout) == (2, "")
        assert f"{path} has other bytes than were written, so nothing is answered from it; `lagbook repair`" in (
            result.stderr
        )
    path.unlink()
    result = lagbook("describe", "payments", "--warehouse", warehouse.url)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "views over files" in result.stderr
    assert f"({LAG_NOW.full_name})" in result.stderr
    assert "`lagbook repair` shows what mends it" in result.stderr
