"""A broker that takes tokens alone, and an endpoint on loopback that gives and signs them.

What both are told belongs here. Who gets in with which token is in `test_oauth`.
"""

from __future__ import annotations

import base64
import json
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from tests.broker.cluster import PortTakenError, free_ports
from tests.broker.settings import HOST

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.broker.cluster import Broker

CLIENT: Final = "auditor"
SECRET: Final = "hunter2/with+signs="  # noqa: S105 - a made-up one
SCOPE: Final = "kafka.read"
AUDIENCE: Final = "kafka"
ALLOWED: Final = "org.apache.kafka.sasl.oauthbearer.allowed.urls"
"""The property of Java without which a broker reads no keys from anywhere."""
HANDLER: Final = "org.apache.kafka.common.security.oauthbearer.OAuthBearerValidatorCallbackHandler"
MODULE: Final = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required"


def _base64(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode("ascii")


@dataclass
class Issuer:
    """Gives tokens to one client, each signed and valid for so long; counts them."""

    lives_s: float
    key: rsa.RSAPrivateKey = field(default_factory=lambda: rsa.generate_private_key(65537, 2048))
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    status: int = 200

    def keys(self) -> dict[str, Any]:
        """The public key, as a JWK set."""
        numbers = self.key.public_key().public_numbers()
        parts = {
            name: _base64(number.to_bytes((number.bit_length() + 7) // 8, "big"))
            for name, number in (("n", numbers.n), ("e", numbers.e))
        }
        return {"keys": [{"kty": "RSA", "kid": "one", "use": "sig", "alg": "RS256", **parts}]}

    def token(self) -> str:
        """A token that is valid from now on."""
        now = time.time()
        claims = {"sub": CLIENT, "aud": AUDIENCE, "scope": SCOPE, "iat": now, "exp": now + self.lives_s}
        head = {"alg": "RS256", "kid": "one", "typ": "JWT"}
        signed = ".".join(_base64(json.dumps(part).encode()) for part in (head, claims))
        return f"{signed}.{_base64(self.key.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256()))}"

    def answer(self, login: str, body: str) -> tuple[int, dict[str, Any]]:
        """What the endpoint answers to a login and a form."""
        fields = {name: values[0] for name, values in parse_qs(body).items()}
        self.requests.append(fields)
        if self.status != 200:
            return self.status, {"error": "temporarily_unavailable", "error_description": SECRET}
        expected = base64.b64encode(f"{CLIENT}:hunter2%2Fwith%2Bsigns%3D".encode()).decode()
        if login != f"Basic {expected}":
            return 401, {"error": "invalid_client", "error_description": f"not {SECRET}"}
        if fields.get("grant_type") != "client_credentials" or fields.get("scope") != SCOPE:
            return 400, {"error": "invalid_request"}
        return 200, {"access_token": self.token(), "token_type": "Bearer", "expires_in": self.lives_s}


@contextmanager
def issuing(lives_s: float) -> Iterator[Issuer]:
    """A token endpoint on loopback, gone afterwards."""
    issuer = Issuer(lives_s)

    class Handler(BaseHTTPRequestHandler):
        """Answers a POST as the issuer says."""

        def do_POST(self) -> None:
            """One request for a token."""
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            status, answer = issuer.answer(self.headers["Authorization"], body)
            content = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_words: object) -> None:
            """Say nothing on stderr."""

    with ThreadingHTTPServer((HOST, 0), Handler) as server:
        issuer.url = f"http://{HOST}:{server.server_address[1]}/token"
        Thread(target=server.serve_forever, daemon=True).start()
        yield issuer
        server.shutdown()


def restart_with_tokens(broker: Broker, issuer: Issuer, folder: Path, longest_session_ms: int) -> str:
    """Restart a broker with a listener that takes the issuer's tokens, and asks again; the address of the listener."""
    keys = folder / "keys.json"
    keys.write_text(json.dumps(issuer.keys()))
    try:
        return _restart(broker, keys, longest_session_ms)
    except PortTakenError:
        return _restart(broker, keys, longest_session_ms)


def _restart(broker: Broker, keys: Path, longest_session_ms: int) -> str:
    (port,) = free_ports(1)
    door, own = f"{HOST}:{port}", "listener_name_tokens_oauthbearer_"
    settings = {
        f"{own}sasl_jaas_config": f'{MODULE} unsecuredLoginStringClaim_sub="broker";',
        f"{own}sasl_server_callback_handler_class": HANDLER,
        f"{own}sasl_oauthbearer_jwks_endpoint_url": keys.as_uri(),
        f"{own}sasl_oauthbearer_expected_audience": AUDIENCE,
        f"{own}connections_max_reauth_ms": str(longest_session_ms),
    }
    broker.restart(
        listeners=f"{broker.properties['listeners']},TOKENS://{door}",
        advertised_listeners=f"{broker.properties['advertised.listeners']},TOKENS://{door}",
        listener_security_protocol_map=f"{broker.properties['listener.security.protocol.map']},TOKENS:SASL_PLAINTEXT",
        sasl_enabled_mechanisms="OAUTHBEARER",
        authorizer_class_name="org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        super_users=f"User:ANONYMOUS;User:{CLIENT}",
        **settings,
    )
    return door


def token_settings(issuer: Issuer, secret: str = SECRET) -> str:
    """The file of a client that gets its tokens from the endpoint, as Kafka's own tools take it."""
    return (
        "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=OAUTHBEARER\n"
        f"sasl.oauthbearer.token.endpoint.url={issuer.url}\n"
        f'sasl.jaas.config={MODULE} clientId="{CLIENT}" clientSecret="{secret}" scope="{SCOPE}";\n'
    )
