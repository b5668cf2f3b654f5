"""Functions that are imported when they are first called: the first line of a dump does not wait for the others.

Put here only how that is done. Who asks for it says what the function takes and gives.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def on_demand(module: str, name: str) -> Callable[..., Any]:
    """Give a function that stands for one of a module of this room."""

    def call(*arguments: Any) -> Any:  # noqa: ANN401 - as the function that it stands for
        """Call it; the module is imported by the first call."""
        return getattr(import_module(f"parsers.dump.{module}"), name)(*arguments)

    return call
