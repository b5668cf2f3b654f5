"""What people ask, over a long history: `python -m benchmarks.questions 10 100` measures over so many million commits.

Only this measurement belongs here: the same questions again and again, each time about another group and instant. The
history is made up in `benchmarks.history`.
"""

from __future__ import annotations

import re
import resource
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from random import Random
from statistics import quantiles
from typing import TYPE_CHECKING, Final

import duckdb

from assets.catalog import TABLES
from assets.duckdb import build_info, database, session, shown_files
from assets.materialize import Materialization, from_model
from assets.steps.table_steps import from_any_transform
from assets.storage.warehouse import Warehouse
from assets.transforms.marts import lag, snapshots, status
from benchmarks.history import BEGAN_US, CROWDED, GROUPS, LOG_PARTITIONS, PARTITIONS, SPAN_US, TOPICS, history
from dagster_project.cli.questions.answers import Answers
from dagster_project.cli.questions.findings import Window, read_findings
from dagster_project.cli.questions.group_views.offsets import lag_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from assets.transforms.declaration import AnyTransform

    Ask = Callable[["Subject", duckdb.DuckDBPyConnection], object]

ROUNDS: Final = 40
MARTS: Final = (
    "internal.commits_after_gaps",
    "internal.group_partitions",
    "internal.offset_snapshots",
    "internal.batch_index",
    "core.log_end_bounds",
    "mart.offsets_now",
    "mart.lag_now",
    "mart.lag",
    "mart.group_status",
)
"""The tables over all commits, each behind those that it is made from."""
TRANSFORMS: Final[dict[str, AnyTransform]] = {
    "internal.offset_snapshots": snapshots.TRANSFORM,
    "mart.lag": lag.TRANSFORM,
    "mart.group_status": status.TRANSFORM,
}


@dataclass(frozen=True)
class Subject:
    """What one question is about."""

    group: str
    topic: str
    partition: int
    instant: datetime

    @classmethod
    def at_random(cls, choice: Random, crowded: bool) -> Subject:  # noqa: FBT001 - of the one or the other
        """A group of the crowded partition of the log, or any group, at any instant."""
        group = (
            choice.randrange(GROUPS // LOG_PARTITIONS) * LOG_PARTITIONS + CROWDED
            if crowded
            else choice.randrange(GROUPS)
        )
        instant = datetime.fromtimestamp(BEGAN_US / 1e6, timezone.utc) + choice.random() * timedelta(
            microseconds=SPAN_US
        )
        return cls(f"group-{group}", f"topic-{group % TOPICS}", choice.randrange(PARTITIONS), instant)


def _of(question: str, *names: str) -> Ask:
    """Ask in SQL, with these attributes bound to its parameters; the answer is taken as Arrow."""

    def ask(subject: Subject, connection: duckdb.DuckDBPyConnection) -> object:
        return connection.sql(question, params=[getattr(subject, name) for name in names]).to_arrow_table()

    return ask


def _answers(connection: duckdb.DuckDBPyConnection) -> Answers:
    info, file = build_info.read(connection), Path(build_info.read(connection).url) / "lagbook.duckdb"
    return Answers(connection, info, file, shown_files.read(connection, file.parent, ""))


def _audit(subject: Subject, connection: duckdb.DuckDBPyConnection) -> object:
    return list(read_findings(_answers(connection), Window(subject.instant, subject.instant + timedelta(hours=1))))


def _describe(subject: Subject, connection: duckdb.DuckDBPyConnection) -> object:
    return list(lag_rows(_answers(connection), (subject.group,), subject.instant, None))


_HOUR: Final = "$4, $4::TIMESTAMPTZ + INTERVAL 1 HOUR"
QUESTIONS: Final[dict[str, Ask]] = {
    **{
        f"{macro}, {who}": _of(f"FROM {macro}($1{', $2' if names[1:] else ''})", *names)
        for macro in ("state_at", "owner_at", "members_at", "lag_at", "status_at", "group_status_at")
        for who, names in (("one group", ("instant", "group")), ("all groups", ("instant",)))
    },
    "explain": _of("FROM explain($1, $2, $3, NULL, NULL)", "group", "topic", "partition"),
    "explain, an hour": _of(f"FROM explain($1, $2, $3, {_HOUR})", "group", "topic", "partition", "instant"),
    "commits of one key": _of(
        "SELECT effective_at, committed_offset, log_offset FROM core.commits"
        " WHERE log_partition IN (FROM _partitions_of($1)) AND group_id = $1 AND topic = $2 AND partition = $3",
        "group",
        "topic",
        "partition",
    ),
    "audit of an hour": _audit,
    "describe": _describe,
    "describe, now": _of("FROM mart.lag_now WHERE group_id = $1", "group"),
    "lag of a day": _of(
        "SELECT as_of, lag, seconds FROM mart.lag WHERE group_id = $1 AND kind = 'grid'"
        " AND as_of BETWEEN $2::TIMESTAMPTZ - INTERVAL 1 DAY AND $2",
        "group",
        "instant",
    ),
    "status of a day": _of(
        "FROM mart.group_status WHERE group_id = $1 AND as_of BETWEEN $2::TIMESTAMPTZ - INTERVAL 1 DAY AND $2",
        "group",
        "instant",
    ),
}


PAGE: Final = Path(__file__).parents[1] / "docs" / "reference" / "questions.md"
_ON_PAGE: Final = re.compile(r"^## (\d+)\. [^\n]+\n\n```sql\n(.*?);\n```$", re.MULTILINE | re.DOTALL)
_GROUP: Final = re.compile(r"'(?:admin-reset|auto-range|coop-batch|new-protocol)'")
_INSTANT: Final = re.compile(r"'20[\d-]+ (\d\d:\d\d:\d\dZ)'")


def on_page() -> dict[str, Ask]:
    """The questions of docs/reference/questions.md, each about the group, the topic and the day that is asked about."""
    return {f"question {number}": _put(query) for number, query in _ON_PAGE.findall(PAGE.read_text(encoding="utf-8"))}


def _put(query: str) -> Ask:
    def ask(subject: Subject, connection: duckdb.DuckDBPyConnection) -> object:
        of_group = _GROUP.sub(f"'{subject.group}'", query).replace("'audit'", f"'{subject.topic}'")
        return connection.sql(_INSTANT.sub(rf"'{subject.instant:%Y-%m-%d} \1'", of_group)).to_arrow_table()

    return ask


@dataclass(frozen=True)
class Times:
    """How long rounds of one question took, in milliseconds."""

    by_the_clock: list[float]
    of_processor: list[float]

    def __str__(self) -> str:
        """The middle and the 95th of a hundred, by the clock and of the processor."""
        return " | ".join(
            f"{_share(times, share):.0f}" for times in (self.by_the_clock, self.of_processor) for share in (50, 95)
        )


def _share(times: list[float], percent: int) -> float:
    return quantiles(times, n=100, method="inclusive")[percent - 1]


def measured(ask: Ask, connection: duckdb.DuckDBPyConnection, rounds: int, *, crowded: bool = False) -> Times:
    """Ask about another group and instant each time; the first is not counted."""
    choice = Random(7)  # noqa: S311 - examples, no secrets
    times = Times([], [])
    for _ in range(rounds + 1):
        subject = Subject.at_random(choice, crowded)
        began, used = time.perf_counter(), time.process_time()
        ask(subject, connection)
        times.by_the_clock.append((time.perf_counter() - began) * 1000)
        times.of_processor.append((time.process_time() - used) * 1000)
    return Times(times.by_the_clock[1:], times.of_processor[1:])


def _materialize(warehouse: Warehouse, name: str) -> Materialization:
    if name in TRANSFORMS:
        return from_any_transform(warehouse, TABLES[name], TRANSFORMS[name])
    return from_model(warehouse, TABLES[name])


def marts(warehouse: Warehouse) -> Iterator[str]:
    """Make the tables over all commits and the DuckDB file, and tell what each took."""
    for name in MARTS:
        used, began = time.process_time(), time.monotonic()
        rows = _materialize(warehouse, name).rows
        yield f"| {name} | {rows / 1e6:.2f} | {time.process_time() - used:.1f} | {time.monotonic() - began:.1f} |"
    used, began = time.process_time(), time.monotonic()
    database.build(warehouse)
    yield f"| lagbook.duckdb | - | {time.process_time() - used:.1f} | {time.monotonic() - began:.1f} |"


def report_lines(warehouse: Warehouse, rounds: int = ROUNDS) -> Iterator[str]:
    """Ask every question of a DuckDB file."""
    with duckdb.connect(str(warehouse.duckdb_path), read_only=True) as connection:
        session.begin(connection)
        for name, ask in {**QUESTIONS, **on_page()}.items():
            yield f"| {name} | {measured(ask, connection, rounds)} |"
        for name in ("state_at, one group", "lag_at, one group", "explain", "commits of one key"):
            yield f"| {name}, crowded | {measured(QUESTIONS[name], connection, rounds, crowded=True)} |"


def measure(millions: float, folder: Path) -> None:
    """Make up a history, make the tables, and ask."""
    warehouse = Warehouse(str(folder))
    if warehouse.version("core.commits") is None:
        history(warehouse, int(millions * 1e6))
    print(f"{millions:g} M commits\n\n| made | M rows | processor s | s |\n|---|---:|---:|---:|")
    for line in marts(warehouse):
        print(line, flush=True)
    head = "| asked | p50 ms | p95 ms | processor p50 ms | processor p95 ms |\n|---|---:|---:|---:|---:|"
    print(f"\n{head}")
    for line in report_lines(warehouse):
        print(line, flush=True)
    print(f"\nmost memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    for given in sys.argv[1:] or ("1",):
        with tempfile.TemporaryDirectory() as scratch:
            measure(float(given), Path(scratch))
