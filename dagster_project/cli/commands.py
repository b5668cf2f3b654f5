"""The list of commands, each imported when it is asked for: one does not wait for what only another needs.

Put here the name of a command; what it does is in the module of that name.
"""

from __future__ import annotations

from collections import UserDict
from importlib import import_module
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMES: Final = (
    "demo",
    "run",
    "record",
    "describe",
    "audit",
    "explain",
    "report",
    "reset-plan",
    "doctor",
    "dump",
    "tidy",
    "repair",
)
"""Each is a module beside this one, and the command in it; where the name has a dash, theirs has an underscore."""


class Commands(UserDict[str, click.Command]):
    """The commands by their names, which are there from the start."""

    def __contains__(self, name: object) -> bool:
        """Say whether there is such a command."""
        return name in NAMES

    def __iter__(self) -> Iterator[str]:
        """Give the names."""
        return iter(NAMES)

    def __len__(self) -> int:
        """Give the number of commands."""
        return len(NAMES)

    def __missing__(self, name: str) -> click.Command:
        """Import a command."""
        if name not in NAMES:
            raise KeyError(name)
        word = name.replace("-", "_")
        command: click.Command = getattr(import_module(f"dagster_project.cli.{word}"), word)
        self.data[name] = command
        return command
