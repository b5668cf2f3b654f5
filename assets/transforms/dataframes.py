"""A subject as a function from DataFrame to DataFrame, for a job of anyone's own.

Put here what every subject shares on the way through Spark. Lagbook's own runs, which go on from where they stood, are
in `assets.replaying`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.pandas.types import from_arrow_schema

from assets.tables import TABLES
from assets.transforms.stretches import LAST_COMMIT_TYPE, Reader, replayed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from assets.transforms.subject import Subject


def made_of(records: DataFrame, subject: type[Subject], full_name: str) -> DataFrame:
    """The rows of one of a subject's tables, from all of raw.offset_records; a partition has to fit a task's memory."""
    schema = TABLES[full_name].schema

    def replay(partition: pa.Table) -> pa.Table:
        rows = replayed(subject.resumed({}), [Reader().stretch(*_parted(partition.sort_by("log_offset")))])[full_name]
        for number, name in enumerate(("cluster", "log_partition")):
            rows = rows.add_column(number, name, pa.repeat(partition[name][0], rows.num_rows))
        return pa.table([rows[field.name].cast(field.type) for field in schema], names=schema.names)

    frame = records.groupBy("cluster", "log_partition").applyInArrow(replay, from_arrow_schema(schema))
    return frame.select(*schema.names)


def _parted(records: pa.Table) -> tuple[pa.Table, pa.Table]:
    """The readable commits and markers, and all other records."""
    is_commit = pc.or_kleene(records["is_control"], pc.less_equal(records["record_type"], LAST_COMMIT_TYPE))
    is_read = pc.and_(pc.is_null(records["undecoded_key"]), pc.is_null(records["undecoded_value"]))
    is_usual = pc.fill_null(pc.and_kleene(is_commit, is_read), fill_value=False)
    return records.filter(is_usual), records.filter(pc.invert(is_usual))
