"""Retiring records of internal topics: the state of a share partition can be made from what stays."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING, Final

import pyarrow.dataset as ds

from assets.maintenance.retirement import look_for_old, retire
from tests.assets.transforms.shares.test_share_states import Log, snapshot, update

if TYPE_CHECKING:
    from pathlib import Path

RECORDS: Final = "raw.internal_records"


def test_all_since_the_newest_snapshot_of_a_share_partition_stays(tmp_path: Path) -> None:
    """However old it is: an update says only what changed."""
    first = (snapshot(0), snapshot(0, group="h"), update(2, (2, 3, 2, 1)), update(4, (4, 5, 2, 1), group="h"))
    log = Log(tmp_path).append(*first, snapshot(4, (4, 5, 0, 1)), update(4, (4, 5, 2, 2)))
    log.run()
    retire(log.warehouse, look_for_old(log.warehouse, {RECORDS: 1}, datetime.now(timezone.utc)))
    rows = ds.dataset(log.warehouse.files(RECORDS)).to_table(columns=["record_offset"])
    assert sorted(rows["record_offset"].to_pylist()) == [1, 3, 4, 5]
