"""The stores of old instants stay: after any sequence of runs the table is what one run over everything makes."""

from __future__ import annotations

import random
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pytest

from assets.catalog import TABLES
from assets.duckdb.database import in_memory
from assets.frontiers import is_final
from assets.materialize import from_model
from assets.steps.table_steps import from_any_transform
from assets.storage.parquet_writer import write_file
from assets.storage.warehouse import Warehouse
from assets.transforms.marts import commit_sums, snapshots

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    Row = Mapping[str, Any]
    Rows = Mapping[str, Sequence[Row]]
    """Rows by the names of their tables."""
    History = Mapping[str, Sequence[tuple[float, Row]]]
    """The same, each with when it came to be."""

NAME: Final = "internal.offset_snapshots"
GIVEN: Final = ("core.commits", "core.log_gaps")
SECONDS: Final = 6 * 3600
BEGIN: Final = datetime(2026, 1, 1, tzinfo=timezone.utc)


def second(at: float) -> datetime:
    """An instant so many seconds after the beginning of 2026."""
    return BEGIN + timedelta(seconds=at)


def commits(choice: random.Random) -> Iterable[tuple[float, Row]]:
    """Commits and removals: clocks step back, some wait for a marker, keys fall silent, a group has two logs."""
    for number in range(SECONDS // 5):
        at = number * 5 - (choice.random() * 900 if choice.random() < 0.03 else 0)
        group = choice.choice((0, 0, 0, 1, 1, 2, 3, 4 if number > 3000 else 0))
        is_removed = choice.random() < 0.1
        is_misplaced = group == 3 and number % 2
        yield (
            number * 5,
            {
                "cluster": "c",
                "log_partition": group % 2 if not is_misplaced else 0,
                "group_id": f"g{group}",
                "topic": "t",
                "partition": choice.choice((0, 0, 0, 1, 1, 2 + number // 500)),
                "log_offset": number,
                "effective_log_offset": number + choice.choice((0, 0, 0, 9)),
                "store_kind": "kafka",
                "kind": "removed" if is_removed else "advance",
                "effective_at": None if choice.random() < 0.01 else second(at),
                "commit_at": second(at),
                "committed_offset": None if is_removed else choice.randrange(1000),
                "is_transactional": False,
                "is_previous_known": choice.random() < 0.98,
                "is_effect_known": True,
                "metadata": choice.choice(("", "", "m")),
            },
        )


def holes(choice: random.Random) -> Iterable[tuple[float, Row]]:
    """Some offsets that nobody read, between records that may be dated in any order."""
    for number in sorted(choice.sample(range(0, SECONDS // 5, 50), 9)):
        times = {"from_at": second(number * 5 + choice.randrange(-200, 200)) if number else None}
        times["to_at"] = second(number * 5 + 10)
        place = {"cluster": "c", "log_partition": choice.randrange(2), "from_log_offset": number}
        yield number * 5, {**place, "to_log_offset": number + 2, **times, "is_damage": choice.random() < 0.3}


def history(choice: random.Random) -> History:
    """Rows of every table that is given, each with when it came to be."""
    return {"core.commits": list(commits(choice)), "core.log_gaps": list(holes(choice))}


def add(warehouse: Warehouse, rows: Rows) -> None:
    """Let the tables have these rows as well."""
    for name in GIVEN:
        table = TABLES[name]
        folder = warehouse.new_folder(table)
        warehouse.make_folder(folder)
        if rows[name]:
            file = write_file(
                pa.Table.from_pylist(list(map(dict, rows[name])), table.file_schema), f"{folder}/rows.parquet"
            )
            warehouse.append(table, [file], {})


def make(warehouse: Warehouse) -> None:
    """Make the table, and what it is made from."""
    from_any_transform(warehouse, TABLES[commit_sums.FULL_NAME], commit_sums.TRANSFORM)
    for name in ("internal.commits_after_gaps", "internal.group_partitions"):
        from_model(warehouse, TABLES[name])
    from_any_transform(warehouse, TABLES[NAME], snapshots.TRANSFORM)


def empty(folder: Path) -> Warehouse:
    """A warehouse of tables without rows."""
    warehouse = Warehouse(str(folder))
    for table in TABLES.values():
        warehouse.begin(table)
    return warehouse


def rows_of(warehouse: Warehouse) -> list[tuple[Any, ...]]:
    """All rows of the table."""
    with in_memory(warehouse, [NAME]) as connection:
        return connection.sql(f"FROM {NAME} ORDER BY ALL").fetchall()


def at_once(rows: Rows, folder: Path) -> list[tuple[Any, ...]]:
    """The table that one run makes of all rows."""
    warehouse = empty(folder)
    add(warehouse, rows)
    make(warehouse)
    return rows_of(warehouse)


def final_files(warehouse: Warehouse) -> set[str]:
    """The files of final rows."""
    return {uri for uri in warehouse.files(NAME) if is_final(uri)}


def whole(rows: History) -> Rows:
    """The rows without when they came to be."""
    return {name: [row for _, row in rows[name]] for name in GIVEN}


def split(rows: History, at: float) -> tuple[Rows, Rows]:
    """The rows that came to be before an instant, and those behind it."""
    first = {name: [row for since, row in rows[name] if since < at] for name in GIVEN}
    return first, {name: [row for since, row in rows[name] if since >= at] for name in GIVEN}


def read_in_two(rows: History, at: float, folder: Path) -> tuple[Warehouse, set[str]]:
    """A warehouse that two runs filled, and the final files of the first."""
    warehouse = empty(folder)
    first, second_ = split(rows, at)
    add(warehouse, first)
    make(warehouse)
    before = final_files(warehouse)
    add(warehouse, second_)
    make(warehouse)
    return warehouse, before


@pytest.mark.parametrize("seed", range(6))
def test_the_table_does_not_depend_on_how_its_inputs_were_cut_into_runs(seed: int, tmp_path: Path) -> None:
    """Each input is cut by itself, some rows come later than those behind them, and the grid is the same or changes."""
    choice = random.Random(seed)  # noqa: S311 - examples, no secrets
    rows = history(choice)
    runs = choice.randrange(2, 7)
    first = 0.8 * SECONDS if seed % 2 else 0
    cuts = {name: sorted(choice.uniform(first, SECONDS) for _ in range(runs - 1)) for name in GIVEN}
    delayed = choice.choice((0, 0.002))
    arrivals: list[dict[str, list[Row]]] = [{name: [] for name in GIVEN} for _ in range(runs)]
    for name in GIVEN:
        for at, row in rows[name]:
            run = sum(at >= cut for cut in cuts[name]) + (choice.random() < delayed)
            arrivals[min(run, runs - 1)][name].append(row)
    warehouse = empty(tmp_path / "runs")
    for arrived in arrivals:
        add(warehouse, arrived)
        make(warehouse)
    expected = at_once(whole(rows), tmp_path / "once")
    assert rows_of(warehouse) == expected
    assert len(expected) > 5000
    assert {row[-1] for row in expected} == {True, False}


def regular(seed: int) -> History:
    """A history without a group in two partitions, without holes, and of clocks that step back by minutes at most."""
    choice = random.Random(seed)  # noqa: S311 - examples, no secrets
    instants = [
        (at, dict(row, is_previous_known=True))
        for at, row in commits(choice)
        if row["group_id"] != "g3" and row["effective_at"] and row["effective_at"] > second(at - 300)
    ]
    return {"core.commits": instants, "core.log_gaps": []}


def test_a_run_that_only_appends_rewrites_no_final_row(tmp_path: Path) -> None:
    """What is final after five of six hours stays in its file, and it is most of the table."""
    rows = regular(1)
    warehouse, before = read_in_two(rows, SECONDS * 5 / 6, tmp_path / "two")
    assert before
    assert before < final_files(warehouse)
    counts = {file.uri: file.rows for file in warehouse.file_list(NAME)}
    assert sum(counts[uri] for uri in before) > 0.6 * sum(counts.values())
    assert sum(counts[uri] for uri in counts.keys() - final_files(warehouse)) < 0.1 * sum(counts.values())
    assert rows_of(warehouse) == at_once(whole(rows), tmp_path / "once")


def test_nothing_new_writes_nothing(tmp_path: Path) -> None:
    """Though the table is made from itself, too."""
    warehouse, _ = read_in_two(regular(2), SECONDS * 5 / 6, tmp_path)
    before = warehouse.version(NAME)
    make(warehouse)
    assert warehouse.version(NAME) == before


def test_a_commit_that_comes_late_changes_the_stores_of_its_group_only(tmp_path: Path) -> None:
    """Its files are written anew; after that the frontier of the group is that of its partition."""
    rows = regular(3)
    warehouse, before = read_in_two(rows, SECONDS * 5 / 6, tmp_path / "two")
    late = {**rows["core.commits"][-1][1], "group_id": "g1", "log_partition": 1, "log_offset": 10**6}
    late |= {"effective_log_offset": 10**6, "effective_at": second(9000), "kind": "advance", "committed_offset": 4}
    add(warehouse, {"core.commits": [late], "core.log_gaps": []})
    make(warehouse)
    everything = [*whole(rows)["core.commits"], late]
    assert not before & final_files(warehouse)
    assert rows_of(warehouse) == at_once({"core.commits": everything, "core.log_gaps": []}, tmp_path / "once")


def test_a_commit_behind_a_hole_says_of_the_stores_before_it_that_they_are_not_known(tmp_path: Path) -> None:
    """A key was silent over a hole; that it comes back later changes what is said of the time between."""
    rows = regular(4)
    hole = {"cluster": "c", "log_partition": 1, "from_log_offset": 2000, "to_log_offset": 2001, "is_damage": False}
    hole |= {"from_at": second(10_000), "to_at": second(10_005)}
    silent = [row for row in rows["core.commits"] if row[1]["group_id"] != "g1" or row[0] < 9000]
    back = {**silent[-1][1], "group_id": "g1", "log_partition": 1, "partition": 0, "kind": "advance"}
    back |= {"committed_offset": 7, "is_previous_known": False, "effective_at": second(SECONDS - 1)}
    given: History = {"core.commits": [*silent, (SECONDS, back)], "core.log_gaps": [(0, hole)]}
    warehouse, _ = read_in_two(given, SECONDS - 100, tmp_path / "two")
    expected = at_once(whole(given), tmp_path / "once")
    assert rows_of(warehouse) == expected
    assert not all(row[-1] for row in expected)


def test_stores_stay_when_files_of_commits_are_merged(tmp_path: Path) -> None:
    """What they rest on is summed anew, and comes to the same."""
    rows = regular(6)
    warehouse, before = read_in_two(rows, SECONDS * 5 / 6, tmp_path / "two")
    warehouse.begin(TABLES["core.commits"]).revise(warehouse.file_list("core.commits"), (), {})
    add(warehouse, whole(rows))
    make(warehouse)
    assert before < final_files(warehouse)
    assert rows_of(warehouse) == at_once(whole(rows), tmp_path / "once")


def test_stores_of_commits_that_were_retired_go(tmp_path: Path) -> None:
    """The table is equal to that of what remains."""
    rows = regular(5)
    warehouse, _ = read_in_two(rows, SECONDS * 5 / 6, tmp_path / "two")
    rest = [row for at, row in rows["core.commits"] if at < 1000 or row["group_id"] != "g2"]
    warehouse.begin(TABLES["core.commits"]).revise(warehouse.file_list("core.commits"), (), {})
    left: Rows = {"core.commits": rest, "core.log_gaps": []}
    add(warehouse, left)
    make(warehouse)
    assert rows_of(warehouse) == at_once(left, tmp_path / "once")
