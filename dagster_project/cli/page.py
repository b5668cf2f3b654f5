"""The docs page of the commands.

Put here how the page looks. What it says is the help of each command.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from dagster_project.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Iterator

WIDTH: Final = 100
HEAD: Final = """# Commands

Made by `python -m dagster_project.pages` from what `--help` prints; do not edit by hand.
"""


def page() -> str:
    """The whole page."""
    return "\n".join([HEAD, *(line for name in sorted(main.commands) for line in _section(name))])


def _section(name: str) -> Iterator[str]:
    """Ask below the group, as a user does: what it sets, such as `-h`, stands in the help of every command."""
    command = main.commands[name]
    group = click.Context(main, info_name="lagbook", **main.context_settings)
    with click.Context(command, parent=group, info_name=name, max_content_width=WIDTH, terminal_width=WIDTH) as context:
        yield f"## lagbook {name}\n\n```text\n{command.get_help(context)}\n```\n"
