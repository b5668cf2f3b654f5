"""The list of commands knows all names at once, and imports a command when it is asked for."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from dagster_project.cli.commands import MODULES, Commands


def test_names_are_there_and_commands_come_on_demand() -> None:
    """Each name has its command, and no other name has one."""
    commands = Commands()
    assert list(commands) == list(MODULES)
    assert len(commands) == len(MODULES)
    assert "dump" in commands
    assert "dumb" not in commands
    assert commands["dump"] is commands["dump"]
    assert {name: commands[name].name for name in MODULES} == {name: name for name in MODULES}
    with pytest.raises(KeyError):
        commands["dumb"]


def test_a_command_does_not_wait_for_the_others() -> None:
    """Whoever asks for the dump imports no other command."""
    script = (
        "import json, sys; from dagster_project.cli.main import main; main.commands['dump'];"
        "print(json.dumps([name for name in sys.modules if name.startswith('dagster_project.cli.')]))"
    )
    shown = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    imported = {name.rpartition(".")[2] for name in json.loads(shown.stdout)}
    assert imported & set(MODULES) == {"dump"}
