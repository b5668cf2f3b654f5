"""What every test may ask for, whatever room it tests. What only one room needs belongs in that room's conftest."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, settings

# The same examples on every machine, so that a red run is about the change; `--hypothesis-profile explore` looks
# further, and what it finds becomes a test of its own.
# How long an example takes says nothing about the code on a machine that others use, too.
UNTIMED: Final[dict[str, Any]] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("steady", derandomize=True, **UNTIMED)
settings.register_profile("explore", max_examples=2000, **UNTIMED)
settings.load_profile("steady")

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The recorded logs and reference answers that may lie beside the repository."""
    if not SHARED.is_dir():
        pytest.skip("the recorded logs (../shared) are not beside this repository")
    return SHARED
