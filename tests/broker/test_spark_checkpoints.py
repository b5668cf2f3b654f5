"""A real query of Spark against a real broker: killed, restarted, set back; and what Lagbook says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.broker.book import Book
from tests.broker.cluster import running
from tests.broker.conftest import available
from tests.broker.maven import UnavailableError
from tests.broker.record_spark import PARTITIONS, TOPIC, play
from tests.broker.releases import NEWEST
from tests.broker.spark_connector import connector
from tests.broker.spark_query import processed

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.slow
def test_what_the_sink_processed_is_what_the_tables_say(tmp_path: Path) -> None:
    """Committed offsets are the ends of what it processed; what it processed again by hand is proven, and no more."""
    try:
        connector()
    except UnavailableError as error:
        pytest.skip(f"no connector of Spark for Kafka: {error}")
    with running(available(NEWEST), tmp_path / "cluster") as cluster:
        copies = play(cluster, tmp_path)
    book = Book(tmp_path / "warehouse")
    for name, copy in copies.items():
        book.run(copy)
        ends = {one.partition: 0 for one in processed(copy)}
        complete = {int(file.name) for file in (copy / "checkpoint" / "commits").iterdir() if file.name.isdecimal()}
        for one in processed(copy):
            if one.batch in complete:
                ends[one.partition] = one.to_offset
        now = "SELECT partition, current_offset FROM mart.offsets_now WHERE topic = ?"
        assert dict(book.query(now, TOPIC)) == ends, name
    before, behind = processed(copies["restarted"]), processed(copies["rewound"])
    again = behind[len(before) :]
    expected = [
        (its, min(one.from_offset for one in again if one.partition == its), ends[its]) for its in range(PARTITIONS)
    ]
    replays = "SELECT partition, certain_from, certain_to FROM mart.replays ORDER BY partition"
    assert book.query(replays) == expected
