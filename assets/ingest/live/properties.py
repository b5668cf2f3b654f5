"""The client's settings in a file: the names that Kafka's own tools and librdkafka give them, one per line.

Put here the table of names and how the file is read. The file holds secrets, so no message shows a value, nor a name
that is not known: it may be a part of one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from parsers.errors import SourceError
from parsers.text_files import read_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LARGEST_BYTES: Final = 1 << 20
PAIR: Final = re.compile(r"([a-z][a-z0-9]{0,40}(?:\.[a-z0-9]{1,40}){1,8})\s*[=:][ \t]*(.*)")
"""A name as Kafka's settings have them, and all that follows the sign; a password may end with a space."""
JAAS_OPTION: Final = re.compile(
    r"\b(username|password|clientId|clientSecret|scope|extension_[A-Za-z]+)\s*="
    r'\s*(?:"((?:[^"\\]|\\.)*)"|\'([^\']*)\'|([^\s;"\']+))'
)
JAAS_NAMES: Final = {
    "username": "sasl_plain_username",
    "password": "sasl_plain_password",
    "clientId": "oauth_client_id",
    "clientSecret": "oauth_client_secret",
    "scope": "oauth_scope",
}
"""Name in the line that Kafka's own tools take -> name in the Python client, or of what gets tokens."""
EXTENSION: Final = re.compile(r"[A-Za-z]{1,40}")
EXTENSION_VALUE: Final = re.compile(r"[\x21-\x7e \t\r\n]+")
"""What may stand in an extension of OAUTHBEARER (RFC 7628)."""

PLAIN_NAMES: Final = {
    "security.protocol": "security_protocol",
    "sasl.mechanism": "sasl_mechanism",
    "sasl.mechanisms": "sasl_mechanism",
    "sasl.username": "sasl_plain_username",
    "sasl.password": "sasl_plain_password",
    "sasl.kerberos.service.name": "sasl_kerberos_service_name",
    "ssl.ca.location": "ssl_cafile",
    "ssl.certificate.location": "ssl_certfile",
    "ssl.key.location": "ssl_keyfile",
    "ssl.key.password": "ssl_password",
    "ssl.crl.location": "ssl_crlfile",
    "ssl.truststore.location": "ssl_cafile",
    "ssl.keystore.location": "ssl_certfile",
    "client.id": "client_id",
    "https.ca.location": "oauth_ca_file",
    "sasl.oauthbearer.token.endpoint.url": "oauth_endpoint",
    "sasl.oauthbearer.client.credentials.client.id": "oauth_client_id",
    "sasl.oauthbearer.client.credentials.client.secret": "oauth_client_secret",
    "sasl.oauthbearer.client.id": "oauth_client_id",
    "sasl.oauthbearer.client.secret": "oauth_client_secret",
    "sasl.oauthbearer.scope": "oauth_scope",
    "sasl.oauthbearer.token.provider": "oauth_provider",
    "sasl.oauthbearer.config": "oauth_provider_argument",
}
"""Name in the file (Kafka's own, or librdkafka's where that differs) -> name in the Python client."""

PROTOCOLS: Final = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
MECHANISMS: Final = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "GSSAPI", "OAUTHBEARER")


def client_settings(path: str | None) -> dict[str, Any]:
    """The client's settings from a file; none without a file."""
    if path is None:
        return {}
    settings: dict[str, Any] = {}
    for number, line in _settings(read_text(path, LARGEST_BYTES)):
        settings.update(_setting(f"{path}, line {number}", line))
    return settings


def _settings(content: str) -> Iterator[tuple[int, str]]:
    """The lines that set something, a line that a backslash continues in one piece, each with its number."""
    begun, first = "", 0
    for number, line in enumerate(content.splitlines(), 1):
        first = first if begun else number
        begun += line.lstrip()
        if begun.endswith("\\"):
            begun = begun[:-1]
            continue
        if begun and begun[0] not in "#!":
            yield first, begun
        begun = ""
    if begun:
        yield first, begun


def _setting(place: str, line: str) -> dict[str, Any]:
    """One line as settings of the client; an unknown line is refused by its number alone."""
    pair = PAIR.fullmatch(line)
    if pair is None:
        raise SourceError(f"{place}: expected NAME=VALUE with a name such as security.protocol")
    name, value = pair.groups()
    if name in READERS:
        return dict(READERS[name](f"{place}: {name}", value.strip()))
    if name not in PLAIN_NAMES:
        known = ", ".join(sorted({*PLAIN_NAMES, *READERS}))
        raise SourceError(f"{place}: this is no setting that Lagbook passes on; known are {known}")
    return {PLAIN_NAMES[name]: value}


def _among(place: str, value: str, known: tuple[str, ...]) -> str:
    if value.upper() not in known:
        raise SourceError(f"{place} must be one of {', '.join(known)}")
    return value.upper()


def _protocol(place: str, value: str) -> Iterator[tuple[str, Any]]:
    yield "security_protocol", _among(place, value, PROTOCOLS)


def _mechanism(place: str, value: str) -> Iterator[tuple[str, Any]]:
    yield "sasl_mechanism", _among(place, value, MECHANISMS)


def _login(place: str, value: str) -> Iterator[tuple[str, Any]]:
    """User and password, or a client of OAuth, out of the line that Kafka's own tools take."""
    for name, doubly, singly, bare in JAAS_OPTION.findall(value):
        text = re.sub(r"\\(.)", r"\1", doubly) or singly or bare
        if name in JAAS_NAMES:
            yield JAAS_NAMES[name], text
        else:
            yield _extension(place, name.removeprefix("extension_"), text)


def _extensions(place: str, value: str) -> Iterator[tuple[str, Any]]:
    """Pairs of NAME=VALUE with commas between, as librdkafka takes them."""
    for pair in filter(None, map(str.strip, value.split(","))):
        name, _, text = pair.partition("=")
        yield _extension(place, name, text)


def _extension(place: str, name: str, text: str) -> tuple[str, str]:
    if not EXTENSION.fullmatch(name) or name.lower() == "auth" or not EXTENSION_VALUE.fullmatch(text):
        raise SourceError(f"{place}: an extension is NAME=VALUE, of letters and of printable ASCII")
    return f"oauth_extension_{name}", text


def _oidc(place: str, value: str) -> Iterator[tuple[str, Any]]:
    """The one of librdkafka's ways to a token that is known here."""
    _among(place, value, ("OIDC",))
    yield from ()


def _store_type(place: str, value: str) -> Iterator[tuple[str, Any]]:
    """Certificates in PEM alone can be read without Java."""
    _among(place, value, ("PEM",))
    yield from ()


def _host_check(_place: str, value: str) -> Iterator[tuple[str, Any]]:
    """Empty or none: the certificate need not name the host."""
    yield "ssl_check_hostname", value.lower() not in {"", "none"}


def _ignore(_place: str, _value: str) -> Iterator[tuple[str, Any]]:
    """Ignore a setting of group members, or one that an option of Lagbook replaces."""
    yield from ()


READERS: Final[dict[str, Callable[[str, str], Iterator[tuple[str, Any]]]]] = {
    "security.protocol": _protocol,
    "sasl.mechanism": _mechanism,
    "sasl.mechanisms": _mechanism,
    "sasl.jaas.config": _login,
    "ssl.truststore.type": _store_type,
    "ssl.keystore.type": _store_type,
    "ssl.endpoint.identification.algorithm": _host_check,
    "sasl.oauthbearer.extensions": _extensions,
    "sasl.oauthbearer.method": _oidc,
    "sasl.login.callback.handler.class": _ignore,
    "bootstrap.servers": _ignore,
    "group.id": _ignore,
}
"""Settings whose value needs a check or a conversion."""
