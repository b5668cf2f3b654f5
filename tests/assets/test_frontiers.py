"""A table whose rows of old instants stay: after any sequence of runs it is what one run over everything makes."""

from __future__ import annotations

import random
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from assets.catalog import TABLES
from assets.catalog.memory import FRONTIERS
from assets.frontiers import is_final, prove
from assets.maintenance.mending import heal
from assets.marts import TRANSFORMS
from assets.materialize import from_model
from assets.steps.table_steps import from_any_transform
from assets.storage.parquet_writer import write_file
from assets.storage.warehouse import Warehouse
from assets.transforms.declaration import TransformWithFrontiers
from tests.assets.recorded import opened

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Row = Mapping[str, Any]
    Rows = Mapping[str, Sequence[Row]]
    """Rows by the names of their tables."""
    History = Mapping[str, Sequence[tuple[float, Row]]]
    """The same, each with when it came to be."""

import pyarrow as pa
import pyarrow.parquet as pq

BEGIN: Final = datetime(2026, 1, 1, tzinfo=timezone.utc)
GIVEN: Final = ("raw.batches", "raw.log_offset_samples", "core.commits")
MODELS: Final = (
    *("core.log_ends", "internal.batch_index", "core.log_end_bounds"),
    *("internal.commits_after_gaps", "internal.group_partitions"),
)
SUMS: Final = "internal.committed_partitions"
DERIVED: Final = ("internal.offset_snapshots", "mart.lag", "mart.group_status")
"""The tables that are tested, in the order in which they are made."""
PARTITIONS: Final[tuple[tuple[str, int], ...]] = (("t", 0), ("t", 1), ("idle", 0), ("late", 0), ("unread", 0))


def second(at: float) -> datetime:
    """An instant so many seconds after the beginning of 2026."""
    return BEGIN + timedelta(seconds=at)


def batches(choice: random.Random, topic: str, partition: int, seconds: int) -> Iterable[tuple[float, Row]]:
    """The batches of a log, each with when it was written: gaps, transactions, producers' clocks that run apart."""
    offset, at = choice.randrange(3), 0.0
    while (at := at + choice.expovariate(1 / (600 if topic == "idle" else 40))) < seconds:
        offset += choice.choice((0, 0, 0, 4))
        count = choice.randrange(1, 9)
        is_control = choice.random() < 0.15
        written_ms = int(second(at - (900 if topic == "late" else choice.random() * 3)).timestamp() * 1000)
        yield (
            at,
            {
                "cluster": "c",
                "topic": topic,
                "partition": partition,
                "segment_base_offset": 0,
                "codec": "none",
                "base_offset": offset,
                "last_offset": offset + count - 1,
                "record_count": count,
                "size_bytes": 90,
                "base_timestamp_ms": written_ms - 500,
                "max_timestamp_ms": written_ms,
                "magic": 2,
                "position": 0,
                "producer_id": choice.randrange(2),
                "is_transactional": is_control or choice.random() < 0.3,
                "is_control": is_control,
                "is_log_append_time": False,
                "control_type": choice.choice(("COMMIT", "ABORT")) if is_control else None,
            },
        )
        offset += count


def samples(seconds: int, logs: Sequence[tuple[float, Row]]) -> Iterable[tuple[float, Row]]:
    """What a broker says of one log now and then."""
    for at in range(0, seconds, 300):
        known = [row for since, row in logs if since < at - 5 and (row["topic"], row["partition"]) == ("t", 1)]
        end = known[-1]["last_offset"] + 1 if known else 0
        row = {"cluster": "c", "topic": "t", "partition": 1, "sampled_at": second(at), "high_watermark": end}
        yield at, {**row, "last_stable_offset": end, "log_start_offset": max(end - 200, 0), "partition_count": 2}


def commits(choice: random.Random, seconds: int, logs: Sequence[tuple[float, Row]]) -> Iterable[tuple[float, Row]]:
    """Commits of groups in two partitions of the offsets topic; some are dated earlier than those before them."""
    ends: dict[tuple[str, int], int] = {}
    written = sorted(logs, key=lambda row: -row[0])
    for number in range(seconds // 7):
        at = number * 7 - (choice.random() * 400 if choice.random() < 0.02 else 0)
        while written and written[-1][0] <= at - 2:
            row = written.pop()[1]
            ends[row["topic"], row["partition"]] = row["last_offset"] + 1
        topic, partition = choice.choice(PARTITIONS)
        log_partition = choice.randrange(2)
        is_removed = choice.random() < 0.02
        yield (
            number * 7,
            {
                "cluster": "c",
                "log_partition": log_partition,
                "group_id": f"g{log_partition}{number % 2}",
                "topic": topic,
                "partition": partition,
                "log_offset": number,
                "effective_log_offset": number,
                "kind": "removed" if is_removed else "advance",
                "effective_at": second(at),
                "commit_at": second(at),
                "committed_offset": None
                if is_removed
                else max(ends.get((topic, partition), 0) - choice.randrange(60), 0),
                "is_transactional": False,
                "is_previous_known": True,
                "is_effect_known": True,
                "store_kind": "kafka",
                "metadata": "",
            },
        )


def history(choice: random.Random, seconds: int = 6 * 3600) -> dict[str, list[tuple[float, Row]]]:
    """Rows of every table, each with when it came to be."""
    logs = [batches(choice, *log, seconds) for log in PARTITIONS if log[0] != "unread"]
    written = [row for log in logs for row in log]
    return {
        "raw.batches": written,
        "raw.log_offset_samples": list(samples(seconds, written)),
        "core.commits": list(commits(choice, seconds, written)),
    }


def add(warehouse: Warehouse, name: str, rows: Sequence[Row]) -> None:
    """Let a table have these rows as well."""
    table = TABLES[name]
    folder = warehouse.new_folder(table)
    warehouse.make_folder(folder)
    if rows:
        written = write_file(
            pa.Table.from_pylist([dict(row) for row in rows], table.file_schema), f"{folder}/rows.parquet"
        )
        warehouse.append(table, [written], {})


def make(warehouse: Warehouse) -> None:
    """Make the tables, and all below them."""
    from_any_transform(warehouse, TABLES[SUMS], TRANSFORMS[SUMS])
    for name in MODELS:
        from_model(warehouse, TABLES[name])
    for name in DERIVED:
        from_any_transform(warehouse, TABLES[name], TRANSFORMS[name])


def empty(folder: Path) -> Warehouse:
    """A warehouse of tables without rows."""
    warehouse = Warehouse(str(folder))
    for table in TABLES.values():
        warehouse.begin(table)
    return warehouse


def table_rows(warehouse: Warehouse) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of the tables."""
    with opened(warehouse) as connection:
        return {name: connection.sql(f"FROM {name} ORDER BY ALL").fetchall() for name in DERIVED}


def at_once(rows: Rows, folder: Path) -> dict[str, list[tuple[Any, ...]]]:
    """The tables that one run makes of all rows."""
    warehouse = empty(folder)
    for name in GIVEN:
        add(warehouse, name, rows[name])
    make(warehouse)
    return table_rows(warehouse)


def final_files(warehouse: Warehouse, name: str) -> set[str]:
    """The files of final rows."""
    return {uri for uri in warehouse.files(name) if is_final(uri)}


def versions(warehouse: Warehouse) -> list[int | None]:
    """The commits of the tables and of their frontiers."""
    return [warehouse.version(name) for name in (*DERIVED, FRONTIERS.full_name)]


def in_runs(choice: random.Random, whole: History, from_at: float, delayed: float) -> Sequence[Rows]:
    """The rows that come with each run: each table is cut from an instant on, and of its rows a share is delayed."""
    runs = choice.randrange(2, 6)
    cuts = {name: sorted(choice.uniform(from_at, 21600) for _ in range(runs - 1)) for name in whole}
    arrivals: list[dict[str, list[Row]]] = [{name: [] for name in whole} for _ in range(runs)]
    for name, rows in whole.items():
        for at, row in rows:
            run = sum(at >= cut for cut in cuts[name])
            is_delayed = choice.random() < delayed
            arrivals[min(run + is_delayed, runs - 1)][name].append(row)
    return arrivals


def run_in_turns(arrivals: Sequence[Rows], warehouse: Warehouse) -> list[set[str]]:
    """The final files that the tables have after each run."""
    files = []
    for rows in arrivals:
        for name in GIVEN:
            add(warehouse, name, rows[name])
        make(warehouse)
        files.append(set().union(*(final_files(warehouse, name) for name in DERIVED)))
    return files


def together(arrivals: Sequence[Rows]) -> Rows:
    """The rows of all runs."""
    return {name: [row for rows in arrivals for row in rows[name]] for name in GIVEN}


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 6))])
def test_tables_do_not_depend_on_how_their_inputs_were_cut_into_runs(seed: int, tmp_path: Path) -> None:
    """Each input is cut independently of the others, and some rows come later than those behind them."""
    choice = random.Random(seed)  # noqa: S311 - examples, no secrets
    arrivals = in_runs(choice, history(choice), 0, delayed=0.01)
    warehouse = empty(tmp_path / "runs")
    run_in_turns(arrivals, warehouse)
    expected = at_once(together(arrivals), tmp_path / "once")
    assert table_rows(warehouse) == expected
    assert all(len(rows) > 2000 for rows in expected.values())


@pytest.mark.parametrize("seed", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_tables_are_the_same_where_most_rows_stay(seed: int, tmp_path: Path) -> None:
    """The grid is the same from the first cut on, and nothing is delayed."""
    choice = random.Random(seed)  # noqa: S311 - examples, no secrets
    arrivals = in_runs(choice, without_late_topic(history(choice)), 15_200, delayed=0)
    warehouse = empty(tmp_path / "runs")
    files = run_in_turns(arrivals, warehouse)
    assert files[0] & files[1]
    assert table_rows(warehouse) == at_once(together(arrivals), tmp_path / "once")


@pytest.mark.parametrize("name", GIVEN)
def test_a_row_that_comes_late_changes_final_rows(name: str, tmp_path: Path) -> None:
    """A commit, a batch or a sample of the second hour comes with the second run, of the sixth hour."""
    rows = without_late_topic(history(random.Random(5)))  # noqa: S311 - examples, no secrets
    late = next(row for at, row in rows[name] if at > 5000 and row["topic"] == "t" and row["partition"] == 1)
    whole = {table: [row for _, row in rows[table]] for table in GIVEN}
    delayed = [(20_000 if row is late else at, row) for at, row in rows[name]]
    warehouse, _ = read_in_two({**rows, name: delayed}, 18_000, tmp_path / "two")
    assert table_rows(warehouse) == at_once(whole, tmp_path / "once")


def test_rows_of_another_grid_go(tmp_path: Path) -> None:
    """After two and a half hours its step is shorter than after six."""
    rows = without_late_topic(history(random.Random(6)))  # noqa: S311 - examples, no secrets
    warehouse, _ = read_in_two(rows, 9000, tmp_path / "two")
    whole = {name: [row for _, row in rows[name]] for name in GIVEN}
    assert table_rows(warehouse) == at_once(whole, tmp_path / "once")


def without_late_topic(rows: History) -> dict[str, Sequence[tuple[float, Row]]]:
    """The same without the topic whose batches are dated a quarter of an hour back."""
    return {name: [one for one in rows[name] if one[1]["topic"] != "late" or name != "raw.batches"] for name in GIVEN}


def split(rows: History, at: float) -> tuple[Rows, Rows]:
    """The rows that came to be before an instant, and those behind it."""
    first = {name: [row for since, row in rows[name] if since < at] for name in GIVEN}
    return first, {name: [row for since, row in rows[name] if since >= at] for name in GIVEN}


def read_in_two(rows: History, at: float, folder: Path) -> tuple[Warehouse, dict[str, set[str]]]:
    """A warehouse that two runs filled, and the final files of the first."""
    warehouse = empty(folder)
    for part in split(rows, at):
        before = {name: final_files(warehouse, name) for name in DERIVED}
        for name in GIVEN:
            add(warehouse, name, part[name])
        make(warehouse)
    return warehouse, before


def test_a_run_that_only_appends_rewrites_no_final_row(tmp_path: Path) -> None:
    """What is final after five of six hours stays in its file, and it is most of the table."""
    rows = without_late_topic(history(random.Random(1)))  # noqa: S311 - examples, no secrets
    warehouse, before = read_in_two(rows, 18000, tmp_path)
    for name in DERIVED:
        assert before[name]
        assert before[name] < final_files(warehouse, name)
        counts = {file.uri: file.rows for file in warehouse.file_list(name)}
        assert sum(counts[uri] for uri in before[name]) > 0.6 * sum(counts.values())
        assert sum(counts[uri] for uri in counts.keys() - final_files(warehouse, name)) < 0.1 * sum(counts.values())


def test_nothing_new_writes_nothing(tmp_path: Path) -> None:
    """Neither the tables nor their frontiers get a commit."""
    warehouse, _ = read_in_two(history(random.Random(2)), 9000, tmp_path)  # noqa: S311 - examples, no secrets
    before = versions(warehouse)
    make(warehouse)
    assert versions(warehouse) == before


def test_frontiers_of_another_commit_of_the_table_do_not_count(tmp_path: Path) -> None:
    """As after a run that died between its two commits, or damage after which the table was dropped."""
    rows = history(random.Random(3))  # noqa: S311 - examples, no secrets
    warehouse, before = read_in_two(rows, 9000, tmp_path / "two")
    warehouse.begin(FRONTIERS).remember(dict.fromkeys(DERIVED, "of another run"))
    add(warehouse, "core.commits", [dict(rows["core.commits"][-1][1], log_offset=10**6, effective_log_offset=10**6)])
    make(warehouse)
    for name in DERIVED:
        assert not before[name] & final_files(warehouse, name)
        warehouse.begin(TABLES[name]).replace((), {})
    make(warehouse)
    assert table_rows(warehouse) == at_once(
        {
            **{name: [row for _, row in rows[name]] for name in GIVEN},
            "core.commits": [
                *(row for _, row in rows["core.commits"]),
                dict(rows["core.commits"][-1][1], log_offset=10**6, effective_log_offset=10**6),
            ],
        },
        tmp_path / "once",
    )


def test_rows_of_commits_that_were_retired_go(tmp_path: Path) -> None:
    """The table is equal to that of what remains."""
    rows = history(random.Random(4))  # noqa: S311 - examples, no secrets
    warehouse, _ = read_in_two(rows, 9000, tmp_path / "two")
    rest = [row for at, row in rows["core.commits"] if at > 4000 and (row["topic"], row["partition"]) != ("t", 0)]
    warehouse.begin(TABLES["core.commits"]).revise(warehouse.file_list("core.commits"), (), {})
    add(warehouse, "core.commits", rest)
    make(warehouse)
    given = {name: [row for _, row in rows[name]] for name in GIVEN}
    assert table_rows(warehouse) == at_once({**given, "core.commits": rest}, tmp_path / "once")


def test_a_proof_makes_units_again_and_names_rows_that_differ(tmp_path: Path) -> None:
    """Rows that stayed are those that are made again; where somebody changed one, the proof says so."""
    warehouse, _ = read_in_two(history(random.Random(5)), 9000, tmp_path)  # noqa: S311 - examples, no secrets
    table = TABLES["mart.lag"]
    transform = TRANSFORMS["mart.lag"]
    assert isinstance(transform, TransformWithFrontiers)
    proof = prove(warehouse, table, transform, 3)
    assert (proof.units, proof.differing) == (3, 0)
    assert proof.rows > 100
    for name in DERIVED:
        other = TRANSFORMS[name]
        assert isinstance(other, TransformWithFrontiers)
        sound = prove(warehouse, TABLES[name], other, 3)
        assert (sound.differing, sound.rows > 0) == (0, True)
    (largest,) = [file for file in warehouse.file_list("mart.lag") if file.rows > 5000]
    rows = pq.read_table(largest.uri)
    wrong = rows.set_column(
        rows.column_names.index("records_lower"),
        rows.schema.field("records_lower"),
        pa.nulls(rows.num_rows, pa.int64()),
    )
    folder = warehouse.new_folder(table)
    warehouse.make_folder(folder)
    changed = write_file(wrong, f"{folder}/final.parquet")
    warehouse.begin(table).revise([largest], [changed], warehouse.note("mart.lag"))
    assert prove(warehouse, table, transform, 100).differing > 0


@pytest.mark.parametrize("is_gone", [pytest.param(True, marks=pytest.mark.slow), False], ids=["gone", "cut"])
def test_damaged_frontiers_cost_a_run_and_no_row(tmp_path: Path, *, is_gone: bool) -> None:
    """Without them nothing is final, so all rows are made again."""
    rows = history(random.Random(6))  # noqa: S311 - examples, no secrets
    warehouse, _ = read_in_two(rows, 9000, tmp_path / "two")
    expected = table_rows(warehouse)
    (file,) = (Path(uri) for uri in warehouse.files(FRONTIERS.full_name) if uri.endswith("mart.lag.parquet"))
    file.unlink() if is_gone else file.write_bytes(file.read_bytes()[:100])
    (message,) = heal(Warehouse(warehouse.url))
    assert message.startswith(f"{file}: the file ")
    again = Warehouse(warehouse.url)
    before = final_files(again, "mart.lag")
    add(again, "raw.batches", [dict(rows["raw.batches"][-1][1], topic="another")])
    make(again)
    assert not before & final_files(again, "mart.lag")
    assert table_rows(again) == expected


@pytest.mark.slow
def test_many_runs_leave_few_files(tmp_path: Path) -> None:
    """Final files of small runs are merged as part of later ones, and no row is lost by it."""
    rows = history(random.Random(7), 7200)  # noqa: S311 - examples, no secrets
    warehouse = empty(tmp_path / "runs")
    for part in range(9):
        for name in GIVEN:
            add(warehouse, name, [row for at, row in rows[name] if part * 800 <= at < (part + 1) * 800])
        make(warehouse)
    assert all(len(final_files(warehouse, name)) < 6 for name in DERIVED)
    given = {name: [row for _, row in rows[name]] for name in GIVEN}
    assert table_rows(warehouse) == at_once(given, tmp_path / "once")
