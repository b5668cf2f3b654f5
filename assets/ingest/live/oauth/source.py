"""The source of tokens that the settings describe, and what goes to the brokers beside a token.

Put here what settings have to be there together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from assets.ingest.live.oauth.endpoint import Endpoint, refuse_open_url
from assets.ingest.live.oauth.provider import NAME, Provider
from assets.ingest.live.oauth.tokens import Tokens
from parsers.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Mapping

PREFIX: Final = "oauth_"
"""How the settings begin that are for tokens and not for the client."""
EXTENSION: Final = f"{PREFIX}extension_"
_URL: Final = "sasl.oauthbearer.token.endpoint.url"
_PROVIDER: Final = "sasl.oauthbearer.token.provider"


def token_source(place: str, settings: Mapping[str, Any], timeout_s: float) -> Tokens:
    """The source of tokens: an endpoint, or a function by its name; a refusal where neither is described whole."""
    own = {name.removeprefix(PREFIX): value for name, value in settings.items() if name.startswith(PREFIX)}
    if ("endpoint" in own) == ("provider" in own):
        raise SourceError(f"{place}: OAUTHBEARER needs {_URL} or {_PROVIDER}, and not both")
    if "provider" in own:
        if not NAME.fullmatch(own["provider"]):
            raise SourceError(f"{place}: {_PROVIDER} must be MODULE:FUNCTION")
        return Tokens(Provider(own["provider"], own.get("provider_argument")).new_token)
    refuse_open_url(f"{place}: {_URL}", own["endpoint"])
    if "client_id" not in own or "client_secret" not in own:
        raise SourceError(f"{place}: a token endpoint needs a client id and a client secret")
    endpoint = Endpoint(
        own["endpoint"], own["client_id"], own["client_secret"], own.get("scope"), own.get("ca_file"), timeout_s
    )
    return Tokens(endpoint.new_token)


def extensions_of(settings: Mapping[str, Any]) -> dict[str, str]:
    """What goes to the brokers beside a token, such as the logical cluster of Confluent."""
    return {name.removeprefix(EXTENSION): value for name, value in settings.items() if name.startswith(EXTENSION)}
