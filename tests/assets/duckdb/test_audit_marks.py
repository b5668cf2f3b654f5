"""What people wrote down about incidents stays, each by itself, and damage to it is a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from assets.duckdb import audit_marks
from assets.storage.warehouse import Warehouse
from parsers.errors import WarehouseError

if TYPE_CHECKING:
    from pathlib import Path


def test_what_is_acknowledged_stays_and_can_be_taken_back(tmp_path: Path) -> None:
    """In the order in which it was written; the second word about an incident replaces the first."""
    warehouse = Warehouse(str(tmp_path))
    for incident, note in (("b1", "first"), ("a2", None), ("b1", "second")):
        audit_marks.acknowledge(warehouse, incident, "high", note)
    marks = {mark.incident_id: mark.note for mark in audit_marks.acknowledgements(Warehouse(str(tmp_path)))}
    assert marks == {"b1": "second", "a2": None}
    assert audit_marks.take_back(warehouse, "b1")
    assert not audit_marks.take_back(warehouse, "b1")
    assert [mark.incident_id for mark in audit_marks.acknowledgements(warehouse)] == ["a2"]


def test_a_warehouse_without_a_word_has_none(tmp_path: Path) -> None:
    """Nothing is written by reading."""
    warehouse = Warehouse(str(tmp_path))
    assert audit_marks.acknowledgements(warehouse) == []
    assert audit_marks.listed_incidents(warehouse) == frozenset()
    assert list(tmp_path.iterdir()) == []


def test_the_last_look_is_replaced_as_a_whole(tmp_path: Path) -> None:
    """A reader finds one list or the other."""
    warehouse = Warehouse(str(tmp_path))
    audit_marks.write_listed(warehouse, {"a", "b"})
    audit_marks.write_listed(warehouse, {"c"})
    assert audit_marks.listed_incidents(warehouse) == {"c"}
    assert [file.name for file in tmp_path.iterdir()] == [audit_marks.LAST_LOOK]


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"{}", b"\xff"])
def test_a_record_that_is_broken_is_a_sentence(tmp_path: Path, content: bytes) -> None:
    """With its path: to delete it is all that helps."""
    warehouse = Warehouse(str(tmp_path))
    (tmp_path / audit_marks.FOLDER).mkdir()
    (tmp_path / audit_marks.FOLDER / "a.json").write_bytes(content)
    with pytest.raises(WarehouseError, match=r"a\.json can't be read: .*; delete it to go on without it"):
        audit_marks.acknowledgements(warehouse)
    (tmp_path / audit_marks.LAST_LOOK).write_bytes(content)
    with pytest.raises(WarehouseError, match=r"_last_look\.json can't be read"):
        audit_marks.listed_incidents(warehouse)
