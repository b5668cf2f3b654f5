"""The options that several commands share, and their defaults.

Put an option here when two commands take it. Only `dagster_project.settings` knows the environment.
"""

from __future__ import annotations

from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any, Final

import click

from assets.ingest.live.access import seconds_of
from dagster_project.cli.times import take_zone

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from assets.storage.warehouse import Warehouse
    from dagster_project.settings import Settings


def typed_seconds(text: str) -> float:
    """The length of `--timeout`, or a refusal."""
    try:
        return seconds_of(text)
    except ValueError as error:
        raise click.BadParameter(f"{error}.") from None


def typed_place(text: str) -> str:
    """The argument for a place; an empty text, as of an unset variable, is None, not the current folder."""
    if not text.strip():
        raise click.BadParameter("it names no place.")
    return text


WAREHOUSE: Final = click.option(
    "--warehouse",
    type=typed_place,
    metavar="DIR_OR_URL",
    help="Where the tables are. Default: LAGBOOK_WAREHOUSE, else ./warehouse.",
)
LOGS: Final = click.option(
    "--logs",
    type=typed_place,
    multiple=True,
    metavar="DIR_OR_URL",
    help="A broker's log directory, one above several, a partition's, a pattern such as '/data/*/logs', an archive"
    " (.tar.xz, .zip, ...), or a dump of the topic (Parquet, JSON lines, kafka-dump-log's text); may be given several"
    " times."
    " Default: LAGBOOK_LOGS, separated by commas.",
)
CLUSTER_NAME: Final = click.option(
    "--cluster",
    metavar="NAME",
    help="What to call the cluster, whatever meta.properties or the brokers say: for logs that have none, and for"
    " clusters that have the same id. Default: LAGBOOK_CLUSTER, else the cluster.id.",
)
CLUSTER: Final = click.option(
    "--cluster", metavar="NAME", help="This cluster alone: its cluster.id, or the name it was given."
)
BOOTSTRAP: Final = click.option(
    "--bootstrap",
    metavar="HOST:PORT",
    help="A running cluster to read on from; several addresses of it are separated by commas."
    " Default: LAGBOOK_BOOTSTRAP.",
)
CLIENT_CONFIG: Final = click.option(
    "--client-config",
    metavar="FILE",
    help="Settings to reach it, such as security.protocol: the file that Kafka's own tools take as --command-config."
    " Default: LAGBOOK_CLIENT_CONFIG.",
)
CONFIG: Final = click.option(
    "--config",
    "configs",
    type=typed_place,
    multiple=True,
    metavar="FILE",
    help="A broker's server.properties that lies neither beside its logs nor in a folder config there; may be given"
    " several times. Only what decides how long offsets and records stay, and how groups behave, is kept of it."
    " Default: LAGBOOK_CONFIG, separated by commas.",
)
TIMEOUT: Final = click.option(
    "--timeout",
    "timeout_s",
    type=typed_seconds,
    metavar="SECONDS",
    help="How long a broker may take to answer. Default: LAGBOOK_TIMEOUT_S, else 10.",
)
ZONE: Final = click.option(
    "--zone",
    metavar="ZONE",
    is_eager=True,
    expose_value=False,
    callback=take_zone,
    help="The zone of times that name none: local, or a name such as Europe/Berlin. Default: UTC.",
)
JSON: Final = click.option("--json", "as_json", is_flag=True, help="Print JSON, in ASCII, instead of a table.")


_OF_SETTINGS: Final = ("logs", "cluster", "warehouse", "bootstrap", "client_config", "configs", "timeout_s")


def named_warehouse(warehouse: str | None) -> Warehouse:
    """The warehouse that was named, or the one that the environment names."""
    from dagster_project.settings import open_warehouse

    return open_warehouse(warehouse)


def with_settings(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command all options about sources and the warehouse, as one argument: its settings."""

    @wraps(command)
    def with_options(**arguments: Any) -> int:  # noqa: ANN401 - what click read
        """Run the command with its settings, and with the options of its own."""
        own = {name: value for name, value in arguments.items() if name not in _OF_SETTINGS}
        return command(settings({name: arguments[name] for name in _OF_SETTINGS}), **own)

    for option in reversed((LOGS, CLUSTER_NAME, WAREHOUSE, BOOTSTRAP, CLIENT_CONFIG, CONFIG, TIMEOUT, JSON)):
        with_options = option(with_options)
    return with_options


def settings(arguments: Mapping[str, Any]) -> Settings:
    """The settings of the environment, overridden by a command's options; an empty address overrides too."""
    from dagster_project.settings import Settings

    overrides = {
        name: value for name, value in arguments.items() if value or (name == "bootstrap" and value is not None)
    }
    return replace(Settings.from_environment(), **overrides)
