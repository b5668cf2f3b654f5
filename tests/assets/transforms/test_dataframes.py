"""A subject on Spark gives what it gives by itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pyarrow as pa

from assets.catalog.core.commits import COMMITS
from assets.transforms.compaction.cleaner import CleanerPass
from assets.transforms.compaction.record_compaction import RecordCompaction
from assets.transforms.coordinator import Coordinator
from assets.transforms.dataframes import compact_records, project_rows, store
from tests.assets.transforms.offsets_log import SCHEMA, Log, project

if TYPE_CHECKING:
    import pytest
    from pyspark.sql import SparkSession

GROUP = {"record_type": 2, "key_bytes": 5, "group_id": "g", "group_metadata": {"generation": 1, "members": []}}


def test_each_partition_is_replayed(spark: SparkSession) -> None:
    """Whatever the order of the rows: two partitions, with a group's record and one that can't be read between."""
    log = Log().commit(3).commit(5, producer=5).add(**GROUP).marker("COMMIT", 5).commit(7).remove()
    log = log.commit(0, offset_commit=None, undecoded_value=b"\xff").commit(9)
    rows = [row | {"log_partition": partition} for row in reversed(log.records) for partition in (7, 8)]
    records = spark.createDataFrame(pa.Table.from_pylist(rows, SCHEMA))
    cleaned = compact_records(records, {("c", 7): [CleanerPass((0, 6, 9), 0)]}).groupBy("log_partition").count()
    assert {row.log_partition: row["count"] for row in cleaned.collect()} == {7: 3, 8: len(log.records)}
    frame = project_rows(records, Coordinator, "core.commits")
    assert tuple(frame.columns) == COMMITS.column_names
    expected = [
        (row["kind"], row["committed_offset"], row["effective_at"]) for row in project(Coordinator, log)["core.commits"]
    ]
    assert [kind for kind, *_ in expected] == ["first", "advance", "advance", "removed", "unknown"]
    for partition in (7, 8):
        commits = frame.where(f"log_partition = {partition}").orderBy("effective_log_offset").collect()
        assert [(row.kind, row.committed_offset) for row in commits] == [claim[:2] for claim in expected]
        assert [row.effective_at.timestamp() for row in commits] == [claim[2].timestamp() for claim in expected]
    at = expected[2][2]
    frame = frame.where("log_partition = 7")
    for window, offset in ((store(frame, log_offset=1), 3), (store(frame, log_offset=5), 7), (store(frame, at=at), 7)):
        assert [row.committed_offset for row in window.collect()] == [offset]
    assert store(frame, log_offset=6).collect() == []


def test_record_compaction_is_shuffled_by_log_partition_alone(
    spark: SparkSession, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same rows as the projection gives by itself, whatever the order of the records."""
    log = Log().commit(3).commit(5, producer=5).add(**GROUP).marker("COMMIT", 5).add().commit(7).remove()
    log = log.commit(0, offset_commit=None, undecoded_value=b"\xff").commit(9, producer=5).add(**GROUP)
    records = spark.createDataFrame(pa.Table.from_pylist([*reversed(log.records)], SCHEMA))
    frame = project_rows(records, RecordCompaction, "core.record_compaction")
    frame.explain()
    plan = capsys.readouterr().out
    assert plan.count("Exchange") == 1
    assert re.search(r"Exchange hashpartitioning\(cluster#\d+, log_partition#\d+, \d+\)", plan)
    names = ("log_offset", "status", "obsolete_from_log_offset", "leaves_empty_batch")
    assert [row.log_offset for row in frame.where("superseded_by_log_offset = 1").collect()] == [0]
    assert sum(row.is_retained for row in frame.collect()) == 4
    values = [tuple(row[name] for name in names) for row in frame.orderBy("log_offset").collect()]
    rows = sorted(project(RecordCompaction, log)["core.record_compaction"], key=lambda row: row["log_offset"])
    assert values == [tuple(row[name] for name in names) for row in rows]
    assert {"superseded", "current", "spent_marker", "pending", "without_key"} <= {status for _, status, *_ in values}
