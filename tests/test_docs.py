"""The docs say what the code does. Only what can be compared by a machine is compared here."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import tomli

from assets.catalog import TABLES
from assets.models import MACROS
from dagster_project.cli.main import main
from dagster_project.pages.entities import FIRST_TABLES
from dagster_project.pages.generated import GENERATED

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.glob("**/*.md")])
NEW_FILE = "topic_readers.sql"
"""The file that CONTRIBUTING.md has one write."""
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")


@pytest.mark.parametrize("path", GENERATED)
def test_a_generated_page_is_current(path: str) -> None:
    """It is written from the code: `python -m dagster_project.pages`."""
    assert (DOCS / path).read_text(encoding="utf-8") == GENERATED[path]()


def test_the_changelog_names_every_table_macro_and_command() -> None:
    """What a user can use is announced."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    names = [*TABLES, *(macro.name for macro in MACROS if not macro.is_helper), *main.commands]
    assert [name for name in names if f"`{name}`" not in text and f"`lagbook {name}`" not in text] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    """Every relative link names a file that is there."""
    links = LINK.findall(page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_pages_by_hand_lead_to_the_glossary() -> None:
    """A reader who meets a term finds what it means."""
    pages = [page for page in PAGES if DOCS in page.parents and str(page.relative_to(DOCS)) not in GENERATED]
    assert [page for page in pages if "glossary.md" not in page.read_text(encoding="utf-8")] == [DOCS / "glossary.md"]


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_files_that_are_named_are_there(page: str) -> None:
    """A module that was moved is named by its new place."""
    names = re.findall(r"`([a-z_]+(?:/[a-z_.]+)*\.(?:py|sql))`", (ROOT / page).read_text(encoding="utf-8"))
    rooms = ("assets", "benchmarks", "dagster_project", "expectations", "parsers", "tests")
    files = [path.as_posix() for room in rooms for path in (ROOT / room).rglob("*") if path.suffix in {".py", ".sql"}]
    assert len(names) > 5
    assert [name for name in names if name != NEW_FILE and not any(path.endswith(f"/{name}") for path in files)] == []


@pytest.mark.parametrize("page", sorted(DOCS.glob("**/*.md")), ids=lambda path: str(path.relative_to(DOCS)))
def test_a_page_of_the_site_links_to_nothing_outside_of_it(page: Path) -> None:
    """Other files have no address there: pages name them by their path."""
    links = LINK.findall(page.read_text(encoding="utf-8"))
    assert [link for link in links if DOCS not in (page.parent / link).resolve().parents] == []


def test_the_glossary_defines_each_term_once() -> None:
    """A row may have several terms, which are synonyms or opposites; none is in two rows."""
    rows = re.findall(r"^\| (?!term \|)(\w[^|]*) \|", (DOCS / "glossary.md").read_text(encoding="utf-8"), re.MULTILINE)
    terms = [term for row in rows for term in row.split(", ")]
    assert len(terms) > len(rows) > 40
    assert sorted(set(terms)) == sorted(terms)


@pytest.mark.parametrize("page", sorted(DOCS.glob("**/*.md")), ids=lambda path: str(path.relative_to(DOCS)))
def test_a_value_that_a_page_lists_is_one_of_the_code(page: Path) -> None:
    """A table whose first column is headed by a column's name lists values, which the code writes in quotes."""
    written = "".join(path.read_text(encoding="utf-8") for room in ("assets", "parsers") for path in _sources(room))
    tables = re.findall(r"^\| `\w+` \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", page.read_text(encoding="utf-8"), re.MULTILINE)
    cells = [row.split("|")[1] for rows in tables for row in rows.splitlines()]
    values = [value for cell in cells for value in re.findall(r"`([\w ]+)`", cell)]
    assert [value for value in values if not re.search(rf"""['"]{value}['"]""", written)] == []


def _sources(room: str) -> list[Path]:
    return [path for path in (ROOT / room).glob("**/*") if path.suffix in {".py", ".sql"}]


def test_the_readme_lists_the_tables_to_know_first() -> None:
    """The same eight as the page of the main tables, in its order."""
    listed = re.findall(r"^\| `([a-z]+\.\w+)` \|", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert listed == list(FIRST_TABLES)


def test_the_navigation_has_every_page_once() -> None:
    """And none that is not there."""
    settings = tomli.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]
    assert sorted(_pages_in(settings["nav"])) == sorted(str(page.relative_to(DOCS)) for page in DOCS.glob("**/*.md"))


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    """As `make docs` builds it: a page or an anchor that is not there ends the build."""
    pytest.importorskip("zensical", reason="the extra `docs` is not installed: `make docs` does it")
    shutil.copytree(DOCS, tmp_path / "docs")
    shutil.copy(ROOT / "zensical.toml", tmp_path)
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    built = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    loaded = re.compile(r"<(?:script|link|img|iframe)[^>]*(?:src|href)=\"?(?:https?:)?//")
    pages = (tmp_path / "site").glob("**/*.html")
    assert [page.name for page in pages if loaded.search(page.read_text(encoding="utf-8"))] == []


def _pages_in(nav: object) -> list[str]:
    """All pages of a navigation, which nests lists and tables of one entry."""
    if isinstance(nav, str):
        return [nav]
    children = nav.values() if isinstance(nav, dict) else nav if isinstance(nav, list) else []
    return [page for child in children for page in _pages_in(child)]


def test_every_defect_of_others_is_held_by_a_test_that_is_there() -> None:
    """Each row of the page names one; a test that is renamed or gone is missed here."""
    page = DOCS / "explanation" / "other-tools.md"
    rows = re.findall(r"^\| (?!tool \|)\w.*\|$", page.read_text(encoding="utf-8"), re.MULTILINE)
    named = [re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", row) for row in rows]
    assert all(named)
    assert [
        name
        for path, name in (test for of_row in named for test in of_row)
        if f"def {name}(" not in (ROOT / path).read_text(encoding="utf-8")
    ] == []


def test_the_unit_of_the_recorder_calls_it_as_it_is() -> None:
    """Every option that the unit gives is one of the command."""
    unit = (ROOT / "deploy" / "lagbook-record@.service").read_text(encoding="utf-8")
    (line,) = [line for line in unit.splitlines() if line.startswith("ExecStart=")]
    program, command, *words = line.removeprefix("ExecStart=").split()
    assert (Path(program).name, command) == ("lagbook", "record")
    known = {option for parameter in main.commands["record"].params for option in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= known
