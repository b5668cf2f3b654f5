"""Wildcards in the places a user names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from parsers.errors import SourceError
from parsers.files.places import expand

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Two brokers with two log directories each, and something hidden."""
    for name in ("b-1/logs-1", "b-1/logs-2", "b-2/logs-1", "b-2/other", ".b-3/logs-1"):
        (tmp_path / name).mkdir(parents=True)
    return tmp_path


@pytest.mark.parametrize(
    ("pattern", "matches"),
    [
        ("b-1/logs-1", ["b-1/logs-1"]),
        ("b-*/logs-1", ["b-1/logs-1", "b-2/logs-1"]),
        ("b-?/logs-[12]", ["b-1/logs-1", "b-1/logs-2", "b-2/logs-1"]),
        ("*", ["b-1", "b-2"]),
        (".b*/*", [".b-3/logs-1"]),
        ("nowhere", ["nowhere"]),
    ],
)
def test_a_pattern_names_what_matches(place: Path, pattern: str, matches: list[str]) -> None:
    """In the order of names; a plain place is itself, there or not; hidden folders are matched by a dot only."""
    assert expand(f"{place}/{pattern}") == [f"{place}/{one}" for one in matches]


def test_in_a_url_a_star_is_wild(place: Path) -> None:
    """A question mark begins the options of a store there."""
    assert expand(f"file://{place}/b-*/logs-1") == [f"{place}/b-1/logs-1", f"{place}/b-2/logs-1"]
    assert expand("s3://bucket/logs?region=eu") == ["s3://bucket/logs?region=eu"]


def test_a_pattern_that_matches_nothing_is_refused(place: Path) -> None:
    """It is a mistake, not an empty list."""
    with pytest.raises(SourceError, match="nothing there matches"):
        expand(f"{place}/c-*")


def test_a_name_with_wild_characters_that_is_there_is_plain(place: Path) -> None:
    """A bracket in a name is no pattern then."""
    (place / "b[1]").mkdir()
    assert expand(f"{place}/b[1]") == [f"{place}/b[1]"]
