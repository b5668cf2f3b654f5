"""What of stores outside Kafka could not be read, as rows of raw.quarantine, each once.

Put here the rows. Who finds the trouble words it.
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
    from collections.abc import Iterator, Sequence

    from assets.ingest.stores.archive import StoreTrouble
    from assets.storage.warehouse import Warehouse

QUARANTINE: Final = "raw.quarantine"
_KNOWN: Final = f'SELECT cluster, path, position, reason, "found" FROM {QUARANTINE}'  # noqa: S608 - names are ours


def set_aside(warehouse: Warehouse, troubles: Sequence[StoreTrouble]) -> tuple[str, ...]:
    """Append the troubles that are new, and give a sentence for each file that has some."""
    if not troubles:
        return ()
    with in_memory(warehouse, [QUARANTINE]) as connection:
        known = set(connection.execute(_KNOWN).fetchall())
    new = [one for one in troubles if _identity(one) not in known]
    if new:
        transaction = warehouse.begin(TABLES[QUARANTINE])
        folder, now = warehouse.new_folder(TABLES[QUARANTINE]), datetime.now(timezone.utc)
        warehouse.make_folder(folder)
        rows = [
            {"cluster": one.cluster, "path": one.path, "read_at": now, **quarantine_row(one.trouble)} for one in new
        ]
        written = write_file(pa.Table.from_pylist(rows, TABLES[QUARANTINE].schema), f"{folder}/stores.parquet")
        transaction.append([written], transaction.note)
    return tuple(_sentences(troubles))


def _identity(one: StoreTrouble) -> tuple[str, str, int, str, str]:
    return one.cluster, one.path, one.trouble.position, one.trouble.reason, one.trouble.actual


def _sentences(troubles: Sequence[StoreTrouble]) -> Iterator[str]:
    """The first trouble of each file, and how many more there are."""
    for path in dict.fromkeys(one.path for one in troubles):
        first, *others = (one.trouble for one in troubles if one.path == path)
        more = f"; and {len(others)} more" if others else ""
        yield (
            f"{path}: byte {first.position}: {first.reason}: expected {first.expected}, found {first.actual}{more}; "
            "set aside in raw.quarantine, the rest is read"
        )
