"""Listeners that ask who is there: one with passwords, one with TLS, and a broker that allows not everybody everything.

What a broker is told for that belongs here, and the settings of the clients that it lets in or turns away.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.broker.cluster import PortTakenError, free_ports
from tests.broker.settings import HOST

if TYPE_CHECKING:
    from pathlib import Path

    from tests.broker.cluster import Broker

SECRET: Final = "hunter2"  # noqa: S105 - a made-up one
LOGIN: Final = "org.apache.kafka.common.security.plain.PlainLoginModule required"


@dataclass(frozen=True)
class Guards:
    """Where to log in, where to speak TLS, and the certificate by which the broker is known."""

    login: str
    safe: str
    certificate: Path


def restart_guarded(broker: Broker, folder: Path) -> Guards:
    """Restart a broker with a listener of each kind beside the open one; `nobody` may log in and see nothing."""
    pem = write_certificate(folder / "broker.pem")
    try:
        return _restart_guarded(broker, pem)
    except PortTakenError:
        return _restart_guarded(broker, pem)


def _restart_guarded(broker: Broker, certificate: Path) -> Guards:
    login, safe = (f"{HOST}:{port}" for port in free_ports(2))
    extra = f"LOGIN://{login},SAFE://{safe}"
    broker.restart(
        listeners=f"{broker.properties['listeners']},{extra}",
        advertised_listeners=f"{broker.properties['advertised.listeners']},{extra}",
        listener_security_protocol_map=f"{broker.properties['listener.security.protocol.map']}"
        ",LOGIN:SASL_PLAINTEXT,SAFE:SSL",
        sasl_enabled_mechanisms="PLAIN",
        listener_name_login_plain_sasl_jaas_config=f'{LOGIN} user_auditor="{SECRET}" user_nobody="{SECRET}";',
        listener_name_safe_ssl_keystore_type="PEM",
        listener_name_safe_ssl_keystore_location=str(certificate),
        authorizer_class_name="org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        super_users="User:ANONYMOUS;User:auditor",
    )
    return Guards(login, safe, certificate)


def login_settings(user: str, password: str) -> str:
    """The file of a client that logs in, as Kafka's own tools take it."""
    return (
        "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\n"
        f'sasl.jaas.config={LOGIN} username="{user}" password="{password}";\n'
    )


def write_certificate(path: Path, days_left: float = 1) -> Path:
    """Write a certificate of its own making, with its key, in one file; one without days left has expired."""
    key = ec.generate_private_key(ec.SECP256R1())
    name, now = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, HOST)]), datetime.now(timezone.utc)
    builder = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=2))
        .not_valid_after(now + timedelta(days=days_left))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address(HOST))]), critical=False)
    )
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    path.write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain)
        + builder.sign(key, hashes.SHA256()).public_bytes(pem)
    )
    return path
