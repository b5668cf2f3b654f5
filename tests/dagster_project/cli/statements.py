"""Every statement of SQL on the pages of the docs, with the place where it stands.

Put here how statements are found. That they run is tested in `test_demo`; what the questions answer is in `questions`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import duckdb

DOCS: Final = Path(__file__).parents[3] / "docs"
BLOCK: Final = re.compile(r"^```sql\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Statement:
    """One statement and the page and line where its block begins."""

    place: str
    text: str


def statements_of_the_docs() -> list[Statement]:
    """All of them, page by page."""
    return [each for page in sorted(DOCS.glob("**/*.md")) for each in _of(page)]


def _of(page: Path) -> list[Statement]:
    text = page.read_text(encoding="utf-8")
    return [
        Statement(f"{page.relative_to(DOCS)}:{text.count(chr(10), 0, block.start()) + 1}", one.query)
        for block in BLOCK.finditer(text)
        for one in duckdb.extract_statements(block[1])
    ]
