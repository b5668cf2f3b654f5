"""A Spark session that starts when the first table needs it, so that a run with nothing to do starts none.

Put nothing else here: how a session is configured belongs in `dagster_project.resources`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession


class LazySpark:
    """Holds the way to start a session and starts it once, on first use."""

    def __init__(self, start: Callable[[], SparkSession]) -> None:
        """Take the way to start the session; nothing runs yet."""
        self._start = start
        self._session: SparkSession | None = None

    @property
    def session(self) -> SparkSession:
        """The running session."""
        if self._session is None:
            self._session = self._start()
        return self._session

    def stop(self) -> None:
        """Stop the session if it was ever started."""
        if self._session is not None:
            self._session.stop()
            self._session = None
