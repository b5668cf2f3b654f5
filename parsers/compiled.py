"""The one way a loop is compiled: `@compiled`, with the same numba options everywhere.

Only the decorators and their options belong here. The loops belong beside the format that they read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit
from numba.extending import intrinsic

Loop = TypeVar("Loop", bound=Callable[..., Any])


def compiled(loop: Loop) -> Loop:
    """Compile `loop` to machine code on first use; the code is cached on disk and runs without the GIL."""
    return cast("Loop", njit(cache=True, nogil=True, error_model="numpy")(loop))


def instruction(build: Callable[..., Any]) -> Callable[..., Any]:
    """Make a processor instruction callable from compiled loops; `build` gives its signature and writes its code."""
    return cast("Callable[..., Any]", intrinsic(build))
