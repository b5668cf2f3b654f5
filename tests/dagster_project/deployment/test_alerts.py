"""The table `[alerts]` of lagbook.toml, and how a mistake in it is refused."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from dagster_project.deployment.alerts import Alerts, declared_alerts
from parsers.errors import SourceError

if TYPE_CHECKING:
    from pathlib import Path

SLACK = '[[alerts.notify]]\nname = "a"\nkind = "slack"\nurl_env = "U"\n'


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that is looked for in the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LAGBOOK_FILE", raising=False)
    return tmp_path / "lagbook.toml"


def test_without_a_file_there_are_no_notifiers(file: Path) -> None:
    """And incidents count from the default severity on; one that is named has to be there."""
    assert not file.exists()
    assert declared_alerts() == Alerts("high", ())


def test_a_file_that_is_named_has_to_be_there(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A typing error is no deployment without alerts."""
    monkeypatch.setenv("LAGBOOK_FILE", str(file))
    with pytest.raises(SourceError, match=r"lagbook\.toml can't be read: No such file"):
        declared_alerts()


def test_a_notifier_has_the_severity_of_all_or_its_own(file: Path) -> None:
    """Each may be settled for more or less."""
    other = SLACK.replace('"a"', '"b"') + 'severity = "critical"\n'
    file.write_text('[alerts]\nseverity = "medium"\n' + SLACK + other)
    alerts = declared_alerts()
    assert [(one.name, one.severity) for one in alerts.notifiers] == [("a", "medium"), ("b", "critical")]
    assert alerts.severity == "medium"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[alerts", "is no TOML: "),
        ("[alert]\n", "alert: there is no such key; did you mean alerts?"),
        ("alerts = 5\n", "alerts: expected a table, found a number"),
        (
            '[alerts]\nseverity = "grave"\n',
            "[alerts] severity: expected one of low, medium, high, critical, found 'grave'",
        ),
        ("[alerts]\nseverity = true\n", "[alerts] severity: expected a text, found true or false"),
        ("[alerts]\nserverity = 'high'\n", "[alerts] serverity: there is no such key; did you mean severity?"),
        ("[alerts.notify]\nname = 'a'\n", "[alerts] notify: expected a list, found a table"),
        ("[alerts]\nnotify = [1]\n", "[alerts] notify: expected tables, [[alerts.notify]], found a number"),
        (SLACK.replace('"a"', '"../a"'), "[alerts.notify[1]] name: expected letters, digits"),
        (
            SLACK.replace("slack", "pager"),
            "[alerts.notify[1]] kind: expected one of webhook, alertmanager, slack, email",
        ),
        (SLACK.replace("kind", "Kind"), "[alerts.notify[1]] kind: expected, not found"),
        (SLACK + SLACK, "[alerts] notify: expected each name once, found 'a' 2 times"),
        (SLACK + "hours = 3\n", "[alerts.notify[1]] hours: there is no such key"),
    ],
)
def test_a_mistake_is_refused_with_its_address(file: Path, text: str, reason: str) -> None:
    """File, table, key, what is expected and what is there."""
    file.write_text(text)
    with pytest.raises(SourceError, match=re.escape(reason)) as error:
        declared_alerts()
    assert str(error.value).startswith(str(file))


@pytest.mark.parametrize("content", [b"\xff\xfe[alerts]", b"#" * (1 << 21), b"a = " + b"[" * 100_000])
def test_a_file_that_is_none_of_ours_is_refused(file: Path, content: bytes) -> None:
    """In one sentence."""
    file.write_bytes(content)
    with pytest.raises(SourceError, match=r"lagbook\.toml"):
        declared_alerts()
