"""From files to raw tables: a set that grows and never doubles, whatever is read how often.

Some tests have Spark do the tasks; for what is kept it makes no difference, so the others do them inline.
"""

from __future__ import annotations

import errno
import os
import shutil
import tarfile
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pyarrow.dataset as ds
import pytest
from blake3 import blake3
from pyarrow import fs

from assets.ingest.ingest import RAW, ingest
from assets.ingest.plan import Sources, plan
from assets.storage.warehouse import Warehouse
from parsers.errors import SourceError, StoreError, WarehouseError
from tests.assets.inline import inline
from tests.parsers.log_writer import crc32c

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pyarrow as pa
    from pyspark.sql import SparkSession

PARTITION = "__consumer_offsets-16"
RECORDS = 3013
"""What kafka-dump-log printed for that partition of the recorded incident."""
FILE = "00000000000000000000.log"


def run(start: Callable[[], SparkSession], warehouse: Warehouse, *logs: Path) -> dict[str, int]:
    """One run over these logs; returns the new rows per table."""
    return ingest(start, warehouse, plan(warehouse, sources(*logs))).rows


def sources(*logs: Path) -> Sources:
    """The sources that name these logs."""
    return Sources(tuple(str(log) for log in logs), "c")


def rows(warehouse: Warehouse, name: str) -> list[dict[str, Any]]:
    """All rows of a table."""
    files = warehouse.files(name)
    table: pa.Table | None = ds.dataset(files).to_table() if files else None
    return table.to_pylist() if table is not None else []


@pytest.fixture
def logs(tmp_path: Path, incident: Path) -> Path:
    """A log directory with one offsets partition and one data partition of the incident."""
    for partition in (PARTITION, "audit-0"):
        shutil.copytree(incident / partition, tmp_path / "logs" / partition)
    return tmp_path / "logs"


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    """An empty warehouse."""
    return Warehouse(str(tmp_path / "warehouse"))


def test_every_record_is_there_once(spark: SparkSession, warehouse: Warehouse, logs: Path) -> None:
    """All records of the partition, each offset once, in the cluster and partition that the path names."""
    added = run(lambda: spark, warehouse, logs)
    records = rows(warehouse, "raw.offset_records")
    assert added["raw.offset_records"] == len(records) == RECORDS
    assert sorted(row["log_offset"] for row in records) == list(range(RECORDS))
    assert {(row["cluster"], row["log_partition"]) for row in records} == {("c", 16)}
    assert {row["topic"] for row in rows(warehouse, "raw.batches")} == {"audit"}
    assert [(row["end_position"], row["torn_bytes"]) for row in rows(warehouse, "raw.segments")] == [
        (row["size_bytes"], 0) for row in rows(warehouse, "raw.segments")
    ]


def test_a_second_run_finds_nothing_new(warehouse: Warehouse, logs: Path) -> None:
    """Unchanged files are not read again, and the tables get no new commit."""
    run(inline, warehouse, logs)
    before = {name: warehouse.version(name) for name in RAW}
    assert plan(warehouse, sources(logs)).is_empty
    assert run(inline, warehouse, logs) == dict.fromkeys(RAW, 0)
    assert {name: warehouse.version(name) for name in RAW} == before


def test_a_grown_file_is_read_from_where_it_ended(spark: SparkSession, warehouse: Warehouse, logs: Path) -> None:
    """The first run sees half a file with a torn batch at its end; the second goes on at the last whole batch."""
    segment = logs / PARTITION / FILE
    whole = segment.read_bytes()
    segment.write_bytes(whole[: len(whole) // 2])
    run(lambda: spark, warehouse, logs)
    first = next(row for row in rows(warehouse, "raw.segments") if row["path"] == str(segment))
    assert first["torn_bytes"] > 0
    segment.write_bytes(whole)
    added = run(lambda: spark, warehouse, logs)
    assert first["record_count"] + added["raw.offset_records"] == RECORDS
    again = [row for row in rows(warehouse, "raw.segments") if row["path"] == str(segment)]
    assert sorted(row["start_position"] for row in again) == [0, first["end_position"]]


def test_a_file_that_only_looks_new_is_recognised(warehouse: Warehouse, logs: Path) -> None:
    """The same bytes under a new time, or at another path, are known by their batches and are not read again."""
    run(inline, warehouse, logs)
    os.utime(logs / PARTITION / FILE, (1, 1))
    snapshot = logs.parent / "snapshot"
    shutil.copytree(logs, snapshot)
    added = run(inline, warehouse, logs, snapshot)
    assert (added["raw.offset_records"], added["raw.batches"]) == (0, 0)
    looked = [row for row in rows(warehouse, "raw.segments") if row["is_continued"]]
    assert len(looked) == added["raw.segments"] == 3
    assert all((row["batch_count"], row["start_position"]) == (0, row["end_position"]) for row in looked)
    assert plan(warehouse, sources(logs, snapshot)).is_empty


def test_a_file_that_grows_after_the_plan_is_accounted_for_as_it_was_read(warehouse: Warehouse, logs: Path) -> None:
    """A mounted log directory does not stand still: what was read lies in the file, and the next run goes on there."""
    segment = logs / PARTITION / FILE
    whole = segment.read_bytes()
    segment.write_bytes(whole[: len(whole) // 2])
    work = plan(warehouse, sources(logs))
    segment.write_bytes(whole)
    assert ingest(inline, warehouse, work).rows["raw.offset_records"] == RECORDS
    row = next(row for row in rows(warehouse, "raw.segments") if row["path"] == str(segment))
    assert row["end_position"] == row["size_bytes"] == len(whole)
    assert run(inline, warehouse, logs)["raw.offset_records"] == 0


def test_a_rewritten_file_adds_only_what_is_new(warehouse: Warehouse, logs: Path) -> None:
    """A file that is another one now is read again, and found to be known; a shorter file takes nothing away."""
    run(inline, warehouse, logs)
    segment = logs / PARTITION / FILE
    segment.write_bytes(segment.read_bytes()[145:50_000])
    added = run(inline, warehouse, logs)
    assert added["raw.offset_records"] == added["raw.diverged_records"] == 0
    assert len(rows(warehouse, "raw.offset_records")) == RECORDS


def test_a_larger_file_that_is_another_one_is_read_from_its_start(warehouse: Warehouse, logs: Path) -> None:
    """Size alone does not make it the same file: the last known batch must still stand where it stood."""
    segment = logs / PARTITION / FILE
    whole = segment.read_bytes()
    segment.write_bytes(whole[:60_000])
    run(inline, warehouse, logs)
    torn = next(row for row in rows(warehouse, "raw.segments") if row["path"] == str(segment))
    other = bytearray(whole)
    position = torn["last_batch_position"]
    other[position + 17 : position + 21] = b"\0\0\0\0"
    segment.write_bytes(bytes(other))
    run(inline, warehouse, logs)
    again = [row["start_position"] for row in rows(warehouse, "raw.segments") if row["path"] == str(segment)]
    assert again == [0, 0]


def test_cuts_make_no_difference(
    spark: SparkSession, warehouse: Warehouse, logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A partition read in many ranges, in two copies, gives the rows of reading it whole."""
    shutil.copytree(logs, tmp_path / "replica")
    run(lambda: spark, warehouse, logs, tmp_path / "replica")
    monkeypatch.setattr("assets.ingest.ingest.RANGE_BYTES", 50_000)
    other = Warehouse(str(tmp_path / "other"))
    added = run(lambda: spark, other, logs, tmp_path / "replica")
    assert added["raw.segments"] > 10
    assert added["raw.diverged_records"] == added["raw.quarantine"] == 0
    for name in ("raw.offset_records", "raw.batches"):
        assert sorted(map(repr, rows(warehouse, name))) == sorted(map(repr, rows(other, name)))
    assert plan(other, sources(logs, tmp_path / "replica")).is_empty


def test_the_digest_is_of_the_bytes(warehouse: Warehouse, logs: Path) -> None:
    """Anyone can compute it again from the file; a data topic, of which only headers are read, has none."""
    run(inline, warehouse, logs)
    digests = {row["topic"]: row["blake3"] for row in rows(warehouse, "raw.segments")}
    assert digests == {
        "__consumer_offsets": blake3((logs / PARTITION / FILE).read_bytes()).hexdigest(),
        "audit": None,
    }


def test_two_brokers_copies_are_one_set(warehouse: Warehouse, logs: Path, tmp_path: Path) -> None:
    """The replica of a second broker adds nothing, in the same run or in a later one."""
    replica = tmp_path / "replica"
    shutil.copytree(logs, replica)
    (logs / "meta.properties").write_text("cluster.id=c\nnode.id=1\n")
    (replica / "meta.properties").write_text("cluster.id=c\nnode.id=2\n")
    added = run(inline, warehouse, logs, replica)
    assert added["raw.offset_records"] == RECORDS
    assert (added["raw.segments"], added["raw.diverged_records"], added["raw.diverged_batches"]) == (4, 0, 0)
    third = tmp_path / "third"
    shutil.copytree(logs, third)
    (third / "meta.properties").write_text("cluster.id=c\nnode.id=3\n")
    added = run(inline, warehouse, logs, replica, third)
    assert (added["raw.offset_records"], added["raw.segments"], added["raw.diverged_records"]) == (0, 2, 0)


@pytest.mark.parametrize("at_once", [True, False])
def test_brokers_that_disagree_are_told(warehouse: Warehouse, logs: Path, tmp_path: Path, *, at_once: bool) -> None:
    """Two records under one identity: the first is kept, the other is kept beside it with the file that says so."""
    replica = tmp_path / "replica"
    shutil.copytree(logs, replica)
    content = (replica / PARTITION / FILE).read_bytes()
    (replica / PARTITION / FILE).write_bytes(diverged(content))
    if not at_once:
        run(inline, warehouse, logs)
    run(inline, warehouse, logs, replica)
    assert len(rows(warehouse, "raw.offset_records")) == RECORDS
    archived = {row["log_offset"]: row for row in rows(warehouse, "raw.offset_records")}
    (divergence,) = rows(warehouse, "raw.diverged_records")
    assert divergence["path"] == str(replica / PARTITION / FILE)
    assert divergence["timestamp_ms"] == archived[divergence["log_offset"]]["timestamp_ms"] + 1


def diverged(content: bytes) -> bytes:
    """The log with the time of its first record one millisecond later, and the checksum right."""
    size = 12 + int.from_bytes(content[8:12], "big")
    batch = bytearray(content[:size])
    for place in (27, 35):
        time_ms = int.from_bytes(batch[place : place + 8], "big") + 1
        batch[place : place + 8] = time_ms.to_bytes(8, "big")
    batch[17:21] = crc32c(bytes(batch[21:])).to_bytes(4, "big")
    return bytes(batch) + content[size:]


def test_a_base_offset_that_flipped_costs_its_batch(warehouse: Warehouse, logs: Path) -> None:
    """No checksum covers it, but its neighbours tell."""
    segment = logs / PARTITION / FILE
    broken = bytearray(segment.read_bytes())
    second = 12 + int.from_bytes(broken[8:12], "big")
    broken[second + 2] ^= 1
    segment.write_bytes(bytes(broken))
    run(inline, warehouse, logs)
    (trouble,) = rows(warehouse, "raw.quarantine")
    assert (trouble["position"], trouble["reason"]) == (second, "base offset")
    assert trouble["bytes"][:3] == bytes(broken[second : second + 3])
    assert max(row["log_offset"] for row in rows(warehouse, "raw.offset_records")) == RECORDS - 1


def test_a_file_that_is_replaced_after_the_plan_is_read_by_the_next_run(warehouse: Warehouse, logs: Path) -> None:
    """What was planned for the old file is not done to the new one."""
    segment = logs / PARTITION / FILE
    whole = segment.read_bytes()
    segment.write_bytes(whole[: len(whole) // 2])
    run(inline, warehouse, logs)
    segment.write_bytes(whole)
    work = plan(warehouse, sources(logs))

    def replaced() -> SparkSession:
        size = 12 + int.from_bytes(whole[8:12], "big")
        segment.write_bytes(whole[size:])
        return inline()

    ingest(replaced, warehouse, work)
    assert run(inline, warehouse, logs)["raw.quarantine"] == 0
    assert len(rows(warehouse, "raw.offset_records")) == RECORDS


def test_two_runs_at_once_keep_nothing_twice(warehouse: Warehouse, logs: Path) -> None:
    """The run that comes second is refused; when it is started again it finds nothing new."""
    work = plan(warehouse, sources(logs))

    def overtaken() -> SparkSession:
        ingest(inline, warehouse, work)
        return inline()

    with pytest.raises(WarehouseError, match="another run"):
        ingest(overtaken, warehouse, work)
    assert run(inline, warehouse, logs) == dict.fromkeys(RAW, 0)
    assert len(rows(warehouse, "raw.offset_records")) == RECORDS


def test_a_flipped_bit_costs_its_batch_only(warehouse: Warehouse, logs: Path) -> None:
    """One batch is set aside with its address, everything else is there."""
    segment = logs / PARTITION / FILE
    broken = bytearray(segment.read_bytes())
    broken[100_000] ^= 1
    segment.write_bytes(bytes(broken))
    run(inline, warehouse, logs)
    (trouble,) = rows(warehouse, "raw.quarantine")
    assert trouble["path"] == str(segment)
    assert trouble["position"] <= 100_000 < trouble["position"] + trouble["size_bytes"]
    missing = set(range(RECORDS)) - {row["log_offset"] for row in rows(warehouse, "raw.offset_records")}
    assert 0 < len(missing) < 20


def damaged(content: bytes, at: int = 100_000) -> bytes:
    """The same file with one bit flipped."""
    return content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]


def test_a_sound_copy_fills_what_a_damaged_one_lacks(warehouse: Warehouse, logs: Path, tmp_path: Path) -> None:
    """Size, first and last batch are the same; neither it nor a copy of the damaged file makes a sound one known."""
    sound = (logs / PARTITION / FILE).read_bytes()
    (logs / PARTITION / FILE).write_bytes(damaged(sound))
    shutil.copytree(logs, tmp_path / "same damage")
    shutil.copytree(logs, tmp_path / "backup")
    (tmp_path / "backup" / PARTITION / FILE).write_bytes(sound)
    run(inline, warehouse, logs)
    assert len(rows(warehouse, "raw.offset_records")) < RECORDS
    assert run(inline, warehouse, tmp_path / "same damage")["raw.quarantine"] == 0
    run(inline, warehouse, tmp_path / "backup")
    assert sorted(row["log_offset"] for row in rows(warehouse, "raw.offset_records")) == list(range(RECORDS))
    assert len(rows(warehouse, "raw.quarantine")) == 1


def test_a_file_that_was_mended_in_its_place_is_read_again(warehouse: Warehouse, logs: Path) -> None:
    """Same path, same size, another time."""
    segment = logs / PARTITION / FILE
    sound = segment.read_bytes()
    segment.write_bytes(damaged(sound))
    run(inline, warehouse, logs)
    segment.write_bytes(sound)
    os.utime(segment, (1, 1))
    run(inline, warehouse, logs)
    assert sorted(row["log_offset"] for row in rows(warehouse, "raw.offset_records")) == list(range(RECORDS))
    assert plan(warehouse, sources(logs)).is_empty


def test_zeros_where_a_batch_was_to_come_do_not_hide_it(warehouse: Warehouse, logs: Path) -> None:
    """A file that was copied while it was written may have its length before its last bytes."""
    segment = logs / PARTITION / FILE
    sound = segment.read_bytes()
    segment.write_bytes(sound[:100_000] + bytes(len(sound) - 100_000))
    run(inline, warehouse, logs)
    segment.write_bytes(sound)
    os.utime(segment, (1, 1))
    run(inline, warehouse, logs)
    assert sorted(row["log_offset"] for row in rows(warehouse, "raw.offset_records")) == list(range(RECORDS))


def test_a_damaged_file_that_grows_is_read_on(warehouse: Warehouse, logs: Path) -> None:
    """What was set aside still stands there as it was: it is not set aside again."""
    segment = logs / PARTITION / FILE
    whole = damaged(segment.read_bytes())
    for size_bytes in (len(whole) // 2, len(whole) * 3 // 4, len(whole)):
        segment.write_bytes(whole[:size_bytes])
        run(inline, warehouse, logs)
    assert len(rows(warehouse, "raw.quarantine")) == 1
    read = sorted(rows(warehouse, "raw.segments"), key=lambda row: row["start_position"])
    assert [row["is_continued"] for row in read if row["path"] == str(segment)] == [False, True, True]


def test_a_file_that_vanishes_holds_up_no_other(warehouse: Warehouse, logs: Path) -> None:
    """It is set aside, the rest is read, and the next run tries it again."""
    work = plan(warehouse, sources(logs))
    elsewhere = (logs / PARTITION / FILE).rename(logs / "kept")
    done = ingest(inline, warehouse, work)
    assert done.rows["raw.offset_records"] == 0
    assert done.rows["raw.batches"] > 0
    assert (done.complaints, done.unreadable) == ((), ())
    assert [row["reason"] for row in rows(warehouse, "raw.quarantine")] == ["unreadable file"]
    elsewhere.rename(logs / PARTITION / FILE)
    assert run(inline, warehouse, logs)["raw.offset_records"] == RECORDS


def test_a_place_that_is_not_there_holds_up_no_other(warehouse: Warehouse, logs: Path, tmp_path: Path) -> None:
    """The plan goes on with the rest and says which place it could not read; without any place it refuses."""
    work = plan(warehouse, sources(logs, tmp_path / "nowhere"))
    assert len(work.reads) == 2
    assert len(work.unreadable) == 1
    assert "nowhere" in work.unreadable[0]
    with pytest.raises(SourceError, match="nowhere"):
        plan(warehouse, sources(tmp_path / "nowhere"))
    with pytest.raises(SourceError, match="--logs"):
        plan(warehouse, Sources(()))


def packed(logs: Path, path: Path) -> Path:
    """The logs in an archive."""
    with tarfile.open(path, "w:xz", preset=0) as archive:
        archive.add(logs, "broker")
    return path


def test_what_is_no_file_holds_up_no_other(warehouse: Warehouse, logs: Path) -> None:
    """A pipe in the place of a segment: the rest is read, and every run says what it could not read."""
    os.mkfifo(logs / PARTITION / "00000000000000009999.log")
    assert run(inline, warehouse, logs)["raw.offset_records"] == RECORDS
    again = plan(warehouse, sources(logs))
    assert again.is_empty
    assert again.unreadable == (f"{logs}/{PARTITION}/00000000000000009999.log: it is no file",)


def test_an_archive_is_read_in_place(warehouse: Warehouse, logs: Path, tmp_path: Path) -> None:
    """Its files are named by their path in it; nothing unpacked stays, and the next run knows it by its time."""
    (logs / "meta.properties").write_text("cluster.id=c9\nnode.id=1\n")
    archive = packed(logs, tmp_path / "logs.tar.xz")
    added = run(inline, warehouse, archive)
    assert added["raw.offset_records"] == RECORDS
    assert {(row["cluster"], row["path"]) for row in rows(warehouse, "raw.segments")} == {
        ("c", f"{archive}!/broker/{PARTITION}/{FILE}"),
        ("c", f"{archive}!/broker/audit-0/{FILE}"),
    }
    assert list((tmp_path / "warehouse").glob("spool-*")) == []
    assert plan(warehouse, sources(archive)).is_empty
    assert run(inline, warehouse, logs, archive)["raw.offset_records"] == 0


def test_a_broken_archive_holds_up_no_other(warehouse: Warehouse, logs: Path, tmp_path: Path) -> None:
    """It is set aside and told of, with the place where it breaks; nothing unpacked stays, the next run tries again."""
    archive = packed(logs, tmp_path / "logs.tar.xz")
    archive.write_bytes(archive.read_bytes()[:5000])
    done = ingest(inline, warehouse, plan(warehouse, sources(logs, archive)))
    assert done.rows["raw.offset_records"] == RECORDS
    assert ["can't be read after" in sentence for sentence in done.unreadable] == [True]
    (trouble,) = rows(warehouse, "raw.quarantine")
    assert (trouble["path"], trouble["reason"]) == (str(archive), "unreadable archive")
    assert "can't be read after" in trouble["found"]
    assert list((tmp_path / "warehouse").glob("spool-*")) == []
    assert plan(warehouse, sources(logs, archive)).archives


def test_an_archive_of_text_logs_is_not_broken(warehouse: Warehouse, tmp_path: Path) -> None:
    """It has no segment, but what coordinators wrote; an archive of neither is set aside."""
    for name in ("server.log", "readme"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).write_text("hello")
        shutil.make_archive(str(tmp_path / name), "gztar", tmp_path / name)
    done = ingest(
        inline, warehouse, plan(warehouse, sources(tmp_path / "server.log.tar.gz", tmp_path / "readme.tar.gz"))
    )
    (unreadable,) = done.unreadable
    assert "readme.tar.gz: neither segments nor" in unreadable
    assert list((tmp_path / "warehouse").glob("spool-*")) == []


def test_a_full_disk_is_no_broken_archive(
    warehouse: Warehouse, logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The archive is not set aside for what the warehouse lacks: the run fails and says where."""
    archive = packed(logs, tmp_path / "logs.tar.xz")
    monkeypatch.setattr("assets.ingest.unpacked_archives.locate", lambda _: (Full(), str(tmp_path / "warehouse")))
    with pytest.raises(WarehouseError, match="can't be written: No space left on device"):
        run(inline, warehouse, archive)
    assert warehouse.files("raw.quarantine") == []


def test_an_archive_whose_store_fails_is_complained_of(
    warehouse: Warehouse, logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What else there is is read and kept; nothing is set aside, and the next run tries it again."""
    archive = packed(logs, tmp_path / "logs.tar.xz")
    work = plan(warehouse, sources(logs, archive))
    monkeypatch.setattr("parsers.io_retry.time", SimpleNamespace(sleep=lambda _: None))
    monkeypatch.setattr("assets.ingest.unpacked_archives.unpack", _fail)
    done = ingest(inline, warehouse, work)
    assert done.complaints == ("s3://x: the store is away; the next run reads it",)
    assert done.rows["raw.offset_records"] == RECORDS
    assert warehouse.files("raw.quarantine") == []
    assert plan(warehouse, sources(logs, archive)).archives


def _fail(*_: object) -> None:
    raise StoreError("s3://x: the store is away")


class Full:
    """A disk without room."""

    def create_dir(self, _path: str, *, recursive: bool) -> None:
        """Make no folder."""
        assert recursive
        raise OSError(errno.ENOSPC, "No space left on device")

    def get_file_info(self, path: str) -> fs.FileInfo:
        """Nothing was made."""
        return fs.FileInfo(path, fs.FileType.NotFound)


def test_a_pattern_names_places(warehouse: Warehouse, logs: Path) -> None:
    """Each match is a place; one that matches nothing holds up no other."""
    shutil.copytree(logs, logs.parent / "logs-2")
    assert len(plan(warehouse, sources(logs.parent / "log*")).reads) == 4
    assert "nothing there matches" in plan(warehouse, sources(logs, logs.parent / "x*")).unreadable[0]


def test_the_fingerprint_tells_growth(warehouse: Warehouse, logs: Path) -> None:
    """The same files give the same fingerprint; a grown one another."""
    before = plan(warehouse, sources(logs)).fingerprint
    assert plan(warehouse, sources(logs)).fingerprint == before
    with (logs / PARTITION / FILE).open("ab") as segment:
        segment.write(b"\0" * 10)
    assert plan(warehouse, sources(logs)).fingerprint != before
