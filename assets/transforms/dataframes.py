"""Functions from DataFrame to DataFrame for a user's own Spark job: any projection, the log cleaner, the offset store.

Put here what runs on Spark alone. Lagbook's own runs, which resume from a checkpoint, are in `assets.reconstruct`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Window
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from assets.catalog import TABLES
from assets.catalog.raw.records import OFFSET_RECORDS
from assets.transforms.compaction.cleaner import clean, log_of, records_in
from assets.transforms.log_chunks import Reader, replay_chunks
from assets.transforms.projection import LAST_COMMIT_TYPE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from pyspark.sql import DataFrame

    from assets.transforms.compaction.cleaner import CleanerPass
    from assets.transforms.projection import Projection

PLACE: Final = ("cluster", "log_partition")
KEY: Final = ("cluster", "group_id", "topic", "partition")


def project_rows(records: DataFrame, projection: type[Projection], full_name: str) -> DataFrame:
    """Rows of one of a projection's tables, from all of raw.offset_records; a partition has to fit a task's memory."""

    def replay(partition: pa.Table) -> pa.Table:
        """Replay one partition from its first record."""
        rows = replay_chunks(projection.resume({}), [Reader().chunk(*_split_commits(partition.sort_by("log_offset")))])[
            full_name
        ]
        for number, name in enumerate(PLACE):
            rows = rows.add_column(number, name, pa.repeat(partition[name][0], rows.num_rows))
        return rows

    table = TABLES[full_name]
    rows = _by_partition(records, replay, table.file_schema)
    return rows.select(*(F.expr(column.derived or column.name).alias(column.name) for column in table.columns))


def compact_records(records: DataFrame, passes: Mapping[tuple[str, int], Sequence[CleanerPass]]) -> DataFrame:
    """Records that the log cleaner leaves of raw.offset_records after its passes, given by cluster and partition."""

    def clean_partition(partition: pa.Table) -> pa.Table:
        """Let the cleaner pass over one partition."""
        log = log_of(partition)
        for cleaner_pass in passes.get((partition["cluster"][0].as_py(), partition["log_partition"][0].as_py()), ()):
            log = clean(log, cleaner_pass)
        return records_in(log)

    return _by_partition(records, clean_partition, OFFSET_RECORDS.schema)


def store(commits: DataFrame, *, log_offset: int | None = None, at: datetime | None = None) -> DataFrame:
    """The offset store before a log offset, or at an instant: the newest row of core.commits per key."""
    in_effect = commits if log_offset is None else commits.where(F.col("effective_log_offset") < log_offset)
    in_effect = in_effect if at is None else in_effect.where(F.col("effective_at") <= F.lit(at))
    newest = Window.partitionBy(*KEY).orderBy(F.desc("effective_log_offset"), F.desc("log_offset"))
    last = in_effect.withColumn("newest", F.row_number().over(newest)).where("newest = 1").drop("newest")
    return last.where("kind <> 'removed'")


def _by_partition(records: DataFrame, do: Callable[[pa.Table], pa.Table], schema: pa.Schema) -> DataFrame:
    def fit_partition(partition: pa.Table) -> pa.Table:
        """The rows of one partition, in the columns of the schema."""
        rows = do(partition)
        return pa.table([rows[field.name].cast(field.type) for field in schema], names=schema.names)

    return records.groupBy(*PLACE).applyInArrow(fit_partition, from_arrow_schema(schema)).select(*schema.names)


def _split_commits(records: pa.Table) -> tuple[pa.Table, pa.Table]:
    """The readable commits and markers, and all other records."""
    is_commit = pc.or_kleene(records["is_control"], pc.less_equal(records["record_type"], LAST_COMMIT_TYPE))
    is_read = pc.and_(pc.is_null(records["undecoded_key"]), pc.is_null(records["undecoded_value"]))
    is_usual = pc.fill_null(pc.and_kleene(is_commit, is_read), fill_value=False)
    return records.filter(is_usual), records.filter(pc.invert(is_usual))
