"""Virtual environments with packages of the index, for tests of what works outside the project's own environment.

They stay in a folder of the user's cache. Where the index can't be reached, the test is passed over and says so.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

_LONGEST_S: Final = 600


def environment(name: str, *requirements: str) -> Path:
    """The Python of an environment that has these packages, as new as the index has them within the bounds."""
    users = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    python = users / "lagbook-tests" / f"{name}-{sys.version_info[0]}.{sys.version_info[1]}" / "bin" / "python"
    if not python.exists():
        _run(sys.executable, "-m", "venv", str(python.parents[1]))
    done = _run(str(python), "-m", "pip", "install", "--quiet", "--upgrade", "--retries", "1", *requirements)
    if done.returncode:
        pytest.skip(
            f"{' '.join(requirements)}: can't be installed from the package index: {done.stderr.strip()[-200:]}"
        )
    return python


def _run(*words: str) -> subprocess.CompletedProcess[str]:
    quiet = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=_LONGEST_S, env=quiet)
