"""A real Kafka for the tests of this folder, and Lagbook's own command to read what it wrote.

What every test here starts from belongs here. What is done with a broker is in `story` and `scenarios`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import pytest

from assets.ingest.live.patience import WAITS_S, patiently
from tests.broker.book import Book
from tests.broker.cluster import running
from tests.broker.maven import UnavailableError, jars
from tests.broker.releases import ADMINISTRABLE, NEWEST, RELEASES
from tests.broker.story import play

if TYPE_CHECKING:
    from tests.broker.releases import Release
    from tests.broker.story import Story

VERSIONS: Final = [
    pytest.param(version, marks=() if version == NEWEST else pytest.mark.slow)
    for version, release in RELEASES.items()
    if release.since(ADMINISTRABLE)
]


ENDLESS_S: Final = (*WAITS_S, *[WAITS_S[-1]] * 30)


def available(version: str) -> Release:
    """A release, or a skip that says why it can't be had."""
    release = RELEASES[version]
    try:
        for needed in (release, RELEASES[release.clients]):
            jars(needed)
    except UnavailableError as error:
        pytest.skip(f"no Kafka: {error}")
    return release


@pytest.fixture
def endless_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A broker that comes back is waited for, however busy the machine is that starts it."""
    monkeypatch.setattr("assets.ingest.live.reading.patiently", partial(patiently, waits_s=ENDLESS_S))
    monkeypatch.setattr("tests.broker.reader.WAITS_S", ENDLESS_S)


@pytest.fixture(scope="session", params=VERSIONS)
def story(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Story:
    """The day of `story`, lived through by a broker of each release."""
    folder = tmp_path_factory.mktemp(f"kafka-{request.param}")
    with running(available(request.param), folder / "cluster") as cluster:
        return play(cluster, folder)


@pytest.fixture(scope="session")
def book(story: Story, tmp_path_factory: pytest.TempPathFactory) -> Book:
    """A warehouse that read a copy of the log directory, and in a second run two that were made later."""
    read = Book(tmp_path_factory.mktemp("warehouse"))
    read.run(story.reading.logs)
    read.run(story.reset.logs, story.cleaned.logs)
    return read


@pytest.fixture(scope="session")
def cleaned_book(story: Story, tmp_path_factory: pytest.TempPathFactory) -> Book:
    """A warehouse that read nothing but the last copy, which the cleaner has been over."""
    read = Book(tmp_path_factory.mktemp("warehouse"))
    read.run(story.cleaned.logs)
    return read
