"""The one way a loop is compiled: `@compiled`, with the same numba options everywhere.

Only the decorators and their options belong here. The loops belong beside the format that they read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar, cast

from numba import njit
from numba.extending import intrinsic

_NO_FOLDER: Final = "no locator available"
"""Numba's words where it finds no folder to write to: not beside the code, not in the user's cache, none was named."""
_njit: Any = njit
Loop = TypeVar("Loop", bound=Callable[..., Any])


def compiled(loop: Loop) -> Loop:
    """Compile `loop` to machine code on first use; the code is cached on disk and runs without the GIL."""
    return cached(loop, nogil=True, error_model="numpy")


def cached(loop: Loop, **options: object) -> Loop:
    """Compile `loop` with these options of numba; the code is cached on disk.

    Where no folder of a cache can be written (see `dagster_project.loops`), each process compiles it.
    """
    try:
        return cast("Loop", _njit(cache=True, **options)(loop))
    except RuntimeError as error:
        if _NO_FOLDER not in str(error):
            raise
        return cast("Loop", _njit(**options)(loop))


def instruction(build: Callable[..., Any]) -> Callable[..., Any]:
    """Make a processor instruction callable from compiled loops; `build` gives its signature and writes its code."""
    return cast("Callable[..., Any]", intrinsic(build))
