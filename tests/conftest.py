"""What every test may ask for, whatever room it tests. What only one room needs belongs in that room's conftest."""

from __future__ import annotations

import gc
import signal
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, settings

from tests.broker.maven import UnavailableError, jars
from tests.broker.releases import NEWEST, RELEASES

# The same examples on every machine, so that a red run is about the change; `--hypothesis-profile explore` looks
# further, and what it finds becomes a test of its own.
# How long an example takes says nothing about the code on a machine that others use, too.
UNTIMED: Final[dict[str, Any]] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("steady", derandomize=True, **UNTIMED)
settings.register_profile("explore", max_examples=2000, **UNTIMED)
settings.load_profile("steady")

HERE: Final = Path(__file__).resolve().parent
SHARED: Final = HERE.parents[1] / "shared"
LONGEST: Final = (
    "spark/",
    "dagster_project/test_ui.py",
    "dagster_project/cli/operations/test_demo.py",
    "dagster_project/cli/extracts/",
    "broker/",
    "assets/test_crash.py",
    "campaign/",
    "assets/storage/test_retrying_filesystem.py",
    "dagster_project/test_incident.py",
    "assets/transforms/",
    "assets/test_faults.py",
    "benchmarks/",
)
"""Rooms and modules that are begun first, so that in the end no worker has a long one left to itself."""


def pytest_configure() -> None:
    """Heed interrupts also in the background of a script, where they are ignored.

    Dagster gives SIGTERM what SIGINT has, and brokers and members that tests start would inherit it and never end.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Where workers run the tests, fetch Kafka beside them: the first time that takes longer than many a module."""
    if getattr(session.config.option, "numprocesses", None):
        Thread(target=_fetch_kafka, daemon=True).start()


def _fetch_kafka() -> None:
    """Those that need it wait for it, or say why it can't be had."""
    with suppress(UnavailableError):
        jars(RELEASES[NEWEST])


def pytest_collection() -> None:
    """Look for no cycles in what is imported, which stays."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Look for them from here on, in what the tests make."""
    gc.freeze()
    gc.enable()


def pytest_unconfigure() -> None:
    """Let all be freed in the end: bindings tell on stderr what is not."""
    gc.unfreeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest modules first; `make test` hands them out in this order."""
    items.sort(key=_turn)


def _turn(item: pytest.Item) -> int:
    name = item.path.relative_to(HERE).as_posix()
    return next((turn for turn, long in enumerate(LONGEST) if name.startswith(long)), len(LONGEST))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The recorded logs and reference answers that may lie beside the repository."""
    if not SHARED.is_dir():
        pytest.skip("the recorded logs (../shared) are not beside this repository")
    return SHARED
