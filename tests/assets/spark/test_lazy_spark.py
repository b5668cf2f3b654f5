"""The end of a session: stopped once, and quiet where its Java is gone."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
from py4j.protocol import Py4JNetworkError  # type: ignore[import-untyped]

from assets.spark.lazy_spark import LazySpark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def session(stop: Any) -> SparkSession:  # noqa: ANN401 - what a test has happen
    """A session of which nothing but its end is asked."""
    return cast("SparkSession", SimpleNamespace(stop=stop))


@pytest.mark.parametrize("error", [ConnectionRefusedError(111, "Connection refused"), Py4JNetworkError("gone")])
def test_a_session_whose_java_was_killed_stops_without_a_word(error: Exception) -> None:
    """What a killed Java means for the work, its task has told."""

    def fail() -> None:
        raise error

    spark = LazySpark(lambda: session(fail))
    spark.begin()
    assert spark.session is not None
    spark.stop()


def test_any_other_error_at_the_end_is_told() -> None:
    """It is a mistake of ours."""

    def fail() -> None:
        raise TypeError("no")

    spark = LazySpark(lambda: session(fail))
    assert spark.session is not None
    with pytest.raises(TypeError, match="no"):
        spark.stop()
