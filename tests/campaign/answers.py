"""What a warehouse answers about some groups, and whether every command answers at all.

Put here what is asked and compared. What the history is made of stands in `histories`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import duckdb
from click.testing import CliRunner

from dagster_project.cli.main import main
from tests.whole_run import whole_run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from click.testing import Result

VOLATILE: Final = {"path", "read_at", "position", "size_bytes", "disk_bytes", "rank", "first_read_at", "last_read_at"}
"""Columns that tell of files, which strangers make longer, of when they were read, and of an order among all groups."""
ENDS_WELL: Final = {0, 3}
LAYERS: Final = ("core", "mart")
RESETS: Final = (
    ("--undo-skips",),
    ("--to-datetime", "2026-11-18T12:00:00Z"),
    ("--shift-by", str(1 - (1 << 63))),
    ("--shift-by", str((1 << 63) - 1)),
    ("--to-offset", str((1 << 63) - 1)),
    ("--to-earliest",),
    ("--to-latest", "--json"),
)
"""Targets of `lagbook reset-plan`, as far away as they can be."""


class BrokenError(AssertionError):
    """Something that strangers wrote broke a run, a command or an answer about others."""


def built(logs: Path, warehouse: Path) -> None:
    """Run over a log directory; refuse a run that failed."""
    run = whole_run(warehouse, [logs])
    if run.exit_code:
        raise BrokenError(f"the run ended with {run.exit_code}: {run.output[-3000:]}\n{_log(warehouse)}")


def _log(warehouse: Path) -> str:
    log = warehouse / "lagbook-run.log"
    return log.read_text(errors="replace")[-3000:] if log.exists() else ""


def rows_about(warehouse: Path, groups: Sequence[str], topics: Mapping[str, int]) -> dict[str, list[str]]:
    """The rows of every core and mart table that are about some groups, or else about topics of so many partitions."""
    partitions = [f"{topic}-{number}" for topic, count in topics.items() for number in range(count)]
    rows = {}
    with duckdb.connect(str(warehouse / "lagbook.duckdb"), read_only=True) as connection:
        for table, columns in columns_of_tables(connection).items():
            if "group_id" in columns:
                who, column = groups, "group_id"
            elif {"topic", "partition"} <= {*columns}:
                who, column = partitions, "concat(topic, '-', partition)"
            elif "topic" in columns:
                who, column = [*topics], "topic"
            else:
                continue
            wanted = ", ".join(f'"{name}"' for name in columns if name not in VOLATILE)
            sql = f"SELECT {wanted} FROM {table} WHERE list_contains($who, {column})"  # noqa: S608 - names are ours
            rows[table] = sorted(map(repr, connection.execute(sql, {"who": list(who)}).fetchall()))
    return rows


def columns_of_tables(connection: duckdb.DuckDBPyConnection) -> dict[str, list[str]]:
    """The columns of every core and mart table."""
    tables: dict[str, list[str]] = {}
    sql = "SELECT table_schema, table_name, column_name FROM information_schema.columns ORDER BY ordinal_position"
    for schema, table, column in connection.execute(sql).fetchall():
        if schema in LAYERS:
            tables.setdefault(f"{schema}.{table}", []).append(column)
    return tables


def differences(without: dict[str, list[str]], among: dict[str, list[str]]) -> list[str]:
    """The first rows by which two answers differ, table by table."""
    sentences = []
    for table, rows in without.items():
        gone, new = sorted(set(rows) - set(among[table])), sorted(set(among[table]) - set(rows))
        if gone or new or len(rows) != len(among[table]):
            sentences.append(f"{table}: without strangers {gone[:2]}, among them {new[:2]}")
    return sentences


def ask_everything(warehouse: Path, places: Sequence[tuple[str, str, int]]) -> None:
    """Call every command that answers, also about strangers; none may end with a traceback."""
    at = ("--warehouse", str(warehouse))
    _ask("audit", *at)
    _ask("audit", "--json", *at)
    _ask("audit", "--markdown", *at)
    _ask("audit", "--verbose", *at)
    for options in ((), ("--json",), ("--at", "2026-11-18T12:00:00Z", "--sort", "lag")):
        _ask("groups", *options, *at)
    _ask("describe", "--all-groups", *at)
    for view in ("--offsets", "--members", "--state"):
        _ask("describe", "--all-groups", view, "--verbose", *at)
    _ask("describe", "--all-groups", "--at", "2026-11-18T12:00:00Z", "--json", *at)
    for words in (("doctor",), ("check",), ("metrics",), ("failover",)):
        _ask(*words, *at)
    page = ("--output", str(warehouse / "page.html"))
    _ask("report", "--cluster", *page, *at)
    for group, topic, partition in places:
        _ask("explain", *at, "--", group, topic, str(partition))
        _ask("reset-plan", "--at", "2026-11-18T12:00:00Z", *at, "--", group)
        _ask("describe", *at, "--", group)
        for target in (*RESETS, ("--undo-replays", "--json"), ("--to-latest", "--topic", topic)):
            _ask("reset-plan", *target, *at, "--", group)
        _ask("report", *page, *at, "--", group)
    for incident in json.loads(_ask("audit", "--json", *at).stdout)[:5]:
        _ask("report", "--incident", incident["incident_id"], *page, *at)
        _ask("reset-plan", "--incident", incident["incident_id"], *at)
        _ask("evidence", incident["incident_id"], "--to", str(warehouse / "pack.zip"), *at)
        _ask("verify", str(warehouse / "pack.zip"))


def _ask(*words: str) -> Result:
    result = CliRunner().invoke(main, words)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise BrokenError(f"lagbook {' '.join(words)!r}: {result.exception!r}") from result.exception
    if result.exit_code not in ENDS_WELL and not _is_refused(result):
        raise BrokenError(f"lagbook {' '.join(words)!r} ended with {result.exit_code}: {result.output[-2000:]}")
    return result


def _is_refused(result: Result) -> bool:
    """A question that can't be asked of such a group, or of such a time, in one sentence."""
    return result.exit_code == 2 and "Traceback" not in result.output


def partitions_of(warehouse: Path) -> list[tuple[str, str, int]]:
    """A partition of each of some groups, with many commits or with few."""
    sql = """
        SELECT group_id, any_value(topic), any_value(partition) FROM core.commits
        GROUP BY group_id ORDER BY count(*) % 7, group_id LIMIT 5
    """
    with duckdb.connect(str(warehouse / "lagbook.duckdb"), read_only=True) as connection:
        rows: list[Any] = connection.execute(sql).fetchall()
    return [tuple(row) for row in rows]
