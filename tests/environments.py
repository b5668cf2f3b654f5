"""Environments with packages of an index, for tests of what works outside the project's own environment.

They stay in a folder of the user's cache. Where the index can't be reached, the test is passed over and says so.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

_LONGEST_S: Final = 600


def packages_of_npm(name: str, *packages: str) -> Path:
    """The folder that has these packages of npm's registry, as new as it has them; no script of theirs is run."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("no npm on the PATH")
    folder = _cache() / name
    folder.mkdir(parents=True, exist_ok=True)
    quiet = ("--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries", "1")
    done = _run(npm, "install", "--prefix", str(folder), *quiet, *(f"{one}@latest" for one in packages))
    if done.returncode:
        pytest.skip(f"{' '.join(packages)}: can't be installed from npm's registry: {done.stderr.strip()[-200:]}")
    return folder


def environment(name: str, *requirements: str) -> Path:
    """The Python of an environment that has these packages, as new as the index has them within the bounds."""
    python = _cache() / f"{name}-{sys.version_info[0]}.{sys.version_info[1]}" / "bin" / "python"
    if not python.exists():
        _run(sys.executable, "-m", "venv", str(python.parents[1]))
    done = _run(str(python), "-m", "pip", "install", "--quiet", "--upgrade", "--retries", "1", *requirements)
    if done.returncode:
        pytest.skip(
            f"{' '.join(requirements)}: can't be installed from the package index: {done.stderr.strip()[-200:]}"
        )
    return python


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lagbook-tests"


def _run(*words: str) -> subprocess.CompletedProcess[str]:
    quiet = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=_LONGEST_S, env=quiet)
