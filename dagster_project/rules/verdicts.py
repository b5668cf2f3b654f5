"""What is said of one rule and some rows: it holds, it is broken, or it could not be judged.

Put here what a verdict is. Who reaches one is in `dagster_project.rules.judging`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


class RuleError(Exception):
    """A rule could not be judged: that is neither a pass nor a failure."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a rule holds, how many of the rows break it, and what some of them look like."""

    holds: bool
    broken_count: int = 0
    broken: str = ""
    is_at_least: bool = False
    """Whether more rows may break it than were counted."""


HOLDS: Final = Verdict(holds=True)
