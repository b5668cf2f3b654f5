"""Errors of libraries, as they are shown."""

from __future__ import annotations

import pytest

from parsers.errors import sentence


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("", ""),
        (
            "Generic\n  \x1b[31m\u21b3\x1b[0m Unable to copy\n   \x1b[31m\u21b3\x1b[0m No space\n",
            "Generic: Unable to copy: No space",
        ),
    ],
)
def test_an_error_of_many_lines_becomes_one(text: str, shown: str) -> None:
    """With its reason, and without what is meant for a terminal."""
    assert sentence(OSError(text)) == shown
