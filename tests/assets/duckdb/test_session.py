"""What holds for every connection of ours."""

from __future__ import annotations

import duckdb

from assets.duckdb import session


def test_an_answer_that_takes_long_has_no_progress_bar_in_it() -> None:
    """DuckDB would write it on stdout, where the answer goes."""
    with duckdb.connect() as connection:
        connection.execute("SET enable_progress_bar = true")
        session.begin(connection)
        assert connection.sql("SELECT current_setting('enable_progress_bar')").fetchall() == [(False,)]
