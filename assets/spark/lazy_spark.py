"""A Spark session that starts when the first table needs it, or ahead of that while the driver does something else.

Put nothing else here: how a session is configured belongs in `dagster_project.resources`.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING

from py4j.protocol import Py4JError  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession


class LazySpark:
    """Holds the way to start a session and starts it once, on first use or ahead of it."""

    def __init__(self, start: Callable[[], SparkSession]) -> None:
        """Take the way to start the session; nothing runs yet."""
        self._start = start
        self._starting: Future[SparkSession] | None = None

    def begin(self) -> None:
        """Start the session in a thread of its own; what goes wrong is raised on first use."""
        if self._starting is None:
            with_one_thread = ThreadPoolExecutor(1)
            self._starting = with_one_thread.submit(self._start)
            with_one_thread.shutdown(wait=False)

    @property
    def session(self) -> SparkSession:
        """The running session."""
        if self._starting is None:
            self._starting = Future()
            self._starting.set_result(self._start())
        return self._starting.result()

    def stop(self) -> None:
        """Stop the session if it was ever started; one whose Java was killed has nothing to stop."""
        starting, self._starting = self._starting, None
        if starting is not None and starting.exception() is None:
            with suppress(OSError, Py4JError):
                starting.result().stop()
