"""The waits for a broker that is away.

Put here the waiting. The attempt, and its connection, belong to the caller.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final, TypeVar

from assets.ingest.live.errors import PassingError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Result = TypeVar("Result")

WAITS_S: Final = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0)
"""Between attempts while a broker is away: half a minute in all, which a restart takes at most."""


def patiently(attempt: Callable[[], Result], waits_s: Sequence[float] = WAITS_S) -> Result:
    """The result of an attempt, which is repeated after a passing error; the last attempt's error is raised."""
    if not waits_s:
        return attempt()
    try:
        return attempt()
    except PassingError:
        time.sleep(waits_s[0])
    return patiently(attempt, waits_s[1:])
