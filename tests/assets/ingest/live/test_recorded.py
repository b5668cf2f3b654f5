"""Samples of recorders become rows of raw.log_offset_samples and raw.configurations, each once, and only changes."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path
from typing import Final

import pytest

from assets.catalog import TABLES
from assets.ingest.broker_files.configuration_files import CONFIGURATIONS
from assets.ingest.live.recorded import RECORDED, keep_recorded_ends, keep_recorded_settings
from assets.ingest.live.samples import SAMPLES
from assets.ingest.plan import Sources, plan
from assets.maintenance.retirement import RetiredRows, retire
from assets.recorder.directory import RecordDirectory
from assets.recorder.segments import Rolling
from assets.storage.small_files import Merged
from assets.storage.warehouse import Warehouse
from parsers.files.samples import FOLDER, EndSample, ResourceSample, Round, to_line
from tests.assets.recorder.test_segments import append
from tests.broker.reader import read, rows
from tests.parsers.log_writer import simple_batch

CLUSTER: Final = "one"
TIME_MS: Final = 1_790_000_000_000


def end(partition: int, high_watermark: int | None) -> EndSample:
    """What a broker said of a partition of orders."""
    return EndSample("orders", partition, None, 2, 1, 0, 0, high_watermark, high_watermark)


def settings(**given: str) -> ResourceSample:
    """All that is set for orders."""
    return ResourceSample("topic", "orders", {name.replace("_", "."): value for name, value in given.items()})


def sample_line(
    at_s: int,
    *ends: EndSample,
    is_full: bool = False,
    silent: tuple[tuple[str, int], ...] = (),
    resources: tuple[ResourceSample, ...] = (),
) -> Round:
    """A round so many seconds after the first."""
    asked_ms = TIME_MS + at_s * 1000
    return Round(asked_ms, asked_ms + 5, is_full, ends, silent, resources)


ROUNDS: Final = (
    sample_line(0, end(0, 10), end(1, 20), is_full=True, resources=(settings(retention_ms="1"),)),
    sample_line(10, end(1, 21)),
    sample_line(20, silent=(("orders", 1),), resources=(settings(cleanup_policy="compact"),)),
)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A directory that a recorder wrote, with a file of three rounds."""
    path = tmp_path / "rec"
    with RecordDirectory(path, Rolling(1 << 30, 1e9)) as directory:
        directory.claim(CLUSTER, "here")
        log = directory.log("__consumer_offsets", 0, None)
        log.begin(0)
        append(log, simple_batch(0))
    (path / FOLDER).mkdir()
    sample_file(path, 1).write_text("".join(map(to_line, ROUNDS)))
    return path


def sample_file(directory: Path, number: int) -> Path:
    """A file of samples."""
    return directory / FOLDER / f"{number:015d}.samples"


@pytest.fixture
def warehouse(tmp_path: Path, directory: Path) -> Warehouse:
    """A warehouse that has read the segments."""
    warehouse = Warehouse(str(tmp_path / "warehouse"))
    read(warehouse, Sources((str(directory),)))
    return warehouse


def ends(warehouse: Warehouse) -> list[tuple[int, int, int | None]]:
    """Seconds after the first round, partition and high watermark of each row, in the order of time."""
    rows_of_ends = [
        (round(row["sampled_at"].timestamp() - TIME_MS / 1000), row["partition"], row["high_watermark"])
        for row in rows(warehouse, SAMPLES).to_pylist()
    ]
    return sorted(rows_of_ends, key=lambda row: row[:2])


def test_rounds_become_rows_of_what_changed(warehouse: Warehouse) -> None:
    """Each with its time; a partition that nobody tells of any more has a row without values."""
    assert keep_recorded_ends(warehouse) == (4, ())
    assert ends(warehouse) == [(0, 0, 10), (0, 1, 20), (10, 1, 21), (20, 1, None)]
    assert keep_recorded_ends(warehouse) == (0, ())


def test_settings_become_rows_of_what_changed(warehouse: Warehouse) -> None:
    """What is set no longer is NULL from the round on that does not name it."""
    assert keep_recorded_settings(warehouse) == (3, ())
    rows_of_ends = rows(warehouse, CONFIGURATIONS).to_pylist()
    assert sorted((row["config_name"], row["config_value"] or "", row["source"]) for row in rows_of_ends) == [
        ("cleanup.policy", "compact", "live"),
        ("retention.ms", "", "live"),
        ("retention.ms", "1", "live"),
    ]
    assert {row["path"] for row in rows_of_ends} == {str(sample_file(warehouse_logs(warehouse), 1))}
    assert keep_recorded_settings(warehouse) == (0, ())


def warehouse_logs(warehouse: Warehouse) -> Path:
    """The directory that was read."""
    return Path(rows(warehouse, "raw.segments")["path"][0].as_py()).parents[1]


def test_what_comes_later_is_read_on_and_a_torn_line_waits(warehouse: Warehouse, directory: Path) -> None:
    """A recorder is at work meanwhile: half a line is none yet."""
    keep_recorded_ends(warehouse)
    line = to_line(sample_line(30, end(0, 12)))
    with sample_file(directory, 1).open("a") as file:
        file.write(line[:20])
    assert keep_recorded_ends(warehouse) == (0, ())
    with sample_file(directory, 1).open("a") as file:
        file.write(line[20:])
    assert keep_recorded_ends(warehouse) == (1, ())
    assert ends(warehouse)[-1] == (30, 0, 12)


def test_files_are_not_read_again_after_a_merge_or_a_retirement(warehouse: Warehouse) -> None:
    """Neither changes how far they were read, which is in the table's note."""
    keep_recorded_ends(warehouse)
    keep_recorded_settings(warehouse)
    read_to = [warehouse.note(name)[RECORDED] for name in (SAMPLES, CONFIGURATIONS)]
    retire(warehouse, [RetiredRows(SAMPLES, datetime.now(timezone.utc), tuple(warehouse.file_list(SAMPLES)), 1, ())])
    for name in (SAMPLES, CONFIGURATIONS):
        warehouse.begin(TABLES[name]).merge(Merged(tuple(warehouse.file_list(name))))
    assert [warehouse.note(name)[RECORDED] for name in (SAMPLES, CONFIGURATIONS)] == read_to


def test_a_new_file_begins_with_all_and_only_what_changed_is_kept(warehouse: Warehouse, directory: Path) -> None:
    """A recorder that was started again tells of everything: a partition that it leaves out is gone."""
    keep_recorded_ends(warehouse)
    sample_file(directory, 2).write_text(to_line(sample_line(60, end(1, 25), is_full=True)))
    assert keep_recorded_ends(warehouse) == (2, ())
    assert ends(warehouse)[-2:] == [(60, 0, None), (60, 1, 25)]


def test_files_that_are_read_again_add_nothing(warehouse: Warehouse) -> None:
    """Whatever became of the note of how far they were read, as when files are merged."""
    keep_recorded_ends(warehouse)
    keep_recorded_settings(warehouse)
    for name in (SAMPLES, CONFIGURATIONS):
        warehouse.begin(TABLES[name]).remember({RECORDED: {}})
    assert keep_recorded_ends(warehouse) == (0, ())
    assert keep_recorded_settings(warehouse) == (0, ())


def test_a_line_that_is_none_is_told_with_its_address(warehouse: Warehouse, directory: Path) -> None:
    """And holds up no other."""
    sample_file(directory, 1).write_text('{"asked_ms": 1}\n' + to_line(ROUNDS[0]) + "\xff\n")
    samples, complaints = keep_recorded_ends(warehouse)
    assert samples == 2
    assert [sentence.partition(".samples: ")[2].partition(":")[0] for sentence in complaints] == [
        "byte 0",
        f"byte {16 + len(to_line(ROUNDS[0]))}",
    ]


def test_a_run_is_due_when_there_are_samples_that_it_did_not_read(warehouse: Warehouse, directory: Path) -> None:
    """Also where no segment has grown."""
    sources = Sources((str(directory),))
    assert [file.path for file in plan(warehouse, sources).samples] == [str(sample_file(directory, 1))]
    keep_recorded_ends(warehouse)
    assert not plan(warehouse, sources).is_empty
    keep_recorded_settings(warehouse)
    assert plan(warehouse, sources).is_empty
    sample_file(directory, 2).write_text("")
    assert plan(warehouse, sources).is_empty
    sample_file(directory, 2).write_text(to_line(ROUNDS[0]))
    assert not plan(warehouse, sources).is_empty
