"""When a token is taken again, and which texts are none."""

from __future__ import annotations

import base64
import json

import pytest

from assets.ingest.live.errors import PassingError
from assets.ingest.live.oauth.tokens import LONGEST_TOKEN, Token, Tokens, checked
from parsers.errors import SourceError


class Source:
    """Gives a new token at each call, which ends a hundred seconds later, unless it is away."""

    def __init__(self) -> None:
        """Begin at second 1,000."""
        self.now, self.given, self.error = 1_000.0, 0, ""
        self.life: float | None = 100.0
        self.tokens = Tokens(self.new, lambda: self.now)

    def new(self) -> Token:
        """The next token."""
        if self.error:
            raise PassingError(self.error)
        self.given += 1
        return Token(f"token-{self.given}", None if self.life is None else self.now + self.life)

    def at(self, second: float) -> str:
        """The token at a second after the beginning."""
        self.now = 1_000 + second
        return self.tokens.token()


def test_a_token_is_used_until_a_fifth_of_its_life_is_left() -> None:
    """The next one is there before the broker asks again."""
    source = Source()
    assert [source.at(second) for second in (0, 79, 81, 160, 162)] == [f"token-{number}" for number in (1, 1, 2, 2, 3)]


def test_while_the_source_is_away_the_last_token_is_used_until_it_ends() -> None:
    """Then the reason is said."""
    source = Source()
    source.at(0)
    source.error = "away"
    assert source.at(94) == "token-1"
    with pytest.raises(PassingError, match="away"):
        source.at(96)
    source.error = ""
    assert source.at(97) == "token-2"


@pytest.mark.parametrize("life", [None, 0, -5])
def test_a_token_without_an_end_or_past_it_is_never_used_twice(life: float | None) -> None:
    """Nobody knows whether it is still valid."""
    source = Source()
    source.life = life
    assert [source.at(0), source.at(0)] == ["token-1", "token-2"]
    source.error = "away"
    with pytest.raises(PassingError):
        source.at(1)


@pytest.mark.parametrize("text", [None, "", "a b", "a\x01auth=Bearer b", "ä", "a" * (LONGEST_TOKEN + 1), 7, "=a"])
def test_what_is_no_token_is_refused_without_showing_it(text: object) -> None:
    """Nothing else may come into what is sent to a broker."""
    with pytest.raises(SourceError, match="place: expected a token of letters") as refused:
        checked("place", text, None)
    assert not text or str(text) not in str(refused.value)


@pytest.mark.parametrize(
    ("claims", "end"),
    [({"exp": 1234}, 1234.0), ({"exp": "1234"}, None), ({"exp": True}, None), ({}, None), ([], None), (None, None)],
)
def test_a_jwt_names_its_own_end(claims: object, end: float | None) -> None:
    """If nothing else does; whatever else is in it."""
    body = "!" if claims is None else base64.urlsafe_b64encode(json.dumps(claims).encode()).rstrip(b"=").decode()
    text = f"e30.{body}.sig".replace("!", "%")
    token = checked("place", text.replace("%", "_"), None)
    assert token.ends_at == end
    assert checked("place", "opaque", 5.0).ends_at == 5.0
    assert token.text not in repr(token)
