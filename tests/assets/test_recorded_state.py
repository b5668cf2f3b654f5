"""Logs that a real cleaner went over: what is said of any instant was so, and at the end of the log all is known."""

from __future__ import annotations

import tarfile
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest

from tests.whole_run import whole_run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

RECORDED = Path(__file__).parents[1] / "bytes" / "cleaner"
*OLDER, NEWEST = sorted(RECORDED.glob("*.tar.xz"))
COMMITS = 40
"""So many of the commits are asked about, at their own time and a millisecond before it."""
Key = tuple[str, str, int]
Stands = dict[Key, int]


@pytest.fixture(
    scope="module",
    params=[*(pytest.param(path, marks=pytest.mark.slow) for path in OLDER), NEWEST],
    ids=lambda path: path.name,
)
def both(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[duckdb.DuckDBPyConnection]:
    """The logs before the cleaner came, as `whole`, and after it, as `cleaned`, each in a warehouse of its own."""
    folder = tmp_path_factory.mktemp("both")
    with tarfile.open(request.param) as packed:
        packed.extractall(folder, filter="data")
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        for name, copy in (("whole", "before"), ("cleaned", "after")):
            done = whole_run(folder / name, [folder / copy], "--cluster", "c")
            assert done.exit_code == 0, done.output
            connection.execute(f"ATTACH '{folder / name / 'lagbook.duckdb'}' AS {name} (READ_ONLY)")
        yield connection


def claims_of(connection: duckdb.DuckDBPyConnection, of: str, instant: datetime | str) -> tuple[Stands, set[Key]]:
    """What stands at an instant, and the keys of which that is not known.

    The copies were made while the broker ran: of a log that ends before the instant in the first one nothing is asked.
    """
    connection.execute(f"USE {of}")
    query = """
        SELECT group_id, topic, partition, current_offset, is_known FROM state_at($1::TIMESTAMPTZ)
        WHERE $1::TIMESTAMPTZ = 'infinity' OR log_partition IN (
            SELECT log_partition FROM whole.core.commits GROUP BY ALL HAVING max(effective_at) >= $1::TIMESTAMPTZ
        )
    """
    rows = connection.execute(query, [instant]).fetchall()
    return {row[:3]: row[3] for row in rows if row[4]}, {row[:3] for row in rows if not row[4]}


def test_of_any_instant_nothing_false_is_said(both: duckdb.DuckDBPyConnection) -> None:
    """Each offset that is told of the cleaned log stood then, and each that stood is told, or said to be unknown."""
    query = "SELECT DISTINCT effective_at FROM whole.core.commits WHERE effective_at IS NOT NULL ORDER BY ALL"
    times = [time for (time,) in both.execute(query).fetchall()]
    traced = set(both.execute("SELECT DISTINCT group_id, topic, partition FROM cleaned.core.commits").fetchall())
    unknown = 0
    for time in times[:: max(len(times) // COMMITS, 1)]:
        for instant in (time, time - timedelta(milliseconds=1)):
            truth, hidden = claims_of(both, "whole", instant)
            claims, open_ = claims_of(both, "cleaned", instant)
            assert not hidden
            assert claims.items() <= truth.items()
            assert truth.keys() & traced <= claims.keys() | open_
            unknown += len(open_)
    assert unknown > 0


def test_at_the_end_of_the_log_all_is_known(both: duckdb.DuckDBPyConnection) -> None:
    """The cleaner leaves the newest of each key: what stood before it came stands after it, or more came since."""
    truth, _ = claims_of(both, "whole", "infinity")
    claims, hidden = claims_of(both, "cleaned", "infinity")
    assert (truth.items() <= claims.items(), hidden) == (True, set())
