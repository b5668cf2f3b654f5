"""Text from a stranger must not reach the terminal as anything but text."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import datetime, timezone
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagster_project.cli import terminal

if TYPE_CHECKING:
    from collections.abc import Sequence


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain-group_1", "plain-group_1"),
        ("\x1b[2J", "\\x1b[2J"),
        ("\x9b31m", "\\x9b31m"),
        ("a\nb\tc\x00", "a\\nb\\tc\\x00"),
        ("\u202eevil", "\\u202eevil"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("\ud800", "\\ud800"),
        ("[bold]Grüße 日本", "[bold]Grüße 日本"),
    ],
)
def test_control_and_hidden_characters_are_shown_as_escapes(text: str, shown: str) -> None:
    """Escapes, bidi overrides, hidden characters and lone surrogates become visible; letters of any script stay."""
    assert terminal.safe(text) == shown


@given(st.text(max_size=200))
def test_whatever_is_shown_is_printable(text: str) -> None:
    """No character at all can get through that a terminal would act on."""
    assert terminal.brief(text).isprintable()


@given(st.text(max_size=100, alphabet=st.characters(exclude_characters="\x00", exclude_categories=["Cs"])))
def test_a_shell_takes_a_shown_name_back(name: str) -> None:
    """Whatever it holds but NUL, which no argument can hold; and nothing of it acts on the terminal before."""
    shown = terminal.pasteable(name)
    assert shown.isprintable()
    command = ["bash", "--norc", "-c", f"printf %s {shown}"]
    assert subprocess.run(command, capture_output=True, check=True).stdout.decode() == name


def test_a_long_text_is_cut_and_says_so() -> None:
    """A name of 32,000 characters takes one line, and the reader sees that it goes on."""
    shown = terminal.brief("x" * 32_000)
    assert shown.endswith("x...(+31904 characters)")
    assert len(shown) < 2 * terminal.LONGEST_CELL


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "-"), (0, "0"), ("", ""), (datetime(2026, 11, 18, tzinfo=timezone.utc), "2026-11-18T00:00:00.000Z")],
)
def test_unknown_is_a_dash_and_never_a_zero(value: object, shown: str) -> None:
    """NULL, zero and empty text look different."""
    assert terminal.cell(value) == shown


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_sentence_is_broken_between_words_on_a_terminal_alone(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *, is_terminal: bool
) -> None:
    """What goes on is set in; an id stays in one piece however narrow it is, and a pipe gets the line as it is."""
    monkeypatch.setenv("COLUMNS", "16")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: is_terminal)
    for line in ("   at most 20; incident 86e8437c85dc-and-so-on", ""):
        terminal.print_sentence(line)
    broken = "   at most 20;\n       incident\n       86e8437c85dc-and-so-on\n\n"
    whole = "   at most 20; incident 86e8437c85dc-and-so-on\n\n"
    assert capsys.readouterr().out == (broken if is_terminal else whole)


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_note_is_broken_between_words_on_a_terminal_alone(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *, is_terminal: bool
) -> None:
    """Each of its lines; a file that takes stderr gets them as they are."""
    monkeypatch.setenv("COLUMNS", "24")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal)
    terminal.note("lagbook: as of 12:03:00 UTC\nstale")
    whole = "lagbook: as of 12:03:00 UTC\nstale\n"
    assert capsys.readouterr().err == ("lagbook: as of 12:03:00\n    UTC\nstale\n" if is_terminal else whole)


def test_columns_line_up(capsys: pytest.CaptureFixture[str]) -> None:
    """Every column is as wide as its widest value, also where characters are two cells wide."""
    terminal.print_columns([("GROUP", "LAG"), ("日本", 1), ("group-1", None)])
    assert capsys.readouterr().out.splitlines() == ["GROUP    LAG", "日本     1", "group-1  -"]


@pytest.mark.parametrize(
    "rows", [[], [{"a": 1}], [{"a": "\x1b\u202e\ud800"}, {"a": datetime(2026, 11, 18, tzinfo=timezone.utc)}]]
)
def test_json_is_ascii_and_reads_back(rows: Sequence[dict[str, object]], capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever the values, the list is valid JSON in ASCII, and a time is in UTC."""
    assert terminal.print_json_rows(rows) == bool(rows)
    text = capsys.readouterr().out
    assert text.isascii()
    assert json.loads(text) == [
        {k: v if not isinstance(v, datetime) else "2026-11-18T00:00:00.000Z" for k, v in r.items()} for r in rows
    ]
