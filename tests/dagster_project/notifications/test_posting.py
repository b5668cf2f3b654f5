"""How HTTP is spoken: proof of who posts, no redirect, bounded time, and no secret in a sentence."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from dagster_project.notifications import posting
from dagster_project.notifications.channel import DeliveryError
from dagster_project.notifications.posting import address_from
from parsers.errors import SourceError
from tests.dagster_project.notifications.conftest import section

if TYPE_CHECKING:
    from pathlib import Path

    from tests.dagster_project.notifications.receivers import Requests

SECRET = "T000-hush"  # noqa: S105 - what must not be shown


def test_a_token_is_read_from_its_file_at_each_post(server: Requests, tmp_path: Path) -> None:
    """A token that was changed counts at once; its file is beside lagbook.toml."""
    address = address_from(section(f'url = "{server.url}"\ntoken_file = "token"', tmp_path))
    for token in ("one", "two"):
        (tmp_path / "token").write_text(f"{token}\n")
        address.post({})
    assert [headers["Authorization"] for headers in server.headers] == ["Bearer one", "Bearer two"]


def test_a_password_is_read_from_the_environment(server: Requests, monkeypatch: pytest.MonkeyPatch) -> None:
    """As Basic, with the user."""
    monkeypatch.setenv("HOOK_PASSWORD", "p:ä")
    address_from(section(f'url = "{server.url}"\nuser = "me"\npassword_env = "HOOK_PASSWORD"')).post({})
    assert server.headers[0]["Authorization"] == "Basic bWU6cDrDpA=="


@pytest.mark.parametrize(("code", "may_pass"), [(400, False), (404, False), (429, True), (500, True), (503, True)])
def test_an_answer_that_is_no_success_is_an_error(server: Requests, code: int, *, may_pass: bool) -> None:
    """With its number; whether another attempt helps depends on it."""
    server.codes = [code]
    with pytest.raises(DeliveryError, match=rf"^127\.0\.0\.1:{server.port} answers {code} ") as error:
        address_from(section(f'url = "{server.url}/{SECRET}"')).post({})
    assert (error.value.may_pass, error.value.is_in_doubt) == (may_pass, False)
    assert SECRET not in str(error.value)


@pytest.mark.parametrize("code", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(server: Requests, code: int) -> None:
    """What is sent, and the token above all, is meant for one host."""
    server.codes = [code]
    with pytest.raises(DeliveryError, match=f"answers {code}"):
        address_from(section(f'url = "{server.url}/hook"')).post({})
    assert server.paths == ["/hook"]


def test_a_server_that_says_nothing_leaves_it_in_doubt(server: Requests, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may have taken the message; one that can't be reached has not."""
    monkeypatch.setattr(posting, "TIMEOUT_S", 0.2)
    server.silence.clear()
    with pytest.raises(DeliveryError, match=r"does not answer within") as silent:
        address_from(section(f'url = "{server.url}"')).post({})
    with pytest.raises(DeliveryError, match=r"can't be reached: Connection refused") as away:
        address_from(section(f'url = "http://127.0.0.1:1/{SECRET}"')).post({})
    assert (silent.value.is_in_doubt, away.value.is_in_doubt) == (True, False)
    assert SECRET not in str(away.value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('url = "ftp://h/T000-hush"', "url: expected http"),
        ('url = "https://me:T000-hush@h/"', "url: expected http"),
        ('url = "https://h:99999/T000-hush"', "url: expected http"),
        ('url = "http://h/T000-hush"\ntoken_env = "T"', "url: expected https"),
        ('url = "https://h/T000-hush"\ntoken = "T000-hush"', "token: a secret does not stand in this file"),
        ('url = "https://h/T000-hush"\nurl_env = "U"', "url: expected one of url_env and url_file, found more"),
        ('url = "https://h/T000-hush"\nuser = "me"', "user: expected a user with a password"),
        ('url = ""', "url: expected a text, found an empty one"),
        ("", "url: expected, not found"),
        ("url = 5", "url: expected a text, found a number"),
    ],
)
def test_an_address_that_can_not_be_meant_is_refused(text: str, reason: str) -> None:
    """When the file is read, with file, table and key, and nothing of the secret."""
    with pytest.raises(SourceError, match=re.escape(f"[alerts.notify[1]] {reason}")) as error:
        address_from(section(text))
    assert SECRET not in str(error.value)


def test_a_secret_that_is_missing_is_an_error_that_names_its_place(tmp_path: Path) -> None:
    """The variable or the file, when it is needed: another notifier is not held up."""
    with pytest.raises(SourceError, match=r"url: the variable LAGBOOK_NO_SUCH is not set"):
        address_from(section('url_env = "LAGBOOK_NO_SUCH"')).post({})
    with pytest.raises(SourceError, match=r"url: the file .*/gone can't be read: No such file"):
        address_from(section('url_file = "gone"', tmp_path)).post({})
    (tmp_path / "two").write_text("http://h\nhttp://i")
    with pytest.raises(SourceError, match=r"url: the file .*/two is no text of one line"):
        address_from(section('url_file = "two"', tmp_path)).post({})


def test_no_secret_shows_in_what_python_prints() -> None:
    """Logs print objects."""
    assert SECRET not in repr(address_from(section(f'url = "https://h/{SECRET}"')))
