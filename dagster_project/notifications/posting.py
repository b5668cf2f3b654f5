"""Hands JSON to an address by HTTP: no redirects, bounded time, and nothing of the address in a sentence but its host.

Put here what every notifier by HTTP needs. What it says belongs to the module of its way.
"""

from __future__ import annotations

import base64
import json
import ssl
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPException
from typing import TYPE_CHECKING, ClassVar, Final
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request

from assets.network.hosts import is_loopback
from assets.network.http_client import open_url
from dagster_project.notifications.channel import DeliveryError
from parsers.errors import SourceError

if TYPE_CHECKING:
    from dagster_project.deployment.secret import Secret
    from dagster_project.deployment.sections import Section

TIMEOUT_S: Final = 5.0
"""How long a server may take to be reached, and to answer."""
_MAY_PASS: Final = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS})


@dataclass(frozen=True, slots=True)
class Address:
    """Where to post to: a URL, which may be a secret as a whole, and what proves who posts."""

    url: Secret
    token: Secret | None = None
    user: str | None = None
    password: Secret | None = None
    ca_file: str | None = None

    @property
    def host(self) -> str:
        """The host and port of the URL, or that it can't be read."""
        try:
            parts = urlsplit(self.checked_url())
        except SourceError:
            return "?"
        return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)

    def post(self, body: object, path: str = "", headers: dict[str, str] | None = None) -> None:
        """Post a body as JSON; an answer other than 2xx is an error with its number."""
        url = self.checked_url()
        content = json.dumps(body, ensure_ascii=True, allow_nan=False).encode("ascii")
        every = {"Content-Type": "application/json", "User-Agent": "lagbook", **self._proof(), **(headers or {})}
        request = Request(_joined(url, path), content, every, method="POST")  # noqa: S310 - http or https, checked
        try:
            with open_url(request, tls_context(self.url.key, self.ca_file), TIMEOUT_S):
                pass
        except HTTPError as error:
            error.close()
            raise _refused(self.host, error.code) from None
        except URLError as error:
            reason = error.reason if isinstance(error.reason, Exception) else error
            raise DeliveryError(f"{self.host} {trouble_words(reason)}") from None
        except (OSError, HTTPException, ValueError) as error:
            raise DeliveryError(f"{self.host} {trouble_words(error)}", is_in_doubt=True) from None

    def checked_url(self) -> str:
        """The URL, or a refusal that shows nothing of it."""
        url = self.url.read()
        try:
            parts = urlsplit(url)
            is_sound = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
        except ValueError:
            is_sound = False
        if not is_sound or " " in url or parts.username or parts.password:
            raise SourceError(f"{self.url.key}: expected http(s)://HOST[:PORT][/PATH] without a user, found another")
        if parts.scheme == "http" and (self.token or self.password) and not is_loopback(parts.hostname):
            raise SourceError(f"{self.url.key}: expected https, for a token or password would go over the network bare")
        return url

    def _proof(self) -> dict[str, str]:
        if self.token:
            return {"Authorization": f"Bearer {self.token.read()}"}
        if self.password:
            pair = f"{self.user or ''}:{self.password.read()}".encode()
            return {"Authorization": f"Basic {base64.b64encode(pair).decode('ascii')}"}
        return {}


@dataclass(frozen=True, slots=True)
class HttpChannel:
    """What every way of sending by HTTP has: an address, and how many incidents one message may be about."""

    address: Address
    most: ClassVar[int] = 100

    @property
    def place(self) -> str:
        """The host; the URL may be a secret as a whole."""
        return self.address.host


def address_from(section: Section) -> Address:
    """The address that a notifier's table names."""
    url = section.present("url", section.secret("url", may_be_written=True))
    token, password = section.secret("token"), section.secret("password")
    user = section.text("user")
    if (user is None) != (password is None) or (token and password):
        raise section.refusal("user", "expected a user with a password, or a token alone")
    address = Address(url, token, user, password, ca_file(section))
    if url.text is not None:
        address.checked_url()  # what stands in the file is refused when it is read
    return address


def ca_file(section: Section) -> str | None:
    """The file with certificates that a server may prove itself with, beside the system's."""
    named = section.text("ca_file")
    return None if named is None else str(section.file.parent / named)


def tls_context(key: str, certificates: str | None) -> ssl.SSLContext:
    """TLS that checks the server's name and certificate."""
    try:
        context = ssl.create_default_context()
        if certificates is not None:
            context.load_verify_locations(certificates)
    except OSError as error:
        raise SourceError(f"{key}: ca_file: {certificates} can't be read as certificates") from error
    return context


def trouble_words(error: Exception) -> str:
    """Why a server can't be spoken to, without what was sent to it."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"shows a certificate that is not trusted: {error.verify_message}"
    if isinstance(error, TimeoutError):
        return f"does not answer within {TIMEOUT_S:g} s"
    if isinstance(error, OSError) and error.strerror:
        return f"can't be reached: {error.strerror}"
    return f"does not answer as it should ({type(error).__name__})"


def _refused(host: str, code: int) -> DeliveryError:
    known = {status.value: status.phrase for status in HTTPStatus}
    may_pass = code >= HTTPStatus.INTERNAL_SERVER_ERROR or code in _MAY_PASS
    return DeliveryError(f"{host} answers {code} {known.get(code, '')}".rstrip(), may_pass=may_pass)


def _joined(url: str, path: str) -> str:
    return f"{url.rstrip('/')}{path}" if path else url
