"""Who may read what is written into a warehouse: its owner and its owner's group, unless LAGBOOK_UMASK says otherwise.

Put here how that is decided. Files have 0640 and folders 0750 by default; a stricter umask of the process counts.
"""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from parsers.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

VARIABLE: Final = "LAGBOOK_UMASK"
DEFAULT: Final = 0o027
_OCTAL: Final = re.compile(r"0?[0-7]{1,3}")


@contextmanager
def restricted(environment: Mapping[str, str] = os.environ) -> Iterator[None]:
    """Within it, new files of this process have these modes; so have those of Spark's workers that it hands work to."""
    own = os.umask(0o077)
    try:
        os.umask(_mask(environment, own))
        yield
    finally:
        os.umask(own)


def _mask(environment: Mapping[str, str], own: int) -> int:
    named = environment.get(VARIABLE)
    if not named:
        return own | DEFAULT
    if _OCTAL.fullmatch(named) is None:
        raise SourceError(f"{VARIABLE}: expected an octal number such as 027, found {named[:20]!r}")
    return int(named, 8)
