"""Tokens for the client: its settings with what it asks for a token at each login.

Put here what knows the client. Where tokens come from is in `source`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kafka.net.sasl.oauth import AbstractTokenProvider

from assets.ingest.live.oauth.source import PREFIX, extensions_of, token_source

if TYPE_CHECKING:
    from assets.ingest.live.access import Access
    from assets.ingest.live.oauth.tokens import Tokens


class _TokenProvider(AbstractTokenProvider):  # type: ignore[misc]  # the client has no types
    """Tokens as the client asks for them: at each login, and again before a session ends."""

    def __init__(self, tokens: Tokens, extensions: dict[str, str]) -> None:
        """Take them from here; what goes beside a token is the same for each."""
        super().__init__()
        self._tokens, self._extensions = tokens, extensions

    def token(self) -> str:
        """A token that is valid now."""
        return self._tokens.token()

    def extensions(self) -> dict[str, str]:
        """What goes beside it."""
        return self._extensions


def with_tokens(access: Access) -> dict[str, Any]:
    """The client's settings. With OAUTHBEARER the first token is taken here, so that it is what an error is about."""
    settings = access.settings()
    own = {name: value for name, value in settings.items() if not name.startswith(PREFIX)}
    if own.get("sasl_mechanism") != "OAUTHBEARER":
        return own
    tokens = token_source(str(access.config), settings, access.timeout_s)
    tokens.token()
    return {**own, "sasl_oauth_token_provider": _TokenProvider(tokens, extensions_of(settings))}
