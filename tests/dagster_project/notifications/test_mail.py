"""Mails, against a real mail server."""

from __future__ import annotations

import re
import ssl
from typing import TYPE_CHECKING

import pytest

from dagster_project.notifications.channel import DeliveryError
from dagster_project.notifications.mail import from_section
from parsers.errors import SourceError
from tests.broker.guards import write_certificate
from tests.dagster_project.notifications.conftest import message, section
from tests.dagster_project.notifications.receivers import mail_server

if TYPE_CHECKING:
    from pathlib import Path

PASSWORD = "hush-42"  # noqa: S105 - what must not be shown
TO = 'from = "Lagbook <lagbook@example.org>"\nto = ["a@example.org", "b@example.org"]\nhost = "127.0.0.1"'


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ssl.SSLContext]:
    """A certificate for loopback, and a server's TLS with it."""
    folder = tmp_path_factory.mktemp("tls")
    pem = write_certificate(folder / "server.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    return pem, context


def test_a_mail_says_it_in_plain_text() -> None:
    """One mail to all, whose subject and text hold no control character of a stranger."""
    with mail_server() as inbox:
        from_section(section(f'{TO}\nport = {inbox.port}\ntls = "none"')).send(message())
    (mail,) = inbox.mails
    assert inbox.recipients == [["a@example.org", "b@example.org"]]
    assert mail["Subject"] == "Lagbook: 1 new incident, the worst critical; 1 failed run"
    assert (mail.get_content_type(), mail["From"]) == ("text/plain", "Lagbook <lagbook@example.org>")
    text = mail.get_content()
    assert "critical 000000000001 2026-11-18 12:32:46 UTC: group evil\\x1b[2J<!channel>" in text
    assert "\x1b" not in text
    assert text.rstrip().endswith("Next: lagbook report --incident 000000000001 --warehouse wh")


@pytest.mark.parametrize("kind", ["starttls", "tls"])
def test_a_password_goes_over_tls(kind: str, tls: tuple[Path, ssl.SSLContext], monkeypatch: pytest.MonkeyPatch) -> None:
    """To a server whose certificate is trusted; a wrong password is a sentence without it."""
    pem, context = tls
    monkeypatch.setenv("MAIL_PASSWORD", PASSWORD)
    with mail_server(context, PASSWORD, is_tls=kind == "tls") as inbox:
        text = (
            f'{TO}\nport = {inbox.port}\ntls = "{kind}"\nuser = "me"\npassword_env = "MAIL_PASSWORD"\nca_file = "{pem}"'
        )
        from_section(section(text)).send(message())
        monkeypatch.setenv("MAIL_PASSWORD", f"{PASSWORD}!")
        with pytest.raises(DeliveryError, match=r"does not take the password of me \(535\)") as error:
            from_section(section(text)).send(message())
        monkeypatch.setenv("MAIL_PASSWORD", f"{PASSWORD}ä")
        with pytest.raises(SourceError, match=r"password: it has characters beyond ASCII") as other:
            from_section(section(text)).send(message())
    assert len(inbox.mails) == 1
    assert PASSWORD not in f"{error.value} {other.value}"


def test_a_server_nobody_vouches_for_is_sent_nothing(tls: tuple[Path, ssl.SSLContext]) -> None:
    """Its certificate is of no authority that is trusted."""
    with (
        mail_server(tls[1]) as inbox,
        pytest.raises(DeliveryError, match=r"127\.0\.0\.1:\d+ shows a certificate that is not trusted"),
    ):
        from_section(section(f"{TO}\nport = {inbox.port}")).send(message())
    assert inbox.mails == []


def test_a_server_without_starttls_is_sent_nothing() -> None:
    """TLS is the default, and somebody between could have taken the offer out."""
    with mail_server() as inbox, pytest.raises(DeliveryError, match=r"offers no starttls"):
        from_section(section(f"{TO}\nport = {inbox.port}")).send(message())
    assert inbox.mails == []


def test_a_recipient_who_is_refused_is_an_error() -> None:
    """Somebody waits for that mail."""
    with mail_server() as inbox:
        inbox.refused = frozenset({"b@example.org"})
        with pytest.raises(DeliveryError, match=r"refuses 1 of 2 recipients"):
            from_section(section(f'{TO}\nport = {inbox.port}\ntls = "none"')).send(message())


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"{TO}\nport = 99999", "port: expected a port, found 99999"),
        (f'{TO}\ntls = "ssl"', "tls: expected one of starttls, tls, none, found 'ssl'"),
        (f'{TO}\nuser = "me"', "user: expected a user with password_env or password_file"),
        (f'{TO}\nuser = "me"\npassword = "x"', "password: a secret does not stand in this file"),
        (f'{TO}\nuser = "me"\npassword_env = "X"\ntls = "none"', "tls: expected starttls or tls"),
        ('from = "a@b"\nhost = "h"', "to: expected an address, found none"),
        ('from = "a@b\\nBcc: c@d"\nto = "e@f"\nhost = "h"', "from: expected one address such as NAME@HOST"),
        ('from = "a@b"\nto = ["e@f, g@h"]\nhost = "h"', "to: expected one address such as NAME@HOST"),
        ('from = "a@b"\nto = "e@f"', "host: expected, not found"),
    ],
)
def test_a_table_that_can_not_be_meant_is_refused(text: str, reason: str) -> None:
    """With its key, what is expected, and what stands there."""
    with pytest.raises(SourceError, match=re.escape(reason)):
        from_section(section(text))
