"""Which changes make a table anew: those of its inputs, and of what its model and the macros below it say."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from assets import models
from assets.catalog import TABLES
from assets.duckdb import database
from assets.materialize import from_model, from_transform_with_memory
from assets.models import files, macro_calls
from assets.storage.warehouse import Warehouse
from assets.transforms.declaration import TransformWithMemory
from assets.transforms.marts.observed_generations import MODELS
from assets.transforms.marts.replays import MODELS as REPLAY_MODELS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import duckdb
    import pyarrow as pa

WHAT_IF = TABLES["mart.assignor_what_if"]


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    """A warehouse in which every table exists and is empty."""
    empty = Warehouse(str(tmp_path / "warehouse"))
    for table in TABLES.values():
        empty.append(table, (), {})
    return empty


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Models that a test may change."""
    shutil.copytree(files.FOLDER, tmp_path / "models")
    monkeypatch.setattr(files, "FOLDER", tmp_path / "models")
    return tmp_path / "models"


def change(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Say something more in a model or a macro, as whoever starts the next run has it."""
    (path,) = folder.rglob(f"{name}.sql")
    path.write_text(f"{path.read_text()}\n-- and nothing else\n")
    macros = tuple(replace(one) for one in models.MACROS)
    monkeypatch.setattr(macro_calls, "DECLARED", macros)
    monkeypatch.setattr(models, "MACROS", macros)


def is_made(warehouse: Warehouse, name: str = "mart.offsets_now") -> bool:
    """Whether a run makes it, and the one after it no more."""
    is_new, is_again = (not from_model(warehouse, TABLES[name]).unchanged for _ in range(2))
    assert not is_again
    return is_new


def test_a_changed_model_makes_its_table_anew(
    warehouse: Warehouse, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A changed model of another table doesn't."""
    name = "mart.producer_duplicates"
    assert is_made(warehouse, name)
    change(folder, "producer_duplicates", monkeypatch)
    assert is_made(warehouse, name)
    change(folder, "skips", monkeypatch)
    assert not is_made(warehouse, name)


@pytest.mark.parametrize(("name", "is_below"), [("_owners", True), ("_settings_over_time", True), ("explain", False)])
def test_a_changed_macro_changes_what_is_built_on_it(
    *, folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, is_below: bool
) -> None:
    """Replays ask for ends of ownership, which call _owners; they do not call explain."""
    before, lag = models.fingerprint(*REPLAY_MODELS), models.fingerprint("lag_starts")
    change(folder, name, monkeypatch)
    assert (models.fingerprint(*REPLAY_MODELS) != before) is is_below
    assert models.fingerprint("lag_starts") == lag


def test_rows_are_kept_only_by_the_models_that_made_them(
    warehouse: Warehouse, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A transform is told whether its own rows of before are still right."""
    messages = []

    def transform(_: duckdb.DuckDBPyConnection, is_of_this_release: bool) -> Iterator[pa.RecordBatch]:  # noqa: FBT001 - as from_transform_with_memory passes it
        messages.append(is_of_this_release)
        yield from ()

    declared = TransformWithMemory(transform, MODELS)
    from_transform_with_memory(warehouse, WHAT_IF, declared)
    warehouse.replace(TABLES["core.members"], (), {})
    from_transform_with_memory(warehouse, WHAT_IF, declared)
    change(folder, MODELS[1], monkeypatch)
    from_transform_with_memory(warehouse, WHAT_IF, declared)
    assert messages == [False, True, False]


@pytest.mark.parametrize("name", ["skips", "explain"])
def test_a_file_of_other_models_is_not_current(
    warehouse: Warehouse, folder: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """So a run that finds nothing new makes what a changed model makes."""
    database.build(warehouse)
    assert database.is_current(warehouse)
    change(folder, name, monkeypatch)
    assert not database.is_current(warehouse)
