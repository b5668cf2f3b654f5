"""The docs say what the code does. Only what can be compared by a machine is compared here."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assets.catalog import TABLES
from assets.catalog import page as tables
from assets.models import MACROS
from dagster_project.cli import page as commands
from dagster_project.cli.main import main

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def test_the_page_of_the_tables_is_current() -> None:
    """It is made from the description of the tables: `python -m assets.catalog.page > docs/reference/tables.md`."""
    assert (ROOT / "docs" / "reference" / "tables.md").read_text(encoding="utf-8") == tables.page()


def test_the_page_of_the_commands_is_current() -> None:
    """It is made from their help: `python -m dagster_project.cli.page > docs/reference/commands.md`."""
    assert (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8") == commands.page()


def test_the_changelog_names_every_table_macro_and_command() -> None:
    """What a user can use is announced."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    names = [*TABLES, *(macro.name for macro in MACROS), *main.commands]
    assert [name for name in names if f"`{name}`" not in text and f"`lagbook {name}`" not in text] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_links_lead_somewhere(page: Path) -> None:
    """Every relative link names a file that is there."""
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_defect_of_others_is_held_by_a_test_that_is_there() -> None:
    """Each row of the page names one; a test that is renamed or gone is missed here."""
    page = ROOT / "docs" / "explanation" / "other-tools.md"
    rows = re.findall(r"^\| (?!tool \|)\w.*\|$", page.read_text(encoding="utf-8"), re.MULTILINE)
    named = [re.findall(r"\[(test_\w+)\]\(([^)]+)\)", row) for row in rows]
    assert all(named)
    assert [
        name
        for name, path in (found for of_row in named for found in of_row)
        if f"def {name}(" not in (page.parent / path).read_text(encoding="utf-8")
    ] == []
