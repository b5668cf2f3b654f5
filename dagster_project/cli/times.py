"""Times as people type and read them: ISO 8601 or epoch milliseconds in, UTC out.

Put here how a time is written. Which times a command takes belongs to that command.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Final

import click

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=timezone.utc)
_FEWEST_DIGITS: Final = 12
"""Epoch milliseconds have 12 digits since 1973; fewer are seconds, or a date without dashes."""

_UNITS: Final = (("days", 86_400), ("hours", 3_600), ("minutes", 60))
_UNITS_LEAST: Final = 2
"""A unit is used from so many of it on."""

FORMS: Final = "ISO 8601 such as 2026-11-18T02:30 (UTC unless it names a zone) or epoch milliseconds"


def typed_time(text: str) -> datetime:
    """The instant of `--at`, `--from` or `--to`, or a refusal with the accepted forms."""
    try:
        return parse_time(text)
    except (ValueError, OverflowError) as error:
        raise click.BadParameter(
            f"{text[:80]!r} is no time that Lagbook understands ({error}); give {FORMS}."
        ) from error


def parse_time(text: str) -> datetime:
    """An instant from ISO 8601, as sentences show it (`... UTC`), or epoch milliseconds; without a zone it is UTC."""
    if text.isdecimal():
        return _from_digits(text)
    written = text.strip().removesuffix(" UTC")
    zoned = f"{written[:-1]}+00:00" if written[-1:] in {"Z", "z"} else written
    parsed = datetime.fromisoformat(zoned)
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=timezone.utc)).astimezone(timezone.utc)


def show_time(instant: datetime) -> str:
    """An instant in UTC to the millisecond, in a form that `--at` takes."""
    return instant.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def show_length(seconds: float) -> str:
    """A length of time in the largest unit of which it has two."""
    for unit, size in _UNITS:
        if seconds >= _UNITS_LEAST * size:
            return f"{seconds / size:,.0f} {unit}"
    return f"{seconds:,.1f} s"


def _from_digits(text: str) -> datetime:
    if len(text) < _FEWEST_DIGITS:
        message = "too few digits for epoch milliseconds"
        raise ValueError(message)
    return _EPOCH + timedelta(milliseconds=int(text))
