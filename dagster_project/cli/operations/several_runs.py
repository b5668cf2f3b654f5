"""Runs of several clusters, one after the other, each in a process of its own: one that dies ends no other.

Put here how they are started and what they end with. What one does belongs to `run`.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any, Final

import click

from dagster_project.cli import exits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import FrameType
    from typing import NoReturn

_OF_ONE: Final = {
    "warehouse": "--warehouse",
    "client_config": "--client-config",
    "configs": "--config",
    "external_stores": "--external-stores",
    "internal_topics": "--internal-topic",
    "mirror_aliases": "--mirror-alias",
}


def run_each(names: Sequence[str], words: Mapping[str, Any], *, as_json: bool) -> int:
    """Run these clusters of lagbook.toml; end with the worst of their exit codes. JSON is one document for each."""
    for key, option in _OF_ONE.items():
        if words[key]:
            raise click.UsageError(f"{option} is for one cluster: name it by --cluster.", click.get_current_context())
    timeout = [f"--timeout={words['timeout_s']}"] if words["timeout_s"] else []
    codes = []
    for name in names:
        click.echo(f"== cluster {name}", err=True)
        command = [sys.executable, "-m", "dagster_project.cli", "run", "--cluster", name, *timeout]
        codes.append(_run([*command, *(["--json"] if as_json else [])]))
    bad = sum(code != exits.DONE for code in codes)
    click.echo(f"== {len(names)} clusters, {bad} failed" if bad else f"== {len(names)} clusters", err=True)
    return max(codes)


def _run(command: Sequence[str]) -> int:
    """The exit code of a run, which ends with this process when that is told to."""
    with subprocess.Popen(command) as running:  # noqa: S603 - this program itself
        before = signal.signal(signal.SIGTERM, _interrupt)
        try:
            code = running.wait()
        except KeyboardInterrupt:
            running.terminate()
            running.wait()
            raise
        finally:
            signal.signal(signal.SIGTERM, before)
    return code if code >= 0 else exits.FAILED


def _interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt
