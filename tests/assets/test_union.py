"""Log directories that real brokers left, before and after the cleaner and a broker's death: always the same union."""

from __future__ import annotations

import shutil
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow.dataset as ds
import pytest

from assets.catalog import TABLES
from assets.ingest.comparison.identities import BATCHES, RECORDS
from assets.ingest.ingest import ingest
from assets.ingest.plan import Sources, plan
from assets.storage.warehouse import Warehouse
from parsers.files.discovery import discover
from parsers.log.segments import walk
from parsers.offset_records import offset_record_columns
from parsers.sources import open_file
from tests.assets.inline import inline

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assets.ingest.comparison.identities import Identity

RECORDED = Path(__file__).resolve().parents[1] / "bytes" / "recorded"
VERSION = "4.3.1"
CASES = ("brokers-three", "brokers-forgetful")
CLEANED = {"batch_base_offset", "base_sequence", "delete_horizon_ms", "source"}
"""What the cleaner may change of a record, and what is no saying of its own."""

SUFFIXES: Final = frozenset({None, "deleted"})

Record = tuple[int, int]


@pytest.fixture(scope="module", params=CASES)
def recorded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`before-cleaner` and `after-cleaner` of some brokers, one of which died in between."""
    case = str(request.param)
    folder = tmp_path_factory.mktemp(case)
    with tarfile.open(RECORDED / f"{VERSION}.tar.xz") as packed:
        wanted = [member for member in packed if member.name.startswith(f"{case}/")]
        packed.extractall(folder, wanted, filter="data")
    return folder / case


@pytest.fixture(scope="module")
def records_by_broker(recorded: Path) -> dict[Record, list[dict[str, Any]]]:
    """By identity all that any copy says, read file by file without the archive."""
    by_record: dict[Record, list[dict[str, Any]]] = {}
    for partition, row in _records(recorded):
        versions = by_record.setdefault((partition, row["log_offset"]), [])
        plain = {name: value for name, value in row.items() if name not in CLEANED}
        if plain not in versions:
            versions.append(plain)
    return by_record


def _records(folder: Path, suffixes: frozenset[str | None] = SUFFIXES) -> Iterator[tuple[int, dict[str, Any]]]:
    for segment in discover([str(folder)], None).segments:
        if segment.is_offsets_topic and segment.file_suffix in suffixes:
            with open_file(segment.path) as source:
                for piece in walk(source, 0, None, bodies=True):
                    yield from ((segment.partition, row) for row in offset_record_columns(piece)[0].to_pylist())


def run(warehouse: Warehouse, *places: Path) -> None:
    """One run over these places."""
    ingest(inline, warehouse, plan(warehouse, Sources(tuple(map(str, places)), "c")))


def rows(warehouse: Warehouse, name: str) -> list[dict[str, Any]]:
    """All rows of a table."""
    files = warehouse.files(name)
    answer: list[dict[str, Any]] = ds.dataset(files, schema=TABLES[name].schema).to_table().to_pylist() if files else []
    return answer


def identities(warehouse: Warehouse, identity: Identity) -> list[tuple[Any, ...]]:
    """What is there, by identity, in order; a second one under an identity would show."""
    return sorted(tuple(row[name] for name in TABLES[identity.table].key) for row in rows(warehouse, identity.table))


def halves(folder: Path, to: Path) -> Path:
    """The same directories as they were while they were written: half of every segment, torn where it stands."""
    shutil.copytree(folder, to)
    for segment in to.rglob("*.log"):
        content = segment.read_bytes()
        segment.write_bytes(content[: len(content) // 2])
    return to


def check(warehouse: Warehouse, records_by_broker: dict[Record, list[dict[str, Any]]]) -> None:
    """Every record that any copy has is there once, as one of them says it; what another says is told beside it."""
    records = rows(warehouse, RECORDS.table)
    assert sorted((row["log_partition"], row["log_offset"]) for row in records) == sorted(records_by_broker)
    for row in records:
        plain = {name: row[name] for name in records_by_broker[row["log_partition"], row["log_offset"]][0]}
        assert plain in records_by_broker[row["log_partition"], row["log_offset"]]
    disputed = {identity for identity, versions in records_by_broker.items() if len(versions) > 1}
    assert {(row["log_partition"], row["log_offset"]) for row in rows(warehouse, RECORDS.diverged)} == disputed
    assert [row for row in rows(warehouse, "raw.quarantine") if row["topic"] == "__consumer_offsets"] == []


def test_the_recording_has_what_is_tested(
    recorded: Path, records_by_broker: dict[Record, list[dict[str, Any]]]
) -> None:
    """The cleaner took records away, and others came behind it: no segment in use has everything."""
    for when in ("before-cleaner", "after-cleaner"):
        live = {(partition, row["log_offset"]) for partition, row in _records(recorded / when, frozenset({None}))}
        assert live < records_by_broker.keys()
    after = {(partition, row["log_offset"]) for partition, row in _records(recorded / "after-cleaner")}
    assert after == records_by_broker.keys()


def test_what_the_broker_has_not_yet_removed_is_read(
    recorded: Path, records_by_broker: dict[Record, list[dict[str, Any]]], tmp_path: Path
) -> None:
    """One copy after the cleaner has the history that it took away, in files that are called .deleted."""
    warehouse = Warehouse(str(tmp_path / "warehouse"))
    run(warehouse, recorded / "after-cleaner")
    assert {
        (row["log_partition"], row["log_offset"]) for row in rows(warehouse, RECORDS.table)
    } == records_by_broker.keys()
    assert {row["file_suffix"] for row in rows(warehouse, "raw.segments")} == SUFFIXES


ORDERS: dict[str, Sequence[Sequence[str]]] = {
    "before, then after": (["before-cleaner"], ["after-cleaner"]),
    "after, then before": (["after-cleaner"], ["before-cleaner"]),
    "both at once, twice": (["before-cleaner", "after-cleaner"], ["before-cleaner", "after-cleaner"]),
    "half, then whole": (["half"], ["after-cleaner", "half"], ["before-cleaner"]),
}


@pytest.fixture(scope="module")
def batches(recorded: Path, tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Any, ...]]:
    """The batches of data topics that a run over everything keeps, by identity."""
    warehouse = Warehouse(str(tmp_path_factory.mktemp("all") / "warehouse"))
    run(warehouse, recorded)
    return identities(warehouse, BATCHES)


@pytest.mark.parametrize("order", ORDERS)
def test_the_order_and_the_cleaner_make_no_difference(
    recorded: Path,
    records_by_broker: dict[Record, list[dict[str, Any]]],
    batches: list[tuple[Any, ...]],
    tmp_path: Path,
    order: str,
) -> None:
    """Whatever is read first, half-written or whole, once or twice: the union by identity."""
    warehouse = Warehouse(str(tmp_path / "warehouse"))
    halves(recorded / "before-cleaner", tmp_path / "half")
    for places in ORDERS[order]:
        run(warehouse, *(tmp_path / "half" if place == "half" else recorded / place for place in places))
    check(warehouse, records_by_broker)
    assert identities(warehouse, BATCHES) == batches
    assert not plan(warehouse, Sources((str(recorded / "before-cleaner"), str(recorded / "after-cleaner")), "c")).reads


def test_a_broker_alone_and_then_the_others(
    recorded: Path, records_by_broker: dict[Record, list[dict[str, Any]]], tmp_path: Path
) -> None:
    """Each broker's directory by itself, the last one first, gives what all of them together give."""
    warehouse = Warehouse(str(tmp_path / "warehouse"))
    for place in sorted(recorded.glob("*-cleaner/*"), reverse=True):
        run(warehouse, place)
    check(warehouse, records_by_broker)
