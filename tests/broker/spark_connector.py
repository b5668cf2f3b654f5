"""The jars with which Spark reads from Kafka, beside those that pyspark brings along.

Put here which they are. Where jars come from and stay is said in `maven`.
"""

from __future__ import annotations

import urllib.request
from typing import TYPE_CHECKING, Final

from tests.broker.maven import FETCH_TIMEOUT_S, UnavailableError, cache, repository

if TYPE_CHECKING:
    from pathlib import Path

COORDINATES: Final = (
    "org.apache.spark:spark-sql-kafka-0-10_2.13:4.1.3",
    "org.apache.spark:spark-token-provider-kafka-0-10_2.13:4.1.0-preview1",
    "org.apache.kafka:kafka-clients:3.9.1",
    "org.apache.commons:commons-pool2:2.12.1",
)
"""Of Spark's second jar a mirror of Central may have this release alone; all of 4.1 have the same classes in it."""


def connector() -> list[Path]:
    """The jars, fetched when they are not in the cache."""
    return [_jar(one) for one in COORDINATES]


def _jar(coordinate: str) -> Path:
    group, artifact, version = coordinate.split(":")
    file = cache() / "spark" / f"{artifact}-{version}.jar"
    if not file.exists():
        address = f"{repository()}{group.replace('.', '/')}/{artifact}/{version}/{file.name}"
        file.parent.mkdir(parents=True, exist_ok=True)
        half = file.with_suffix(".half")
        try:
            with urllib.request.urlopen(address, timeout=FETCH_TIMEOUT_S) as answer:  # noqa: S310 - the user's own or Central
                half.write_bytes(answer.read())
        except OSError as error:
            raise UnavailableError(f"{address} can't be fetched: {error}") from error
        half.rename(file)
    return file
