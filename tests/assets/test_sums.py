"""Sums to which new rows are added, against the sums of all rows at once, whatever became of the files in between."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from assets import sums
from assets.catalog import TABLES
from assets.duckdb.database import in_memory
from assets.duckdb.file_relations import create_from
from assets.marts import TRANSFORMS
from assets.reconstruct.file_names import Place, Rows, join_rows, rows_in
from assets.steps.table_steps import from_any_transform
from assets.storage.parquet_writer import write_file
from assets.storage.warehouse import Warehouse
from assets.transforms.marts.commit_sums import FULL_NAME, sums_of_all
from tests.assets.rows import NOON

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import duckdb

    from assets.catalog import Table
    from assets.storage.transaction import ArchivedFile

Row = dict[str, Any]
COMMITS = TABLES["core.commits"]
KINDS = ("first", "advance", "advance", "advance", "repeat", "rewind", "removed", "unknown")
PLACES = [Place("c", 0), Place("c", 1), Place("d", 0)]


def commits(choice: random.Random, place: Place, first: int, count: int) -> Iterator[Row]:
    """Commits and removals of three groups, of which some have no time, and some no leader epoch."""
    for log_offset in range(first, first + count):
        kind = choice.choice(KINDS)
        at_us = choice.choice([None, int(NOON.timestamp() * 1e6) + log_offset * 1000])
        yield {
            **place._asdict(),
            "log_offset": log_offset,
            "effective_log_offset": log_offset + choice.choice([0, 0, 0, 7]),
            "effective_at": at_us,
            "group_id": choice.choice("ghi"),
            "topic": "t",
            "partition": choice.randrange(2),
            "kind": kind,
            "committed_offset": None if kind == "removed" else choice.randrange(100),
            "leader_epoch": choice.choice([None, 3]),
            "store_kind": "kafka",
            "is_effect_known": True,
            "is_previous_known": True,
            "is_transactional": False,
        }


class Archive:
    """A warehouse of commits and their sums, and all commits as they are."""

    def __init__(self, folder: Path) -> None:
        """Begin without a row."""
        self.warehouse = Warehouse(str(folder))
        self.warehouse.replace(COMMITS, [], {})
        self.ends = dict.fromkeys(PLACES, 0)

    def append(self, choice: random.Random, places: Sequence[Place]) -> None:
        """Write one more file for each of these partitions, in one commit."""
        folder = self.warehouse.new_folder(COMMITS)
        self.warehouse.make_folder(folder)
        files = []
        for place in places:
            first, count = self.ends[place], choice.randrange(1, 30)
            rows = pa.Table.from_pylist(list(commits(choice, place, first, count)), COMMITS.file_schema)
            name = Rows(place.tag, is_final=True, from_offset=first, to_offset=first + count).file_name(0)
            files.append(write_file(rows, f"{folder}/{name}.parquet"))
            self.ends[place] += count
        self.warehouse.begin(COMMITS).revise((), files, {})

    def merge(self) -> None:
        """Merge all files of each partition, as a run does."""
        transaction = self.warehouse.begin(COMMITS)
        transaction.merge(transaction.merge_small(transaction.file_list(), _tag, _joined))

    def lose(self, choice: random.Random) -> None:
        """Take a file out, as retirement does."""
        transaction = self.warehouse.begin(COMMITS)
        transaction.revise([choice.choice(transaction.file_list())], (), {})

    def change(self, change: str, choice: random.Random) -> None:
        """Merge the files, lose one of them, or change nothing."""
        if change == "merge":
            self.merge()
        if change == "lose":
            self.lose(choice)

    def make(self) -> list[tuple[Any, ...]]:
        """Bring the sums up to date; gives their rows."""
        from_any_transform(self.warehouse, TABLES[FULL_NAME], TRANSFORMS[FULL_NAME])
        return _rows(self.warehouse, FULL_NAME)

    def whole(self) -> list[tuple[Any, ...]]:
        """The sums of all commits at once."""
        with in_memory(self.warehouse, ["core.commits"]) as connection:
            return sorted(connection.from_arrow(sums_of_all(connection)).fetchall())


def _tag(file: ArchivedFile) -> str:
    rows = rows_in(file.uri)
    assert rows is not None
    return rows.tag


def _joined(files: Sequence[ArchivedFile]) -> str:
    first, *others = (rows for file in files if (rows := rows_in(file.uri)) is not None)
    return join_rows(first, others).file_name(random.randrange(1 << 60))  # noqa: S311 - made up


@pytest.fixture
def summed_files(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that were summed since, for a test to look at and to clear."""
    names: list[str] = []

    def create(connection: duckdb.DuckDBPyConnection, table: Table, files: Sequence[str], *, name: str) -> None:
        names.extend(file.rpartition("/")[2] for file in files)
        create_from(connection, table, files, name=name)

    monkeypatch.setattr(sums, "create_from", create)
    return names


@pytest.mark.parametrize("seed", range(6))
def test_sums_equal_those_of_all_rows_at_once_after_any_runs(tmp_path: Path, seed: int) -> None:
    """Appended, merged, lost and read late, in any order, with and without the making of sums in between."""
    choice, archive = random.Random(seed), Archive(tmp_path)  # noqa: S311 - made up
    assert archive.make() == []
    for _ in range(12):
        archive.append(choice, choice.sample(PLACES, choice.randrange(1, 4)))
        for change in choice.sample(["merge", "lose", "nothing"], 2):
            archive.change(change, choice)
        if choice.random() < 0.7:
            assert archive.make() == archive.whole()
    assert archive.make() == archive.whole() != []


def test_only_new_files_are_summed_also_when_others_were_merged(tmp_path: Path, summed_files: list[str]) -> None:
    """A merged file has rows that are summed already."""
    choice, archive = random.Random(1), Archive(tmp_path)  # noqa: S311 - made up
    for _ in range(4):
        archive.append(choice, PLACES)
    archive.make()
    archive.merge()
    assert len(archive.warehouse.files("core.commits")) == len(PLACES)
    archive.append(choice, PLACES[:1])
    summed_files.clear()
    assert archive.make() == archive.whole()
    assert len(summed_files) == 1


def test_a_partition_that_lost_rows_is_summed_anew_and_no_other(tmp_path: Path, summed_files: list[str]) -> None:
    """The sums of the others stay."""
    choice, archive = random.Random(2), Archive(tmp_path)  # noqa: S311 - made up
    for _ in range(3):
        archive.append(choice, PLACES)
    archive.make()
    summed_files.clear()
    archive.lose(choice)
    assert archive.make() == archive.whole()
    assert len(summed_files) == 2
    assert len({name.rpartition("-final-")[0] for name in summed_files}) == 1


def test_nothing_new_sums_nothing(tmp_path: Path, summed_files: list[str]) -> None:
    """Nor is the table written again."""
    archive = Archive(tmp_path)
    archive.append(random.Random(3), PLACES)  # noqa: S311 - made up
    archive.make()
    version = archive.warehouse.version(FULL_NAME)
    summed_files.clear()
    archive.make()
    assert summed_files == []
    assert archive.warehouse.version(FULL_NAME) == version


def _rows(warehouse: Warehouse, name: str) -> list[tuple[Any, ...]]:
    with in_memory(warehouse, [name]) as connection:
        return sorted(connection.sql(f"FROM {name}").fetchall())
