"""Times as people type them, and as the command writes them."""

from __future__ import annotations

import time
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from dagster_project.cli.times import parse_time, show_age, show_length, show_time

INSTANT = datetime(2026, 11, 18, 2, 30, tzinfo=timezone.utc)
NOW = datetime(2026, 11, 18, 14, 0, 30, tzinfo=timezone.utc)
BERLIN = ZoneInfo("Europe/Berlin")


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
    assert parse_time(text, timezone.utc, NOW) == INSTANT


@pytest.mark.parametrize(
    "text",
    [
        "",
        "tomorrow",
        "25:30",
        "yesterday noon",
        "-5",
        "-m",
        "-5z",
        "-" + "9" * 20 + "d",
        "5m",
        "2026-13-01",
        "9" * 5000,
        "9" * 18,
        "0001-01-01T00:00+14:00",
    ],
)
def test_what_is_no_time_is_refused(text: str) -> None:
    """Neither words nor impossible dates nor numbers beyond the calendar get through."""
    with pytest.raises((ValueError, OverflowError)):
        parse_time(text, timezone.utc, NOW)


@pytest.mark.parametrize("text", ["20261118", "1794969000"])
def test_seconds_and_dates_without_dashes_are_not_taken_for_milliseconds(text: str) -> None:
    """Both would silently mean January 1970."""
    with pytest.raises(ValueError, match="too few digits"):
        parse_time(text, timezone.utc, NOW)


@pytest.mark.parametrize(
    ("text", "ago"),
    [
        ("now", timedelta(0)),
        ("-5m", timedelta(minutes=5)),
        ("-90s", timedelta(seconds=90)),
        ("-1d12h", timedelta(days=1.5)),
        ("-2w", timedelta(weeks=2)),
        ("14:00", timedelta(seconds=30)),
        ("14:00:30", timedelta(0)),
        ("14:01", timedelta(hours=23, minutes=59, seconds=30)),
        ("2:30", timedelta(hours=11, minutes=30, seconds=30)),
        ("today", timedelta(hours=14, seconds=30)),
        ("today 15:00", timedelta(minutes=-59, seconds=-30)),
        ("yesterday 14:00", timedelta(days=1, seconds=30)),
        ("yesterday", timedelta(days=1, hours=14, seconds=30)),
    ],
)
def test_times_may_be_relative_to_now(text: str, ago: timedelta) -> None:
    """A clock alone is the last time that it was so; a day alone is its beginning."""
    assert parse_time(text, timezone.utc, NOW) == NOW - ago


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-18T02:30", "2026-11-18T01:30:00.000Z"),
        ("2026-07-18T02:30", "2026-07-18T00:30:00.000Z"),
        ("2026-11-18T02:30Z", "2026-11-18T02:30:00.000Z"),
        ("yesterday 14:00", "2026-11-17T13:00:00.000Z"),
        ("15:00", "2026-11-18T14:00:00.000Z"),
        ("15:01", "2026-11-17T14:01:00.000Z"),
    ],
)
def test_a_time_without_a_zone_is_in_the_zone_asked_for(text: str, expected: str) -> None:
    """With its summer time; a time that names its zone keeps it."""
    assert show_time(parse_time(text, BERLIN, NOW)) == expected


def test_the_zone_of_this_machine_is_a_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    """With its own summer time."""
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    try:
        summer, winter = (parse_time(f"2026-{month}-18T02:30", None, NOW).hour for month in ("07", "11"))
    finally:
        monkeypatch.undo()
        time.tzset()
    assert (summer, winter) == (6, 7)


@pytest.mark.parametrize(
    ("seconds", "text"), [(-3, "0s"), (0.4, "0s"), (119, "119s"), (120, "2m"), (7_200, "2h"), (197_688.7, "2d")]
)
def test_an_age_fits_a_narrow_column(seconds: float, text: str) -> None:
    """Whole units, cut and not rounded; what another clock puts ahead is no age."""
    assert show_age(seconds) == text


def test_what_is_shown_can_be_typed_again() -> None:
    """A time that was copied from an answer means the same instant when it is given to `--at`."""
    instant = datetime(2026, 11, 18, 2, 30, 0, 123000, tzinfo=timezone.utc)
    assert show_time(instant) == "2026-11-18T02:30:00.123Z"
    assert parse_time(show_time(instant), timezone.utc, NOW) == instant


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.04, "0.0 s"), (119.9, "119.9 s"), (120, "2 minutes"), (7_199, "120 minutes"), (197_688.7, "2 days")],
)
def test_a_length_has_the_unit_of_which_it_has_two(seconds: float, text: str) -> None:
    """Seconds with a decimal, since traffic is often quick; nobody reads 197,688.7 s."""
    assert show_length(seconds) == text
