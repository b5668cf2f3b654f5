"""The page of macros has the macros that users call."""

from __future__ import annotations

import re

from assets.models import MACROS
from dagster_project.pages.macros import page


def test_every_macro_for_users_is_on_the_page_and_no_part_of_one() -> None:
    """Names that begin with `_` are parts of others."""
    listed = re.findall(r"^\| `(\w+)\(", page(), re.MULTILINE)
    assert sorted(listed) == sorted(macro.name for macro in MACROS if not macro.name.startswith("_"))


def test_an_argument_that_may_be_left_out_is_in_brackets() -> None:
    """As lag_at's group."""
    assert "| `lag_at(ts, [grp])` |" in page()
