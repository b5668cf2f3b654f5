"""Packs for claims about offsets that consumers keep outside Kafka: cited files, and what no byte shows."""

from __future__ import annotations

import io
import json
import shutil
import tarfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pyarrow.parquet as pq
import pytest
from blake3 import blake3

from tests.assets.ingest.stores.sql.declared_tables import CREATE, WRITE, run
from tests.dagster_project.cli.extracts.packs import Change, changed_rows, members_of, packed
from tests.parsers.spark_checkpoints.recorded import unpack
from tests.parsers.zookeeper.file_bytes import CLOSE_SESSION, DELETE, SET_DATA, create, log, set_data
from tests.parsers.zookeeper.file_bytes import CREATE as CREATE_NODE
from tests.parsers.zookeeper.file_bytes import text as path_bytes
from tests.whole_run import whole_run

if TYPE_CHECKING:
    from tests.dagster_project.cli.conftest import Lagbook

COMMITS = "tables/raw.external_commits.parquet"
CITED = "store_commits.json"
EVENTS = "tables/raw.zookeeper_events.parquet"
CITED_EVENTS = "store_events.json"
TABLE = """
[tables.billing]
sqlite = "billing.db"
table = "consumer offsets"
group = "billing"
[tables.billing.columns]
topic = "topic"
partition = "part"
committed_offset = "next offset"
"""
"""How the table is declared in which a consumer keeps its offsets."""
NODE = "/consumers/readers/offsets/orders/0"


class Query:
    """The recorded query of Spark, whose checkpoint was set back, and the warehouse that runs made of it."""

    def __init__(self, folder: Path) -> None:
        """Read each of its states in the same place."""
        self.recorded, self.warehouse = unpack(folder / "recorded"), folder / "warehouse"
        for state in ("killed", "restarted", "rewound"):
            shutil.rmtree(folder / "live", ignore_errors=True)
            shutil.copytree(self.recorded / state, folder / "live")
            assert whole_run(self.warehouse, [folder / "live"]).exit_code == 0
        (self.incident,) = incidents_of(self.warehouse, "replay")

    @property
    def backup(self) -> Path:
        """A copy of the checkpoint from before it was set back."""
        return self.recorded / "restarted"


def incidents_of(warehouse: Path, kind: str) -> list[str]:
    """The incidents of a kind."""
    with duckdb.connect(str(warehouse / "lagbook.duckdb"), read_only=True) as connection:
        rows = connection.execute("SELECT incident_id FROM mart.incidents WHERE kind = ?", [kind]).fetchall()
    return [incident for (incident,) in rows]


@pytest.fixture(scope="module")
def query(tmp_path_factory: pytest.TempPathFactory) -> Query:
    """The query, for packs of its replay."""
    return Query(tmp_path_factory.mktemp("query"))


@pytest.fixture
def pack(lagbook: Lagbook, query: Query, tmp_path: Path) -> Path:
    """A pack of the replay, with the bytes of a backup."""
    to = tmp_path / "pack.zip"
    words = ("--to", str(to), "--logs", str(query.backup), "--warehouse", str(query.warehouse))
    done = lagbook("evidence", query.incident, *words)
    assert done.exit_code == 0, done.output
    return to


def cited_offsets(members: dict[str, bytes]) -> set[int]:
    """The positions that the findings of a pack cite."""
    findings = pq.read_table(io.BytesIO(members["tables/mart.findings.parquet"])).to_pylist()
    return {offset for row in findings for offset in row["evidence"]}


@pytest.mark.slow
def test_a_replay_of_a_spark_query_is_verified_from_the_files_of_its_checkpoint(
    lagbook: Lagbook, query: Query, pack: Path
) -> None:
    """Every cited commit has the offsets of its batch, byte for byte, and a commit of it or of a later one."""
    members = members_of(pack)
    commits = json.loads(members[CITED])
    assert {one["log_offset"] for one in commits} == cited_offsets(members)
    for file in (file for commit in commits for file in commit["files"]):
        assert members[file["member"]] == Path(file["path"]).read_bytes()
        assert any(str(place) in file["path"] for place in (query.backup, query.warehouse.parent / "live"))
    assert {"offsets", "commit"} <= {file["role"] for commit in commits for file in commit["files"]}
    shutil.move(query.warehouse, query.warehouse.with_name("away"))
    done = lagbook("verify", str(pack))
    shutil.move(query.warehouse.with_name("away"), query.warehouse)
    assert done.exit_code == 0, done.output
    assert "the claim, made again of the rows, is the same" in done.stdout
    assert "NOT IN ANY BYTE: the number of a batch, which is the name of its file" in done.stdout


def test_batches_that_somebody_took_out_of_the_checkpoint_have_no_bytes(
    lagbook: Lagbook, query: Query, tmp_path: Path
) -> None:
    """Without a backup of it; the pack and its verification say so, and end with 3."""
    pack = tmp_path / "pack.zip"
    done = lagbook("evidence", query.incident, "--to", str(pack), "--warehouse", str(query.warehouse), "--json")
    facts = json.loads(done.stdout)
    assert (done.exit_code, facts["is_claim_made_again"]) == (3, True)
    assert 0 < len(facts["missing"]) < facts["cited_records"]
    verified = lagbook("verify", str(pack), "--json")
    assert verified.exit_code == 3
    assert json.loads(verified.stdout)["missing"] == facts["missing"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (Change(COMMITS, "metadata", "batch 1", ""), "metadata: expected 'batch"),
        (Change(COMMITS, "committed_offset", 5, ""), "of the bytes, found 5"),
        (Change(COMMITS, "store", "another", ""), "expected a store with the number"),
        (Change("tables/mart.replays.parquet", "certain_to", 77, ""), "from the rows, found 77"),
    ],
)
def test_a_changed_row_of_a_store_is_told(
    lagbook: Lagbook, pack: Path, tmp_path: Path, change: Change, sentence: str
) -> None:
    """Though every digest was made to fit."""
    members = members_of(pack)
    content = changed_rows(members[change.member], change.apply)
    done = lagbook("verify", str(packed(tmp_path / "changed.zip", {**members, change.member: content})))
    assert (done.exit_code, sentence in done.stderr) == (1, True), done.output


def test_changed_bytes_of_a_store_are_told(lagbook: Lagbook, pack: Path, tmp_path: Path) -> None:
    """With their digest as the list of commits has it, and when that fits, by what they say."""
    members = members_of(pack)
    name = next(one for one in members if one.endswith("-offsets.bin"))
    content = members[name].replace(b":", b";", 1)
    done = lagbook("verify", str(packed(tmp_path / "changed.zip", {**members, name: content})))
    assert (done.exit_code, f"{name}: blake3: expected" in done.stderr) == (1, True)


@pytest.mark.parametrize("content", [b"{}", b"[5]", b'[{"log_offset": 1}]', b'[{"log_offset": 1, "files": [{}]}]'])
def test_a_list_of_commits_that_is_none_is_refused(
    lagbook: Lagbook, pack: Path, tmp_path: Path, content: bytes
) -> None:
    """With its name."""
    done = lagbook("verify", str(packed(tmp_path / "changed.zip", {**members_of(pack), CITED: content})))
    assert (done.exit_code, CITED in done.stderr) == (1, True), done.output


def test_a_pack_whose_list_of_commits_is_empty_shows_nothing_by_bytes(
    lagbook: Lagbook, pack: Path, tmp_path: Path
) -> None:
    """Bytes that it has all the same are refused; nor does one without a table of records pass."""
    members = {**members_of(pack), CITED: b"[]"}
    done = lagbook("verify", str(packed(tmp_path / "changed.zip", members)))
    assert (done.exit_code, "expected in the list of what is cited" in done.stderr) == (1, True), done.output
    less = {name: content for name, content in members.items() if not name.startswith("files/")}
    done = lagbook("verify", str(packed(tmp_path / "changed.zip", less)))
    assert (done.exit_code, "NOT SHOWN by bytes" in done.stdout) == (3, True), done.output
    less.pop("tables/raw.offset_records.parquet")
    done = lagbook("verify", str(packed(tmp_path / "changed.zip", less)))
    assert (done.exit_code, "raw.offset_records.parquet: expected a table" in done.stderr) == (1, True), done.output


def written(members: dict[str, bytes]) -> str:
    """All that is in a pack but the SQL, unpacked and decoded."""
    return "".join(
        str(pq.read_table(io.BytesIO(content)).to_pylist()) if name.endswith(".parquet") else content.decode()
        for name, content in members.items()
        if not name.startswith("sql/")
    )


def test_a_claim_about_a_checkpoint_has_a_pack_with_pseudonyms(
    lagbook: Lagbook, query: Query, pack: Path, tmp_path: Path
) -> None:
    """Without a name, the number of the store, or a position in it; with the same claim."""
    (tmp_path / "key").write_bytes(b"a secret of some length")
    words = ("--to", str(tmp_path / "to.zip"), "--pseudonyms", str(tmp_path / "key"), "--logs", str(query.backup))
    done = lagbook("evidence", query.incident, *words, "--warehouse", str(query.warehouse))
    assert done.exit_code == 0, done.output
    plain, renamed = members_of(pack), members_of(tmp_path / "to.zip")
    scope = json.loads(plain["manifest.json"])["scope"]
    positions = {str(offset) for offset in cited_offsets(plain) if offset > 1000}
    names = {scope["group_id"], scope["cluster"], str(scope["log_partition"]), str(query.warehouse.parent), *positions}
    assert len(positions) > 1
    assert [name for name in names if name in written(renamed)] == []
    assert not any(name.startswith(("files/", "events/")) for name in renamed)
    assert "keyed_blake3" in renamed[CITED].decode()
    done = lagbook("verify", str(tmp_path / "to.zip"))
    assert (done.exit_code, "the claim, made again of the rows, is the same" in done.stdout) == (0, True), done.output


@pytest.mark.parametrize("group", ["readers", pytest.param("billing", marks=pytest.mark.slow)])
def test_claims_about_zookeeper_and_tables_have_packs_with_pseudonyms(
    lagbook: Lagbook, left_behind: Path, tmp_path: Path, group: str
) -> None:
    """The place of a position in ZooKeeper is a checksum of the node's path; it is gone, too."""
    (tmp_path / "key").write_bytes(b"a secret of some length")
    pack_of(lagbook, left_behind, group, tmp_path / "plain.zip", 3 if group == "billing" else 0)
    pack_of(lagbook, left_behind, group, tmp_path / "to.zip", 0, "--pseudonyms", str(tmp_path / "key"))
    plain, renamed = members_of(tmp_path / "plain.zip"), members_of(tmp_path / "to.zip")
    events = pq.read_table(io.BytesIO(plain[EVENTS])).to_pylist()
    scope = json.loads(plain["manifest.json"])["scope"]
    numbers = {str(scope["log_partition"]), *(str(row["log_offset"]) for row in events)}
    names = {group, "'ana'", "orders", str(left_behind), *numbers}
    assert [name for name in names if name in written(renamed)] == []
    assert lagbook("verify", str(tmp_path / "to.zip")).exit_code == 0


@pytest.fixture(scope="module")
def left_behind(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with ZooKeeper's log, a SQL table and a warehouse: the log start passed the offsets in both stores."""
    folder, now_ms = tmp_path_factory.mktemp("left"), time.time_ns() // 1_000_000
    logs = unpack(folder / "recorded") / "restarted" / "logs"
    (logs / "log-start-offset-checkpoint").write_text("0\n1\norders 0 50\n")
    (folder / "zookeeper" / "version-2").mkdir(parents=True)
    member, owner = "/consumers/readers/ids/ana", "/consumers/readers/owners/orders/0"
    changes = [
        (1, now_ms - 9900, CREATE_NODE, create("/brokers/topics/orders", b'{"version":1}')),
        (2, now_ms - 9000, CREATE_NODE, create(NODE, b"10")),
        (3, now_ms - 8000, CREATE_NODE, create(member, b'{"subscription":{"orders":1}}', is_ephemeral=True)),
        (4, now_ms - 7000, CREATE_NODE, create(owner, b"ana-0", is_ephemeral=True)),
        (5, now_ms - 6000, SET_DATA, set_data(NODE, b"20", 1)),
        (6, now_ms - 5000, DELETE, path_bytes(owner)),
        (7, now_ms - 4500, CREATE_NODE, create("/consumers/others/ids/eve", b"{}", is_ephemeral=True)),
        (8, now_ms - 4000, CLOSE_SESSION, b""),
    ]
    (folder / "zookeeper" / "version-2" / "log.1").write_bytes(log(changes))
    run(folder / "billing.db", CREATE)
    run(folder / "billing.db", WRITE, ("-", "orders", 0, 20, None))
    (folder / "stores.toml").write_text(TABLE)
    words = ("--external-stores", str(folder / "stores.toml"))
    assert whole_run(folder / "warehouse", [logs, folder / "zookeeper"], *words).exit_code == 0
    return folder


def pack_of(lagbook: Lagbook, folder: Path, group: str, to: Path, code: int, *words: str) -> str:
    """Write the pack of the skip of a group; what the command says."""
    with duckdb.connect(str(folder / "warehouse" / "lagbook.duckdb"), read_only=True) as connection:
        question = "SELECT incident_id FROM mart.incidents WHERE kind = 'skip' AND group_id = ?"
        ((incident,),) = connection.execute(question, [group]).fetchall()
    done = lagbook("evidence", incident, "--to", str(to), "--warehouse", str(folder / "warehouse"), *words)
    assert done.exit_code == code, done.output
    return done.output


def test_a_skip_of_a_group_in_zookeeper_is_verified_by_transactions(
    lagbook: Lagbook, left_behind: Path, tmp_path: Path
) -> None:
    """At the position of the log at which each stands; one in which somebody changed the offset is refused."""
    pack = tmp_path / "pack.zip"
    assert "1 of 1 cited commit with their bytes" in pack_of(lagbook, left_behind, "readers", pack, 0)
    members = members_of(pack)
    ((file,),) = (one["files"] for one in json.loads(members[CITED]))
    content = Path(file["path"]).read_bytes()
    assert content[file["position"] :].startswith(members[file["member"]])
    done = lagbook("verify", str(pack))
    assert (done.exit_code, "the claim, made again of the rows, is the same" in done.stdout) == (0, True), done.output
    assert "in 1 piece of the store's files: the bytes say what the rows say" in done.stdout
    assert "5 events of members, topics and sessions: the bytes say what the rows say" in done.stdout
    changed = {**members, file["member"]: members[file["member"]].replace(b"20", b"30")}
    refused = lagbook("verify", str(packed(tmp_path / "changed.zip", changed)))
    assert (refused.exit_code, "expected a transaction" in refused.stderr) == (1, True), refused.output


def test_a_skip_of_a_sql_table_has_rows_and_no_bytes(lagbook: Lagbook, left_behind: Path, tmp_path: Path) -> None:
    """The claim is made again; that the rows stood in the table nothing shows, which both commands say."""
    pack = tmp_path / "pack.zip"
    output = pack_of(lagbook, left_behind, "billing", pack, 3)
    assert "0 of 1 cited commit with their bytes" in output
    assert "a SQL table has no bytes to cite" in output
    assert "--logs names other copies" not in output
    done = lagbook("verify", str(pack))
    assert done.exit_code == 3
    assert "the claim, made again of the rows, is the same" in done.stdout
    assert "NOT SHOWN by bytes: 1 cited commit" in done.stdout
    assert "NOT IN ANY BYTE: a SQL table has no bytes to cite" in done.stdout


def test_copies_in_an_archive_are_read(lagbook: Lagbook, left_behind: Path, tmp_path: Path) -> None:
    """Where ZooKeeper removed its logs since; they are named by the archive and their path in it."""
    shutil.copytree(left_behind, tmp_path / "left")
    archive = tmp_path / "copies.tar.xz"
    with tarfile.open(archive, "w:xz") as copies:
        copies.add(left_behind / "zookeeper", "zookeeper")
    shutil.rmtree(tmp_path / "left" / "zookeeper")
    pack = tmp_path / "pack.zip"
    pack_of(lagbook, tmp_path / "left", "readers", pack, 0, "--logs", str(archive))
    members = members_of(pack)
    ((file,),) = (one["files"] for one in json.loads(members[CITED]))
    assert file["path"] == f"{archive}!/zookeeper/version-2/log.1"
    assert lagbook("verify", str(pack)).exit_code == 0


def test_an_archive_that_is_not_there_is_refused(lagbook: Lagbook, left_behind: Path, tmp_path: Path) -> None:
    """As any place is."""
    with duckdb.connect(str(left_behind / "warehouse" / "lagbook.duckdb"), read_only=True) as connection:
        ((incident,), *_others) = connection.execute("SELECT incident_id FROM mart.incidents").fetchall()
    words = ("--to", str(tmp_path / "to.zip"), "--logs", "copies.tar.xz", "--warehouse", str(left_behind / "warehouse"))
    done = lagbook("evidence", incident, *words)
    assert (done.exit_code, "there is no such archive" in done.stderr) == (2, True), done.output


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (Change(EVENTS, "member_id", "another", ""), "expected the event member_created of zxid 0x3"),
        (Change(EVENTS, "session_id", 8, ""), "expected the event"),
        (Change(EVENTS, "timestamp_ms", 5, ""), "expected the event"),
    ],
)
def test_a_changed_event_of_zookeeper_is_told(
    lagbook: Lagbook, left_behind: Path, tmp_path: Path, change: Change, sentence: str
) -> None:
    """Who was a member and owned what stands in transactions, too."""
    pack_of(lagbook, left_behind, "readers", tmp_path / "pack.zip", 0)
    members = members_of(tmp_path / "pack.zip")
    changed = {**members, EVENTS: changed_rows(members[EVENTS], change.apply)}
    done = lagbook("verify", str(packed(tmp_path / "changed.zip", changed)))
    assert (done.exit_code, sentence in done.stderr) == (1, True), done.output


def test_bytes_of_events_are_held_against_rows(lagbook: Lagbook, left_behind: Path, tmp_path: Path) -> None:
    """A row that was taken out is told by the bytes, changed bytes by digest and checksum; without bytes it is said."""
    pack_of(lagbook, left_behind, "readers", tmp_path / "pack.zip", 0)
    members = members_of(tmp_path / "pack.zip")
    files = json.loads(members[CITED_EVENTS])
    name = files[0]["member"]
    fewer = changed_rows(members[EVENTS], list.clear)
    other = members[name].replace(b"ana", b"eva")
    digest = json.dumps([{**files[0], "blake3": blake3(other).hexdigest()}]).encode()
    changes = {
        "expected the event": {**members, EVENTS: fewer},
        f"{name}: blake3: expected": {**members, name: other},
        "expected a transaction": {**members, name: other, CITED_EVENTS: digest},
        f"{CITED_EVENTS}: expected files with all facts": {**members, CITED_EVENTS: b'[{"member": 1}]'},
        "zookeeper_events.parquet: expected a table": {one: members[one] for one in members if one != EVENTS},
    }
    for sentence, changed in changes.items():
        done = lagbook("verify", str(packed(tmp_path / "changed.zip", changed)))
        assert (done.exit_code, sentence in done.stderr) == (1, True), (sentence, done.output)
    less = {one: content for one, content in members.items() if one != name}
    done = lagbook("verify", str(packed(tmp_path / "less.zip", {**less, CITED_EVENTS: b"[]"})))
    assert (done.exit_code, "NOT SHOWN by bytes: 5 events of members" in done.stdout) == (3, True), done.output
