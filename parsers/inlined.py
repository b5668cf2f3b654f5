"""How the pieces of the interpreter are compiled: `@inlined` into the one loop that runs them, `@without_refcounts`.

Only the decorators and their options belong here. Other loops are compiled by `parsers.compiled`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

from parsers.compiled import cached

Loop = TypeVar("Loop", bound=Callable[..., Any])

_njit: Any = njit
"""Of no type, because numba's own does not know `_nrt`."""

# Without numba's reference counts (_nrt): counting the arrays that a step is given costs more than the step.


def inlined(step: Loop) -> Loop:
    """Compile `step` into each loop that calls it; it must allocate nothing."""
    return cast("Loop", _njit(forceinline=True, error_model="numpy", _nrt=False)(step))


def without_refcounts(loop: Loop) -> Loop:
    """Compile `loop` to machine code on first use, cached on disk, without the GIL; it must allocate nothing."""
    return cached(loop, nogil=True, error_model="numpy", _nrt=False)
