"""Dumps of the topic as sources: the same set as from the log, whatever came first, and never a made-up identity."""

from __future__ import annotations

import lzma
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.dataset as ds
import pytest

from assets.catalog import TABLES
from assets.ingest.ingest import RAW, ingest
from assets.ingest.plan import Sources, plan
from assets.storage.warehouse import Warehouse
from parsers.errors import SourceError
from tests.assets.inline import inline
from tests.parsers.exports.writers import Record, records_of, write_json_lines, write_kcat, write_spark_parquet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession

HERE = Path(__file__).resolve().parents[3] / "bytes"
FILE = "00000000000000000000.log"
FEATURES = HERE / "dump" / "features-4.1"
PARTITIONS = (0, 1, 2, 7)
MUTE = ("source", "delete_horizon_ms")


def run(warehouse: Warehouse, *places: Path) -> dict[str, int]:
    """One run over these places; returns the new rows per table."""
    return ingest(inline, warehouse, plan(warehouse, sources(*places))).rows


def sources(*places: Path) -> Sources:
    """The sources that name these places."""
    return Sources(tuple(str(place) for place in places), "c")


def rows(warehouse: Warehouse, name: str) -> list[dict[str, Any]]:
    """All rows of a table."""
    files = warehouse.files(name)
    answer: list[dict[str, Any]] = ds.dataset(files, schema=TABLES[name].schema).to_table().to_pylist() if files else []
    return answer


def records_in(warehouse: Warehouse) -> dict[tuple[int, int], dict[str, Any]]:
    """The archive's records by identity, each of which is there once."""
    records = rows(warehouse, "raw.offset_records")
    by_identity = {(row["log_partition"], row["log_offset"]): row for row in records}
    assert len(by_identity) == len(records)
    return by_identity


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    """An empty warehouse."""
    return Warehouse(str(tmp_path / "warehouse"))


@pytest.fixture(scope="module")
def records() -> list[Record]:
    """What a consumer would be given of four partitions."""
    return [
        one for number in PARTITIONS for one in records_of(FEATURES / f"__consumer_offsets-{number}" / FILE, number)
    ]


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """The log directory of the same partitions."""
    for number in PARTITIONS:
        name = f"__consumer_offsets-{number}"
        (tmp_path / "logs" / name).mkdir(parents=True)
        shutil.copy(FEATURES / name / FILE, tmp_path / "logs" / name)
    return tmp_path / "logs"


@pytest.fixture(scope="module")
def from_logs(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What a run over the logs alone keeps."""
    folder = tmp_path_factory.mktemp("logs")
    for number in PARTITIONS:
        shutil.copytree(FEATURES / f"__consumer_offsets-{number}", folder / "logs" / f"__consumer_offsets-{number}")
    warehouse = Warehouse(str(folder / "warehouse"))
    run(warehouse, folder / "logs")
    return account(warehouse)


def account(warehouse: Warehouse) -> list[str]:
    """Every record, as it stands."""
    return sorted(map(repr, rows(warehouse, "raw.offset_records")))


def test_a_dump_becomes_rows(warehouse: Warehouse, records: list[Record], tmp_path: Path) -> None:
    """All records of it, told by a dump; NULL for what only a batch says; a row of the account for each partition."""
    write_spark_parquet(tmp_path / "x.parquet", records)
    added = run(warehouse, tmp_path / "x.parquet")
    archived = records_in(warehouse)
    assert added["raw.offset_records"] == len(archived) == len(records)
    assert {row["source"] for row in archived.values()} == {"dump"}
    assert {(row["is_transactional"], row["batch_base_offset"]) for row in archived.values()} == {(None, None)}
    accounts = rows(warehouse, "raw.segments")
    assert sorted(row["partition"] for row in accounts) == list(PARTITIONS)
    assert sum(row["record_count"] for row in accounts) == len(records)
    assert {(row["source"], row["path"]) for row in accounts} == {("dump", str(tmp_path / "x.parquet"))}
    assert len({row["blake3"] for row in accounts}) == 1
    assert plan(warehouse, sources(tmp_path / "x.parquet")).is_empty
    assert list((tmp_path / "warehouse").glob("spool-*")) == []


def test_spark_runs_it(
    spark: SparkSession, warehouse: Warehouse, records: list[Record], logs: Path, tmp_path: Path
) -> None:
    """The same through Spark's own workers: a dump, and the log beside it."""
    dump = write_spark_parquet(tmp_path / "x.parquet", records)
    work = plan(warehouse, sources(dump, logs / "__consumer_offsets-7"))
    assert ingest(lambda: spark, warehouse, work).rows["raw.offset_records"] == len(records_in(warehouse))
    assert {row["source"] for (number, _), row in records_in(warehouse).items() if number == 7} == {None}


def test_a_dump_is_recognised(warehouse: Warehouse, records: list[Record], tmp_path: Path) -> None:
    """By its size and time, else by its bytes: under another time or path it is looked at and not read."""
    path = write_kcat(tmp_path / "a.json", records)
    run(warehouse, path)
    os.utime(path, (1, 1))
    shutil.copy(path, tmp_path / "b.json")
    assert len(plan(warehouse, sources(path, tmp_path / "b.json")).dumps) == 2
    added = run(warehouse, path, tmp_path / "b.json")
    assert (added["raw.offset_records"], added["raw.segments"]) == (0, 2)
    again = plan(warehouse, sources(path, tmp_path / "b.json"))
    assert again.is_empty
    assert again.files_known == 2
    write_kcat(path, records[:7])
    assert run(warehouse, path)["raw.offset_records"] == 0


@pytest.mark.parametrize("order", ["log first", "dump first", "at once"])
def test_the_order_does_not_matter(
    warehouse: Warehouse,
    records: list[Record],
    logs: Path,
    from_logs: list[str],
    tmp_path: Path,
    *,
    order: str,
) -> None:
    """Where the log says the record, its row stands, fuller than the dump's; nothing is called a divergence."""
    dump = write_json_lines(tmp_path / "x.jsonl", records)
    first, second = {"log first": ([logs], [dump]), "dump first": ([dump], [logs]), "at once": ([dump, logs], [])}[
        order
    ]
    run(warehouse, *first)
    if second:
        run(warehouse, *second)
    assert account(warehouse) == from_logs
    assert rows(warehouse, "raw.diverged_records") == []
    assert plan(warehouse, sources(dump, logs)).is_empty


def test_what_the_log_lost_stays_told(warehouse: Warehouse, records: list[Record], logs: Path, tmp_path: Path) -> None:
    """The log takes the place of what it says itself; what only the dump has stays, and another run changes nothing."""
    run(warehouse, write_spark_parquet(tmp_path / "x.parquet", records))
    for number in PARTITIONS[2:]:
        shutil.rmtree(logs / f"__consumer_offsets-{number}")
    run(warehouse, logs)
    archived = records_in(warehouse)
    assert {row["source"] for (number, _), row in archived.items() if number in PARTITIONS[2:]} == {"dump"}
    assert {row["source"] for (number, _), row in archived.items() if number in PARTITIONS[:2]} == {None}
    before = {name: warehouse.version(name) for name in RAW}
    assert run(warehouse, logs, tmp_path / "x.parquet") == dict.fromkeys(RAW, 0)
    assert {name: warehouse.version(name) for name in RAW} == before


def test_dumps_in_parts_and_out_of_order_are_one_set(
    warehouse: Warehouse, records: list[Record], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files that overlap, hold a record twice, and are read in many parts with small runs."""
    monkeypatch.setattr("assets.ingest.dumps.dump_files.CUT_BYTES", 5000)
    (tmp_path / "dumps").mkdir()
    write_json_lines(tmp_path / "dumps" / "a.jsonl", [*records[::-1], *records[:20]])
    write_kcat(tmp_path / "dumps" / "b.json", records[10:])
    write_spark_parquet(tmp_path / "dumps" / "c.parquet", records[:30] * 2, row_group_rows=7)
    run(warehouse, tmp_path / "dumps")
    assert set(records_in(warehouse)) == {(one.partition, one.offset) for one in records}
    assert rows(warehouse, "raw.diverged_records") == rows(warehouse, "raw.quarantine") == []
    counted = {(row["path"][-9:], row["partition"]): row["record_count"] for row in rows(warehouse, "raw.segments")}
    assert counted["s/a.jsonl", 7] == len({one.offset for one in records if one.partition == 7})


def test_a_dump_that_contradicts_is_told(
    warehouse: Warehouse, records: list[Record], logs: Path, tmp_path: Path
) -> None:
    """What both say differs: the first saying is kept, and the other stands beside it; so within one dump, too."""
    other = records[3]._replace(timestamp_ms=records[3].timestamp_ms + 1)
    run(warehouse, logs, write_json_lines(tmp_path / "x.jsonl", [*records, other]))
    (contradiction,) = rows(warehouse, "raw.diverged_records")
    assert (contradiction["log_offset"], contradiction["timestamp_ms"], contradiction["source"]) == (
        other.offset,
        other.timestamp_ms,
        "dump",
    )
    assert records_in(warehouse)[other.partition, other.offset]["timestamp_ms"] == records[3].timestamp_ms


def test_text_of_dump_log_fills_and_gives_way(
    warehouse: Warehouse, logs: Path, from_logs: list[str], tmp_path: Path
) -> None:
    """What kafka-dump-log printed is kept as text, and the log that comes later stands in its place undisputed."""
    packed = HERE / "text" / "recorded" / "features-4.1" / "dump-log.txt.xz"
    (tmp_path / "x.txt").write_bytes(lzma.decompress(packed.read_bytes()))
    run(warehouse, tmp_path / "x.txt")
    of_text = records_in(warehouse)
    assert {row["source"] for row in of_text.values()} == {"text"}
    run(warehouse, logs)
    assert {row["source"] for row in records_in(warehouse).values()} == {None}
    assert account(warehouse) == from_logs
    assert rows(warehouse, "raw.diverged_records") == []


def test_what_is_no_dump_is_refused(warehouse: Warehouse, records: list[Record], tmp_path: Path) -> None:
    """One sentence names the file and what it has; the other files are read."""
    (tmp_path / "dumps").mkdir()
    write_kcat(tmp_path / "dumps" / "a.json", records)
    (tmp_path / "dumps" / "b.json").write_text('{"group": "g"}\n')
    work = plan(warehouse, sources(tmp_path / "dumps"))
    assert len(work.dumps) == 1
    (sentence,) = work.unreadable
    assert sentence.startswith(f"{tmp_path}/dumps/b.json: no column for the partition")
    assert "it has group" in sentence
    assert ingest(inline, warehouse, work).rows["raw.offset_records"] == len(records)
    with pytest.raises(SourceError, match="it has group"):
        plan(warehouse, sources(tmp_path / "dumps" / "b.json"))


def test_a_dump_that_changes_is_read_by_the_next_run(
    warehouse: Warehouse, records: list[Record], tmp_path: Path
) -> None:
    """Shorter than it was planned: it is set aside as a whole; grown: it is read as far as it was planned."""
    short, grown = write_json_lines(tmp_path / "a.jsonl", records), write_json_lines(tmp_path / "b.jsonl", records[:9])
    work = plan(warehouse, sources(short, grown))
    write_json_lines(short, records[:5])
    write_json_lines(grown, records[:30])
    done = ingest(inline, warehouse, work)
    assert (done.rows["raw.offset_records"], done.unreadable) == (9, ())
    (trouble,) = rows(warehouse, "raw.quarantine")
    assert (trouble["path"], trouble["reason"]) == (str(short), "unreadable file")
    assert run(warehouse, short, grown)["raw.offset_records"] == 21


def test_a_dump_that_says_too_many_things_is_set_aside(
    warehouse: Warehouse, records: list[Record], tmp_path: Path
) -> None:
    """A file that tells many stories of one offset is nobody's dump."""
    many: Sequence[Record] = [records[0]._replace(timestamp_ms=ms) for ms in range(20)]
    done = ingest(inline, warehouse, plan(warehouse, sources(write_kcat(tmp_path / "x.json", many))))
    assert done.rows["raw.offset_records"] == 0
    (trouble,) = rows(warehouse, "raw.quarantine")
    assert "different things of one partition and offset" in trouble["found"]
    assert done.unreadable == (trouble["found"],)
