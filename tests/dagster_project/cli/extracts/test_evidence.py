"""`lagbook evidence` and `lagbook verify`: packs that others verify, and packs that somebody has changed."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from assets.evidence.pack_file import MANIFEST
from dagster_project.cli.main import main
from tests.dagster_project.cli.extracts.packs import Change, changed_rows, members_of, packed

if TYPE_CHECKING:
    from tests.dagster_project.cli.conftest import Lagbook

ROOT = Path(__file__).parents[4]
RECORDS = "tables/raw.offset_records.parquet"
SKIPS = "tables/mart.skips.parquet"


@pytest.fixture(scope="module")
def packs(incidents: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A pack of every incident of the recording, by its pattern."""
    folder = tmp_path_factory.mktemp("packs")
    with duckdb.connect(str(incidents / "lagbook.duckdb"), read_only=True) as connection:
        patterns = connection.execute("SELECT pattern, incident_id FROM mart.incidents").fetchall()
    for pattern, incident in patterns:
        words = ["evidence", incident, "--to", str(folder / f"{pattern}.zip"), "--warehouse", str(incidents)]
        done = CliRunner().invoke(main, words)
        assert done.exit_code == 0, done.stderr
    return {pattern: folder / f"{pattern}.zip" for pattern, _incident in patterns}


def test_a_pack_of_every_incident_is_verified_without_the_warehouse(packs: dict[str, Path], tmp_path: Path) -> None:
    """In an empty folder, without an environment, and where no socket can be opened."""
    assert len(packs) == 4
    blocked = "import socket\ndef refuse(*_): raise OSError('no network')\nsocket.socket.connect = refuse\n"
    (tmp_path / "sitecustomize.py").write_text(blocked)
    surroundings = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{tmp_path}:{ROOT}", "HOME": str(tmp_path)}
    for pack in packs.values():
        command = [sys.executable, "-m", "dagster_project.cli", "verify", str(pack), "--json"]
        done = subprocess.run(command, cwd=tmp_path, env=surroundings, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        facts = json.loads(done.stdout)
        assert (facts["is_whole"], facts["is_claim_made_again"], facts["missing"]) == (True, True, [])
        assert facts["records"] == len({offset for offsets in _evidence(pack) for offset in offsets})


def _evidence(pack: Path) -> list[list[int]]:
    findings = pq.read_table(io.BytesIO(members_of(pack)["tables/mart.findings.parquet"]))
    return [row["evidence"] for row in findings.to_pylist()]


def test_the_cited_bytes_are_those_of_the_file(packs: dict[str, Path], logs: Path) -> None:
    """At the position that is named, in the log directory that was read."""
    members = members_of(packs["set_forward"])
    batches = json.loads(members["batches.json"])
    assert batches
    for batch in batches:
        file = Path(batch["path"])
        assert logs in file.parents
        stands = file.read_bytes()[batch["position"] : batch["position"] + batch["size_bytes"]]
        assert stands == members[batch["member"]]


@pytest.mark.parametrize(
    "change",
    [
        Change(SKIPS, "certain_to", 1_099, "mart.skips"),
        Change("tables/mart.incidents.parquet", "certain_offsets", 9, "certain_offsets: expected 285"),
        Change("tables/raw.batches.parquet", "size_bytes", 7, "bytes: expected 700 from the rows"),
    ],
)
def test_a_changed_row_is_told_with_its_address(
    lagbook: Lagbook, packs: dict[str, Path], tmp_path: Path, change: Change
) -> None:
    """Though every digest in the manifest was made to fit."""
    members = members_of(packs["set_forward"])
    content = changed_rows(members[change.member], change.apply)
    done = lagbook("verify", str(packed(tmp_path / "changed.zip", {**members, change.member: content})))
    assert done.exit_code == 1, done.stdout
    assert change.address in done.stderr


def test_a_cited_record_that_says_something_else_is_told_with_its_offset(
    lagbook: Lagbook, packs: dict[str, Path], tmp_path: Path
) -> None:
    """A row whose bytes are cited can't be changed, even if the claim would be the same."""
    members = members_of(packs["set_forward"])
    cited = _evidence(packs["set_forward"])[0][0]

    def change(rows: list[dict[str, Any]]) -> None:
        for row in rows:
            if row["log_offset"] == cited:
                row["log_leader_epoch"] = 77

    pack = packed(tmp_path / "changed.zip", {**members, RECORDS: changed_rows(members[RECORDS], change)})
    done = lagbook("verify", str(pack))
    assert done.exit_code == 1
    assert f"record {cited}: log_leader_epoch: expected 0 of the bytes, found 77" in done.stderr


def test_changed_bytes_of_a_batch_are_told(lagbook: Lagbook, packs: dict[str, Path], tmp_path: Path) -> None:
    """Kafka's own checksum is in them."""
    members = members_of(packs["set_forward"])
    name = next(one for one in members if one.startswith("batches/"))
    content = bytearray(members[name])
    content[-1] ^= 1
    done = lagbook("verify", str(packed(tmp_path / "changed.zip", {**members, name: bytes(content)})))
    assert done.exit_code == 1
    assert f"{name}: blake3: expected" in done.stderr
    assert "right checksum" in done.stderr


def test_a_pack_without_a_table_or_with_a_strange_one_is_refused(
    lagbook: Lagbook, packs: dict[str, Path], tmp_path: Path
) -> None:
    """With its name; no column of another table is taken."""
    members = members_of(packs["set_forward"])
    less = {name: content for name, content in members.items() if name != SKIPS}
    strange = {**members, SKIPS: members["tables/raw.segments.parquet"]}
    broken = {**members, SKIPS: b"PAR1 and nothing else"}
    findings = "tables/mart.findings.parquet"
    table = pq.read_table(io.BytesIO(members[findings])).drop_columns(["evidence"])
    sink = io.BytesIO()
    pq.write_table(table, sink)
    narrow = {**members, findings: sink.getvalue()}
    places = {**members, "batches.json": members["batches.json"].replace(b'"log_offsets": [', b'"log_offsets": [[], ')}
    for changed, name in ((narrow, "'evidence'"), (places, "expected batches with all facts")):
        done = lagbook("verify", str(packed(tmp_path / "changed.zip", changed)))
        assert done.exit_code == 1
        assert name in done.stderr
    scope = {**members, MANIFEST: json.dumps({**json.loads(members[MANIFEST]), "scope": {"incident": 5}}).encode()}
    for changed in (less, strange, broken, scope):
        done = lagbook("verify", str(packed(tmp_path / "changed.zip", changed)))
        assert done.exit_code == 1
        assert ("scope" if changed is scope else SKIPS) in done.stderr


def test_a_claim_of_a_kind_that_is_not_made_again_is_not_shown(
    lagbook: Lagbook, packs: dict[str, Path], tmp_path: Path
) -> None:
    """Nor can a claim that is made again be called one of such a kind in the manifest alone."""
    members = members_of(packs["set_forward"])
    facts, incidents = json.loads(members[MANIFEST]), "tables/mart.incidents.parquet"
    facts["scope"]["kind"] = "stopped"
    called = {**members, MANIFEST: json.dumps(facts).encode()}
    done = lagbook("verify", str(packed(tmp_path / "called.zip", called)))
    assert (done.exit_code, "kind: expected 'stopped', found 'skip'" in done.stderr) == (1, True)
    stopped = Change(incidents, "kind", "stopped", "")
    both = {**called, incidents: changed_rows(members[incidents], stopped.apply)}
    done = lagbook("verify", str(packed(tmp_path / "both.zip", both)))
    assert done.exit_code == 3
    assert "NOT SHOWN: the claim is of a kind that is not made again" in done.stdout


def test_a_record_that_the_cleaner_took_is_in_the_pack_without_its_bytes(
    lagbook: Lagbook, incidents: Path, logs: Path, packs: dict[str, Path], tmp_path: Path
) -> None:
    """Both commands say so, and end with 3."""
    left = tmp_path / "left"
    shutil.copytree(logs, left)
    scope = json.loads(members_of(packs["set_forward"])[MANIFEST])["scope"]
    shutil.rmtree(left / f"__consumer_offsets-{scope['log_partition']}")
    pack = tmp_path / "less.zip"
    words = ("--to", str(pack), "--logs", str(left), "--warehouse", str(incidents))
    done = lagbook("evidence", scope["incident"], *words)
    assert done.exit_code == 3, done.stderr
    assert "0 of 7 cited records" in done.stdout
    verified = lagbook("verify", str(pack))
    assert verified.exit_code == 3
    assert "NOT SHOWN by bytes: 7 cited records" in verified.stdout


def test_a_pack_with_pseudonyms_has_no_name_and_the_same_claim(
    lagbook: Lagbook, incidents: Path, packs: dict[str, Path], tmp_path: Path
) -> None:
    """The same key gives the same names; no member has the old ones, unpacked and decoded."""
    scope = json.loads(members_of(packs["set_back"])[MANIFEST])["scope"]
    (tmp_path / "key").write_bytes(b"a secret of some length")
    for name in ("one.zip", "two.zip"):
        words = ("--to", str(tmp_path / name), "--pseudonyms", str(tmp_path / "key"), "--warehouse", str(incidents))
        assert lagbook("evidence", scope["incident"], *words).exit_code == 0
    members = members_of(tmp_path / "one.zip")
    renamed = json.loads(members[MANIFEST])["scope"]
    assert renamed == json.loads(members_of(tmp_path / "two.zip")[MANIFEST])["scope"]
    assert not any(name.startswith("batches/") or name == "report.html" for name in members)
    written = "".join(
        str(pq.read_table(io.BytesIO(content)).to_pylist()) if name.endswith(".parquet") else content.decode()
        for name, content in members.items()
        if not name.startswith("sql/")
    )
    names = {scope["group_id"], scope["cluster"], "/127.0.0.1", "'audit'", str(tmp_path.parent)}
    assert [name for name in names if name in written] == []
    assert renamed["group_id"] in written
    done = lagbook("verify", str(tmp_path / "one.zip"))
    assert done.exit_code == 0, done.stderr
    assert "the claim, made again of the rows, is the same" in done.stdout
    assert "750 offsets" in done.stdout


@pytest.fixture
def renamed(lagbook: Lagbook, incidents: Path, packs: dict[str, Path], tmp_path: Path) -> dict[str, bytes]:
    """The members of a pack with pseudonyms."""
    (tmp_path / "key").write_bytes(b"a secret of some length")
    incident = json.loads(members_of(packs["set_back"])[MANIFEST])["scope"]["incident"]
    words = ("--to", str(tmp_path / "renamed.zip"), "--pseudonyms", str(tmp_path / "key"))
    assert lagbook("evidence", incident, *words, "--warehouse", str(incidents)).exit_code == 0
    return members_of(tmp_path / "renamed.zip")


def with_pseudonymous(members: dict[str, bytes], *, value: object) -> dict[str, bytes]:
    """Members whose manifest says something else of pseudonyms."""
    return {**members, MANIFEST: json.dumps({**json.loads(members[MANIFEST]), "is_pseudonymous": value}).encode()}


def test_a_pack_without_its_records_is_none_with_pseudonyms(
    lagbook: Lagbook, packs: dict[str, Path], renamed: dict[str, bytes], tmp_path: Path
) -> None:
    """The manifest says which it is, and neither passes as the other: tables, names and bytes have to fit."""
    members = members_of(packs["set_back"])
    less = {name: content for name, content in members.items() if name != RECORDS}
    called = with_pseudonymous(less, value=True)
    core = {name: content for name, content in renamed.items() if name.startswith("tables/core.")}
    core |= {name: content for name, content in renamed.items() if name.startswith("tables/internal.")}
    history = {f"tables/raw.{name}.parquet" for name in ("internal_records", "cluster_aliases", "external_commits")}
    of_names = {name: content for name, content in {**called, **core}.items() if name not in history}
    changes = {
        "tables/raw.offset_records.parquet: expected a table, found none": less,
        ".parquet: expected": called,
        "expected pseudonyms, found something else": of_names,
        "is_pseudonymous: expected true or false, found 'yes'": with_pseudonymous(members, value="yes"),
        "expected no such table, found it": with_pseudonymous(renamed, value=False),
        "report.html: expected none where names are pseudonyms": {**renamed, "report.html": b"of audit"},
    }
    for sentence, changed in changes.items():
        done = lagbook("verify", str(packed(tmp_path / "changed.zip", changed)))
        assert (done.exit_code, sentence in done.stderr) == (1, True), (sentence, done.output)


@pytest.mark.parametrize(
    "change",
    [
        Change("tables/raw.segments.parquet", "path", "/data/kafka", ""),
        Change("tables/core.commits.parquet", "metadata", "of ana", ""),
        Change("tables/core.commits.parquet", "group_id", "payments", ""),
        Change("tables/raw.segments.parquet", "blake3", "0" * 64, ""),
    ],
)
def test_a_name_among_pseudonyms_is_told(
    lagbook: Lagbook, renamed: dict[str, bytes], tmp_path: Path, change: Change
) -> None:
    """In whatever column."""
    changed = {**renamed, change.member: changed_rows(renamed[change.member], change.apply)}
    done = lagbook("verify", str(packed(tmp_path / "changed.zip", changed)))
    sentence = f"{change.column}: expected pseudonyms, found something else"
    assert (done.exit_code, sentence in done.stderr) == (1, True), done.output


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="there is no ssh-keygen on this machine")
def test_a_signed_pack_is_its_signers(
    lagbook: Lagbook, incidents: Path, packs: dict[str, Path], tmp_path: Path
) -> None:
    """A pack that was changed and signed by another key, or not at all, is not."""
    program, keys = str(shutil.which("ssh-keygen")), [tmp_path / name for name in ("ana", "eve")]
    for key in keys:
        subprocess.run([program, "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    allowed = tmp_path / "allowed"
    allowed.write_text(f"ana@example.com {keys[0].with_suffix('.pub').read_text()}")
    incident = json.loads(members_of(packs["set_back"])[MANIFEST])["scope"]["incident"]
    signer = ("--signer", "ana@example.com", "--allowed-signers", str(allowed))
    for key, code in zip(keys, (0, 1), strict=True):
        pack = tmp_path / f"{key.name}.zip"
        words = ("--to", str(pack), "--sign", str(key), "--warehouse", str(incidents))
        assert lagbook("evidence", incident, *words).exit_code == 0
        assert lagbook("verify", str(pack), *signer).exit_code == code
    unsigned = lagbook("verify", str(packs["set_back"]), *signer)
    assert (unsigned.exit_code, "expected a signature" in unsigned.stderr) == (1, True)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("evidence", "0123456789ab", "--to", "{to}"), "is not in this warehouse"),
        (("evidence", "0123456789ab", "--to", "{there}"), "exists"),
        (("evidence", "0123456789ab", "--to", "{to}", "--pseudonyms", "/nowhere/key"), "the key can't be read"),
        (("verify", "/nowhere/pack.zip"), "can't be read"),
        (("verify", "{there}", "--signer", "ana"), "Give both"),
    ],
)
def test_a_call_that_can_not_be_taken_is_refused(
    lagbook: Lagbook, incidents: Path, tmp_path: Path, words: tuple[str, ...], sentence: str
) -> None:
    """And leaves nothing."""
    there = tmp_path / "there.zip"
    there.write_bytes(b"")
    places = [word.format(to=tmp_path / "to.zip", there=there) for word in words]
    more = ["--warehouse", str(incidents)] if words[0] == "evidence" else []
    done = lagbook(*places, *more)
    assert done.exit_code == 2
    assert sentence in done.stderr
    assert list(tmp_path.iterdir()) == [there]
