"""A quick start: what numba and pyarrow look for and a command has no use for is left alone.

Put nothing here that changes what a command does: it has to work with the packages and without them.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.machinery import ModuleSpec

NEEDLESS: Final = frozenset({"cffi", "pandas", "scipy"})
"""Looked for by numba's linear algebra and pyarrow's conversions; importing them takes as long as all the rest."""

_SETTINGS: Final = Path(".numba_config.yaml")
"""Settings of numba that a user may have put into the current directory; without them it has no use for yaml."""

_GARBAGE_OBJECTS: Final = 1 << 20
"""New objects after which the collector looks for cycles; the imports make some hundred thousand and no cycle."""

_ARENA_BYTES: Final = {-1: 256 << 20, -3: 32 << 20}
"""glibc's M_TRIM_THRESHOLD and M_MMAP_THRESHOLD."""


@dataclass(frozen=True)
class _Absent:
    """Says of some packages that they are not installed."""

    packages: frozenset[str]

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        """Refuse the packages; leave all others to the finders behind."""
        if name in self.packages:
            raise ModuleNotFoundError(f"{name} is not needed here")
        return None


@contextmanager
def lean() -> Iterator[None]:
    """Import none of the needless packages that are not there yet, and keep freed memory, while a command runs."""
    thresholds = gc.get_threshold()
    gc.set_threshold(_GARBAGE_OBJECTS)
    _keep_memory()
    try:
        with small():
            yield
    finally:
        gc.set_threshold(*thresholds)
        atexit.register(_end_quickly)


@contextmanager
def small() -> Iterator[None]:
    """Import none of the needless packages that are not there yet: twenty megabytes less in a process that stays."""
    needless = NEEDLESS if _SETTINGS.exists() else NEEDLESS | {"yaml"}
    absent = _Absent(needless - sys.modules.keys())
    sys.meta_path.insert(0, absent)
    try:
        yield
    finally:
        sys.meta_path.remove(absent)


@contextmanager
def import_lean() -> Iterator[None]:
    """Import much at once: what comes is there to stay, so nobody looks for cycles in it, now or later."""
    is_looking, known = gc.isenabled(), len(sys.modules)
    gc.disable()
    try:
        yield
    finally:
        if len(sys.modules) > known:
            gc.freeze()
            # Bindings tell on stderr what is not freed in the end.
            atexit.register(gc.unfreeze)
        if is_looking:
            gc.enable()


def _end_quickly() -> None:
    """Spare the collector all that was imported, if nothing else happened here: its last look takes a while."""
    if not NEEDLESS & sys.modules.keys():
        gc.freeze()


def _keep_memory() -> None:
    """Let the C library keep what is freed: getting memory from the system for each block anew costs a tenth."""
    set_option = getattr(ctypes.CDLL(None), "mallopt", None)
    if set_option is not None:
        for option, limit_bytes in _ARENA_BYTES.items():
            set_option(option, limit_bytes)
