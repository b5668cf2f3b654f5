"""When files are compared with their digests: once after they were written, before they are read, and by turns."""

from __future__ import annotations

import json
import os
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from assets.catalog import TABLES
from assets.maintenance.integrity import examine
from assets.maintenance.verification import FILE, SCRUBBED_SHARE, Scope, Verification, read_note
from assets.storage.delta.log_digests import NAME
from assets.storage.parquet_writer import write_file
from assets.storage.warehouse import Warehouse

if TYPE_CHECKING:
    from collections.abc import Callable

BIG, DERIVED = TABLES["raw.batches"], TABLES["mart.log_coverage"]
COUNT = SCRUBBED_SHARE + 10


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    """Two tables, one of which is made from others."""
    here = Warehouse(str(tmp_path))
    for table, count in ((BIG, COUNT), (DERIVED, 2)):
        folder = here.new_folder(table)
        here.make_folder(folder)
        rows = table.file_schema.empty_table()
        here.append(table, [write_file(rows, f"{folder}/{number:02d}.parquet") for number in range(count)], {})
    return here


def look(warehouse: Warehouse, scope: Scope) -> tuple[list[str], list[str]]:
    """A pass, which is noted: the files that were read and sound, and those that were damaged."""
    verification = Verification(warehouse, scope)
    damages = examine(warehouse, with_footers=False, verification=verification)
    verification.note()
    damaged = [damage.file.uri for damage in damages if damage.file]
    return verification.verified, damaged


def names(warehouse: Warehouse) -> list[str]:
    """All data files."""
    return [uri for table in (BIG, DERIVED) for uri in warehouse.files(table.full_name)]


def rot(uri: str) -> None:
    """Flip a bit behind the file system's back: neither size nor time change."""
    path, before = Path(uri), Path(uri).stat()
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 4
    path.write_bytes(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def age(warehouse: Warehouse, days: Callable[[int], int]) -> None:
    """Let the files of the note have been verified so many days ago, the first, the second and so on."""
    now, path = datetime.now(timezone.utc), Path(warehouse.url, FILE)
    files = json.loads(path.read_text("ascii"))["files"]
    for number, place in enumerate(sorted(files)):
        files[place][2] = (now - timedelta(days=days(number))).isoformat()
    path.write_text(json.dumps({"files": files}), encoding="ascii")


def test_every_file_is_verified_once_after_it_was_written(warehouse: Warehouse) -> None:
    """And again when somebody wrote to it."""
    assert sorted(look(warehouse, Scope.DUE)[0]) == sorted(names(warehouse))
    assert look(warehouse, Scope.DUE) == ([], [])
    first = names(warehouse)[0]
    Path(first).write_bytes(Path(first).read_bytes())
    assert look(warehouse, Scope.DUE) == ([first], [])


def test_what_a_run_reads_whole_is_verified_before(warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    """All but the raw tables that are too large for that."""
    look(warehouse, Scope.DUE)
    assert len(look(warehouse, Scope.READ_NEXT)[0]) == COUNT + 2
    monkeypatch.setattr("assets.maintenance.verification.READ_WHOLE_ROWS_MOST", -1)
    derived = warehouse.files(DERIVED.full_name)
    rot(derived[1])
    assert look(warehouse, Scope.READ_NEXT) == ([derived[0]], [derived[1]])


def test_a_damaged_file_is_told_until_it_is_mended(warehouse: Warehouse) -> None:
    """It is not noted as sound, so that every pass reads it again."""
    rotten = names(warehouse)[3]
    look(warehouse, Scope.DUE)
    rot(rotten)
    assert look(warehouse, Scope.DUE) == ([], []), "nothing tells of it but its bytes"
    assert look(warehouse, Scope.ALL)[1] == [rotten]
    assert look(warehouse, Scope.DUE) == ([], [rotten])


def test_files_take_turns_the_longest_unseen_first(warehouse: Warehouse) -> None:
    """A share of each table's files, of those that were not verified for a week."""
    look(warehouse, Scope.DUE)
    age(warehouse, lambda number: 30 - number)
    batches, (completeness, _other) = warehouse.files(BIG.full_name), warehouse.files(DERIVED.full_name)
    ages = dict(zip(sorted(read_note(warehouse)), range(30, -99, -1), strict=False))
    of_batches = sorted(batches, key=lambda uri: -ages.get(uri.removeprefix(f"{warehouse.url}/"), 0))
    expected = [completeness, *of_batches[:2]]
    assert sorted(look(warehouse, Scope.DUE)[0]) == sorted(expected)
    assert sorted(look(warehouse, Scope.DUE)[0]) != sorted(expected)


def test_a_file_of_an_older_release_is_told(warehouse: Warehouse) -> None:
    """It has no digest: nothing can be said of it, and it is no damage."""
    for log in Path(warehouse.url).rglob("*.json"):
        log.write_text(log.read_text("utf-8").replace("blake3", "blake2"), encoding="utf-8")
    for note in Path(warehouse.url).rglob(NAME):
        note.unlink()
    here = Warehouse(warehouse.url)
    verification = Verification(here, Scope.ALL)
    assert examine(here, with_footers=True, verification=verification) == []
    assert (len(verification.without_digest), verification.verified) == (COUNT + 2, [])


@pytest.mark.parametrize("note", ["", "{", "[]", '{"files": {"a": [1, 2]}}', '{"files": {"a": [1, 2, "soon"]}}'])
def test_a_note_that_can_not_be_read_is_none(warehouse: Warehouse, note: str) -> None:
    """All is verified again."""
    look(warehouse, Scope.DUE)
    Path(warehouse.url, FILE).write_text(note, encoding="utf-8")
    assert len(look(warehouse, Scope.DUE)[0]) == COUNT + 2


def test_a_name_in_a_footer_that_is_no_text_any_more_is_damage(warehouse: Warehouse) -> None:
    """Arrow reads the footer, and fails over the name of a column when it is asked."""
    path = Path(warehouse.files(DERIVED.full_name)[0])
    content = path.read_bytes()
    name = DERIVED.column_names[0].encode()
    path.write_bytes(content.replace(name, bytes([name[0] | 0x80]) + name[1:]))
    assert look(warehouse, Scope.ALL)[1] == [str(path)]
