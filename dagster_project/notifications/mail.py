"""Notifies by email: one plain text over SMTP, with TLS unless the table says otherwise.

Put here how a mail is made and sent. What it says belongs to `wording`.
"""

from __future__ import annotations

import smtplib
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import formatdate, make_msgid, parseaddr
from typing import TYPE_CHECKING, Final

from dagster_project.notifications.channel import DeliveryError
from dagster_project.notifications.posting import TIMEOUT_S, ca_file, tls_context, trouble_words
from dagster_project.notifications.wording import lines, next_step
from parsers.errors import SourceError

if TYPE_CHECKING:
    from dagster_project.deployment.secret import Secret
    from dagster_project.deployment.sections import Section
    from dagster_project.notifications.channel import Message

MOST: Final = 100
PORTS: Final = {"starttls": 587, "tls": 465, "none": 25}
_HIGHEST_PORT: Final = 65_535
_FIRST_FINAL: Final = 500
"""SMTP's answers from here on are refusals for good."""


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail server, how it is spoken to, and from whom to whom."""

    host: str
    port: int
    tls: str
    sender: str
    recipients: tuple[str, ...]
    user: str | None = None
    password: Secret | None = None
    certificates: str | None = None

    @property
    def place(self) -> str:
        """The mail server."""
        return f"{self.host}:{self.port}"

    @property
    def most(self) -> int:
        """Incidents in one mail."""
        return MOST

    def send(self, message: Message) -> None:
        """Send the mail; a recipient that is refused is an error, for somebody waits for it."""
        try:
            with self._connected() as server:
                if self.user and self.password:
                    server.login(self.user, _ascii(self.password))
                refused = server.send_message(self._mail(message))
        except smtplib.SMTPException as error:
            raise self._refused(error) from None
        except OSError as error:
            raise DeliveryError(
                f"{self.place} {trouble_words(error)}", is_in_doubt=isinstance(error, TimeoutError)
            ) from None
        if refused:
            raise DeliveryError(f"{self.place} refuses {len(refused)} of {len(self.recipients)} recipients")

    def _connected(self) -> smtplib.SMTP:
        if self.tls == "none":
            return smtplib.SMTP(self.host, self.port, timeout=TIMEOUT_S)
        context = tls_context("ca_file", self.certificates)
        if self.tls == "tls":
            return smtplib.SMTP_SSL(self.host, self.port, timeout=TIMEOUT_S, context=context)
        server = smtplib.SMTP(self.host, self.port, timeout=TIMEOUT_S)
        try:
            server.starttls(context=context)
        except (smtplib.SMTPException, OSError):
            server.close()
            raise
        return server

    def _mail(self, message: Message) -> EmailMessage:
        mail = EmailMessage()
        mail["Subject"], mail["From"], mail["To"] = message.subject, self.sender, ", ".join(self.recipients)
        mail["Date"], mail["Message-ID"] = formatdate(), make_msgid(domain=self.sender.rpartition("@")[2].rstrip(">"))
        mail.set_content("\n\n".join([*lines(message), next_step(message)]), cte="quoted-printable")
        return mail

    def _refused(self, error: smtplib.SMTPException) -> DeliveryError:
        """What went wrong by SMTP's number; the server's text may repeat what it was sent."""
        if isinstance(error, smtplib.SMTPNotSupportedError):
            return DeliveryError(
                f"{self.place} offers no {self.tls if self.tls != 'none' else 'login'}", may_pass=False
            )
        if isinstance(error, smtplib.SMTPAuthenticationError):
            return DeliveryError(f"{self.place} does not take the password of {self.user} ({error.smtp_code})")
        if isinstance(error, smtplib.SMTPRecipientsRefused):
            return DeliveryError(f"{self.place} refuses every recipient", may_pass=False)
        code = error.smtp_code if isinstance(error, smtplib.SMTPResponseException) else 0
        answer = code or type(error).__name__
        return DeliveryError(f"{self.place} answers {answer}", may_pass=code < _FIRST_FINAL, is_in_doubt=not code)


def from_section(section: Section) -> Mail:
    """The mail server and addresses that a table of lagbook.toml names."""
    tls = section.choice("tls", tuple(PORTS), "starttls")
    port = section.number("port", PORTS[tls])
    if port != int(port) or port > _HIGHEST_PORT:
        raise section.refusal("port", f"expected a port, found {port}")
    recipients = section.texts("to")
    sender = _address(section, "from", section.needed("from"))
    if not recipients:
        raise section.refusal("to", "expected an address, found none")
    user, password = section.text("user"), section.secret("password")
    if (user is None) != (password is None):
        raise section.refusal("user", "expected a user with password_env or password_file, found one of them")
    if password and tls == "none":
        raise section.refusal("tls", "expected starttls or tls, for the password would go over the network bare")
    to = tuple(_address(section, "to", one) for one in recipients)
    return Mail(section.needed("host"), int(port), tls, sender, to, user, password, ca_file(section))


def _ascii(password: Secret) -> str:
    """The password: the library that logs in would show another one in its error."""
    text = password.read()
    if not text.isascii():
        raise SourceError(f"{password.key}: it has characters beyond ASCII, with which no login is possible")
    return text


def _address(section: Section, key: str, text: str) -> str:
    if not text.isprintable() or "," in text or "@" not in parseaddr(text)[1]:
        raise section.refusal(key, "expected one address such as NAME@HOST, found another text")
    return text
