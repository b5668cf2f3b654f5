"""The list of commands, each imported when it is asked for: one does not wait for what only another needs.

Put here the name of a command and its module, which says what it does.
"""

from __future__ import annotations

from collections import UserDict
from importlib import import_module
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

MODULES: Final = {
    "demo": "operations.demo",
    "run": "operations.run",
    "record": "operations.record",
    "groups": "questions.group_views.groups",
    "describe": "questions.group_views.describe",
    "audit": "questions.audit",
    "explain": "questions.explain",
    "failover": "questions.failover",
    "report": "questions.report",
    "records": "extracts.records",
    "evidence": "extracts.evidence",
    "verify": "extracts.verify",
    "notify": "operations.notify",
    "metrics": "operations.metrics",
    "reset-plan": "questions.reset_plan",
    "doctor": "operations.doctor",
    "check": "operations.check",
    "dump": "dumping.dump",
    "tidy": "operations.tidy",
    "repair": "operations.repair",
}
"""The module of each command below this package; the command in it has the module's name."""


class Commands(UserDict[str, click.Command]):
    """The commands by their names, which are there from the start."""

    def __contains__(self, name: object) -> bool:
        """Say whether there is such a command."""
        return name in MODULES

    def __iter__(self) -> Iterator[str]:
        """Give the names."""
        return iter(MODULES)

    def __len__(self) -> int:
        """Give the number of commands."""
        return len(MODULES)

    def __missing__(self, name: str) -> click.Command:
        """Import a command."""
        if name not in MODULES:
            raise KeyError(name)
        module = import_module(f"dagster_project.cli.{MODULES[name]}")
        command: click.Command = getattr(module, name.replace("-", "_"))
        self.data[name] = command
        return command
