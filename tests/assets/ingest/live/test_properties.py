"""That the client's settings are read as Kafka's own tools and librdkafka name them, and that no value is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from assets.ingest.live.properties import LARGEST_BYTES, client_settings
from parsers.errors import SourceError

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "hunter2:with=signs"  # noqa: S105 - a made-up one


def settings(tmp_path: Path, text: str | bytes) -> dict[str, object]:
    """What a file of this content tells the client."""
    path = tmp_path / "client.properties"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return client_settings(str(path))


def test_no_file_tells_nothing() -> None:
    """A cluster without TLS and passwords needs none."""
    assert client_settings(None) == {}


def test_a_file_for_kafkas_own_tools(tmp_path: Path) -> None:
    """Comments, white space, a login over several lines; what is for a member of a group alone is passed over."""
    text = f"""
# what --command-config takes
! this too is a comment
security.protocol = SASL_SSL
sasl.mechanism: scram-sha-256
sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required \\
    username="auditor" \\
    password="{SECRET} \\"quoted\\"";
ssl.truststore.type=PEM
ssl.truststore.location=/etc/ca.pem
ssl.endpoint.identification.algorithm=
group.id=none
"""
    assert settings(tmp_path, text) == {
        "security_protocol": "SASL_SSL",
        "sasl_mechanism": "SCRAM-SHA-256",
        "sasl_plain_username": "auditor",
        "sasl_plain_password": f'{SECRET} "quoted"',
        "ssl_cafile": "/etc/ca.pem",
        "ssl_check_hostname": False,
    }


def test_a_file_for_librdkafka(tmp_path: Path) -> None:
    """Its names for the same things; a password may hold signs and end with a space."""
    text = (
        "security.protocol=ssl\nssl.ca.location=ca.pem\nssl.certificate.location=me.pem\nssl.key.location=me.key\n"
        f"ssl.key.password={SECRET} \nsasl.mechanisms=PLAIN\nsasl.username=u\r\nsasl.password=p\n"
    )
    assert settings(tmp_path, text) == {
        "security_protocol": "SSL",
        "ssl_cafile": "ca.pem",
        "ssl_certfile": "me.pem",
        "ssl_keyfile": "me.key",
        "ssl_password": f"{SECRET} ",
        "sasl_mechanism": "PLAIN",
        "sasl_plain_username": "u",
        "sasl_plain_password": "p",
    }


def test_a_file_for_tokens_as_kafkas_own_tools_take_it(tmp_path: Path) -> None:
    """The client in the line of JAAS, as up to Kafka 4.0, or by settings of its own; extensions for the broker."""
    login = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required"
    by_jaas = (
        "security.protocol=SASL_SSL\nsasl.mechanism=OAUTHBEARER\n"
        "sasl.login.callback.handler.class=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler\n"
        "sasl.oauthbearer.token.endpoint.url=https://idp.example/token\n"
        f"sasl.jaas.config={login} clientId='auditor' clientSecret=\"{SECRET}\" "
        "scope=read extension_logicalCluster=lkc-1;\n"
    )
    by_settings = (
        "security.protocol=SASL_SSL\nsasl.mechanism=OAUTHBEARER\n"
        "sasl.oauthbearer.token.endpoint.url=https://idp.example/token\n"
        f"sasl.oauthbearer.client.credentials.client.id=auditor\nsasl.oauthbearer.scope=read\n"
        f"sasl.oauthbearer.client.credentials.client.secret={SECRET}\n"
        "sasl.oauthbearer.extensions=logicalCluster=lkc-1\n"
    )
    for_librdkafka = (
        "security.protocol=sasl_ssl\nsasl.mechanisms=OAUTHBEARER\nsasl.oauthbearer.method=oidc\n"
        f"sasl.oauthbearer.client.id=auditor\nsasl.oauthbearer.client.secret={SECRET}\nsasl.oauthbearer.scope=read\n"
        "sasl.oauthbearer.token.endpoint.url=https://idp.example/token\n"
        "sasl.oauthbearer.extensions=logicalCluster=lkc-1\n"
    )
    for text in (by_jaas, by_settings, for_librdkafka):
        assert settings(tmp_path, text) == {
            "security_protocol": "SASL_SSL",
            "sasl_mechanism": "OAUTHBEARER",
            "oauth_endpoint": "https://idp.example/token",
            "oauth_client_id": "auditor",
            "oauth_client_secret": SECRET,
            "oauth_scope": "read",
            "oauth_extension_logicalCluster": "lkc-1",
        }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"sasl.passwort={SECRET}", "line 1: this is no setting that Lagbook passes on; known are"),
        (f"\n\nsasl.password {SECRET}", "line 3: expected NAME=VALUE"),
        (SECRET, "line 1: expected NAME=VALUE"),
        (f"security.protocol={SECRET}", "line 1: security.protocol must be one of PLAINTEXT, SSL"),
        (f"sasl.mechanism={SECRET}", "line 1: sasl.mechanism must be one of PLAIN, SCRAM-SHA-256"),
        (f"ssl.truststore.type={SECRET}", "line 1: ssl.truststore.type must be one of PEM"),
        (f"sasl.password\\\n{SECRET}", "line 1: this is no setting"),
        (f"sasl.oauthbearer.method={SECRET}", "line 1: sasl.oauthbearer.method must be one of OIDC"),
        (f"sasl.oauthbearer.extensions=auth={SECRET}", "an extension is NAME=VALUE"),
        (f"sasl.oauthbearer.extensions=a=b,c=\x01auth={SECRET}", "an extension is NAME=VALUE"),
        (SECRET.encode() + b"\xff", "is not UTF-8 at byte"),
        (SECRET.encode() * (LARGEST_BYTES // len(SECRET) + 1), "expected at most 1,048,576 bytes"),
    ],
)
def test_what_can_not_be_understood_is_refused_without_showing_it(
    tmp_path: Path, text: str | bytes, message: str
) -> None:
    """The sentence has the file, the line and a known name, but never a value, nor what may be a part of one."""
    with pytest.raises(SourceError, match=r"client\.properties") as refused:
        settings(tmp_path, text)
    assert message in str(refused.value)
    assert "hunter2" not in repr(refused.value)
    assert refused.value.__cause__ is None


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """Before anything is sent."""
    with pytest.raises(SourceError, match=r"nowhere.*No such file"):
        client_settings(str(tmp_path / "nowhere"))
