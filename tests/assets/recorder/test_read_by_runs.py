"""What a run makes of a recorder's directory when the log under it moved: copies that contradict, and gaps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from assets.ingest.plan import Sources
from assets.recorder.directory import RecordDirectory
from assets.recorder.scanning import LogCut
from assets.recorder.segments import Rolling
from assets.storage.warehouse import Warehouse
from tests.assets.recorder.test_segments import append, of_epoch
from tests.broker.reader import RECORDS_TABLE, read, rows
from tests.parsers.log_writer import batch, record, simple_log

if TYPE_CHECKING:
    from pathlib import Path

    from assets.recorder.segments import PartitionLog

LARGE: Final = Rolling(1 << 30, 1e9)
OTHER: Final = of_epoch(9, batch(4, [record(0, b"key-4", b"other")]))


def log_in(directory: RecordDirectory) -> PartitionLog:
    """The log of a partition of the offsets topic."""
    directory.claim("one", "here")
    return directory.log("__consumer_offsets", 0, None)


@pytest.mark.parametrize("is_read_before", [True, False])
def test_what_a_new_leader_contradicts_is_kept_beside_it(tmp_path: Path, *, is_read_before: bool) -> None:
    """Both are in the warehouse, whether the log was read before it was cut or not."""
    warehouse, sources = Warehouse(str(tmp_path / "warehouse")), Sources((str(tmp_path / "rec"),))
    with RecordDirectory(tmp_path / "rec", LARGE) as directory:
        log = log_in(directory)
        log.begin(0)
        append(log, b"".join(simple_log(4)))
        if is_read_before:
            assert read(warehouse, sources) == 8
        log.cut(LogCut(4))
        append(log, OTHER)
    read(warehouse, sources)
    records = rows(warehouse, RECORDS_TABLE)
    assert records["log_offset"].to_pylist() == list(range(8))
    (contradicted,) = rows(warehouse, "raw.diverged_records").to_pylist()
    of_old_leader = records.to_pylist()[4]
    assert contradicted["log_offset"] == 4
    assert {contradicted["log_leader_epoch"], of_old_leader["log_leader_epoch"]} == {3, 9}


def test_a_gap_is_between_two_segments(tmp_path: Path) -> None:
    """Of what retention took no file says that it was read."""
    warehouse = Warehouse(str(tmp_path / "warehouse"))
    with RecordDirectory(tmp_path / "rec", LARGE) as directory:
        log = log_in(directory)
        log.begin(0)
        append(log, simple_log(1)[0])
        log.begin(6)
        append(log, simple_log(4)[3])
    read(warehouse, Sources((str(tmp_path / "rec"),)))
    gaps = rows(warehouse, "raw.segments")
    assert gaps.select(["from_offset", "end_offset"]).to_pylist() == [
        {"from_offset": 0, "end_offset": 2},
        {"from_offset": 6, "end_offset": 8},
    ]
