"""Models are short, read few tables, lie in rooms that one can survey, and have names that say what they are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from assets.models import files, select
from assets.models.macro_calls import MACROS

if TYPE_CHECKING:
    from pathlib import Path

LINES_MOST, INPUTS_MOST, FILES_MOST = 120, 7, 15
MODELS = sorted(files.FOLDER.rglob("*.sql"))
ROOMS = sorted(path for path in files.FOLDER.rglob("*") if path.is_dir() and path.name != "__pycache__")
EXPRESSION = re.compile(r"\b(\w+) AS (?:NOT )?(?:MATERIALIZED )?\(")
INPUT = re.compile(r"(?<!DISTINCT )\b(?:FROM|JOIN)\s+\(*(?:FROM\s+)?((?:[a-z_]+\.)?[a-z_]+)|\('(\w+)'\)")
NO_TABLES = {"_cardinality_hint", "query_table", "range", "unnest", "generate_series"}
PAST = {
    "told",
    "said",
    "stood",
    "kept",
    "held",
    "seen",
    "made",
    "found",
    "heard",
    "judged",
    "placed",
    "asked",
    "nobody",
}


def name_of(path: Path) -> str:
    """A model's place among the models."""
    return path.relative_to(files.FOLDER).as_posix()


def inputs(sql: str) -> set[str]:
    """The tables, models and table macros that SQL reads, without its own common table expressions."""
    tables = {name for names in INPUT.findall(sql) for name in names if name}
    return tables - set(EXPRESSION.findall(sql)) - NO_TABLES


@pytest.mark.parametrize("path", MODELS, ids=name_of)
def test_a_model_is_short_and_reads_few_inputs(path: Path) -> None:
    """What is more is an intermediate model, or a helper macro."""
    sql = path.read_text(encoding="utf-8")
    assert sql.count("\n") <= LINES_MOST
    assert len(inputs(files.without_comments(sql))) <= INPUTS_MOST


@pytest.mark.parametrize("path", MODELS, ids=name_of)
def test_a_model_begins_with_what_it_is_and_its_expressions_have_nouns_for_names(path: Path) -> None:
    """The comment comes first; what was told or judged names nothing."""
    sql = path.read_text(encoding="utf-8")
    assert sql.startswith("-- ")
    assert PAST.isdisjoint(EXPRESSION.findall(files.without_comments(sql)))


@pytest.mark.parametrize("room", ROOMS, ids=name_of)
def test_a_room_of_models_can_be_surveyed(room: Path) -> None:
    """It has no more files than a room of modules."""
    assert len([path for path in room.iterdir() if path.is_file()]) <= FILES_MOST


def test_every_file_of_a_macro_is_listed() -> None:
    """A file that no list names would be dead."""
    folder = files.FOLDER / files.MACROS_FOLDER
    assert {path.stem for path in folder.rglob("*.sql")} == {one.name for one in MACROS}


def test_every_intermediate_model_is_read() -> None:
    """By a model that a table or a transform is made of."""
    read = {name for model in files.model_names() for name in EXPRESSION.findall(select(model))}
    assert files.intermediate_names() <= read


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of models of one's own."""
    monkeypatch.setattr(files, "FOLDER", tmp_path)
    (tmp_path / "a" / "intermediate").mkdir(parents=True)
    return tmp_path


def test_intermediate_models_stand_in_front_behind_those_that_they_read(folder: Path) -> None:
    """Wherever they lie, and once each."""
    (folder / "a" / "sums.sql").write_text("-- Sums.\nWITH own AS (SELECT 1)\nFROM totals JOIN own JOIN parts\n")
    (folder / "a" / "intermediate" / "totals.sql").write_text("FROM parts\n")
    (folder / "a" / "intermediate" / "parts.sql").write_text("SELECT 2 AS two\n")
    expected = "-- Sums.\nWITH parts AS (\nSELECT 2 AS two\n),\ntotals AS (\nFROM parts\n),\nown AS (SELECT 1)\n"
    assert select("sums") == f"{expected}FROM totals JOIN own JOIN parts\n"


def test_a_model_without_expressions_of_its_own_gets_them_too(folder: Path) -> None:
    """Named behind FROM, or to a macro."""
    (folder / "a" / "rows.sql").write_text("FROM records_in('parts')\n")
    (folder / "a" / "intermediate" / "parts.sql").write_text("SELECT 2\n")
    assert select("rows") == "WITH parts AS (\nSELECT 2\n)\nFROM records_in('parts')\n"


def test_two_models_of_one_name_are_refused(folder: Path) -> None:
    """With both places."""
    (folder / "a" / "parts.sql").write_text("SELECT 1\n")
    (folder / "a" / "intermediate" / "parts.sql").write_text("SELECT 2\n")
    with pytest.raises(ValueError, match=r"a/parts\.sql: there is already .*intermediate/parts\.sql"):
        select("parts")
