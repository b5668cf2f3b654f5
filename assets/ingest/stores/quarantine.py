"""What of a store could not be read, as rows of raw.quarantine, each once.

Put here which rows are new. What is wrong is said by who reads a store.
"""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from assets.catalog import TABLES
from assets.duckdb.database import in_memory
from assets.storage.parquet_writer import write_file
from parsers.log.damage.quarantine import quarantine_row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assets.ingest.stores.reading import SetAside
    from assets.storage.warehouse import Warehouse

QUARANTINE: Final = "raw.quarantine"
_NEW: Final = f"""
SELECT n.* FROM rows AS n
ANTI JOIN {QUARANTINE} AS a USING (cluster, path, position, reason, expected, found)
"""  # noqa: S608 - names are ours


def set_aside(warehouse: Warehouse, found: Sequence[SetAside]) -> int:
    """Append what is not there yet; the number of new rows."""
    if not found:
        return 0
    table, now = TABLES[QUARANTINE], datetime.now(timezone.utc)
    rows = [{**quarantine_row(one.trouble), "cluster": one.cluster, "path": one.path, "read_at": now} for one in found]
    with in_memory(warehouse, [QUARANTINE]) as connection:
        connection.register("rows", pa.Table.from_pylist(rows, table.schema))
        new: pa.Table = connection.sql(_NEW).to_arrow_table().cast(table.schema)
    if new.num_rows:
        transaction, folder = warehouse.begin(table), warehouse.new_folder(table)
        warehouse.make_folder(folder)
        transaction.append([write_file(new, f"{folder}/stores.parquet")], transaction.note)
    return int(new.num_rows)
