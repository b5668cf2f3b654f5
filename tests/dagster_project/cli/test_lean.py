"""A lean start hides what is not needed, for as long as it lasts, and nothing that is there already."""

from __future__ import annotations

import gc
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from dagster_project.cli.lean import import_lean, lean


def test_packages_are_hidden_while_it_lasts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A package that is installed is looked for in vain, and found again afterwards."""
    (tmp_path / "scipy.py").write_text("here = True\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "scipy", raising=False)
    before = list(sys.meta_path)
    with lean(), pytest.raises(ModuleNotFoundError, match="scipy is not needed here"):
        import_module("scipy")
    assert sys.meta_path == before
    assert import_module("scipy").here
    with lean():
        assert import_module("scipy").here
    monkeypatch.delitem(sys.modules, "scipy")


def test_what_was_imported_is_passed_over(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The collector rests, and has less to look through afterwards; where nothing came, nothing is kept for ever."""
    (tmp_path / "much.py").write_text("lists = [[] for _ in range(1000)]\n")
    monkeypatch.syspath_prepend(tmp_path)
    before = gc.get_freeze_count()
    with import_lean():
        assert not gc.isenabled()
        import_module("much")
    assert gc.isenabled()
    frozen = gc.get_freeze_count()
    assert frozen >= before + 1000
    live_objects: list[list[int]] = [[] for _ in range(1000)]
    with import_lean():
        import_module("much")
    assert gc.get_freeze_count() <= frozen
    assert live_objects
    monkeypatch.delitem(sys.modules, "much")


@pytest.mark.parametrize("has_settings", [True, False])
def test_settings_of_numba_are_read(has_settings: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:  # noqa: FBT001 - as pytest passes it
    """Where the current directory has settings for numba, what reads them is not hidden."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "yaml", raising=False)
    if has_settings:
        Path(".numba_config.yaml").write_text("")
    with lean():
        assert (find_spec_of("yaml") is None) is not has_settings


def find_spec_of(package: str) -> object:
    """Look for a package as an import does; None where it is hidden."""
    try:
        return find_spec(package)
    except ModuleNotFoundError:
        return None
