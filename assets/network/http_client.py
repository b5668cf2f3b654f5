"""HTTP requests that reach one host and no other.

Put here how a request is opened. Its address, its body and what an answer means belong to who sends it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.request import HTTPRedirectHandler, HTTPSHandler, Request, build_opener

if TYPE_CHECKING:
    import ssl


class _RefusedRedirects(HTTPRedirectHandler):
    """Follows no redirect: a request may hold a secret, which is meant for one host."""

    def redirect_request(self, *_: Any) -> None:  # noqa: ANN401 - urllib's signature
        """None: the answer becomes an error with its number."""


def open_url(request: Request, tls: ssl.SSLContext, timeout_s: float) -> Any:  # noqa: ANN401 - urllib gives it no type of its own
    """The answer to a request, to be closed by who reads it; a redirect is an `HTTPError` like any other refusal."""
    return build_opener(_RefusedRedirects, HTTPSHandler(context=tls)).open(request, timeout=timeout_s)
