"""Where the jars come from, and what is said when they can't be had."""

from __future__ import annotations

import socket
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from tests.broker.maven import CENTRAL, UnavailableError, jars, repository
from tests.broker.releases import NEWEST, RELEASES
from tests.broker.settings import HOST

if TYPE_CHECKING:
    from pathlib import Path

SETTINGS = """<settings xmlns="http://maven.apache.org/SETTINGS/1.2.0"><mirrors>
  <mirror><id>some</id><mirrorOf>jboss</mirrorOf><url>https://jboss.example/</url></mirror>
  <mirror><id>all</id><mirrorOf>*,!own</mirrorOf><url>https://mirror.example/maven2</url></mirror>
</mirrors></settings>
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home that says nothing of Maven."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("LAGBOOK_MAVEN", raising=False)
    return tmp_path


def test_central_is_asked_when_nobody_says_otherwise(home: Path) -> None:
    """Without settings, and with settings that name no mirror of it."""
    assert repository() == CENTRAL
    (home / ".m2").mkdir()
    (home / ".m2" / "settings.xml").write_text("<settings/>")
    assert repository() == CENTRAL


def test_a_mirror_of_mavens_settings_is_asked_instead(home: Path) -> None:
    """The first that stands for Central; LAGBOOK_MAVEN goes before it."""
    (home / ".m2").mkdir()
    (home / ".m2" / "settings.xml").write_text(SETTINGS)
    assert repository() == "https://mirror.example/maven2/"


def test_a_named_repository_goes_first(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """LAGBOOK_MAVEN, with a slash at its end or without."""
    (home / ".m2").mkdir()
    (home / ".m2" / "settings.xml").write_text(SETTINGS)
    monkeypatch.setenv("LAGBOOK_MAVEN", "https://own.example/repository")
    assert repository() == "https://own.example/repository/"


def test_a_repository_that_does_not_answer_is_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The address that was tried is in the reason, and nothing half fetched stays."""
    with closing(socket.socket()) as unheard:
        unheard.bind((HOST, 0))
        monkeypatch.setenv("LAGBOOK_MAVEN", f"http://{HOST}:{unheard.getsockname()[1]}/")
        monkeypatch.setenv("LAGBOOK_KAFKA_CACHE", str(home / "cache"))
        with pytest.raises(UnavailableError, match=rf"http://{HOST}:\d+/org/apache/kafka/.* can't be fetched"):
            jars(RELEASES[NEWEST])
    assert [path.name for path in (home / "cache").iterdir()] == ["lock"]
