"""Times as people type them, and as the command writes them."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

from dagster_project.cli.times import parse_time, show_length, show_time

INSTANT = datetime(2026, 11, 18, 2, 30, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-18T02:30",
        "2026-11-18 02:30:00",
        "2026-11-18 02:30:00 UTC",
        "2026-11-18T02:30:00Z",
        "2026-11-18T02:30:00.000+00:00",
        "2026-11-18T04:30+02:00",
        "1794969000000",
    ],
)
def test_one_instant_has_many_forms(text: str) -> None:
    """ISO with and without a zone, and epoch milliseconds, mean the same instant; no zone means UTC."""
    assert parse_time(text) == INSTANT


@pytest.mark.parametrize(
    "text", ["", "yesterday", "02:30", "2026-13-01", "9" * 5000, "9" * 18, "0001-01-01T00:00+14:00"]
)
def test_what_is_no_time_is_refused(text: str) -> None:
    """Neither words nor impossible dates nor numbers beyond the calendar get through."""
    with pytest.raises((ValueError, OverflowError)):
        parse_time(text)


@pytest.mark.parametrize("text", ["20261118", "1794969000"])
def test_seconds_and_dates_without_dashes_are_not_taken_for_milliseconds(text: str) -> None:
    """Both would silently mean January 1970."""
    with pytest.raises(ValueError, match="too few digits"):
        parse_time(text)


def test_what_is_shown_can_be_typed_again() -> None:
    """A time that was copied from an answer means the same instant when it is given to `--at`."""
    instant = datetime(2026, 11, 18, 2, 30, 0, 123000, tzinfo=timezone.utc)
    assert show_time(instant) == "2026-11-18T02:30:00.123Z"
    assert parse_time(show_time(instant)) == instant


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.04, "0.0 s"), (119.9, "119.9 s"), (120, "2 minutes"), (7_199, "120 minutes"), (197_688.7, "2 days")],
)
def test_a_length_has_the_unit_of_which_it_has_two(seconds: float, text: str) -> None:
    """Seconds with a decimal, since traffic is often quick; nobody reads 197,688.7 s."""
    assert show_length(seconds) == text
