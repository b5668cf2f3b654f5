"""The options that commands share: what is given counts, what is not comes from the environment."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from dagster_project.cli import options
from dagster_project.cli.main import main
from dagster_project.settings import Settings


def settings_of(*arguments: str) -> Settings:
    """The settings of a command that was given these arguments."""
    taken: list[Settings] = []

    @click.command()
    @options.with_settings
    def command(settings: Settings, *, as_json: bool) -> int:
        taken.append(settings)
        return int(as_json)

    answer = CliRunner().invoke(command, arguments)
    assert answer.exit_code == 0, answer.output
    return taken[0]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment that names a place, a cluster and an address."""
    for name in ("WAREHOUSE", "CLIENT_CONFIG", "TIMEOUT_S", "SPARK_MASTER"):
        monkeypatch.delenv(f"LAGBOOK_{name}", raising=False)
    monkeypatch.delenv("SPARK_REMOTE", raising=False)
    monkeypatch.setenv("LAGBOOK_LOGS", "/known")
    monkeypatch.setenv("LAGBOOK_CLUSTER", "known")
    monkeypatch.setenv("LAGBOOK_BOOTSTRAP", "known:9092")


def test_without_options_the_environment_counts() -> None:
    """A command that is given nothing runs on what the environment names."""
    assert settings_of() == Settings(logs=("/known",), cluster="known", bootstrap="known:9092")


def test_what_is_given_counts() -> None:
    """Each option stands in place of what the environment says."""
    named = ("--logs", "a", "--logs", "b", "--cluster", "c", "--warehouse", "w", "--bootstrap", "h:1")
    files = ("--client-config", "f", "--config", "p", "--config", "q", "--external-stores", "s")
    more = (*files, "--timeout", "3", "--json")
    given = Settings(("a", "b"), "w", "c", "local[*]", "h:1", "f", 3.0, configs=("p", "q"), external_stores="s")
    assert settings_of(*named, *more) == given


@pytest.mark.parametrize("option", ["--logs", "--warehouse"])
@pytest.mark.parametrize("place", ["", " "])
def test_a_place_without_a_name_is_refused(option: str, place: str) -> None:
    """As an unset variable leaves it: neither the current folder nor what the environment names was meant."""
    answer = CliRunner().invoke(main, ["run", option, place])
    assert answer.exit_code == 2
    assert "it names no place." in answer.output


def test_an_empty_address_is_none_at_all() -> None:
    """It takes back what the environment names; any other option that is empty leaves it as it is."""
    settings = settings_of("--bootstrap", "", "--cluster", "")
    assert (settings.bootstrap, settings.live, settings.cluster) == ("", None, "known")
