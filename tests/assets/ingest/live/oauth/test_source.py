"""Where tokens come from: an endpoint that answers as any may, and functions of anybody's making."""

from __future__ import annotations

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from assets.ingest.live.errors import PassingError
from assets.ingest.live.oauth.endpoint import LONGEST_ANSWER_BYTES
from assets.ingest.live.oauth.source import extensions_of, token_source
from parsers.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SECRET = "hunter2"  # noqa: S105 - a made-up one
WHOLE = {"oauth_endpoint": "https://idp.example/token", "oauth_client_id": "c", "oauth_client_secret": SECRET}


@contextmanager
def answering(status: int, body: bytes, **headers: str) -> Iterator[tuple[str, list[str]]]:
    """An endpoint that gives this answer to everyone; its address, and the paths that were asked for."""
    requests: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        """Gives it."""

        def do_POST(self) -> None:
            """One request."""
            requests.append(self.path)
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST  # noqa: N815 - as the server calls it

        def log_message(self, *_words: object) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/token?{SECRET}", requests
        server.shutdown()


def token_of(**settings: Any) -> str:  # noqa: ANN401 - whatever a file may hold
    """The first token of these settings."""
    return token_source("client.properties", settings, 2).token()


@pytest.mark.parametrize("more", [{}, {"expires_in": 60}, {"expires_in": "soon"}])
def test_a_token_of_an_endpoint(more: dict[str, object]) -> None:
    """With or without the time that it lives."""
    with answering(200, json.dumps({"access_token": "t0ken", **more}).encode()) as (url, requests):
        assert token_of(**{**WHOLE, "oauth_endpoint": url}) == "t0ken"
    assert requests == [f"/token?{SECRET}"]


@pytest.mark.parametrize(
    ("status", "body", "message", "passes"),
    [
        (400, b'{"error": "invalid_scope"}', "HTTP 400 invalid_scope$", False),
        (401, f'{{"error": "{SECRET}"}}'.encode(), "HTTP 401$", False),
        (401, b"[]", "HTTP 401$", False),
        (429, b"", "HTTP 429$", True),
        (503, b"<html>", "HTTP 503$", True),
        (200, b"no json", "expected a JSON object", False),
        (200, b"[" * 100_000, "expected a JSON object", False),
        (200, b'{"token": "t"}', "expected a token of letters", False),
        (200, b" " * (LONGEST_ANSWER_BYTES + 1), "expected a JSON object", False),
    ],
)
def test_an_answer_without_a_token_is_one_sentence(status: int, body: bytes, message: str, passes: bool) -> None:  # noqa: FBT001 - a case of the table
    """By the number and OAuth's own code; whether it is worth trying again; no secret, not even of the address."""
    with answering(status, body) as (url, _), pytest.raises(SourceError, match=message) as refused:
        token_of(**{**WHOLE, "oauth_endpoint": url})
    assert isinstance(refused.value, PassingError) == passes
    assert SECRET not in str(refused.value)
    assert refused.value.__cause__ is None


def test_no_redirect_is_followed() -> None:
    """The secret would go to wherever it leads."""
    with (
        answering(200, b'{"access_token": "t"}') as (elsewhere, requests),
        answering(307, b"", Location=elsewhere) as (url, _),
        pytest.raises(SourceError, match="gave no token: HTTP 307"),
    ):
        token_of(**{**WHOLE, "oauth_endpoint": url})
    assert requests == []


def test_an_endpoint_that_is_away_is_one_sentence() -> None:
    """It may come back."""
    with pytest.raises(PassingError, match=r"token endpoint 127\.0\.0\.1 did not answer: ConnectionRefusedError"):
        token_of(**{**WHOLE, "oauth_endpoint": "http://127.0.0.1:1/token"})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "client.properties: OAUTHBEARER needs sasl.oauthbearer.token.endpoint.url or"),
        ({**WHOLE, "oauth_provider": "a:b"}, "and not both"),
        ({**WHOLE, "oauth_endpoint": f"http://idp.example/{SECRET}"}, "must be an https:// address"),
        ({**WHOLE, "oauth_endpoint": f"file:///{SECRET}"}, "must be an https:// address"),
        ({"oauth_endpoint": "https://idp.example"}, "needs a client id and a client secret"),
        ({**WHOLE, "oauth_ca_file": "/nowhere/ca.pem"}, "its certificates can't be read: No such file"),
        ({"oauth_provider": f"os.system('{SECRET}')"}, "must be MODULE:FUNCTION"),
        ({"oauth_provider": "no_such_module:f"}, "no_such_module:f can't be found: ModuleNotFoundError"),
        ({"oauth_provider": "json:no.such"}, "can't be found: AttributeError"),
        ({"oauth_provider": "json:__name__"}, "is no function"),
    ],
)
def test_what_is_not_described_whole_is_refused_without_showing_it(settings: dict[str, str], message: str) -> None:
    """Before anything is sent."""
    with pytest.raises(SourceError, match=message) as refused:
        token_of(**settings)
    assert SECRET not in str(refused.value)


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Functions of somebody's own."""
    (tmp_path / "somebodys.py").write_text(
        f"def plain(): return 'abc'\ndef pair(region): return region, 1e15\n"
        f"def fails(): raise ValueError('{SECRET}')\ndef wrong(): return 'a b', 'soon'\ndef number(): return 5\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    return "somebodys"


def test_a_function_gives_tokens(module: str) -> None:
    """Alone, or with an argument and the end."""
    assert token_of(oauth_provider=f"{module}:plain") == "abc"
    assert token_of(oauth_provider=f"{module}:pair", oauth_provider_argument="eu-west-1") == "eu-west-1"


@pytest.mark.parametrize(
    ("name", "message"),
    [("fails", "failed: ValueError$"), ("wrong", "the end of the token"), ("number", "expected a tok")],
)
def test_a_function_that_gives_none_is_one_sentence(module: str, name: str, message: str) -> None:
    """Without what it said, which may be a secret."""
    with pytest.raises(SourceError, match=message) as refused:
        token_of(oauth_provider=f"{module}:{name}")
    assert SECRET not in str(refused.value)


def test_the_signer_of_aws_gives_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    """By its name and the region alone; it signs by itself and asks nobody."""
    pytest.importorskip("aws_msk_iam_sasl_signer", reason="the extra `msk` is not installed")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    name = "aws_msk_iam_sasl_signer.MSKAuthTokenProvider:generate_auth_token"
    tokens = token_source("c", {"oauth_provider": name, "oauth_provider_argument": "eu-west-1"}, 2)
    assert len(tokens.token()) > 100
    assert tokens.token() == tokens.token()


def test_extensions_are_passed_on() -> None:
    """As they are called in the settings."""
    assert extensions_of({"oauth_extension_logicalCluster": "lkc-1", "oauth_scope": "s"}) == {"logicalCluster": "lkc-1"}
