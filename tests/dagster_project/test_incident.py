"""The whole of Lagbook on the recorded incident, against what the broker and the consumers themselves wrote down."""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.whole_run import whole_run

ROOT = Path(__file__).parents[2]
ANSWERS = ROOT / "tests" / "bytes" / "incident-4.1"
MOMENTS = {
    "describe-1.txt": "1795005104375",
    "describe-2.txt": "1795005158457",
    "describe-3.txt": "2026-11-18T12:33:29.200Z",
    "describe-final.txt": "2026-11-18T12:35:00Z",
}
"""An instant at which all the offsets of the file stood."""
GROUPS = 8
STEP = """
SELECT max(delta) FROM (
    FROM core.commits WHERE group_id = ? AND partition = ? AND committed_offset <= ? ORDER BY log_offset DESC LIMIT 4
)
"""
"""Records of one commit interval, shortly before an offset."""


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The broker's log directory."""
    folder = tmp_path_factory.mktemp("recorded")
    with tarfile.open(ANSWERS / "data.tar.xz") as packed:
        packed.extractall(folder, filter="data")
    return folder / "data"


@pytest.fixture(scope="module")
def warehouse(logs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The warehouse after one run."""
    folder = tmp_path_factory.mktemp("warehouse")
    run = whole_run(folder, [logs])
    assert run.exit_code == 0, run.stderr
    return folder


def lagbook(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command as a user does."""
    return subprocess.run(
        [sys.executable, "-m", "dagster_project.cli", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )


def query(warehouse: Path, sql: str, *values: object) -> list[tuple[Any, ...]]:
    """Ask the DuckDB file; values stand for the question marks."""
    with duckdb.connect(str(warehouse / "lagbook.duckdb"), read_only=True) as connection:
        return connection.execute(sql, values).fetchall()


def answers(file: str) -> dict[tuple[str, str, int], tuple[int, int]]:
    """Current offset and log end by group, topic and partition, as the broker's own tool printed them."""
    rows = [line.split() for line in (ANSWERS / file).read_text().splitlines()]
    table = [row for row in rows if len(row) == 9 and row[0] != "GROUP"]
    return {(group, topic, int(partition)): (int(at), int(end)) for group, topic, partition, at, end, *_ in table}


@pytest.mark.parametrize("file", MOMENTS)
def test_offsets_are_the_brokers_own(warehouse: Path, file: str) -> None:
    """`describe --at` gives every CURRENT-OFFSET that the broker gave at that moment, and no other partition."""
    groups = sorted({group for group, _, _ in answers(file)})
    assert len(groups) == GROUPS
    answer = lagbook("describe", *groups, "--at", MOMENTS[file], "--json", "--warehouse", str(warehouse))
    rows = json.loads(answer.stdout)
    actual = {(row["group_id"], row["topic"], row["partition"]): row["current_offset"] for row in rows}
    assert actual == {key: at for key, (at, _) in answers(file).items()}


def test_lag_at_the_end_is_the_brokers_own(warehouse: Path) -> None:
    """When nothing moves any more, log ends and lag are equal too."""
    rows = json.loads(lagbook("describe", "--all-groups", "--json", "--warehouse", str(warehouse)).stdout)
    actual = {(r["group_id"], r["topic"], r["partition"]): (r["current_offset"], r["log_end_offset"]) for r in rows}
    assert actual == answers("describe-final.txt")
    assert {row["lag"] for row in rows} == {0}


def test_owners_are_the_brokers_own(warehouse: Path) -> None:
    """Member, host and client of each partition of the classic groups at the first moment."""
    lines = [line.split() for line in (ANSWERS / "describe-1.txt").read_text().splitlines()]
    of_broker = {
        (line[0], line[1], int(line[2])): tuple(line[6:9])
        for line in lines
        if len(line) == 9 and line[0] not in ("GROUP", "new-protocol")
    }
    answer = lagbook(
        "describe", "--all-groups", "--at", MOMENTS["describe-1.txt"], "--json", "--warehouse", str(warehouse)
    )
    of_lagbook = {
        (row["group_id"], row["topic"], row["partition"]): (row["member_id"], row["client_host"], row["client_id"])
        for row in json.loads(answer.stdout)
        if row["group_id"] != "new-protocol"
    }
    assert of_lagbook == of_broker


def test_the_reset_is_found_and_nothing_else_is_claimed(warehouse: Path) -> None:
    """Group admin-reset re-read [420, 670) of three partitions; each claim names the record that did it."""
    rows = query(
        warehouse,
        "SELECT group_id, topic, partition, from_offset, to_offset, certain_from, certain_to, epoch_ms(occurred_at), "
        "log_partition, log_offset FROM mart.replays WHERE kind = 'set_back' ORDER BY partition",
    )
    assert rows == [
        ("admin-reset", "audit", partition, 420, 670, 420, 670, 1795005111910, 13, 287 + partition)
        for partition in range(3)
    ]


def test_no_claim_contradicts_what_the_consumers_wrote_down(warehouse: Path) -> None:
    """Every offset that is certain to have been read twice was processed twice, by the consumers' own logs."""
    truth = json.loads((ANSWERS / "truth.json").read_text())
    claims = query(
        warehouse,
        "SELECT group_id, partition, certain_from, certain_to FROM mart.replays WHERE certain_from IS NOT NULL",
    )
    assert claims
    for group, partition, start, end in claims:
        twice = truth[group][str(partition)]["duplicated"]
        assert any(low <= start and end <= high for low, high in twice), (group, partition, start, end)


def test_what_was_processed_twice_is_inside_a_possible_range_and_near_its_estimate(warehouse: Path) -> None:
    """As near as what a member commits at once, where evidence names both ends; an admin's set-back exactly."""
    truth = json.loads((ANSWERS / "truth.json").read_text())
    claims = query(
        warehouse,
        "SELECT group_id, partition, kind, possible_from, possible_to, estimate_from, estimate_to FROM mart.replays",
    )
    twice = [
        (group, int(partition), *span)
        for group, outcome in truth.items()
        for partition, one in outcome.items()
        for span in one["duplicated"]
    ]
    assert len(twice) == 7
    for group, partition, begin, end in twice:
        (claim,) = [row for row in claims if row[:2] == (group, partition) and row[3] <= begin and end <= row[4]]
        _, _, how, _, _, estimate_from, estimate_to = claim
        if how == "set_back" or estimate_to is not None:
            step = 0 if how == "set_back" else query(warehouse, STEP, group, partition, begin)[0][0]
            assert (estimate_from, abs(estimate_to - end) <= step) == (begin, True), claim


def test_a_hand_over_ends_at_the_log_end_at_which_the_owner_was_replaced(warehouse: Path) -> None:
    """No batch that came later is in it."""
    late = query(
        warehouse,
        "SELECT r.group_id, r.partition FROM mart.replays AS r JOIN raw.batches AS b "
        "ON (b.cluster, b.topic, b.partition) = (r.cluster, r.topic, r.partition) AND b.base_offset < r.possible_to "
        "WHERE r.kind = 'handed_over' AND make_timestamptz(1000 * b.base_timestamp_ms) > r.detected_at",
    )
    assert late == []


def test_what_was_never_read_is_told_exactly(warehouse: Path) -> None:
    """Reset to latest, deleted and begun again at the log end, overtaken by a deletion: the ranges that were missed."""
    truth = json.loads((ANSWERS / "truth.json").read_text())
    rows = query(
        warehouse,
        "SELECT group_id, partition, kind, possible_from, possible_to, estimate_from, estimate_to,"
        " certain_from, certain_to FROM mart.skips",
    )
    assert sorted({(group, how) for group, _, how, *_ in rows}) == [
        ("admin-reset", "set_forward"),
        ("latest-reset", "restarted_at_latest"),
        ("slow-retention", "overtaken_by_log_start"),
    ]
    assert len(rows) == 3 + 3 + 4
    for group, partition, how, possible_from, possible_to, begin, end, certain_from, certain_to in rows:
        missed = truth[group][str(partition)]["missed"][-1]
        slack = 0 if how != "restarted_at_latest" else (missed[1] - missed[0]) / 50
        assert possible_from <= missed[0] < missed[1] <= possible_to, group
        assert (begin, abs(end - missed[1]) <= slack) == (missed[0], True), group
        assert [certain_from, certain_to] == (missed if how == "set_forward" else [None, None]), group


def test_it_is_told_who_skipped_them_and_why(warehouse: Path) -> None:
    """An admin, or the members that began anew; with the number of records, since all segments are there."""
    rows = query(
        warehouse,
        'SELECT DISTINCT group_id, cause, "actor", generation_before, generation_after,'
        " records_possible = possible_to - possible_from, records_certain = certain_to - certain_from,"
        " from_time < to_time, first_record_at < last_record_at FROM mart.skips ORDER BY ALL",
    )
    assert rows == [
        ("admin-reset", "admin_reset", "admin", 3, 4, True, True, True, True),
        ("latest-reset", "offsets_removed", "owner", 1, 3, True, None, True, True),
        ("slow-retention", "records_deleted", "owner", 1, 3, True, None, True, True),
    ]


def test_nothing_contradicts_and_nothing_was_sent_twice(warehouse: Path) -> None:
    """One broker that never failed, and producers that never had to say anything again; the checksums are kept."""
    assert query(warehouse, "FROM mart.log_divergence") == query(warehouse, "FROM mart.producer_duplicates") == []
    assert query(warehouse, "SELECT count(*) > count(crc) FROM raw.batches") == [(False,)]


def test_every_batch_was_read(warehouse: Path) -> None:
    """Every byte of every segment is accounted for, and nothing is in quarantine."""
    assert query(warehouse, "SELECT sum(size_bytes - end_position), sum(torn_bytes) FROM raw.segments") == [(0, 0)]
    assert query(warehouse, "SELECT count(*) FROM raw.quarantine") == [(0,)]


def test_a_second_run_changes_nothing_and_says_so(warehouse: Path, logs: Path) -> None:
    """The tables keep their commits and the DuckDB file its bytes."""
    before = (warehouse / "lagbook.duckdb").stat()
    result = lagbook("run", "--logs", str(logs), "--warehouse", str(warehouse))
    assert result.returncode == 0
    assert "nothing" in (result.stdout + result.stderr).lower()
    after = (warehouse / "lagbook.duckdb").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_the_audit_tells_it_in_plain_words(warehouse: Path) -> None:
    """And ends with 3, because something was found."""
    result = lagbook("audit", "--warehouse", str(warehouse))
    assert result.returncode == 3
    assert "admin-reset re-read 750 offsets in 3 partitions of" in result.stdout
