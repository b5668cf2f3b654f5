"""A small warehouse for the commands to answer from, and a way to call them.

Put here what several of the command's tests need. What one test needs belongs to it.
"""

from __future__ import annotations

import shutil
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, Protocol

import duckdb
import pyarrow as pa
import pytest
from click.testing import CliRunner, Result

from assets import models
from assets.catalog import TABLES
from assets.duckdb import build_info, portable, shown_files
from assets.duckdb.database import create_described_macros, create_macros
from assets.materialize import model_reads
from assets.storage.warehouse import Warehouse
from dagster_project.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

NOON = datetime(2026, 11, 18, 12, 0, tzinfo=timezone.utc)
HOSTILE = "evil\x1b[2J\u202egroup\n<b>'; DROP TABLE x; --"
LONG = "n" * 32_000


class Lagbook(Protocol):
    """Calls the command with these words and returns how it ended."""

    def __call__(self, *words: str) -> Result:
        """Run it."""


@pytest.fixture
def lagbook(monkeypatch: pytest.MonkeyPatch) -> Lagbook:
    """The command, without anything that the environment would add to it."""
    for name in (
        "LAGBOOK_WAREHOUSE",
        "LAGBOOK_LOGS",
        "LAGBOOK_CLUSTER",
        "LAGBOOK_BOOTSTRAP",
        "LAGBOOK_CLIENT_CONFIG",
        "LAGBOOK_CONFIG",
        "LAGBOOK_INTERNAL_TOPICS",
        "LAGBOOK_MIRROR_ALIASES",
        "LAGBOOK_TIMEOUT_S",
        "LAGBOOK_CACHE",
        "LAGBOOK_FILE",
    ):
        monkeypatch.delenv(name, raising=False)

    def call(*words: str) -> Result:
        return CliRunner().invoke(main, words)

    return call


@pytest.fixture
def hostile() -> str:
    """A group id that is an attack on the terminal, on HTML and on SQL at once; the warehouse has it."""
    return HOSTILE


@pytest.fixture(scope="session")
def example_warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The DuckDB file of `warehouse`, which takes many times as long to make as any command takes; tests copy it."""
    file = tmp_path_factory.mktemp("example") / "lagbook.duckdb"
    with duckdb.connect(str(file)) as connection:
        for layer in ("raw", "core", "internal", "mart"):
            connection.execute(f"CREATE SCHEMA {layer}")
        portable.begin(connection, file.parent)
        for name, rows in _ROWS.items():
            _fill(connection, name, rows)
        create_macros(connection)
        columns = ", ".join(TABLES["mart.lag_now"].column_names)
        connection.execute(f"INSERT INTO mart.lag_now SELECT {columns} FROM lag_at('infinity'::TIMESTAMPTZ)")  # noqa: S608 - no data in it
        columns = ", ".join(TABLES["mart.offsets_now"].column_names)
        connection.execute(f"INSERT INTO mart.offsets_now SELECT {columns} FROM state_at('infinity'::TIMESTAMPTZ)")  # noqa: S608 - no data in it
        for name in ("not_excluded", "findings", "incidents"):
            connection.execute(f"CREATE TABLE mart.{name} AS {models.select(name)}")
        create_described_macros(connection)
        build_info.write(connection, Warehouse(str(file.parent)))
        shown_files.write_macros(connection, {}, set())
    return file


def bound(warehouse: Path, lower: int | None, upper: int | None) -> None:
    """Make the log end of audit-0 known within these bounds only, from 12:02:30 on."""
    with duckdb.connect(str(warehouse / "lagbook.duckdb")) as connection:
        row = ["c1", "audit", 0, _minute(2) + timedelta(seconds=30), lower, upper, True]
        columns = "cluster, topic, partition, from_at, log_end_lower, log_end_upper, has_commits"
        connection.execute(f"INSERT INTO core.log_end_bounds ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?)", row)  # noqa: S608 - names of ours


@pytest.fixture
def warehouse(example_warehouse: Path, tmp_path: Path) -> Path:
    """A warehouse whose DuckDB file tells of one reset group, one that owns without commits, and hostile names."""
    shutil.copy(example_warehouse, tmp_path)
    return tmp_path


STABLE = """
    INSERT INTO core.group_states BY NAME
    SELECT
        'c1' AS cluster, 8 AS log_partition, 1 AS log_offset, 'owner' AS group_id, 'classic' AS group_type,
        'Stable' AS state, 1 AS generation, 1 AS member_count, '2026-11-18 12:01Z'::TIMESTAMPTZ AS from_at,
        'record' AS source, TRUE AS is_gap_free
"""
"""Let the record of the group `owner` be among the states, too."""


def hide(warehouse: Path) -> None:
    """Let a hole lie between the commits of 12:02 and 12:03, in which the group may have committed."""
    change(
        warehouse,
        "UPDATE core.commits SET kind = 'unknown', previous_offset = NULL, is_previous_known = FALSE"
        " WHERE log_offset = 3",
        f"INSERT INTO internal.commits_after_gaps {models.select('commits_after_gaps')}",
        "INSERT INTO core.log_gaps BY NAME SELECT 'c1' AS cluster, 7 AS log_partition, 2 AS from_log_offset,"
        " 3 AS to_log_offset, '2026-11-18 12:02Z'::TIMESTAMPTZ AS from_at, '2026-11-18 12:03Z'::TIMESTAMPTZ AS to_at,"
        " FALSE AS is_damage",
    )


def change(warehouse: Path, *statements: str, **values: object) -> None:
    """Change what the DuckDB file says; each statement takes all of the values."""
    with duckdb.connect(str(warehouse / "lagbook.duckdb")) as connection:
        for statement in statements:
            connection.execute(statement, values)


def _fill(connection: duckdb.DuckDBPyConnection, name: str, rows: Sequence[dict[str, Any]]) -> None:
    schema = TABLES[name].schema
    given = pa.Table.from_pylist(list(rows), schema=schema)
    connection.register("given", given)
    connection.execute(f"CREATE TABLE {name} AS FROM given")
    connection.unregister("given")


def _minute(minute: int) -> datetime:
    return NOON + timedelta(minutes=minute)


def _commit(
    log_offset: int, group: str, offset: int, *, kind: str = "advance", before: int | None = None
) -> dict[str, Any]:
    """A plain commit of audit-0 that took effect as many minutes after noon as its log offset says."""
    return {
        "cluster": "c1",
        "group_id": group,
        "topic": "audit",
        "partition": 0,
        "log_partition": 7,
        "log_offset": log_offset,
        "effective_log_offset": log_offset,
        "effective_at": _minute(log_offset),
        "kind": kind,
        "committed_offset": offset,
        "previous_offset": before,
        "commit_at": _minute(log_offset),
        "metadata": "",
        "is_transactional": False,
    }


def _replay(
    partition: int, group: str = "admin-reset", certain: tuple[int | None, int | None] = (420, 670)
) -> dict[str, Any]:
    """A set-back of audit, by an admin where it is certain."""
    return {
        "cluster": "c1",
        "group_id": group,
        "topic": "audit",
        "partition": partition,
        "kind": "set_back",
        "from_offset": 420,
        "to_offset": 670,
        "possible_from": 420,
        "possible_to": 670,
        "certain_from": certain[0],
        "certain_to": certain[1],
        "estimate_from": 420,
        "estimate_to": 670,
        "records_possible": 249,
        "occurred_at": _minute(2),
        "detected_at": _minute(2),
        "cause": "unknown" if certain[0] is None else "admin_reset",
        "actor": "unknown" if certain[0] is None else "admin",
        "certainty": "likely" if certain[0] is None else "proven",
        "is_ordinary": False,
        "log_partition": 7,
        "log_offset": 2,
        "evidence": [1, 2],
    }


def _overlap(partition: int, begin: int, end: int | None, estimate: int | None) -> dict[str, Any]:
    """A hand-over of orders, from a member that was killed."""
    return {
        "cluster": "c1",
        "group_id": "killed",
        "topic": "orders",
        "partition": partition,
        "kind": "handed_over",
        "from_offset": begin,
        "possible_from": begin,
        "possible_to": end,
        "estimate_from": None if estimate is None else begin,
        "estimate_to": estimate,
        "occurred_at": _minute(6),
        "cause": "member_crash",
        "actor": "former_owner",
        "member_id": "m-\x1b[1m",
        "client_host": "/10.0.0.1",
        "certainty": "possible" if estimate in {None, begin} else "likely",
        "is_ordinary": False,
        "log_partition": 7,
        "log_offset": 9,
        "evidence": [3 + partition, 9],
    }


def _skip(certainty: str, certain: tuple[int | None, int | None]) -> dict[str, Any]:
    """A skip of late-0, in a group that is called like its certainty."""
    return {
        "cluster": "c1",
        "group_id": f"late-{certainty}",
        "topic": "late",
        "partition": 0,
        "kind": "set_forward",
        "possible_from": 10,
        "possible_to": 30,
        "certain_from": certain[0],
        "certain_to": certain[1],
        "estimate_from": 10,
        "estimate_to": 25,
        "from_time": _minute(3),
        "detected_at": _minute(4),
        "occurred_at": _minute(4),
        "actor": "admin",
        "cause": "admin_reset",
        "certainty": certainty,
        "log_partition": 7,
        "log_offset": 8,
        "evidence": [6, 7, 8],
    }


def _batch(base_offset: int, last_offset: int, *, is_control: bool = False) -> dict[str, Any]:
    """A batch of audit-0 from which compaction took nothing."""
    return {
        "cluster": "c1",
        "topic": "audit",
        "partition": 0,
        "base_offset": base_offset,
        "last_offset": last_offset,
        "record_count": last_offset - base_offset + 1,
        "is_control": is_control,
        "is_transactional": False,
    }


_SEGMENT = {
    "source": "file",
    "cluster": "c1",
    "topic": "__consumer_offsets",
    "partition": 7,
    "base_offset": 0,
    "path": "/logs/__consumer_offsets-7/00000000000000000000.log",
    **dict.fromkeys(("size_bytes", "start_position", "end_position", "torn_bytes"), 0),
    **dict.fromkeys(("batch_count", "record_count", "quarantined_count"), 0),
    "read_at": NOON,
}
_DATA_SEGMENT = {
    **_SEGMENT,
    "topic": "audit",
    "partition": 0,
    "base_offset": 400,
    "path": "/logs/audit-0/00000000000000000400.log",
    "from_offset": 400,
    "end_offset": 1000,
}
_GENERATION = {
    "cluster": "c1",
    "group_id": "owner",
    "group_type": "classic",
    "log_partition": 8,
    "log_offset": 1,
    "generation": 1,
    "from_at": _minute(1),
}
_ROWS: dict[str, Sequence[dict[str, Any]]] = {
    **dict.fromkeys((*model_reads(TABLES["mart.findings"]), *model_reads(TABLES["mart.not_excluded"])), ()),
    "raw.segments": [_SEGMENT, _DATA_SEGMENT],
    "raw.retired_ranges": [],
    "raw.diverged_batches": [],
    "raw.batches": [_batch(400, 599), _batch(600, 600, is_control=True), _batch(601, 999)],
    "core.commits": [
        _commit(1, "admin-reset", 670, kind="first"),
        {**_commit(2, "admin-reset", 420, kind="rewind", before=670), "actor": "admin"},
        _commit(3, "admin-reset", 900, before=420),
        _commit(4, HOSTILE, 5, kind="first"),
        _commit(5, LONG, 5, kind="first"),
    ],
    "core.generations": [{**_GENERATION, "state": "Stable"}],
    "core.members": [
        {
            **_GENERATION,
            "member_id": "m-1",
            "client_id": "m",
            "client_host": "/10.0.0.1",
            "is_leader": True,
            "assigned": [{"topic": "audit", "partitions": [1]}],
        }
    ],
    "core.group_states": [],
    "core.topics": [],
    "core.subscriptions": [],
    "core.share_states": [],
    **dict.fromkeys(
        ("core.share_deliveries", "core.share_start_offsets", "mart.share_archived", "mart.share_redeliveries"), ()
    ),
    **dict.fromkeys(
        ("raw.log_offset_samples", "raw.coordinator_events", "raw.configurations", "raw.external_commits"), ()
    ),
    **dict.fromkeys(("raw.zookeeper_events", "internal.recorded_group_states"), ()),
    "core.ownership": [
        {
            **{name: value for name, value in _GENERATION.items() if name != "from_at"},
            "topic": "audit",
            "partition": 1,
            "member_id": "m-1",
            "client_id": "m",
            "client_host": "/10.0.0.1",
            "seen_at": _minute(1),
        }
    ],
    "core.log_ends": [
        {
            "cluster": "c1",
            "topic": "audit",
            "partition": 0,
            "reached_at": _minute(2),
            "log_end_offset": 700,
            "source": "batch",
        },
        {
            "cluster": "c1",
            "topic": "audit",
            "partition": 0,
            "reached_at": _minute(4),
            "log_end_offset": 1000,
            "source": "batch",
        },
    ],
    "mart.basis": [
        {
            "cluster": "c1",
            "topic": "__consumer_offsets",
            "partition": 7,
            "history_offsets": 9,
            "unseen_offsets": 4,
            "batches_set_aside": 0,
            "batches": 5,
            "newest_record_at": _minute(5),
            "last_read_at": _minute(9),
        },
        {"cluster": "c1", "topic": "audit", "partition": 0, "log_ends_from": "segments"},
        {"cluster": "c1", "topic": "orders", "partition": 0},
    ],
    "mart.log_coverage": [
        {
            "cluster": "c1",
            "topic": "__consumer_offsets",
            "partition": 7,
            "from_offset": 0,
            "to_offset": 9,
            "status": "gaps",
            "max_copies": 1,
        }
    ],
    "mart.rebalances": [
        {
            **{name: _GENERATION[name] for name in ("cluster", "log_partition", "log_offset")},
            "group_id": "owner",
            "started_at": _minute(1),
            "generation_after": 1,
            "state_after": "Stable",
            "members_after": 1,
            "members_joined": ["m-1"],
            "members_left": [],
        }
    ],
    "mart.log_divergence": [],
    "mart.rebalance_storms": [],
    "core.log_gaps": [],
    "internal.commits_after_gaps": [],
    "internal.offset_snapshots": [],
    "internal.group_partitions": [
        {
            "cluster": "c1",
            "group_id": group,
            "log_partition": 7,
            "commits": 1,
            "first_log_offset": 1,
            "last_log_offset": 1,
        }
        for group in ("admin-reset", HOSTILE, LONG)
    ],
    "internal.committed_partitions": [
        {
            **{name: _replay(0)[name] for name in ("cluster", "group_id", "topic", "partition", "log_partition")},
            "commits": 3,
            "removals": 0,
            "rewinds": 1,
        }
    ],
    "internal.batch_index": [],
    "core.log_end_bounds": [],
    "mart.lag_now": [],
    "mart.offsets_now": [],
    "mart.replays": [
        *(_replay(0), _replay(1), _replay(2), _replay(0, "estimated", (None, None))),
        *(_overlap(0, 10, 40, 20), _overlap(1, 10, None, None), _overlap(2, 10, 40, 10)),
    ],
    "mart.skips": [_skip("proven", (20, 30)), _skip("likely", (None, None)), _skip("possible", (None, None))],
}
