"""A token for the brokers: the last one while it is valid for long enough, else a new one.

Put here when a token is taken again. Where it comes from is in `endpoint` and `provider`. No message shows a token or a
secret, nor what an endpoint or a provider said of its own accord.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from assets.ingest.live.errors import PassingError
from parsers.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Callable

BEARER: Final = re.compile(r"[A-Za-z0-9._~+/-]+=*")
"""The letters of a token (RFC 6750); no other may come into what is sent to a broker."""
LONGEST_TOKEN: Final = 1 << 16
REFRESH_AT: Final = 0.8
"""The share of a token's life after which a new one is taken; brokers ask again at 85 % or later."""
_SPARE_S: Final = 5.0
"""How long before its end a token is no longer sent, if no new one can be had."""


@dataclass(frozen=True, slots=True, repr=False)
class Token:
    """A token and the time at which it ends, in seconds since 1970; None where nothing says so."""

    text: str
    ends_at: float | None


class Tokens:
    """Tokens from one source."""

    def __init__(self, new: Callable[[], Token], clock: Callable[[], float] = time.time) -> None:
        """Take new tokens from this function, which raises a SourceError when it has none."""
        self._new, self._clock = new, clock
        self._last: Token | None = None
        self._refresh_at = 0.0

    def token(self) -> str:
        """A token that is valid now; while the source is away the last one, as long as it is valid."""
        now = self._clock()
        if self._last is not None and now < self._refresh_at:
            return self._last.text
        try:
            token = self._new()
        except PassingError:
            if self._last is None or self._last.ends_at is None or now > self._last.ends_at - _SPARE_S:
                raise
            return self._last.text
        self._last = token
        self._refresh_at = now if token.ends_at is None else now + REFRESH_AT * (token.ends_at - now)
        return token.text


def checked(place: str, text: object, ends_at: float | None) -> Token:
    """A token, if it is made as tokens are; without an end, the one that a JWT names itself."""
    if not isinstance(text, str) or len(text) > LONGEST_TOKEN or not BEARER.fullmatch(text):
        raise SourceError(f"{place}: expected a token of letters, digits and the signs . _ ~ + / - =")
    return Token(text, _end_of_jwt(text) if ends_at is None else ends_at)


def _end_of_jwt(text: str) -> float | None:
    """The claim `exp` of a JWT, unverified: the broker verifies it."""
    parts = text.split(".")
    if len(parts) not in {2, 3}:
        return None
    try:
        claims: Any = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except (ValueError, binascii.Error, RecursionError):
        return None
    end = claims.get("exp") if isinstance(claims, dict) else None
    return float(end) if isinstance(end, (int, float)) and not isinstance(end, bool) else None
