"""A damaged warehouse: what comes back does so by itself, and what does not is told with its partition and offsets."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from assets.ingest.ingest import RAW, ingest
from assets.ingest.plan import Sources, plan
from assets.maintenance import mending
from assets.maintenance.integrity import OTHER_BOUNDS, examine, has_any_table
from assets.maintenance.mending import heal
from assets.maintenance.verification import Scope, Verification
from assets.reconstruct.reconstruct import replay
from assets.storage.data_files import locate
from assets.storage.delta.commit_files import DIGEST
from assets.storage.delta.log_digests import NAME, write_log_digests
from assets.storage.warehouse import Warehouse
from parsers.errors import WarehouseError
from tests.assets.crash import Account
from tests.assets.inline import inline

BYTES = Path(__file__).resolve().parents[2] / "bytes"
PARTITIONS = (
    "dump/features-4.1/__consumer_offsets-0",
    "dump/features-4.1/__consumer_offsets-7",
    "dump/streams-4.1/__consumer_offsets-3",
    "batches/kafka-4.1/data-lz4-0",
)
LOG = "_delta_log"


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two brokers, each with logs of its own."""
    folders = [tmp_path_factory.mktemp(name) for name in ("first", "second")]
    for number, name in enumerate(PARTITIONS):
        shutil.copytree(BYTES / name, folders[number % 2] / Path(name).name)
    return folders


@pytest.fixture(scope="module")
def sound(logs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Warehouse:
    """A warehouse that two runs filled; tests damage copies of it."""
    warehouse = Warehouse(str(tmp_path_factory.mktemp("sound")))
    for count in (1, 2):
        run(warehouse, logs[:count])
    return warehouse


@pytest.fixture(scope="module")
def expected(sound: Warehouse) -> Account:
    """All rows that it has."""
    return Account.of(sound)


@pytest.fixture
def warehouse(sound: Warehouse, tmp_path: Path) -> Warehouse:
    """A copy of the sound one."""
    shutil.copytree(sound.url, tmp_path / "wh")
    return Warehouse(str(tmp_path / "wh"))


def run(warehouse: Warehouse, logs: list[Path]) -> None:
    """What a run does up to the core tables."""
    ingest(inline, warehouse, plan(warehouse, Sources(tuple(map(str, logs)), "c")))
    replay(inline, warehouse)


def again(warehouse: Warehouse, logs: list[Path]) -> Account:
    """What a run of another process makes of the warehouse."""
    anew = Warehouse(warehouse.url)
    run(anew, logs)
    assert examine(anew, with_footers=True) == []
    return Account.of(anew)


def largest(warehouse: Warehouse, name: str) -> Path:
    """A file of a table, with rows."""
    return Path(max(warehouse.file_list(name), key=lambda file: file.size_bytes).uri)


def log_of(warehouse: Warehouse, name: str) -> Path:
    """The folder of a table's log."""
    return Path(warehouse.table_url(name)) / LOG


def cut(file: Path) -> None:
    """Take the second half of a file away."""
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def test_a_sound_warehouse_has_no_damage(warehouse: Warehouse, tmp_path: Path) -> None:
    """Nor has a place where nothing was ever read, which is the only one to be called so."""
    assert examine(warehouse, with_footers=True) == []
    assert heal(warehouse) == []
    assert has_any_table(warehouse)
    assert not has_any_table(Warehouse(str(tmp_path / "never")))


@pytest.mark.parametrize("name", ["raw.offset_records", "raw.batches", "raw.segments", "core.commits", "replay.memory"])
@pytest.mark.parametrize("is_gone", [True, False], ids=["gone", "cut"])
def test_a_file_whose_logs_are_there_comes_back(
    warehouse: Warehouse,
    logs: list[Path],
    expected: Account,
    name: str,
    is_gone: bool,  # noqa: FBT001 - as pytest passes it
) -> None:
    """Whichever table it is of: healed without being asked, read or made again, every row as before."""
    file = largest(warehouse, name)
    file.unlink() if is_gone else cut(file)
    (report,) = heal(Warehouse(warehouse.url))
    assert report.startswith(f"{file}: the file ")
    assert again(warehouse, logs) == expected


@pytest.mark.parametrize("name", ["core.commits", "core.members", "replay.memory"])
@pytest.mark.parametrize("is_gone", [True, False], ids=["gone", "cut"])
def test_a_log_of_what_is_made_from_raw_comes_back(
    warehouse: Warehouse,
    logs: list[Path],
    expected: Account,
    name: str,
    is_gone: bool,  # noqa: FBT001 - as pytest passes it
) -> None:
    """The table is made anew, from all partitions."""
    log = log_of(warehouse, name)
    shutil.rmtree(log) if is_gone else cut(max(log.glob("*.json")))
    is_new = is_gone and name == "replay.memory"  # as before the first replay, after which all is done once more
    report = heal(Warehouse(warehouse.url))
    assert [name.replace(".", "/") in one for one in report] == ([] if is_new else [True])
    assert again(warehouse, logs) == expected


@pytest.mark.parametrize("name", RAW)
@pytest.mark.parametrize("what", ["last", "first", "all"])
def test_a_log_of_raw_is_set_back_and_the_rest_read_again(
    warehouse: Warehouse, logs: list[Path], expected: Account, name: str, what: str
) -> None:
    """Not without being asked: rows may be lost with it. With the logs at hand none is."""
    commits = sorted(log_of(warehouse, name).glob("*.json"))
    if what == "all":
        shutil.rmtree(log_of(warehouse, name))
    else:
        cut(commits[-1] if what == "last" else commits[0])
    damaged = Warehouse(warehouse.url)
    with pytest.raises(WarehouseError, match="`lagbook repair` shows what is lost"):
        heal(damaged)
    work = mending.look(damaged, examine(damaged, with_footers=True))
    assert {damage.table for damage in work.raw} == {name}
    mending.repair(damaged, work)
    assert heal(Warehouse(warehouse.url)) == []
    assert again(warehouse, logs) == expected


def test_what_no_log_has_any_more_is_told_and_gone_on_without(
    logs: list[Path], expected: Account, tmp_path: Path
) -> None:
    """The logs of one partition are gone, and the file with its records: its offsets are named, the others stay."""
    gone = "__consumer_offsets-7"
    left = [tmp_path / folder.name for folder in logs]
    for folder, copy in zip(logs, left, strict=True):
        shutil.copytree(folder, copy, ignore=lambda _folder, names: [name for name in names if name == gone])
    here = Warehouse(str(tmp_path / "here"))
    away = [tmp_path / "away"]
    for folder in logs:
        shutil.copytree(folder, away[0], dirs_exist_ok=True)
    run(here, away)
    reads = [read for read in Account.of(here).rows["raw.offset_records"] if "'log_partition': 7" in read]
    shutil.rmtree(away[0])
    for file in here.file_list("raw.offset_records"):
        if file.may_hold({"log_partition": (7, 7)}):
            Path(file.uri).unlink()
    with pytest.raises(WarehouseError, match="may be in no log any more"):
        heal(here)
    work = mending.look(here, examine(here, with_footers=True))
    (lost,) = (one for one in work.lost if one.read["partition"] == 7)
    assert not lost.is_there
    assert (lost.from_offset, lost.to_offset) == (0, lost.read["last_offset"] + 1)
    mending.repair(here, work)
    table_rows = again(here, left)
    rows = expected.rows["raw.offset_records"]
    assert table_rows.rows["raw.offset_records"] == [row for row in rows if "'log_partition': 7" not in row]
    assert reads
    assert len(table_rows.rows["raw.offset_records"]) < len(rows)


def test_a_repair_that_is_stopped_is_begun_again(
    warehouse: Warehouse, logs: list[Path], expected: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was read is forgotten before its file is taken out: the damage is found again, and nothing passed over."""
    largest(warehouse, "raw.offset_records").unlink()

    def stop(*_arguments: object) -> None:
        raise KeyboardInterrupt

    take_out = mending._take_out  # noqa: SLF001 - the moment at which it is stopped
    with monkeypatch.context() as patched:
        patched.setattr(mending, "_take_out", lambda *given: take_out(*given) if given[1] == "raw.segments" else stop())
        with pytest.raises(KeyboardInterrupt):
            heal(Warehouse(warehouse.url))
    assert examine(Warehouse(warehouse.url), with_footers=False)
    assert len(heal(Warehouse(warehouse.url))) == 1
    assert again(warehouse, logs) == expected


@pytest.mark.parametrize("name", ["raw.offset_records", "raw.segments", "core.commits", "replay.memory"])
def test_a_bit_that_flips_is_mended_before_anything_is_made_of_it(
    warehouse: Warehouse, logs: list[Path], expected: Account, name: str
) -> None:
    """Neither size nor time of the file tell of it, and it may be read without an error."""
    heal(warehouse)
    file = largest(warehouse, name)
    before, content = file.stat(), bytearray(file.read_bytes())
    content[len(content) // 8] ^= 16
    file.write_bytes(content)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert heal(Warehouse(warehouse.url), Scope.READ_NEXT) == [
        f"{file}: the file has other bytes than were written; mended"
    ]
    assert again(warehouse, logs) == expected


def test_bounds_that_changed_in_a_log_are_noticed(warehouse: Warehouse, logs: list[Path], expected: Account) -> None:
    """By them rows are passed over: what the footer says counts for what is read again."""
    name = "raw.offset_records"
    listing = warehouse.file_list(name)
    offset = max(file.maximum.get("log_offset", 0) for file in listing)
    for commit in log_of(warehouse, name).glob("*.json"):
        text = commit.read_text("utf-8")
        other = text.replace(f'\\"log_offset\\": {offset},', f'\\"log_offset\\": {offset ^ 1},')
        commit.write_text(other.replace(DIGEST, "of an older release"), encoding="utf-8")
    (log_of(warehouse, name).parent / NAME).unlink()
    here = Warehouse(warehouse.url)
    assert here.file_list(name) != listing
    verification = Verification(here, Scope.ALL)
    (damage,) = examine(here, with_footers=True, verification=verification)
    assert (damage.table, damage.reason) == (name, OTHER_BOUNDS)
    assert damage.file is not None
    assert damage.file.maximum["log_offset"] == offset
    assert damage.file.uri not in verification.verified
    mending.repair(here, mending.look(here, [damage]))
    assert again(warehouse, logs) == expected


@pytest.mark.parametrize("is_verifying", [True, False])
def test_bounds_are_read_of_no_footer_that_was_not_compared(
    warehouse: Warehouse,
    monkeypatch: pytest.MonkeyPatch,
    is_verifying: bool,  # noqa: FBT001 - as pytest passes it
) -> None:
    """Over some of a damaged one pyarrow ends the process, and no error can be caught."""
    file = largest(warehouse, "raw.segments")
    content = bytearray(file.read_bytes())
    content[-30] ^= 1
    file.write_bytes(content)
    footers = list[object]()

    def note_and_read(metadata: object) -> tuple[dict[str, int], dict[str, int]]:
        footers.append(metadata)
        return {}, {}

    monkeypatch.setattr("assets.maintenance.integrity.bounds_of", note_and_read)
    here, names = Warehouse(warehouse.url), {"raw.segments"}
    monkeypatch.setattr("assets.maintenance.integrity._names", lambda: names)
    verification = Verification(here, Scope.ALL) if is_verifying else None
    damages = examine(here, with_footers=True, verification=verification)
    assert len(footers) == (len(here.files("raw.segments")) - 1 if is_verifying else 0)
    assert any(damage.file and damage.file.uri == str(file) for damage in damages) or not is_verifying


@pytest.mark.parametrize("size_bytes", [1, 100])
def test_a_commit_that_has_a_checkpoint_as_well_comes_back(
    warehouse: Warehouse, logs: list[Path], expected: Account, size_bytes: int
) -> None:
    """Of it nothing but its note is read, by every run."""
    heal(warehouse)
    name = "core.commits"
    delta = warehouse.open_table(name)
    assert delta is not None
    delta.create_checkpoint()
    write_log_digests(*locate(str(log_of(warehouse, name))), 0)
    commit = max(log_of(warehouse, name).glob("*.json"))
    commit.write_bytes(commit.read_bytes()[:size_bytes])
    (report,) = heal(Warehouse(warehouse.url))
    assert "core/commits" in report
    assert again(warehouse, logs) == expected


def test_a_log_without_the_rows_of_a_file_is_no_log(warehouse: Warehouse) -> None:
    """Whoever asks for the files of such a table gets a sentence that names it."""
    (commit, *_others) = sorted(log_of(warehouse, "core.commits").glob("*1.json"))
    commit.write_text(commit.read_text("utf-8").replace("numRecords", "numRecnrds"), encoding="utf-8")
    with pytest.raises(WarehouseError, match=r"core/commits can't be read as a table: its log has no size, or no"):
        Warehouse(warehouse.url).file_list("core.commits")


@pytest.mark.parametrize("name", ["raw.offset_records", "core.commits"])
def test_a_log_whose_statistics_are_broken_comes_back(
    warehouse: Warehouse, logs: list[Path], expected: Account, name: str
) -> None:
    """Delta reads on over them; the commit counts as one that can't be read."""
    commits = [
        path for path in sorted(log_of(warehouse, name).glob("*.json")) if "numRecords" in path.read_text("utf-8")
    ]
    text = commits[-1].read_text("utf-8")
    commits[-1].write_text(text.replace('{\\"numRecords', '{ \\\\"numRecords', 1), encoding="utf-8")
    here = Warehouse(warehouse.url)
    damages = examine(here, with_footers=True, verification=Verification(here, Scope.ALL))
    assert {damage.table for damage in damages} == {name}
    mending.repair(here, mending.look(here, damages))
    assert again(warehouse, logs) == expected
