"""Tokens from a Python function that the settings name: MODULE:FUNCTION, such as the signer of AWS for MSK.

Put here how the function is imported and what it may return. It is code that runs with the rights of Lagbook: the file
that names it is as trusted as the secrets in it.
"""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass
from typing import Any, Final

from assets.ingest.live.oauth.tokens import Token, checked
from parsers.errors import SourceError

NAME: Final = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_PLACE: Final = "token provider"
_MILLISECONDS_FROM: Final = 1e11
"""An end after this is in milliseconds, as of AWS's signer; in seconds it would be in the year 5138."""
_PAIR: Final = 2


@dataclass(frozen=True, slots=True, repr=False)
class Provider:
    """A function by its name, and the one argument that it takes, if it takes any."""

    name: str
    argument: str | None

    def new_token(self) -> Token:
        """Call it; it returns a token, or with it when that ends, in seconds or milliseconds since 1970."""
        function = self._function()
        try:
            result = function() if self.argument is None else function(self.argument)
        except Exception as error:  # noqa: BLE001 - it is anybody's code, and its message may show a secret
            raise SourceError(f"{_PLACE} {self.name} failed: {type(error).__name__}") from None
        text, end = result if isinstance(result, tuple) and len(result) == _PAIR else (result, None)
        return checked(f"{_PLACE} {self.name}", text, self._seconds(end))

    def _function(self) -> Any:  # noqa: ANN401 - whatever the name leads to
        module, _, path = self.name.partition(":")
        try:
            member: Any = importlib.import_module(module)
            for part in path.split("."):
                member = getattr(member, part)
        except (ImportError, AttributeError) as error:
            raise SourceError(f"{_PLACE} {self.name} can't be found: {type(error).__name__}") from None
        if not callable(member):
            raise SourceError(f"{_PLACE} {self.name} is no function")
        return member

    def _seconds(self, end: object) -> float | None:
        if end is None:
            return None
        if isinstance(end, bool) or not isinstance(end, (int, float)):
            raise SourceError(f"{_PLACE} {self.name}: expected the end of the token as a number since 1970")
        return end / 1000 if end > _MILLISECONDS_FROM else float(end)
