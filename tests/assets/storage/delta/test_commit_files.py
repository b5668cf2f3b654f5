"""What a commit file says of the files of its table."""

from __future__ import annotations

from pathlib import Path

import pytest

from assets.catalog import TABLES
from assets.storage.data_files import DataFile, locate
from assets.storage.delta.commit_files import is_sound, read_actions, with_merges
from assets.storage.delta.log_digests import NAME
from assets.storage.digests import digests_in
from assets.storage.parquet_writer import write_file
from assets.storage.small_files import Merged
from assets.storage.warehouse import Warehouse
from parsers.errors import WarehouseError

BATCHES = TABLES["raw.batches"]


def action(side: str, path: str, *, is_news: bool) -> dict[str, dict[str, object]]:
    """An action of a commit."""
    return {side: {"path": path, "dataChange": is_news}}


def test_merged_files_take_the_place_of_those_that_they_have_the_rows_of() -> None:
    """Files that came or went with a change of data are no matter."""
    actions: list[dict[str, dict[str, object]]] = [
        action("remove", "a", is_news=False),
        action("remove", "b%20b", is_news=False),
        action("add", "m", is_news=False),
        action("add", "new", is_news=True),
        action("remove", "c", is_news=True),
        {"commitInfo": {}},
    ]
    assert with_merges(frozenset({"a", "b b", "c"}), actions) == {"c", "m"}


def test_a_merge_with_other_files_leaves_unknown_rows() -> None:
    """Nobody can tell which of the merged files has rows of the others."""
    actions = [action("remove", "a", is_news=False), action("remove", "x", is_news=False)]
    assert with_merges(frozenset({"a"}), [*actions, action("add", "m", is_news=False)]) == {"a"}


def test_a_commit_is_sound_as_written_and_with_no_bit_that_flipped_in_an_action(tmp_path: Path) -> None:
    """Added files, removed ones and the note; in commits that append, overwrite, merge, and note alone."""
    warehouse = Warehouse(str(tmp_path))
    log = Path(warehouse.table_url(BATCHES.full_name), "_delta_log")
    for number in range(2):
        warehouse.append(BATCHES, [_written(warehouse)], {"run": number})
    warehouse.begin(BATCHES).revise(warehouse.file_list(BATCHES.full_name)[:1], [_written(warehouse)], {"run": 2})
    merged = Merged(tuple(warehouse.file_list(BATCHES.full_name)), (_written(warehouse),))
    warehouse.begin(BATCHES).merge(merged)
    warehouse.replace(BATCHES, [_written(warehouse)], {"raw.x": 1})
    warehouse.begin(BATCHES).remember({"holder": "a"})
    (log.parent / NAME).unlink()
    commits = sorted(log.glob("*.json"))
    system = locate(str(tmp_path))[0]
    assert [is_sound(read_actions(system, str(commit))) for commit in commits] == [True] * 7
    for commit in commits[1:]:
        text = commit.read_text()
        for word, other in (('"remove"', '"semove"'), ('"add"', '"ade"'), ("numRecords", "numRecordr"), ("run", "rvn")):
            if word in text:
                commit.write_text(text.replace(word, other, 1))
                assert not is_sound(read_actions(system, str(commit))), (commit, word)
        commit.write_text(text.replace('"remove"', '"semove"').replace("numRecords", "numRecordr"))
        if commit.read_text() != text:
            with pytest.raises(WarehouseError, match=f"{commit} can't be read: it has other actions than were written"):
                digests_in(system, str(log))
        commit.write_text(text)
    assert len(digests_in(system, str(log))) == 5


def _written(warehouse: Warehouse) -> DataFile:
    """A file of the table that is written and not yet part of it."""
    folder = warehouse.new_folder(BATCHES)
    warehouse.make_folder(folder)
    return write_file(BATCHES.file_schema.empty_table(), f"{folder}/rows.parquet")
