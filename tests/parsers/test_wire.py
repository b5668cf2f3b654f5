"""What a row of a format table may say: versions, names, defaults."""

from __future__ import annotations

import pytest

from parsers.wire import Field, Layout, Wire, among, between, camel, only, since, snake, until

INNER = (Field("a", Wire.INT8), Field("b", Wire.INT8, versions=since(2)))
LAYOUT = Layout(
    "Example",
    versions=range(1, 4),
    drafts=("1.1", "1.0"),
    fields=(
        Field("early", Wire.INT8, versions=until(-1)),
        Field("always", Wire.STRUCT, fields=INNER),
        Field("once", Wire.INT8, versions=only(2)),
    ),
)


@pytest.mark.parametrize(
    ("versions", "members"),
    [
        (since(3), {3, 4, 5}),
        (until(-1), {-2, -1}),
        (only(1), {1}),
        (between(1, 3), {1, 2, 3}),
        (among(0, 5), {0, 5}),
    ],
)
def test_versions_are_what_their_name_says(versions: range, members: set[int]) -> None:
    """Both ends count, and what has no end goes on."""
    assert {version for version in range(-2, 6) if version in versions} == members


def test_fields_of_a_version_are_taken_at_every_depth() -> None:
    """A version has its own rows only, in a struct too; a pre-release one is told by a number below zero."""
    names = {version: [row.name for row in LAYOUT.fields_of(version)] for version in LAYOUT.variants}
    assert names[-2] == names[-1] == ["early", "always"]
    assert names[1] == names[3] == ["always"]
    assert names[2] == ["always", "once"]
    (always,) = LAYOUT.fields_of(1)
    assert [row.name for row in always.fields] == ["a"]


@pytest.mark.parametrize(
    ("column", "kafka"), [("offset", "offset"), ("leader_epoch", "leaderEpoch"), ("err_code", "errCode")]
)
def test_names_are_kafkas_in_json(column: str, kafka: str) -> None:
    """The words are the same, and either form gives the other."""
    assert camel(column) == kafka
    assert snake(kafka) == column
