"""Packs for claims that rest on other logs than the offsets topic: the state of share groups, MirrorMaker's syncs.

The logs are of real brokers, but for those of a share partition that is stuck, which would take ten minutes.
"""

from __future__ import annotations

import io
import json
import shutil
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import duckdb
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from assets.evidence.pack_file import MANIFEST
from dagster_project.cli.main import main
from tests.assets.transforms.shares.test_share_states import LOG, snapshot, update
from tests.dagster_project.cli.extracts.packs import Change, changed_rows, members_of, packed
from tests.mirror import recorded
from tests.parsers.log_writer import TIME_MS, batch, record
from tests.whole_run import whole_run

if TYPE_CHECKING:
    from tests.dagster_project.cli.conftest import Lagbook

SHARE_DAY: Final = Path(__file__).parents[3] / "bytes" / "share-4.3"
STATES: Final = "tables/raw.internal_records.parquet"
FINDINGS: Final = "tables/mart.findings.parquet"
MINUTE_MS: Final = 60_000


class Packs:
    """A warehouse, the logs that it was read from, and packs of its incidents by their patterns."""

    def __init__(self, folder: Path, logs: list[Path]) -> None:
        """Read the logs."""
        self.folder, self.logs, self.warehouse = folder, logs, folder / "warehouse"
        done = whole_run(self.warehouse, logs)
        assert done.exit_code == 0, done.output

    def incident(self, pattern: str) -> str:
        """The only incident of a pattern."""
        with duckdb.connect(str(self.warehouse / "lagbook.duckdb"), read_only=True) as connection:
            question = "SELECT incident_id FROM mart.incidents WHERE pattern = ?"
            ((incident,),) = connection.execute(question, [pattern]).fetchall()
        return str(incident)

    def write(self, lagbook: Lagbook, pattern: str, to: Path, *words: str, code: int = 0) -> Path:
        """Write the pack of an incident."""
        call = ("evidence", self.incident(pattern), "--to", str(to), "--warehouse", str(self.warehouse), *words)
        done = lagbook(*call)
        assert done.exit_code == code, done.output
        return to


@pytest.fixture(scope="module")
def share_day(tmp_path_factory: pytest.TempPathFactory) -> Packs:
    """A share group's day on a real broker: some records were rejected, others given up after three deliveries."""
    folder = tmp_path_factory.mktemp("share")
    with tarfile.open(SHARE_DAY / "logs.tar.xz") as logs:
        logs.extractall(folder / "logs", filter="data")
    return Packs(folder, [folder / "logs"])


@pytest.fixture(scope="module")
def mirrors(tmp_path_factory: pytest.TempPathFactory) -> Packs:
    """Two real clusters with MirrorMaker 2, and a group that went on at the target."""
    folder = tmp_path_factory.mktemp("mirror")
    return Packs(folder, recorded.unpack(folder / "logs"))


@pytest.fixture(scope="module")
def stuck(tmp_path_factory: pytest.TempPathFactory) -> Packs:
    """A share partition whose offsets come back for a quarter of an hour; another group has records in between."""
    folder = tmp_path_factory.mktemp("stuck")
    records = [snapshot(0), snapshot(0, group="other"), *(update(-1, (0, 4, 0, count)) for count in (1, 2, 3))]
    file = folder / "logs" / LOG
    file.parent.mkdir(parents=True)
    times = [TIME_MS + 5 * MINUTE_MS * number for number in range(len(records))]
    batches = [
        batch(number, [record(0, *pair)], times=(at, at))
        for number, (pair, at) in enumerate(zip(records, times, strict=True))
    ]
    file.write_bytes(b"".join(batches))
    return Packs(folder, [folder / "logs"])


@pytest.mark.parametrize(
    ("pattern", "cited"), [pytest.param("out_of_attempts", 2, marks=pytest.mark.slow), ("rejected", 4)]
)
def test_what_a_share_group_gave_up_is_verified_from_the_records_of_its_state(
    lagbook: Lagbook, share_day: Packs, tmp_path: Path, pattern: str, cited: int
) -> None:
    """By the record of each, in the partition of __share_group_state that has it, byte for byte."""
    pack = share_day.write(lagbook, pattern, tmp_path / "pack.zip")
    batches = json.loads(members_of(pack)["batches.json"])
    assert {one["topic"] for one in batches} == {"__share_group_state"}
    assert_in_files(pack, share_day)
    done = lagbook("verify", str(pack), "--json")
    facts = json.loads(done.stdout)
    assert done.exit_code == 0, done.output
    assert (facts["is_whole"], facts["is_claim_made_again"], facts["missing"]) == (True, True, [])
    assert facts["records"] == len(elsewhere(pack)) == cited


def assert_in_files(pack: Path, packs: Packs) -> None:
    """Every batch is the bytes of a file that was read, at the position that is named."""
    members = members_of(pack)
    batches = json.loads(members["batches.json"])
    assert batches
    for one in batches:
        file = Path(one["path"])
        assert any(folder in file.parents for folder in packs.logs)
        assert file.read_bytes()[one["position"] :][: one["size_bytes"]] == members[one["member"]]


def elsewhere(pack: Path) -> set[tuple[Any, ...]]:
    """The records of other logs that the findings of a pack cite."""
    rows = pq.read_table(io.BytesIO(members_of(pack)[FINDINGS])).to_pylist()
    return {tuple(one.values()) for row in rows for one in row["evidence_elsewhere"]}


def test_a_fail_over_is_verified_from_the_records_of_both_clusters(
    lagbook: Lagbook, mirrors: Packs, tmp_path: Path
) -> None:
    """The commits at the target and at the source, and the offset syncs between which the position is."""
    pack = mirrors.write(lagbook, "started_ahead", tmp_path / "pack.zip")
    assert_in_files(pack, mirrors)
    batches = json.loads(members_of(pack)["batches.json"])
    assert {one["topic"] for one in batches} == {"__consumer_offsets", "mm2-offset-syncs.target.internal"}
    assert len({one["cluster"] for one in batches if one["topic"] == "__consumer_offsets"}) == 2
    done = lagbook("verify", str(pack))
    assert done.exit_code == 0, done.output
    assert "the claim, made again of the rows, is the same" in done.stdout
    assert "NOT IN ANY BYTE: which cluster the source is" in done.stdout


def test_a_fail_over_takes_copies_of_both_clusters(lagbook: Lagbook, mirrors: Packs, tmp_path: Path) -> None:
    """One without the source's has no bytes of what stood there."""
    source, target = mirrors.logs
    both = ("--logs", str(source), "--logs", str(target))
    mirrors.write(lagbook, "started_ahead", tmp_path / "both.zip", *both)
    pack = mirrors.write(lagbook, "started_ahead", tmp_path / "one.zip", "--logs", str(target), code=3)
    done = lagbook("verify", str(pack))
    assert (done.exit_code, "NOT SHOWN by bytes" in done.stdout) == (3, True), done.output


def test_a_share_partition_that_is_stuck_is_verified(lagbook: Lagbook, stuck: Packs, tmp_path: Path) -> None:
    """By the first and the last record of that time; all others are rows, those of another group without content."""
    pack = stuck.write(lagbook, "not_accepted", tmp_path / "pack.zip")
    assert sorted(offset for *_log, offset in elsewhere(pack)) == [2, 4]
    assert_in_files(pack, stuck)
    rows = pq.read_table(io.BytesIO(members_of(pack)[STATES])).to_pylist()
    assert [(row["record_offset"], row["group_id"], row["key"] is None) for row in rows] == [
        *[(0, "g", False), (1, None, True)],
        *[(offset, "g", False) for offset in (2, 3, 4)],
    ]
    done = lagbook("verify", str(pack))
    assert (done.exit_code, "got the same offsets 3 times in 10 minutes" in done.stdout) == (0, True), done.output


def test_records_that_the_cleaner_took_have_no_bytes(lagbook: Lagbook, stuck: Packs, tmp_path: Path) -> None:
    """Both commands name the partition, and end with 3."""
    shutil.copytree(stuck.logs[0], tmp_path / "left")
    (tmp_path / "left" / LOG).write_bytes((tmp_path / "left" / LOG).read_bytes()[:100])
    call = ("evidence", stuck.incident("not_accepted"), "--to", str(tmp_path / "less.zip"))
    done = lagbook(*call, "--logs", str(tmp_path / "left"), "--warehouse", str(stuck.warehouse))
    assert (done.exit_code, "__share_group_state-0 2, __share_group_state-0 4" in done.stderr) == (3, True), done.output
    verified = lagbook("verify", str(tmp_path / "less.zip"))
    assert (verified.exit_code, "NOT SHOWN by bytes: 2 cited records" in verified.stdout) == (3, True), verified.output


def test_bytes_come_out_of_archives(lagbook: Lagbook, stuck: Packs, tmp_path: Path) -> None:
    """That the warehouse was read from, or that --logs names; each batch has the archive and its path there."""
    archive = tmp_path / "logs.tar.gz"
    with tarfile.open(archive, "w:gz") as copies:
        copies.add(stuck.logs[0], "data")
    packs = Packs(tmp_path, [archive])
    words: tuple[str, ...]
    for words in ((), ("--logs", str(archive))):
        pack = packs.write(lagbook, "not_accepted", tmp_path / f"pack-{len(words)}.zip", *words)
        batches = json.loads(members_of(pack)["batches.json"])
        assert {one["path"] for one in batches} == {f"{archive}!/data/{LOG}"}
        plain = stuck.write(lagbook, "not_accepted", tmp_path / f"plain-{len(words)}.zip")
        contents = [members_of(one) for one in (pack, plain)]
        assert all(contents[0][one["member"]] == contents[1][one["member"]] for one in batches)
        assert lagbook("verify", str(pack)).exit_code == 0
    archive.write_bytes(archive.read_bytes()[:50])
    broken = packs.write(lagbook, "not_accepted", tmp_path / "broken.zip", code=3)
    assert lagbook("verify", str(broken)).exit_code == 3


@pytest.fixture(scope="module")
def members(share_day: Packs, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The members of a pack about records that were out of attempts."""
    to = tmp_path_factory.mktemp("packs") / "pack.zip"
    share_day.write(lambda *words: CliRunner().invoke(main, words), "out_of_attempts", to)
    return members_of(to)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (Change(STATES, "value", b"\0\0", ""), "value: expected"),
        (Change(STATES, "producer_id", 5, ""), "producer_id: expected None of the bytes, found 5"),
        (Change(STATES, "kind", "connect_offsets", ""), "group_id: expected None of the bytes, found 'workers'"),
        (Change(STATES, "group_id", "others", ""), "group_id: expected 'workers' of the bytes, found 'others'"),
        (Change(STATES, "topic", "__share_group_state2", ""), "expected in the rows of raw.internal_records"),
        (Change("tables/raw.configurations.parquet", "config_value", "9", ""), "expected no row, found one row"),
        (Change("tables/mart.share_archived.parquet", "delivery_count", 1, ""), "delivery_count: expected 3"),
        (Change(FINDINGS, "evidence_elsewhere", [], ""), "expected in the rows of raw.internal_records, found none"),
        (Change(FINDINGS, "evidence_elsewhere", [{"cluster": "c"}], ""), "expected records with their places"),
        (Change(FINDINGS, "topic", "others", ""), "expected one row, found no row"),
        (Change("tables/mart.incidents.parquet", "topics", ["others"], ""), "topics: expected ['jobs']"),
    ],
)
def test_a_changed_row_is_told(
    lagbook: Lagbook, members: dict[str, bytes], tmp_path: Path, change: Change, sentence: str
) -> None:
    """Though every digest was made to fit."""
    content = changed_rows(members[change.member], change.apply)
    done = lagbook("verify", str(packed(tmp_path / "changed.zip", {**members, change.member: content})))
    assert (done.exit_code, sentence in done.stderr) == (1, True), done.output


def test_rows_that_are_not_cited_count_too(lagbook: Lagbook, members: dict[str, bytes], tmp_path: Path) -> None:
    """Without a record of another group there is a gap; of a row that stands twice the claim would be another one."""

    def gap(rows: list[dict[str, Any]]) -> None:
        own = {row["record_offset"] for row in rows if row["group_id"] is not None}
        rows[:] = [row for row in rows if row["record_offset"] != sorted(own)[2]]

    def twice(rows: list[dict[str, Any]]) -> None:
        rows.insert(0, {**rows[0], "claim": "gave up nothing"})

    for member, change in ((STATES, gap), (FINDINGS, twice)):
        changed = {**members, member: changed_rows(members[member], change)}
        done = lagbook("verify", str(packed(tmp_path / "changed.zip", changed)))
        assert (done.exit_code, "expected" in done.stderr) == (1, True), done.output


def test_changed_bytes_are_told_by_digest_and_by_checksum(
    lagbook: Lagbook, members: dict[str, bytes], tmp_path: Path
) -> None:
    """Bytes of which no list tells are refused, too."""
    name = next(one for one in members if one.startswith("batches/"))
    content = bytearray(members[name])
    content[-1] ^= 1
    done = lagbook("verify", str(packed(tmp_path / "changed.zip", {**members, name: bytes(content)})))
    assert (done.exit_code, f"{name}: blake3: expected" in done.stderr) == (1, True)
    assert "right checksum" in done.stderr
    stray = {**members, "batches/9-0-0.bin": members[name]}
    done = lagbook("verify", str(packed(tmp_path / "stray.zip", stray)))
    assert (done.exit_code, "batches/9-0-0.bin: expected in the list" in done.stderr) == (1, True)


def test_a_batch_of_another_log_is_told(lagbook: Lagbook, members: dict[str, bytes], tmp_path: Path) -> None:
    """No cited record is in it, or one that says something else."""
    batches = json.loads(members["batches.json"])
    changed = json.dumps([{**batches[0], "partition": 7}, *batches[1:]]).encode()
    done = lagbook("verify", str(packed(tmp_path / "changed.zip", {**members, "batches.json": changed})))
    assert (done.exit_code, "expected in the rows of raw.internal_records" in done.stderr) == (1, True), done.output


def test_a_pack_of_a_share_group_with_pseudonyms_has_no_name(
    lagbook: Lagbook, share_day: Packs, members: dict[str, bytes], tmp_path: Path
) -> None:
    """And the same claim, made again of states and members under other names."""
    (tmp_path / "key").write_bytes(b"a secret of some length")
    pack = share_day.write(lagbook, "out_of_attempts", tmp_path / "p.zip", "--pseudonyms", str(tmp_path / "key"))
    renamed = members_of(pack)
    written = "".join(
        str(pq.read_table(io.BytesIO(content)).to_pylist()) if name.endswith(".parquet") else content.decode()
        for name, content in renamed.items()
        if not name.startswith("sql/")
    )
    scope = json.loads(members[MANIFEST])["scope"]
    names = {f"'{scope['group_id']}'", scope["cluster"], "'jobs'", "/127.0.0.1", str(share_day.folder)}
    assert [name for name in names if name in written] == []
    done = lagbook("verify", str(pack))
    assert (done.exit_code, "gave up 2 offsets" in done.stdout) == (0, True), done.output


def test_a_fail_over_has_no_pack_with_pseudonyms(lagbook: Lagbook, mirrors: Packs, tmp_path: Path) -> None:
    """The name of a topic at the target has the source's alias in it."""
    (tmp_path / "key").write_bytes(b"a secret of some length")
    call = ("evidence", mirrors.incident("started_ahead"), "--to", str(tmp_path / "p.zip"))
    done = lagbook(*call, "--pseudonyms", str(tmp_path / "key"), "--warehouse", str(mirrors.warehouse))
    assert (done.exit_code, "a fail-over has no pack with pseudonyms" in done.stderr) == (1, True), done.output
    assert not (tmp_path / "p.zip").exists()
