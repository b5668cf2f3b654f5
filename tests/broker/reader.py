"""What the tasks of a run do with the offsets topic, without Spark around them, and the rows that come of it.

Only the reading belongs here. Which sources are read is in the tests.
"""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING, Final

import pyarrow.dataset as ds

from assets.catalog import TABLES
from assets.ingest.ingest import RAW, ranges_of
from assets.ingest.live.patience import WAITS_S
from assets.ingest.plan import plan
from assets.ingest.work_units import WorkUnit
from assets.ingest.worker import read_work_unit

if TYPE_CHECKING:
    import pyarrow as pa

    from assets.ingest.plan import Sources
    from assets.storage.warehouse import Warehouse

RECORDS_TABLE: Final = "raw.offset_records"


def read(warehouse: Warehouse, sources: Sources) -> int:
    """Do what a run's tasks do with the offsets topic, without Spark around them; the number of new records."""
    turns = {name: warehouse.begin(TABLES[name]) for name in RAW}
    folders = {name: warehouse.new_folder(TABLES[name]) for name in RAW}
    for folder in folders.values():
        warehouse.make_folder(folder)
    archived = tuple(file.uri for file in turns[RECORDS_TABLE].file_list())
    work = plan(warehouse, sources, WAITS_S)
    ranges = [one for one in ranges_of(work.reads, work.live_reads, {}) if one.segment.is_offsets_topic]
    outcome = read_work_unit(
        WorkUnit(tuple((one, {RECORDS_TABLE: archived}) for one in ranges), folders, datetime.now(timezone.utc)), "part"
    )
    assert outcome.complaints == ()
    for table, turn in turns.items():
        turn.append([file for name, file in outcome.files if name == table], {})
    return sum(file.rows for name, file in outcome.files if name == RECORDS_TABLE)


def rows(warehouse: Warehouse, name: str) -> pa.Table:
    """All rows of a table, in the order of its key."""
    order = [(column, "ascending") for column in TABLES[name].key]
    return ds.dataset(warehouse.files(name), schema=TABLES[name].schema).to_table().sort_by(order)
