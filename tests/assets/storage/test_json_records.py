"""Small records: replaced as a whole, and with a bit flipped an error or the same fields."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest
from pyarrow import fs

from assets.storage.json_records import DIGEST, read_record, replace_record

if TYPE_CHECKING:
    from pathlib import Path

FIELDS: Final[dict[str, Any]] = {
    "key": "a3" * 8,
    "digests": ["b1", "c2"],
    "is_pending": False,
    "note": None,
    "count": 7,
}


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    """Without its digest; the next one takes its place, and no other file is left."""
    path = str(tmp_path / "record.json")
    for fields in ({"a": [1.5, "\ud83d\ude00\x00"]}, FIELDS):
        replace_record(fs.LocalFileSystem(), path, fields)
        assert read_record(fs.LocalFileSystem(), path) == json.loads(json.dumps(fields))
    assert [entry.name for entry in tmp_path.iterdir()] == ["record.json"]


def test_no_flipped_bit_changes_a_field(tmp_path: Path) -> None:
    """Of any byte: JSON alone would give another digit or letter in most places."""
    path = tmp_path / "record.json"
    replace_record(fs.LocalFileSystem(), str(path), FIELDS)
    content, refused = path.read_bytes(), 0
    for place in range(8 * len(content)):
        flipped = bytearray(content)
        flipped[place // 8] ^= 1 << place % 8
        path.write_bytes(flipped)
        try:
            assert FIELDS.items() <= read_record(fs.LocalFileSystem(), str(path)).items()
        except ValueError:
            refused += 1
    assert refused > 6 * len(content)


def test_a_record_of_an_older_release_is_taken_as_it_is(tmp_path: Path) -> None:
    """It has no digest."""
    (tmp_path / "record.json").write_text(json.dumps(FIELDS))
    assert DIGEST not in FIELDS
    assert read_record(fs.LocalFileSystem(), str(tmp_path / "record.json")) == FIELDS


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"1", b"\xff"])
def test_what_is_no_record_is_an_error(tmp_path: Path, content: bytes) -> None:
    """The same as for a damaged one."""
    (tmp_path / "record.json").write_bytes(content)
    with pytest.raises(ValueError, match=r"\S"):
        read_record(fs.LocalFileSystem(), str(tmp_path / "record.json"))
