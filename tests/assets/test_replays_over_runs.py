"""Lives of groups, read in several runs: after each, mart.replays is what one run over all that was read makes."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assets.catalog import TABLES
from assets.catalog.memory import HANDOVER_COMMITS, MEMORY_BY_NAME
from assets.marts import TRANSFORMS
from assets.materialize import from_model
from assets.reconstruct.file_names import Place, Rows
from assets.steps.table_steps import from_any_transform
from assets.storage.parquet_writer import write_file
from assets.storage.warehouse import Warehouse
from assets.transforms.coordinator import Coordinator
from assets.transforms.marts.commit_index import CommitIndex
from tests.assets.recorded import opened
from tests.assets.test_skips_under_cuts import Life, World
from tests.assets.transforms.made_groups import assignment, classic
from tests.assets.transforms.offsets_log import Log, Row, project

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

GROUPS: Final = 8
STEPS: Final = 500
PLACE: Final = Place("c", 7)
SUMS: Final = "internal.committed_partitions"
COMMITS: Final = "core.commits"
RECONSTRUCTED: Final = (
    *("core.generations", "core.members", "core.ownership"),
    *("core.subscriptions", "internal.recorded_group_states"),
)
MODELS: Final = ("core.log_ends", "core.topics", "core.group_states", "mart.skips")
REPLAYS: Final = "mart.replays"
Answer = list[tuple[Any, ...]]


class Member(Life):
    """A group that also rebalances, seeks back, commits in transactions, and commits again what stood."""

    def __init__(self, world: World, number: int) -> None:
        """Nothing was done yet."""
        super().__init__(world, number)
        self._is_open = False

    def live(self) -> None:
        """Do one of these now and then, else what any group does."""
        steps = {0: self._rebalance, 1: self._seek, 2: self._repeat, 3: self._transact, 4: self._end}
        chosen = steps.get(self.world.chance.randrange(14))
        if chosen is None or not self.is_there or self.committed is None:
            super().live()
        else:
            self.world.now_ms += 1
            chosen()

    def _rebalance(self) -> None:
        self.generation += 1
        member = self.world.chance.choice("mn")
        self.world.append(classic(self.generation, {member: assignment(self.number)}, group=self.name))

    def _seek(self) -> None:
        self.at = self.world.chance.randint(0, self.at)
        self._commit(self.at)

    def _repeat(self) -> None:
        self._commit(self.committed or 0)

    def _transact(self) -> None:
        row = Log().commit(self.at, producer=self.number, group_id=self.name, partition=self.number).rows[0]
        self.world.append(row)
        self._is_open = True

    def _end(self) -> None:
        if self._is_open:
            self.world.append(Log().marker("COMMIT", self.number).rows[0])
            self._is_open, self.committed = False, self.at


def lived(seed: int) -> World:
    """Groups, each doing something now and then."""
    world = World(seed)
    lives = [Member(world, number) for number in range(GROUPS)]
    for _ in range(STEPS):
        world.chance.choice(lives).live()
    return world


def whole_rows(name: str, rows: Iterable[Row]) -> pa.Table:
    """Rows of a table; a column that may not be NULL, and of which nothing is said, has a value without meaning."""
    schema = TABLES[name].file_schema
    some = {pa.int64(): 0, pa.int32(): 0, pa.int8(): 0, pa.bool_(): False, pa.string(): "none"}
    usual = {field.name: some.get(field.type, 0) for field in schema if not field.nullable}
    known = [{key: value for key, value in row.items() if value is not None} for row in rows]
    return pa.Table.from_pylist([{**usual, **PLACE._asdict(), **row} for row in known], schema)


class Archive:
    """A warehouse that reads a log of the offsets topic, and the logs of data topics, run by run."""

    def __init__(self, folder: Path) -> None:
        """Begin without a table."""
        self.warehouse = Warehouse(str(folder))
        self._files = 0

    def read_commits(self, rows: Sequence[Row]) -> None:
        """Add commits, as a file of their own."""
        if rows:
            offsets = [row["log_offset"] for row in rows]
            name = Rows(PLACE.tag, is_final=True, from_offset=min(offsets), to_offset=max(offsets) + 1)
            self._append(COMMITS, rows, name.file_name(self._files))

    def read_groups(self, tables: dict[str, list[Row]]) -> None:
        """Replace what is known of groups."""
        for name in RECONSTRUCTED:
            self.warehouse.replace(TABLES[name], (), {})
            self._append(name, tables[name], "rows")

    def read_logs(self, batches: Sequence[Row]) -> None:
        """Add batches of data logs, each a segment of its own."""
        self._append("raw.batches", batches, "rows")
        ends = ({**row, "from_offset": row["base_offset"], "end_offset": row["last_offset"] + 1} for row in batches)
        self._append("raw.segments", [{**row, "source": "file", "codec": None} for row in ends], "rows")

    def retire(self) -> None:
        """Take the first file of commits out."""
        transaction = self.warehouse.begin(TABLES[COMMITS])
        transaction.revise(transaction.file_list()[:1], (), {})

    def make(self) -> Answer:
        """Bring the tables up to date; gives the rows of mart.replays."""
        from_any_transform(self.warehouse, TABLES[SUMS], TRANSFORMS[SUMS])
        for name in MODELS:
            from_model(self.warehouse, TABLES[name])
        from_any_transform(self.warehouse, TABLES[REPLAYS], TRANSFORMS[REPLAYS])
        return self.rows(REPLAYS)

    def copy(self, other: Archive) -> None:
        """Let all tables that are read have the files of another."""
        for name in (COMMITS, *RECONSTRUCTED, "raw.batches", "raw.segments"):
            files = [file.uri for file in other.warehouse.file_list(name)]
            rows = [row for file in files for row in pq.read_table(file).to_pylist()]
            self._append(name, rows, "rows")

    def rows(self, name: str) -> Answer:
        """All rows of a table."""
        with opened(self.warehouse) as connection:
            return connection.sql(f"FROM {name} ORDER BY ALL").fetchall()

    def _append(self, name: str, rows: Sequence[Row], file: str) -> None:
        self._files += 1
        folder = self.warehouse.new_folder(TABLES[name])
        self.warehouse.make_folder(folder)
        if rows:
            self.warehouse.begin(TABLES[name]).revise(
                (), [write_file(whole_rows(name, rows), f"{folder}/{file}.parquet")], {}
            )


class Reading:
    """A log of the offsets topic and those of data topics, of which each run reads more."""

    def __init__(self, world: World, chance: random.Random, *, delayed: float = 0) -> None:
        """Take the logs; a share of the commits, and of the batches, is read late."""
        self.world, self._chance, self._delayed = world, chance, delayed
        self._batches = [
            {
                **batch,
                "base_timestamp_ms": batch["max_timestamp_ms"],
                "record_count": batch["last_offset"] - batch["base_offset"] + 1,
                "size_bytes": 90,
            }
            for batch in world.batches
        ]
        self.commits: list[Row] = []
        self._groups: dict[str, list[Row]] = {}
        self._logs: list[Row] = []

    def read(self, archive: Archive, share: float, share_of_logs: float) -> None:
        """Read up to there in the offsets topic, and in the data topics."""
        log = Log(tuple(self.world.rows[: int(share * len(self.world.rows))]))
        self._groups = project(Coordinator, log)
        archive.read_groups(self._groups)
        archive.read_commits(self._new(self._groups[COMMITS], self.commits, is_last=share == 1))
        batches = self._batches[: int(share_of_logs * len(self._batches))]
        archive.read_logs(self._new(batches, self._logs, is_last=share == 1))

    def _new(self, rows: Sequence[Row], known: list[Row], *, is_last: bool) -> list[Row]:
        """The rows that were not read yet, but those that come late."""
        new = [row for row in rows if row not in known and (is_last or self._chance.random() >= self._delayed)]
        known += new
        return new

    def at_once(self, folder: Path) -> Answer:
        """What one run makes of all that was read."""
        archive = Archive(folder)
        archive.read_groups(self._groups)
        archive.read_commits(self.commits)
        archive.read_logs(self._logs)
        return archive.make()


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many commits were looked up since, for a test to look at and to clear."""
    counts: list[int] = []
    index_of = CommitIndex.of

    def of(commits: pa.Table, keys: int) -> CommitIndex:
        counts.append(commits.num_rows)
        return index_of(commits, keys)

    monkeypatch.setattr(CommitIndex, "of", of)
    return counts


@pytest.mark.parametrize("delayed", [0, 0.02])
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 12))])
def test_replays_do_not_depend_on_how_logs_were_cut_into_runs(seed: int, delayed: float, tmp_path: Path) -> None:
    """The offsets topic and the data topics are cut independently of each other, and some rows come late."""
    chance = random.Random(seed)  # noqa: S311 - made-up lives
    reading, archive = Reading(lived(seed), chance, delayed=delayed), Archive(tmp_path / "runs")
    shares = [sorted(chance.random() for _ in range(2)) for _ in range(2)]
    for number, cut in enumerate(zip(*shares, strict=True)):
        reading.read(archive, *cut)
        assert archive.make() == reading.at_once(tmp_path / str(number))
    reading.read(archive, 1, 1)
    rows = archive.make()
    assert rows == reading.at_once(tmp_path / "once")
    kinds = TABLES[REPLAYS].column_names.index("kind")
    assert {"handed_over", "set_back", "reassigned_to_same_member"} <= {row[kinds] for row in rows}


def read_in_two(seed: int, share: float, folder: Path, searched: list[int]) -> tuple[Reading, Archive]:
    """What two runs made, the second of the rest of the log."""
    reading, archive = Reading(lived(seed), random.Random(seed)), Archive(folder)  # noqa: S311 - made-up lives
    reading.read(archive, share, 1)
    archive.make()
    searched.clear()
    reading.read(archive, 1, 1)
    archive.make()
    return reading, archive


def test_a_run_looks_up_new_commits_and_those_of_keys_with_other_owners(tmp_path: Path, searched: list[int]) -> None:
    """Of most keys only new ones, although they were set back before."""
    reading, archive = read_in_two(3, 0.98, tmp_path, searched)
    assert 0 < sum(searched) < len(reading.commits) / 2
    before = len(reading.commits)
    searched.clear()
    end = max(row["effective_log_offset"] for row in reading.commits)
    last = max(reading.commits, key=lambda row: row["effective_log_offset"])
    archive.read_commits([{**last, "log_offset": end + 9, "effective_log_offset": end + 9, "kind": "repeat"}])
    archive.make()
    assert searched == [1]
    assert len(reading.commits) == before


def test_nothing_new_looks_up_nothing(tmp_path: Path, searched: list[int]) -> None:
    """Nor is anything remembered anew."""
    _, archive = read_in_two(4, 0.5, tmp_path, searched)
    names = (REPLAYS, *MEMORY_BY_NAME)
    before = archive.warehouse.versions(names)
    searched.clear()
    archive.make()
    assert (archive.warehouse.versions(names), searched) == (before, [])


def test_what_rests_on_commits_that_were_retired_goes(tmp_path: Path, searched: list[int]) -> None:
    """All is looked up anew."""
    _, archive = read_in_two(5, 0.5, tmp_path / "runs", searched)
    archive.retire()
    rest = Archive(tmp_path / "once")
    rest.copy(archive)
    assert archive.make() == rest.make()


def test_what_is_remembered_of_another_run_does_not_count(tmp_path: Path, searched: list[int]) -> None:
    """As after a run that died between its commits, or damage after which what is remembered was dropped."""
    reading, archive = read_in_two(6, 0.5, tmp_path / "runs", searched)
    archive.warehouse.begin(HANDOVER_COMMITS).replace((), {})
    end = max(row["effective_log_offset"] for row in reading.commits)
    new = {**reading.commits[-1], "log_offset": end + 9, "effective_log_offset": end + 9}
    archive.read_commits([new])
    rest = Archive(tmp_path / "once")
    rest.copy(archive)
    assert archive.make() == rest.make()
