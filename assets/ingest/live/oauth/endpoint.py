"""Tokens from a token endpoint, by the client credentials of OAuth 2 (RFC 6749, 4.4).

Put here what is sent to the endpoint and read from it. When a token is taken again is in `tokens`.
"""

from __future__ import annotations

import base64
import json
import re
import ssl
import time
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import quote_plus, urlencode, urlsplit
from urllib.request import Request

from assets.ingest.live.errors import PassingError
from assets.ingest.live.oauth.tokens import Token, checked
from assets.network.hosts import is_loopback
from assets.network.http_client import open_url
from parsers.errors import SourceError

LONGEST_ANSWER_BYTES: Final = 1 << 20
_CODE: Final = re.compile(r"[a-z_]{1,40}")
"""An error code of OAuth; the text beside it may say anything."""
_SERVERS_OWN: Final = 500
_TOO_MANY: Final = 429


@dataclass(frozen=True, slots=True, repr=False)
class Endpoint:
    """A token endpoint, and who asks it for what."""

    url: str
    client_id: str
    client_secret: str
    scope: str | None
    ca_file: str | None
    timeout_s: float

    @property
    def place(self) -> str:
        """The endpoint as messages name it: without a path or a query, which may hold secrets."""
        return f"token endpoint {urlsplit(self.url).hostname}"

    def new_token(self) -> Token:
        """Ask for a token; the answer says how long it is valid."""
        asked_at = time.time()
        answer = self._answer()
        seconds = answer.get("expires_in")
        is_known = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
        return checked(self.place, answer.get("access_token"), asked_at + float(seconds or 0) if is_known else None)

    def _answer(self) -> dict[str, Any]:
        try:
            with open_url(self._request(), self._tls(), self.timeout_s) as response:
                body = response.read(LONGEST_ANSWER_BYTES + 1)
        except HTTPError as error:
            raise self._refusal(error) from None
        except (URLError, OSError, HTTPException, ValueError) as error:
            reason = getattr(error, "reason", None)
            raise PassingError(f"{self.place} did not answer: {type(reason or error).__name__}") from None
        return self._parsed(body)

    def _request(self) -> Request:
        login = f"{quote_plus(self.client_id)}:{quote_plus(self.client_secret)}".encode()
        fields = {"grant_type": "client_credentials", **({"scope": self.scope} if self.scope else {})}
        headers = {
            "Authorization": f"Basic {base64.b64encode(login).decode('ascii')}",
            "Content-Type": "application/x-www-form-urlencoded",
            "Accept": "application/json",
        }
        return Request(self.url, urlencode(fields).encode("ascii"), headers)  # noqa: S310 - the scheme is checked

    def _tls(self) -> ssl.SSLContext:
        try:
            return ssl.create_default_context(cafile=self.ca_file)
        except OSError as error:
            raise SourceError(f"{self.place}: its certificates can't be read: {error.strerror or error}") from None

    def _refusal(self, error: HTTPError) -> SourceError:
        """An error of the endpoint by its number, and by OAuth's code where it gives one."""
        with error:
            body = error.read(LONGEST_ANSWER_BYTES)
        try:
            code = str(json.loads(body).get("error"))
        except (ValueError, AttributeError, RecursionError):
            code = ""
        kind = PassingError if error.code >= _SERVERS_OWN or error.code == _TOO_MANY else SourceError
        return kind(f"{self.place} gave no token: HTTP {error.code}{f' {code}' if _CODE.fullmatch(code) else ''}")

    def _parsed(self, body: bytes) -> dict[str, Any]:
        try:
            answer = json.loads(body) if len(body) <= LONGEST_ANSWER_BYTES else None
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise SourceError(f"{self.place}: expected a JSON object with an access_token")
        return answer


def refuse_open_url(place: str, url: str) -> None:
    """Refuse an address to which a secret would travel in the open: anything but HTTPS, beyond this machine."""
    parts = urlsplit(url)
    if not (parts.scheme == "https" and parts.hostname) and not (
        parts.scheme == "http" and is_loopback(parts.hostname)
    ):
        raise SourceError(f"{place} must be an https:// address (http:// on this machine alone)")
