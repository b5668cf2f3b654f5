"""Writes every generated page and drawing below `docs`: `python -m dagster_project.pages`.

Put here only the writing. What is written is listed in `generated`.
"""

from __future__ import annotations

from pathlib import Path

from dagster_project.pages.generated import GENERATED

if __name__ == "__main__":
    for path, text in GENERATED.items():
        Path("docs", path).write_text(text(), encoding="utf-8")
