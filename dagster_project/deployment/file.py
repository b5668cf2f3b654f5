"""Where lagbook.toml is: named by LAGBOOK_FILE, else in the current folder, else nowhere.

Put here how it is looked for. What stands in it belongs to the modules of its tables.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dagster_project.deployment.sections import read_sections

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dagster_project.deployment.sections import Section

NAME: Final = "lagbook.toml"
TABLES: Final = ("alerts", "clusters", "code")


def lagbook_file(environment: Mapping[str, str] = os.environ) -> Section | None:
    """The file; None where none is named and none lies in the current folder."""
    named = environment.get("LAGBOOK_FILE")
    if not named and not Path(NAME).exists():
        return None
    return opened(Path(named or NAME))


def opened(file: Path) -> Section:
    """The file at this path, which has no tables but those that are known."""
    checked = read_sections(file.absolute())
    for name in TABLES:
        checked.section(name)
    checked.text("warehouse")
    checked.end()
    return checked
