"""What the commits of each key come to, one row for each, to which new commits are added.

Put here how the sums of all commits at once are made. What is summed is in the model, which commits are new in
`assets.sums`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from assets import models
from assets.catalog import TABLES
from assets.transforms.declaration import TransformWithSums

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

FULL_NAME: Final = "internal.committed_partitions"
TRANSFORM: Final = TransformWithSums("committed_partitions", "core.commits")


def sums_of_all(connection: duckdb.DuckDBPyConnection) -> pa.Table:
    """The rows of the table, of all commits that a connection has."""
    connection.execute(f"CREATE TEMP VIEW new_rows AS FROM {TRANSFORM.summed}")
    connection.register("earlier_sums", TABLES[FULL_NAME].file_schema.empty_table())
    sums = connection.sql(models.select(TRANSFORM.model)).to_arrow_table()
    connection.execute("DROP VIEW new_rows")
    return sums
