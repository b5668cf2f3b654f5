"""`lagbook describe` against a small DuckDB file with the real macros."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import duckdb
import pytest

from tests.dagster_project.cli.conftest import HOSTILE, STABLE, bound, change, hide

if TYPE_CHECKING:
    from pathlib import Path

    from tests.dagster_project.cli.conftest import Lagbook

KAFKAS = "GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID"


def test_a_group_now_has_kafkas_columns(lagbook: Lagbook, warehouse: Path) -> None:
    """The table has the columns of kafka-consumer-groups in its order, and a dash for an owner that is not known."""
    result = lagbook("describe", "admin-reset", "--warehouse", str(warehouse))
    assert result.exit_code == 0, result.output
    assert [" ".join(line.split()) for line in result.stdout.splitlines()] == [
        KAFKAS,
        "admin-reset audit 0 900 1000 100 - - -",
    ]


@pytest.mark.parametrize("at", ["2026-11-18T12:02", "2026-11-18T13:02:59+01:00", "1795003320000"])
def test_a_group_at_an_instant(lagbook: Lagbook, warehouse: Path, at: str) -> None:
    """A past instant shows the offset and the log end that stood then, however the instant is written."""
    result = lagbook("describe", "admin-reset", "--at", at, "--json", "--warehouse", str(warehouse))
    assert result.exit_code == 0, result.output
    assert [(row["current_offset"], row["log_end_offset"], row["lag"]) for row in json.loads(result.stdout)] == [
        (420, 700, 280)
    ]


def test_json_says_null_for_what_is_not_known(lagbook: Lagbook, warehouse: Path) -> None:
    """A partition that is owned but was never committed has an owner and no offset; nothing becomes 0."""
    (row,) = json.loads(lagbook("describe", "owner", "--json", "--warehouse", str(warehouse)).stdout)
    assert row == {
        "group_id": "owner",
        "topic": "audit",
        "partition": 1,
        "current_offset": None,
        "log_end_offset": None,
        "lag": None,
        "log_end_lower": None,
        "log_end_upper": None,
        "lag_lower": None,
        "lag_upper": None,
        "member_id": "m-1",
        "client_host": "/10.0.0.1",
        "client_id": "m",
        "cluster": "c1",
        "log_start_offset": None,
        "lost_offsets": None,
        "is_known": True,
    }


@pytest.mark.parametrize(
    ("given", "shown", "bounds"),
    [
        ((700, 1000), "420 700-1000 280-580", (700, 1000, 280, 580)),
        ((700, None), "420 >=700 >=280", (700, None, 280, None)),
        ((700, 700), "420 700 280", (700, 700, 280, 280)),
        ((None, None), "420 - -", (None, None, None, None)),
        ((None, 300), "420 - -", (None, None, None, None)),
    ],
)
def test_a_log_end_that_is_known_within_bounds_is_shown_by_them(
    lagbook: Lagbook, warehouse: Path, given: tuple[int | None, ...], shown: str, bounds: tuple[int | None, ...]
) -> None:
    """And so is lag; the JSON has null and the bounds. An end below what is committed is none."""
    bound(warehouse, *given)
    where = ("--at", "2026-11-18T12:02:30", "--warehouse", str(warehouse))
    result = lagbook("describe", "admin-reset", *where)
    assert [" ".join(line.split()) for line in result.stdout.splitlines()[1:]] == [f"admin-reset audit 0 {shown} - - -"]
    is_noted = "of 1 of these 1 rows the log end is known within bounds only" in result.stderr
    assert is_noted == (bounds[0] != bounds[1])
    (row,) = json.loads(lagbook("describe", "admin-reset", "--json", *where).stdout)
    assert tuple(row[name] for name in ("log_end_lower", "log_end_upper", "lag_lower", "lag_upper")) == bounds
    assert (row["log_end_offset"] is None) == (bounds[0] is None or bounds[0] != bounds[1])
    assert (row["lag"] is None) == (row["log_end_offset"] is None)


def test_what_a_hole_may_hide_is_a_dash_and_said(lagbook: Lagbook, warehouse: Path) -> None:
    """At 12:02:30 another offset than the one seen last may have stood; at 12:01 none may."""
    hide(warehouse)
    where = ("--warehouse", str(warehouse))
    result = lagbook("describe", "admin-reset", "--at", "2026-11-18T12:02:30", *where)
    assert [" ".join(line.split()) for line in result.stdout.splitlines()[1:]] == ["admin-reset audit 0 - 700 - - - -"]
    assert "lagbook: of 1 of these 1 rows a hole in the log may hide what was committed then." in result.stderr
    before = lagbook("describe", "admin-reset", "--at", "2026-11-18T12:01", *where)
    assert "670" in before.stdout
    assert "hole" not in before.stderr


def own_by_topic_ids(warehouse: Path, *topic_ids: str) -> None:
    """Let a member of admin-reset own partition 0 of topics by ids that nothing names."""
    change(
        warehouse,
        "INSERT INTO core.ownership BY NAME SELECT * EXCLUDE (topic_id) REPLACE ('admin-reset' AS group_id,"
        " NULL AS topic, 0 AS partition), unnest($ids) AS topic_id FROM core.ownership",
        ids=list(topic_ids),
    )


def test_a_partition_that_is_owned_by_a_topic_id_is_shown_once(lagbook: Lagbook, warehouse: Path) -> None:
    """A group of the newer protocol owns by id and commits by name: the one id is the one topic that it commits."""
    own_by_topic_ids(warehouse, "an-id")
    result = lagbook("describe", "admin-reset", "--at", "2026-11-18T12:05", "--warehouse", str(warehouse))
    rows = [" ".join(line.split()) for line in result.stdout.splitlines()[1:]]
    assert rows == ["admin-reset audit 0 900 1000 100 m-1 /10.0.0.1 m"]
    assert "topic id" not in result.stderr


def test_owners_by_topic_ids_that_may_be_any_topic_are_told_beside_the_table(lagbook: Lagbook, warehouse: Path) -> None:
    """Two ids and one committed topic: nothing says which of them it is, so the partition has no owner, and why."""
    own_by_topic_ids(warehouse, "an-id", "another-id")
    result = lagbook("describe", "admin-reset", "--at", "2026-11-18T12:05", "--warehouse", str(warehouse))
    rows = [" ".join(line.split()) for line in result.stdout.splitlines()[1:]]
    assert rows == ["admin-reset audit 0 900 1000 100 - - -"]
    assert "2 partitions are owned by 2 topic ids that nothing read so far names" in result.stderr


def test_every_group_can_be_asked_for(lagbook: Lagbook, warehouse: Path, hostile: str) -> None:
    """--all-groups shows all, hostile names as escapes and long ones cut; the JSON has them whole."""
    table = lagbook("describe", "--all-groups", "--warehouse", str(warehouse))
    assert table.exit_code == 0, table.output
    assert "$'evil\\x1b[2J\\xe2\\x80\\xaegroup\\x0a<b>\\'; DROP TABLE x; --'" in table.stdout
    assert "nnn...(+31904 characters)" in table.stdout
    assert len(table.stdout.splitlines()) == 5
    assert "\x1b" not in table.stdout
    rows = json.loads(lagbook("describe", "--all-groups", "--json", "--warehouse", str(warehouse)).stdout)
    assert {len(row["group_id"]) for row in rows} == {11, 5, len(hostile), 32_000}


def test_a_name_is_a_value_and_never_sql(lagbook: Lagbook, warehouse: Path, hostile: str) -> None:
    """A group whose name is SQL is found like any other."""
    (row,) = json.loads(lagbook("describe", hostile, "--json", "--warehouse", str(warehouse)).stdout)
    assert row["group_id"] == hostile


def test_an_unknown_group_is_refused_with_the_nearest(lagbook: Lagbook, warehouse: Path) -> None:
    """A typing mistake ends with one sentence that names what was probably meant."""
    result = lagbook("describe", "admin-rest", "--warehouse", str(warehouse))
    assert result.exit_code == 2
    assert result.stderr.startswith("lagbook: group admin-rest is not in this warehouse; the nearest are admin-reset, ")
    assert len(result.stderr.splitlines()) == 1


def test_a_time_before_everything_is_refused(lagbook: Lagbook, warehouse: Path) -> None:
    """Nothing known is not the same as nothing there: the sentence says from when on something is known."""
    result = lagbook("describe", "admin-reset", "--at", "2026-11-18T11:00", "--warehouse", str(warehouse))
    assert result.exit_code == 2
    assert "the first commit read is of 2026-11-18T12:01:00.000Z" in result.stderr


def test_a_time_after_everything_is_answered_with_a_note(lagbook: Lagbook, warehouse: Path) -> None:
    """The last known state is shown, and beside it how far the records reach."""
    result = lagbook("describe", "admin-reset", "--at", "2027-01-01", "--warehouse", str(warehouse))
    assert result.exit_code == 0
    assert "900" in result.stdout
    assert "the last commit read is of 2026-11-18T12:05:00.000Z" in result.stderr


def test_what_stood_after_the_last_commit_read_is_not_known(lagbook: Lagbook, warehouse: Path) -> None:
    """A program that reads the rows and no stderr is told as well; up to that commit, what stood is known."""
    words = ("describe", "admin-reset", "--json", "--warehouse", str(warehouse), "--at")
    (after,) = json.loads(lagbook(*words, "2026-11-18T12:05:00.001Z").stdout)
    (before,) = json.loads(lagbook(*words, "2026-11-18T12:05Z").stdout)
    assert (after["is_known"], before["is_known"]) == (False, True)
    assert after["current_offset"] == before["current_offset"] == 900


def test_a_group_without_rows_at_that_time(lagbook: Lagbook, warehouse: Path) -> None:
    """A known group that had nothing yet is an empty answer, not a mistake."""
    change(warehouse, "UPDATE core.commits SET effective_at = '2026-11-18 12:00+00' WHERE log_offset = 1")
    result = lagbook("describe", "owner", "--at", "2026-11-18T12:00:30", "--warehouse", str(warehouse))
    assert result.exit_code == 0, result.output
    assert "had nothing committed and owned nothing" in result.stderr


def test_what_is_known_of_another_cluster_says_nothing_of_this(lagbook: Lagbook, warehouse: Path) -> None:
    """Times are those of the clusters that have the group: before them nothing is known, not nothing there."""
    later = "SELECT * REPLACE ('c2' AS cluster, effective_at + INTERVAL 1 DAY AS effective_at, 'late' AS group_id)"
    change(
        warehouse,
        f"INSERT INTO core.commits {later} FROM core.commits WHERE group_id = 'admin-reset'",
        "INSERT INTO internal.group_partitions SELECT * REPLACE ('c2' AS cluster, 'late' AS group_id)"
        " FROM internal.group_partitions WHERE group_id = 'admin-reset'",
        "INSERT INTO raw.segments SELECT * REPLACE ('c2' AS cluster) FROM raw.segments",
    )
    words = ("--at", "2026-11-18T13:00", "--warehouse", str(warehouse))
    unknown = lagbook("describe", "late", *words)
    assert unknown.exit_code == 2
    assert (
        "nothing is known of 2026-11-18T13:00:00.000Z: the first commit read is of 2026-11-19T12:01" in unknown.stderr
    )
    known = lagbook("describe", "admin-reset", *words)
    assert known.exit_code == 0
    assert known.stderr.startswith("lagbook: the last commit read is of 2026-11-18T12:05:00.000Z;")
    everything = lagbook("describe", "--all-groups", *words)
    assert everything.exit_code == 0
    assert "the last commit read of cluster c1 is of 2026-11-18T12:05:00.000Z" in everything.stderr
    assert "the first commit read of cluster c2 is of 2026-11-19T12:01:00.000Z" in everything.stderr


def test_an_unknown_cluster_is_refused(lagbook: Lagbook, warehouse: Path) -> None:
    """Nothing found in it would mean nothing; those that are there are named."""
    result = lagbook("describe", "--all-groups", "--cluster", "c\x1b2", "--warehouse", str(warehouse))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "lagbook: cluster $'c\\x1b2' is not in this warehouse; there is c1.\n"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "Name one GROUP or more, or give --all-groups."),
        (("a", "--all-groups"), "Name one GROUP or more, or give --all-groups."),
        (("a", "--at", "tomorrow"), "'tomorrow' is no time that Lagbook understands"),
        (("a", "--members", "--state"), "Give one of --offsets, --members and --state."),
        (("a", "--zone", "Mars/Base"), "'Mars/Base' is no zone that this machine knows"),
        (("a", "--zone", "../../etc/passwd"), "is no zone that this machine knows"),
        (("a", "--nope"), "--nope"),
    ],
)
def test_a_mistaken_call_is_one_sentence(lagbook: Lagbook, words: tuple[str, ...], sentence: str) -> None:
    """Exit code 2, the sentence, and where the help is."""
    result = lagbook("describe", *words)
    assert result.exit_code == 2
    assert result.stderr.startswith("lagbook: ")
    assert sentence in result.stderr
    assert "Try `" in result.stderr


def test_no_warehouse_is_a_sentence(lagbook: Lagbook, tmp_path: Path) -> None:
    """A folder without the DuckDB file says what makes one."""
    result = lagbook("describe", "g", "--warehouse", str(tmp_path / "none"))
    assert result.exit_code == 2
    assert "lagbook.duckdb does not exist" in result.stderr
    assert "lagbook run" in result.stderr


def test_a_foreign_file_is_a_sentence(lagbook: Lagbook, tmp_path: Path) -> None:
    """A file of that name that DuckDB did not write is refused, not a traceback."""
    (tmp_path / "lagbook.duckdb").write_bytes(b"not a database" * 1000)
    result = lagbook("describe", "g", "--warehouse", str(tmp_path))
    assert result.exit_code == 2
    assert "can't be opened as a DuckDB file" in result.stderr


def test_a_locked_file_names_who_holds_it(lagbook: Lagbook, warehouse: Path) -> None:
    """Someone has the file open for writing: one sentence with the process, exit code 1."""
    hold = (
        f"import duckdb; c = duckdb.connect({str(warehouse / 'lagbook.duckdb')!r}); print('open', flush=True); input()"
    )
    with subprocess.Popen([sys.executable, "-c", hold], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        result = lagbook("describe", "admin-reset", "--warehouse", str(warehouse))
        holder.communicate(b"\n")
    assert result.exit_code == 1
    assert f"(PID {holder.pid}), which has it open for writing" in result.stderr


def test_a_file_of_another_version_is_a_sentence(lagbook: Lagbook, tmp_path: Path) -> None:
    """A DuckDB file without our tables says that a run builds it anew."""
    duckdb.connect(str(tmp_path / "lagbook.duckdb")).close()
    result = lagbook("describe", "g", "--warehouse", str(tmp_path))
    assert result.exit_code == 2
    assert "builds it anew" in result.stderr


def test_what_the_answer_rests_on_comes_first_beside_it(lagbook: Lagbook, warehouse: Path) -> None:
    """On stderr, for programs read the rest."""
    for words in ((), ("--json",)):
        result = lagbook("describe", "admin-reset", *words, "--warehouse", str(warehouse))
        assert result.stderr.startswith("lagbook: As of 2026-11-18 12:05:00 UTC")
        assert "lagbook: History: 44.4 % of __consumer_offsets-7" in result.stderr
        assert "History" not in result.stdout


def test_of_several_groups_each_with_missing_history_has_a_line(lagbook: Lagbook, warehouse: Path) -> None:
    """Beside the one of all of them."""
    output = lagbook("describe", "admin-reset", HOSTILE, "--warehouse", str(warehouse)).stderr
    assert "lagbook: Group admin-reset: History: 44.4 % of __consumer_offsets-7" in output
    assert "lagbook: Group evil" in output


def test_of_many_partitions_those_furthest_behind_are_shown(lagbook: Lagbook, warehouse: Path) -> None:
    """Ten of 240, with how many there are; --all and --json have every one."""
    change(
        warehouse,
        "INSERT INTO mart.lag_now BY NAME SELECT 'c1' AS cluster, 'wide' AS group_id, 'clicks' AS topic,"
        " n::INTEGER AS partition, 5 AS current_offset, TRUE AS is_known, 5 + n % 97 AS log_end_offset,"
        " 5 + n % 97 AS log_end_lower, 5 + n % 97 AS log_end_upper, n % 97 AS lag, n % 97 AS lag_lower,"
        " n % 97 AS lag_upper FROM range(240) AS t (n)",
    )
    words = ("describe", "wide", "--warehouse", str(warehouse))
    folded, whole = lagbook(*words), lagbook(*words, "--all")
    lags = [int(line.split()[5]) for line in folded.stdout.splitlines()[1:]]
    assert sorted(lags, reverse=True) == [96, 96, 95, 95, 94, 94, 93, 93, 92, 92]
    assert "wide: the 10 partitions furthest behind of 240; --all shows every one." in folded.stderr
    assert "240 partitions, lag 10347, at most 96 in one (clicks-96)" in folded.stderr
    assert len(whole.stdout.splitlines()) == 241
    assert len(json.loads(lagbook(*words, "--json").stdout)) == 240


def test_a_group_has_a_sentence_above_its_table(lagbook: Lagbook, warehouse: Path) -> None:
    """Its state, members, partitions, lag, and incidents; what is not known is not called nothing."""
    change(warehouse, STABLE)
    result = lagbook("describe", "admin-reset", "owner", "--warehouse", str(warehouse))
    sentences = [line for line in result.stderr.splitlines() if "incident" in line]
    reset, owner = sentences
    assert reset.startswith("lagbook: admin-reset: state not known (type not known), members not known, 1 partition, ")
    assert reset.endswith(", lag 100 (audit-0), last commit 2026-11-18 12:03:00 UTC; 1 incident.")
    assert owner == "lagbook: owner: Stable (classic), 1 member, 1 partition, lag not known; 0 incidents."


def test_members_have_kafkas_columns(lagbook: Lagbook, warehouse: Path) -> None:
    """A classic group has no epochs, as in the tool; before the group was there it has no members."""
    where = ("--members", "--warehouse", str(warehouse))
    plain = lagbook("describe", "owner", *where).stdout
    assert [line.split() for line in plain.splitlines()] == [
        ["GROUP", "CONSUMER-ID", "HOST", "CLIENT-ID", "#PARTITIONS"],
        ["owner", "m-1", "/10.0.0.1", "m", "1"],
    ]
    verbose = lagbook("describe", "owner", "--verbose", *where).stdout
    assert verbose.splitlines()[1].split()[4:] == ["1", "-", "audit:1", "-", "-"]
    (row,) = json.loads(lagbook("describe", "owner", "--json", *where).stdout)
    assert (row["member_id"], row["generation"], row["is_known"]) == ("m-1", 1, True)


def test_states_have_kafkas_columns(lagbook: Lagbook, warehouse: Path) -> None:
    """The broker whose log it is was not recorded; the strategy is that of the generation, while it has members."""
    change(warehouse, "UPDATE core.generations SET protocol = 'range' WHERE group_id = 'owner'", STABLE)
    result = lagbook("describe", "owner", "--state", "--verbose", "--warehouse", str(warehouse))
    head, row = (line.split() for line in result.stdout.splitlines())
    assert (
        " ".join(head)
        == "GROUP COORDINATOR (ID) ASSIGNMENT-STRATEGY STATE GROUP-EPOCH TARGET-ASSIGNMENT-EPOCH #MEMBERS"
    )
    assert row == ["owner", "-", "range", "Stable", "-", "-", "1"]


EVENT = "cluster, broker_id, logged_at, repeat, event, group_id, message, path, line"
SAMPLE = "cluster, topic, partition, sampled_at, partition_count, leader_id"
LINE = "'c1', 5, '2026-11-18 12:01Z', 0, 'rebalance_begins', 'owner', '', '', 1"
LEADER = "'c1', '__consumer_offsets', 8, '2026-11-18 12:01Z', 50, 6"


@pytest.mark.parametrize(
    ("statement", "shown"),
    [
        ("UPDATE raw.segments SET broker_id = 4", "(4)?"),
        (f"INSERT INTO raw.coordinator_events ({EVENT}) VALUES ({LINE})", "(5)?"),  # noqa: S608 - constants of this file
        (f"INSERT INTO raw.log_offset_samples ({SAMPLE}) VALUES ({LEADER})", "(6)"),  # noqa: S608 - constants of this file
    ],
)
def test_a_coordinator_is_known_where_a_broker_said_who_led(
    lagbook: Lagbook, warehouse: Path, statement: str, shown: str
) -> None:
    """A log that was read, or a line, makes it likely: the log may be a follower's, the line anybody's."""
    segment = "INSERT INTO raw.segments SELECT * REPLACE (8 AS partition) FROM raw.segments WHERE partition = 7"
    change(warehouse, STABLE, segment, statement)
    words = ("describe", "owner", "--state", "--warehouse", str(warehouse))
    assert lagbook(*words).stdout.splitlines()[1].split()[1] == shown
    (row,) = json.loads(lagbook(*words, "--json").stdout)
    assert (f"({row['coordinator_id']})", row["is_coordinator_known"]) == (shown.rstrip("?"), "?" not in shown)


@pytest.mark.parametrize(
    ("assignors", "members_want", "shown"),
    [
        (None, None, "uniform?"),
        ("", None, "uniform"),
        ("org.apache.kafka.coordinator.group.assignor.RangeAssignor,uniform", None, "range"),
        ("com.example.Own", None, "com.example.Own"),
        ("range", "mine", "mine"),
    ],
)
def test_the_strategy_of_a_newer_group_is_its_members_or_the_brokers_first(
    lagbook: Lagbook, warehouse: Path, assignors: str | None, members_want: str | None, shown: str
) -> None:
    """The default is only likely until the settings of a broker were read (here: some, and perhaps that one)."""
    change(warehouse, STABLE, "UPDATE core.group_states SET group_type = 'consumer'")
    change(warehouse, "UPDATE core.members SET server_assignor = $want", want=members_want)
    if assignors is not None:
        change(
            warehouse,
            "INSERT INTO raw.configurations (cluster, source, resource_type, resource_name, config_name, config_value,"
            " path, read_at) SELECT 'c1', 'file', 'broker', '1', if($named = '', 'segment.bytes',"
            " 'group.consumer.assignors'), $named, '', '2026-11-18 12:01Z'",
            named=assignors,
        )
    result = lagbook("describe", "owner", "--state", "--warehouse", str(warehouse))
    assert result.stdout.splitlines()[1].split()[2] == shown


def test_verbose_offsets_have_leader_epochs(lagbook: Lagbook, warehouse: Path) -> None:
    """Beside the partition, as in the tool."""
    change(warehouse, "UPDATE mart.offsets_now SET leader_epoch = 6 WHERE group_id = 'admin-reset'")
    where = ("describe", "admin-reset", "--verbose", "--warehouse", str(warehouse))
    head, row = (line.split() for line in lagbook(*where).stdout.splitlines())
    assert (head[3], row[3]) == ("LEADER-EPOCH", "6")
    (then,) = json.loads(lagbook(*where, "--at", "2026-11-18T12:02", "--json").stdout)
    assert then["leader_epoch"] is None


def test_a_time_is_in_the_zone_of_the_call(lagbook: Lagbook, warehouse: Path) -> None:
    """Wherever the option stands; the next call starts from UTC again."""
    at, zone = ("--at", "2026-11-18T13:02"), ("--zone", "Europe/Berlin")
    for words in ((*at, *zone), (*zone, *at)):
        (row,) = json.loads(lagbook("describe", "admin-reset", *words, "--json", "--warehouse", str(warehouse)).stdout)
        assert row["current_offset"] == 420
    (row,) = json.loads(lagbook("describe", "admin-reset", *at, "--json", "--warehouse", str(warehouse)).stdout)
    assert row["current_offset"] == 900


@pytest.mark.parametrize(
    ("newest", "at", "is_stale"),
    [("INTERVAL 59 MINUTE", (), False), ("INTERVAL 61 MINUTE", (), True), ("INTERVAL 2 DAY", ("--at", "-3d"), False)],
)
def test_an_old_answer_is_called_stale(
    lagbook: Lagbook, warehouse: Path, newest: str, at: tuple[str, ...], *, is_stale: bool
) -> None:
    """After an hour, unless the question is about a time that was read."""
    change(warehouse, f"UPDATE mart.basis SET newest_record_at = now() - {newest} WHERE partition = 7")  # noqa: S608 - ours
    change(warehouse, "UPDATE core.commits SET effective_at = now() - INTERVAL 4 DAY WHERE log_offset = 1")
    result = lagbook("describe", "admin-reset", *at, "--warehouse", str(warehouse))
    assert result.exit_code == 0, result.output
    assert ("lagbook: STALE: " in result.stderr) is is_stale
    assert " ago; read from files." in result.stderr
