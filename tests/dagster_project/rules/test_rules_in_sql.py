"""That kept rules are those of the expectations, whatever became of the file, and that sound tables need no others."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Final

import pytest

from assets.catalog import TABLES
from dagster_project.rules import rules_in_sql
from dagster_project.rules.declared_rules import RULES, expectation_of
from dagster_project.rules.rule_sql import in_sql
from dagster_project.rules.rules_in_sql import every_rule, path_of_rules

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

EXPECTED: Final = {name: [in_sql(name, rule) for rule in rules] for name, rules in RULES.items()}
WITHOUT: Final = """
import sys
from dagster_project.rules import judging, rules_in_sql
rules_in_sql.every_rule()
print("great_expectations" in sys.modules)
"""


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The place of the rules in an installation that has none yet."""
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    every_rule.cache_clear()
    yield path_of_rules()
    every_rule.cache_clear()


def test_kept_rules_are_those_of_the_expectations(path: Path) -> None:
    """Made the first time, read the second, and of every table."""
    first = every_rule()
    assert path.is_file()
    every_rule.cache_clear()
    assert every_rule() == first == EXPECTED
    assert first.keys() == TABLES.keys()


@pytest.mark.parametrize("content", ["", "{", "[]", '{"core.commits": [{"name": "x"}]}', "{}"])
def test_a_damaged_file_is_made_again(path: Path, content: str) -> None:
    """Cut off, or of something else."""
    path.parent.mkdir(parents=True)
    path.write_text(content)
    assert every_rule() == EXPECTED
    every_rule.cache_clear()
    assert every_rule() == EXPECTED


def test_a_flipped_bit_is_no_rule(path: Path) -> None:
    """It would look for other rows, and find none."""
    every_rule()
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("IS NULL", "IS NULM", 1), encoding="utf-8")
    every_rule.cache_clear()
    assert every_rule() == EXPECTED
    assert path.read_text(encoding="utf-8") == text


def test_rules_of_other_sources_go(path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An expectation that changed has another file, and the old one does not stay for ever."""
    every_rule()
    (tmp_path / "other.py").write_text("a rule that changed")
    monkeypatch.setattr(rules_in_sql, "_SOURCES", (*rules_in_sql._SOURCES, tmp_path))  # noqa: SLF001 - one more source
    every_rule.cache_clear()
    assert path_of_rules() != path
    assert every_rule() == EXPECTED
    assert [path_of_rules()] == list(path.parent.iterdir())


def test_an_installation_that_cannot_be_written_makes_them_each_time(path: Path) -> None:
    """It is slower, and nothing else."""
    path.parent.parent.mkdir(exist_ok=True)
    path.parent.write_text("a file where the folder should be")
    assert every_rule() == EXPECTED


def test_each_rule_finds_its_expectation() -> None:
    """Whose word is the last on suspicious rows."""
    for name, rules in EXPECTED.items():
        assert [expectation_of(name, rule.name) for rule in rules] == RULES[name]


def test_sound_tables_need_no_great_expectations() -> None:
    """Importing it takes two seconds."""
    every_rule()
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.strip() == "False"
