"""Samples of topics and logs from brokers: asked for at one instant, and archived where they changed.

Put here the rows of raw.log_offset_samples. What they mean for a log's ends over time belongs in `assets.transforms`.
"""

from __future__ import annotations

from datetime import datetime, timezone
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from assets.catalog import TABLES
from assets.duckdb.database import in_memory
from assets.ingest.live.access import connect
from assets.storage.parquet_writer import write_file
from parsers.files.discovery import UNNAMED_CLUSTER

if TYPE_CHECKING:
    from assets.ingest.live.access import Access
    from assets.ingest.live.cluster import Bounds, LiveCluster, Topic
    from assets.storage.transaction import TableTransaction
    from assets.storage.warehouse import Warehouse

SAMPLES: Final = "raw.log_offset_samples"
COMPARED_COLUMNS: Final = (
    "topic_id",
    "partition_count",
    "leader_id",
    "leader_epoch",
    "log_start_offset",
    "high_watermark",
    "last_stable_offset",
)
"""The columns that are compared with the last row of the partition."""
LAST_ANSWERS: Final = f"""
    SELECT topic, partition, arg_max(struct_pack({", ".join(COMPARED_COLUMNS)}), sampled_at) AS answer
    FROM {SAMPLES} WHERE cluster = $cluster GROUP BY topic, partition
"""  # noqa: S608 - names are ours


def sample(warehouse: Warehouse, access: Access, cluster_name: str | None) -> tuple[int, int]:
    """Sample the cluster once, and archive the changes; the numbers of partitions that answered and of new rows."""
    transaction = warehouse.begin(TABLES[SAMPLES])
    with connect(access) as cluster:
        rows = ask_samples(cluster, cluster_name or cluster.cluster_id() or UNNAMED_CLUSTER)
    new = changed_samples(warehouse, rows)
    if new.num_rows:
        _append(warehouse, transaction, new)
    return rows.num_rows, new.num_rows


def ask_samples(cluster: LiveCluster, name: str) -> pa.Table:
    """One row for each partition of each topic that may be described."""
    topics = cluster.topics()
    asked_at = datetime.now(timezone.utc)
    bounds = cluster.bounds(chain.from_iterable(topic.partitions for topic in topics))
    place = {"cluster": name, "asked_at": asked_at, "sampled_at": datetime.now(timezone.utc)}
    rows = [{**place, **row} for topic in topics for row in _rows(topic, bounds)]
    return pa.Table.from_pylist(rows, schema=TABLES[SAMPLES].schema)


def changed_samples(warehouse: Warehouse, rows: pa.Table) -> pa.Table:
    """The rows that differ from the last row of their partition; rows of NULL for partitions that no longer answer.

    So a partition without a row in a round that has any gave the same answer as before: its log end is still the same.
    """
    if not rows.num_rows:
        return rows
    with in_memory(warehouse, [SAMPLES]) as connection:
        earlier = connection.execute(LAST_ANSWERS, {"cluster": rows["cluster"][0].as_py()}).fetchall()
    last = {(topic, partition): answer for topic, partition, answer in earlier}
    keys = list(zip(rows["topic"].to_pylist(), rows["partition"].to_pylist(), strict=True))
    is_new = [
        last.get(key) != answer for key, answer in zip(keys, rows.select(COMPARED_COLUMNS).to_pylist(), strict=True)
    ]
    return pa.concat_tables([rows.filter(pa.array(is_new, pa.bool_())), _rows_without_answer(rows, last, set(keys))])


def _rows_without_answer(
    rows: pa.Table, last: dict[tuple[str, int], dict[str, Any]], answered: set[tuple[str, int]]
) -> pa.Table:
    """Rows of NULL for partitions that answered before and do not answer now."""
    place = {name: rows[name][0].as_py() for name in ("cluster", "asked_at", "sampled_at")}
    silent = [
        {**place, "topic": topic, "partition": partition, "partition_count": answer["partition_count"]}
        for (topic, partition), answer in last.items()
        if (topic, partition) not in answered
        and any(answer[name] is not None for name in COMPARED_COLUMNS if name != "partition_count")
    ]
    return pa.Table.from_pylist(silent, schema=rows.schema)


def _rows(topic: Topic, bounds: dict[tuple[str, int], Bounds]) -> list[dict[str, Any]]:
    return [
        {
            "topic": topic.name,
            "partition": one.number,
            "topic_id": topic.topic_id,
            "partition_count": len(topic.partitions),
            "leader_id": one.leader,
            "leader_epoch": one.leader_epoch,
            **_bound_columns(bounds.get((topic.name, one.number))),
        }
        for one in topic.partitions
    ]


def _bound_columns(bounds: Bounds | None) -> dict[str, int | None]:
    if bounds is None:
        return {}
    return {
        "log_start_offset": bounds.log_start,
        "high_watermark": bounds.high_watermark,
        "last_stable_offset": bounds.last_stable,
    }


def _append(warehouse: Warehouse, transaction: TableTransaction, rows: pa.Table) -> None:
    folder = warehouse.new_folder(TABLES[SAMPLES])
    warehouse.make_folder(folder)
    transaction.append(
        [write_file(rows, f"{folder}/rows.parquet")], {**warehouse.note(SAMPLES), "partitions_kept": rows.num_rows}
    )
