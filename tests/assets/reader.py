"""A reader who never rests: `python -m tests.assets.reader HOW lagbook.duckdb STOP` asks and asks until STOP is there.

HOW is `kept` for one connection that stays open, whose answers must never change, or `fresh` for a new one each time.
Each answer that is new is printed as a line. One process does one of both: in a process DuckDB opens a path once.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

if TYPE_CHECKING:
    from collections.abc import Iterator

QUERY = """
SELECT (SELECT count(*) FROM raw.offset_records),
       (SELECT count(DISTINCT (log_partition, log_offset)) FROM raw.offset_records),
       (SELECT sum(record_count)::BIGINT FROM raw.segments),
       (SELECT count(*) FROM core.commits)
"""


def ask(connection: duckdb.DuckDBPyConnection) -> list[int]:
    """How many records there are, how many different ones, how many their files had, and how many commits."""
    return [int(count) for row in connection.execute(QUERY).fetchall() for count in row]


def counts_of_one_connection(path: str) -> Iterator[list[int]]:
    """Answers of one connection."""
    with duckdb.connect(path, read_only=True) as connection:
        while True:
            yield ask(connection)


def fresh(path: str) -> Iterator[list[int]]:
    """Answers of connections that come and go."""
    while True:
        with duckdb.connect(path, read_only=True) as connection:
            yield ask(connection)


def main(how: str, path: str, stop: Path) -> None:
    """Ask until told to stop; what goes wrong ends it with a trace."""
    shown: list[list[int]] = []
    for answer in {"kept": counts_of_one_connection, "fresh": fresh}[how](path):
        if answer not in shown:
            shown.append(answer)
            print(json.dumps(answer), flush=True)  # noqa: T201 - the test reads it
        if stop.exists():
            return


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
