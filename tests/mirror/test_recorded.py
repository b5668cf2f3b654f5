"""Two real clusters with MirrorMaker 2, a real fail-over, and a real worker of Connect: what the tables say of them."""

from __future__ import annotations

import json
import shutil
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from dagster_project.cli.main import main
from tests.broker.book import Book
from tests.mirror.comparison import FAILED_OVER, compare, copies, position
from tests.mirror.recorded import truth, unpack
from tests.whole_run import whole_run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The log directories of source and target."""
    return unpack(tmp_path_factory.mktemp("logs"))


@pytest.fixture(scope="module")
def book(logs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Book:
    """A warehouse of both."""
    book = Book(tmp_path_factory.mktemp("warehouse"))
    book.run(*logs)
    return book


def test_groups_read_at_the_target_what_failover_said(book: Book, logs: list[Path]) -> None:
    """Three groups went on there and wrote down what they read: one was set back before, and missed it all."""
    assert compare(book, logs, truth()["failover"]) == {"at", "behind", "ahead"}


@pytest.mark.parametrize("topic", ["orders", "payments"])
def test_bounds_hold_the_copy_of_what_each_checkpoint_names(book: Book, logs: list[Path], topic: str) -> None:
    """In a topic with markers of transactions, too, which MirrorMaker does not copy."""
    copied = copies(logs, topic)
    rows = book.query(
        """SELECT partition, upstream_offset, committed_offset, position_lower, position_upper, status
           FROM mart.mirror_checkpoints WHERE source_topic = ?""",
        topic,
    )
    assert rows
    for partition, upstream, committed, lower, upper, status in rows:
        assert committed == upstream
        assert lower <= position(copied[partition], upstream) <= upper
        assert status in {"at", "behind"}


def test_the_source_is_known_by_its_offset_syncs(book: Book) -> None:
    """Nobody said which cluster the alias is."""
    assert book.query("SELECT source_alias, source_basis, source_cluster = syncs_cluster FROM mart.mirror_flows") == [
        ("source", "syncs", True)
    ]


def test_the_old_checkpoint_was_ahead_from_the_reset_on(book: Book) -> None:
    """Between the reset at the source and the next checkpoint, both partitions would have missed 52 offsets."""
    rows = book.query(
        """SELECT set_back_to, set_back_status, set_back_missed_lower, set_back_missed_upper, ended_at > set_back_at
           FROM mart.mirror_checkpoints WHERE set_back_at IS NOT NULL"""
    )
    assert rows == [(50, "ahead", 52, 52, True)] * 2


def test_a_group_without_a_translated_offset_has_none(book: Book) -> None:
    """MirrorMaker leaves groups of Connect out by its default."""
    rows = book.query(f"SELECT DISTINCT status FROM failover_at({FAILED_OVER}, 'connect-archive')", _failed_over_ms())  # noqa: S608
    assert rows == [("no_offset",)]


def test_a_group_that_went_on_at_the_target_reads_there(book: Book) -> None:
    """As of the end of the recording."""
    rows = book.query(
        "SELECT DISTINCT status FROM failover_at('infinity'::TIMESTAMPTZ, 'audit') WHERE method = 'committed'"
    )
    assert rows == [("read_there",)]


def test_a_source_connector_was_set_back_and_reset(book: Book) -> None:
    """As somebody told the worker by its REST interface, and when."""
    _, set_back, reset = truth()["connect"]["steps"]
    rows = book.query(
        """SELECT kind, from_source_offset, to_source_offset, next_source_offset, epoch_ms(occurred_at)
           FROM mart.connect_source_rewinds WHERE connector = 'lines' ORDER BY log_offset"""
    )
    whole, half = '{"position":400}', f'{{"position":{set_back["position"]}}}'
    assert [row[:4] for row in rows] == [("rewind", whole, half, whole), ("removed", whole, None, whole)]
    late_ms = [step["done_ms"] - row[4] for row, step in zip(rows, (set_back, reset), strict=True)]
    assert all(0 <= late < 5000 for late in late_ms)


def test_sink_connectors_and_workers_are_told_from_other_groups(book: Book) -> None:
    """A name alone is not enough: both the group and a client of it have to say so."""
    rows = book.query("SELECT group_id, role, connector FROM connect_groups() ORDER BY ALL")
    assert rows == [
        ("connect-archive", "sink_connector", "archive"),
        ("connect-workers", "workers", None),
        ("source-mm2", "workers", None),
    ]


def test_all_internal_records_are_read(book: Book) -> None:
    """None of what real MirrorMaker and Connect wrote is unreadable."""
    assert book.query("SELECT count(*) FROM core.internal_quarantine") == [(0,)]
    counts: dict[str, Any] = defaultdict(int)
    counts.update(dict(book.query("SELECT kind, count(*) FROM raw.internal_records GROUP BY ALL")))
    (tables,) = book.query(
        """SELECT (SELECT count(*) FROM core.mirror_checkpoints), (SELECT count(*) FROM core.mirror_offset_syncs),
                  (SELECT count(*) FROM core.connect_source_offsets)"""
    )
    of_connectors = counts["connect_offsets"] + counts["mirror_source_offsets"]
    assert tables == (counts["mirror_checkpoints"], counts["mirror_offset_syncs"], of_connectors)


def test_a_fail_over_that_missed_records_is_an_incident(book: Book) -> None:
    """Of the group that was set back before; it would be undone by reading from what it had not read."""
    rows = book.query(
        """SELECT group_id, kind, partition, estimate_from, estimate_to, certainty FROM mart.findings
           WHERE kind = 'failover' ORDER BY ALL"""
    )
    assert rows == [("billing", "failover", partition, 50, 102, "likely") for partition in (0, 1)]
    ((incident,),) = book.query("SELECT incident_id FROM mart.incidents WHERE kind = 'failover'")
    plan = call(book, "reset-plan", "--incident", incident)
    assert plan.stdout.split() == ["source.orders,0,50", "source.orders,1,50"]


def call(book: Book, *words: str) -> Result:
    """Run the command on the warehouse."""
    return CliRunner().invoke(main, [*words, "--warehouse", str(book.warehouse)])


def test_the_command_prints_a_row_for_each_way_to_go_on(book: Book) -> None:
    """Equal ways are one row, and the source is named on stderr."""
    done = call(book, "failover", "--at", str(_failed_over_ms()))
    rows = [line.split() for line in done.stdout.splitlines()]
    assert done.exit_code == 0
    assert ["billing", "source.orders-0", "102", "committed", "ahead", "0", "52"] in rows
    assert ["billing", "source.orders-0", "1", "checkpoint", "behind", "49", "0"] in rows
    assert ["audit", "source.orders-1", "102", "both", "behind", "93", "0"] in rows
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    assert "it alone has the offset syncs of the checkpoints" in done.stderr


def test_the_command_answers_for_one_group_and_status_as_json(book: Book) -> None:
    """With every column of the macro."""
    done = call(book, "failover", "billing", "--status", "ahead", "--json", "--at", str(_failed_over_ms()))
    rows = json.loads(done.stdout)
    assert [(row["partition"], row["missed_lower"], row["missed_upper"]) for row in rows] == [(0, 52, 52), (1, 52, 52)]


@pytest.mark.parametrize("words", [("nosuch",), ("--cluster", "nosuch"), ("--at", "1")])
def test_the_command_refuses_what_is_in_no_record(book: Book, words: tuple[str, ...]) -> None:
    """A group, a cluster, a time before the first record."""
    done = call(book, "failover", *words)
    assert done.exit_code == 2
    assert not done.stdout


def test_groups_of_connect_are_named_in_views(book: Book) -> None:
    """In the list by type, and in the sentence above a description."""
    listed = call(book, "groups").stdout
    assert "classic (sink)" in listed
    assert "classic (workers)" in listed
    assert "sink connector archive" in call(book, "describe", "connect-archive").stderr
    assert "Connect workers" in call(book, "describe", "connect-workers").stderr


def test_a_name_for_the_alias_stays_in_the_warehouse(book: Book, tmp_path: Path, logs: list[Path]) -> None:
    """A run with nothing else that is new takes it, and believes it more than the syncs."""
    shutil.copytree(book.warehouse, tmp_path / "wh")
    own = Book(tmp_path / "wh")
    done = whole_run(own.warehouse, logs, "--mirror-alias", "source=elsewhere")
    assert done.exit_code == 0, done.stderr
    assert own.query("SELECT source_cluster, source_basis FROM mart.mirror_flows") == [("elsewhere", "declared")]
    assert own.query("SELECT DISTINCT status FROM mart.mirror_checkpoints") == [("unknown",)]


def _failed_over_ms() -> int:
    at_ms: int = truth()["failover"]["at_ms"]
    return at_ms
