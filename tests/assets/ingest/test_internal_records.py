"""Records of internal topics in the archive: each once, whichever copies are read, in whichever order, how often."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow.dataset as ds
import pytest

from assets.catalog import TABLES
from assets.ingest.erased_groups import ERASED
from assets.ingest.ingest import ingest
from assets.ingest.plan import Sources, plan
from assets.maintenance.erasure import erase, look
from assets.storage.warehouse import Warehouse
from parsers.files.internal_topics import DECLARED, InternalTopics, named_topics
from tests.assets.inline import inline
from tests.parsers.golden import blob_vectors
from tests.parsers.log_writer import batch, record

if TYPE_CHECKING:
    from pathlib import Path

TOPIC: Final = "__share_group_state"
FILE: Final = "00000000000000000000.log"
KEY: Final = next(one.data for one in blob_vectors("vectors-blobs.txt") if one.name == "share snapshot key")
OTHER_KEY: Final = KEY[:2] + b"\0\5other" + KEY[5:]
LOG: Final = [
    batch(0, [record(0, KEY, b"a"), record(1, OTHER_KEY, b"b")]),
    batch(2, [record(0, KEY, b"c")]),
    batch(3, [record(0, KEY, None), record(1, KEY, b"d")]),
]


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    """An empty warehouse."""
    return Warehouse(str(tmp_path / "warehouse"))


def write(folder: Path, batches: list[bytes], topic: str = TOPIC) -> Path:
    """A log directory with one partition of a topic."""
    (folder / f"{topic}-0").mkdir(parents=True, exist_ok=True)
    (folder / f"{topic}-0" / FILE).write_bytes(b"".join(batches))
    return folder


def run(warehouse: Warehouse, *places: Path, internal: InternalTopics = DECLARED) -> None:
    """One run over these places."""
    ingest(inline, warehouse, plan(warehouse, Sources(tuple(map(str, places)), "c", internal_topics=internal)))


def rows(warehouse: Warehouse, name: str = "raw.internal_records") -> list[dict[str, Any]]:
    """All rows of a table, in their order in the log."""
    files = warehouse.files(name)
    table = ds.dataset(files, schema=TABLES[name].schema).to_table() if files else None
    order = {"raw.batches": "base_offset"}.get(name, "record_offset")
    return sorted(table.to_pylist(), key=lambda row: (row[order], row.get("path", ""))) if table else []


def values(warehouse: Warehouse) -> list[tuple[int, bytes | None]]:
    """Offset and value of each record."""
    return [(row["record_offset"], row["value"]) for row in rows(warehouse)]


WHOLE: Final = [(0, b"a"), (1, b"b"), (2, b"c"), (3, None), (4, b"d")]


def test_records_and_the_headers_of_their_batches_are_read(warehouse: Warehouse, tmp_path: Path) -> None:
    """Both tables come from one read of the file."""
    run(warehouse, write(tmp_path / "a", LOG))
    assert values(warehouse) == WHOLE
    assert [row["group_id"] for row in rows(warehouse)] == ["g", "other", "g", "g", "g"]
    assert [(row["base_offset"], row["last_offset"]) for row in rows(warehouse, "raw.batches")] == [
        (0, 1),
        (2, 2),
        (3, 4),
    ]


def test_a_grown_file_gives_its_new_records(warehouse: Warehouse, tmp_path: Path) -> None:
    """The run after reads the rest, and the one after that nothing."""
    run(warehouse, write(tmp_path / "a", LOG[:1]))
    run(warehouse, write(tmp_path / "a", LOG))
    assert values(warehouse) == WHOLE
    assert plan(warehouse, Sources((str(tmp_path / "a"),), "c")).is_empty


@pytest.mark.parametrize("together", [True, False])
def test_copies_give_each_record_once(warehouse: Warehouse, tmp_path: Path, *, together: bool) -> None:
    """One copy lacks what the other has: the cleaner dropped a record, or its end was not copied."""
    cleaned = [batch(0, [record(1, OTHER_KEY, b"b")], count=1, last_delta=1), *LOG[1:]]
    copies = [write(tmp_path / "a", LOG[:2]), write(tmp_path / "b", cleaned)]
    for places in [copies] if together else [[one] for one in copies]:
        run(warehouse, *places)
    assert values(warehouse) == WHOLE
    assert rows(warehouse, "raw.diverged_internal_records") == []


@pytest.mark.parametrize("together", [True, False])
def test_a_copy_that_says_something_else_diverges(warehouse: Warehouse, tmp_path: Path, *, together: bool) -> None:
    """The first row stays, the other is told beside it with its file."""
    other = [LOG[0], batch(2, [record(0, KEY, b"X")])]
    copies = [write(tmp_path / "a", LOG), write(tmp_path / "b", other)]
    for places in [copies] if together else [[one] for one in copies]:
        run(warehouse, *places)
    assert values(warehouse) == WHOLE
    (diverged,) = rows(warehouse, "raw.diverged_internal_records")
    assert (diverged["record_offset"], diverged["value"], diverged["path"]) == (
        2,
        b"X",
        str(tmp_path / "b" / f"{TOPIC}-0" / FILE),
    )


def test_a_topic_that_is_named_later_is_read_again_for_its_records(warehouse: Warehouse, tmp_path: Path) -> None:
    """Its headers were read before: they are known, and its records are new."""
    place = write(tmp_path / "a", LOG, "my-state")
    run(warehouse, place)
    assert rows(warehouse) == []
    named = named_topics(["share_group_state=my-*"])
    run(warehouse, place, internal=named)
    assert values(warehouse) == WHOLE
    assert len(rows(warehouse, "raw.batches")) == len(LOG)
    assert plan(warehouse, Sources((str(place),), "c", internal_topics=named)).is_empty


def test_a_batch_with_a_wrong_checksum_is_set_aside(warehouse: Warehouse, tmp_path: Path) -> None:
    """Neither its header nor its records count, and the batches around it do."""
    torn = LOG[1][:-1] + bytes([LOG[1][-1] ^ 1])
    run(warehouse, write(tmp_path / "a", [LOG[0], torn, LOG[2]]))
    assert values(warehouse) == [*WHOLE[:2], *WHOLE[3:]]
    assert [row["base_offset"] for row in rows(warehouse, "raw.batches")] == [0, 3]
    assert len(ds.dataset(warehouse.files("raw.quarantine")).to_table()) == 1


@pytest.mark.parametrize("is_read_before", [True, False])
def test_an_erased_group_leaves_its_place_and_nothing_else(
    warehouse: Warehouse, tmp_path: Path, *, is_read_before: bool
) -> None:
    """Its records stay blank, in the archive and in whatever is read later; those of other groups stay."""
    run(warehouse, write(tmp_path / "a", LOG if is_read_before else LOG[:1]))
    if is_read_before:
        assert dict(look(warehouse, "g").rows)["raw.internal_records"] == len(LOG) + 1
    erase(warehouse, "g")
    run(warehouse, write(tmp_path / "b", LOG))
    assert values(warehouse) == [(0, None), (1, b"b"), (2, None), (3, None), (4, None)]
    blank = [row for row in rows(warehouse) if row["control_type"] == ERASED]
    assert {(row["group_id"], row["key"], row["topic"], row["partition"]) for row in blank} == {(None, None, TOPIC, 0)}
    assert [row["record_offset"] for row in blank] == [0, 2, 3, 4]
