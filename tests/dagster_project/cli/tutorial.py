"""The commands of docs/tutorial.md and the outputs that the page shows, and how the page is written anew.

Put here how the page is read. That the demo answers so is tested in `test_demo`. After a change of words
`python -m tests.dagster_project.cli.tutorial FOLDER` writes the outputs anew; `lagbook demo` has run in that folder.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

PAGE: Final = Path(__file__).parents[3] / "docs" / "tutorial.md"
BLOCK: Final = re.compile(r"^```console\n\$ ([^\n]+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
AGE: Final = re.compile(r"(As of [^,;]* UTC), [^;]* ago")
LEFT_OUT: Final = "...\n"


def incident() -> str:
    """The id of the incident that the page reports."""
    match = re.search(r"report --incident (\w+)", PAGE.read_text(encoding="utf-8"))
    assert match
    return match[1]


def sessions() -> dict[str, str]:
    """Each command of the page with the output that the page shows."""
    return dict(BLOCK.findall(PAGE.read_text(encoding="utf-8")))


def without_age(output: str) -> str:
    """An output without how long ago something was: that is another one every minute."""
    return AGE.sub(r"\1", output)


def shows(output: str, shown: str) -> bool:
    """Whether the page shows this output; a line of three dots stands for any number of lines."""
    parts = [re.escape(without_age(part)) for part in shown.split(LEFT_OUT)]
    return re.fullmatch("(?:.*\n)*?".join(parts), without_age(output)) is not None


def typed(command: str) -> str:
    """The command line for this tree's Python, wherever it is, with its messages among its output."""
    here = command.replace(".venv/bin/python", sys.executable)
    return f"({here.replace('.venv/bin/lagbook', f'{sys.executable} -m dagster_project.cli')}) 2>&1"


def rewritten(page: str, answer: Callable[[str], str]) -> str:
    """The page with the outputs of now, but for those of which it leaves parts out."""

    def block(match: re.Match[str]) -> str:
        return match[0] if LEFT_OUT in match[2] else f"```console\n$ {match[1]}\n{answer(match[1])}```"

    return BLOCK.sub(block, page)


def _answer(command: str) -> str:
    place = {**os.environ, "PYTHONPATH": str(PAGE.parents[1])}
    ran = subprocess.run(  # noqa: S602 - the page's own commands
        typed(command), shell=True, cwd=sys.argv[1], env=place, capture_output=True, text=True, check=False
    )
    return ran.stdout


if __name__ == "__main__":
    PAGE.write_text(rewritten(PAGE.read_text(encoding="utf-8"), _answer), encoding="utf-8")
