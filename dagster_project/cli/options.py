"""The options that several commands share, and their defaults.

Put an option here when two commands take it. Only `dagster_project.settings` knows the environment.
"""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from functools import wraps
from typing import TYPE_CHECKING, Any, Final

import click

from assets.ingest.live.access import seconds_of
from dagster_project.cli.terminal import brief, pasteable
from dagster_project.cli.times import take_zone

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from assets.storage.warehouse import Warehouse
    from dagster_project.deployment.clusters import Cluster
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
    help="A cluster of lagbook.toml. With --logs or --bootstrap: what to call the cluster, whatever meta.properties or"
    " the brokers say, for logs that have none, and for clusters that have the same id. Default: LAGBOOK_CLUSTER, else"
    " the cluster.id.",
)


def take_cluster(ctx: click.Context, _option: click.Parameter, name: str | None) -> str | None:
    """The name of a cluster in the tables; one of lagbook.toml is looked for in its own warehouse."""
    from dagster_project.deployment.clusters import declared_clusters

    listed = declared_clusters().get(name) if name else None
    if listed is None:
        return name
    ctx.meta[_CLUSTER_OF_FILE] = listed
    return listed.cluster


_CLUSTER_OF_FILE: Final = "lagbook.cluster_of_file"
CLUSTER: Final = click.option(
    "--cluster",
    metavar="NAME",
    callback=take_cluster,
    help="This cluster alone: its cluster.id, the name it was given, or its name in lagbook.toml.",
)
CLUSTER_OF_FILE: Final = click.option(
    "--cluster",
    metavar="NAME",
    callback=take_cluster,
    expose_value=False,
    help="The cluster of lagbook.toml whose warehouse is meant.",
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
EXTERNAL_STORES: Final = click.option(
    "--external-stores",
    type=typed_place,
    metavar="FILE",
    help="A file that declares offsets which consumers keep themselves: names for checkpoints of Spark, and tables in"
    " SQLite or Postgres. Default: LAGBOOK_EXTERNAL_STORES.",
)
INTERNAL_TOPIC: Final = click.option(
    "--internal-topic",
    "internal_topics",
    multiple=True,
    metavar="KIND=TOPIC",
    help="A topic of a kind whose names are free, read with its records; * in TOPIC stands for any text, and it may be"
    " given several times. Topics whose names Kafka fixes need no option."
    " Default: LAGBOOK_INTERNAL_TOPICS, separated by commas.",
)
MIRROR_ALIAS: Final = click.option(
    "--mirror-alias",
    "mirror_aliases",
    multiple=True,
    metavar="ALIAS=CLUSTER",
    help="The cluster that an alias of MirrorMaker 2 stands for, where offset syncs and commits do not tell; may be"
    " given several times, and stays in the warehouse. Default: LAGBOOK_MIRROR_ALIASES, separated by commas.",
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


_OF_SOURCES: Final = (
    *("logs", "cluster", "bootstrap", "client_config", "configs"),
    *("external_stores", "internal_topics", "mirror_aliases", "timeout_s"),
)
_OF_SETTINGS: Final = (*_OF_SOURCES, "warehouse")


def named_warehouse(warehouse: str | None) -> Warehouse:
    """The warehouse that was named, that of the cluster of lagbook.toml, or the one that the environment names."""
    from dagster_project.settings import open_warehouse

    return open_warehouse(warehouse or _warehouse_of_file())


def _warehouse_of_file() -> str | None:
    """The warehouse of the cluster of lagbook.toml that was named, or that is the only one."""
    from dagster_project.deployment.clusters import declared_clusters

    context = click.get_current_context(silent=True)
    named = context.meta.get(_CLUSTER_OF_FILE) if context else None
    if named is not None:
        return str(named.warehouse)
    clusters = list(declared_clusters().values())
    if len(clusters) > 1:
        raise _several(clusters)
    return clusters[0].warehouse if clusters else None


def place_words(warehouse: str | None) -> str:
    """The options that name the same warehouse again, for the next command to type."""
    from assets.storage.data_files import without_credentials

    named = click.get_current_context().meta.get(_CLUSTER_OF_FILE)
    if warehouse:
        return f" --warehouse {pasteable(without_credentials(warehouse))}"
    return f" --cluster {named.name}" if named else ""


def warehouses_of_file() -> dict[str, str]:
    """The warehouses of the cluster of lagbook.toml that was named, or of all, by the clusters' names."""
    from dagster_project.deployment.clusters import declared_clusters

    named = click.get_current_context().meta.get(_CLUSTER_OF_FILE)
    clusters = [named] if named else declared_clusters().values()
    return {one.name: one.warehouse for one in clusters}


def _several(clusters: Sequence[Cluster]) -> Exception:
    from dagster_project.cli.exits import CallRefusedError

    names = ", ".join(one.name for one in clusters)
    return CallRefusedError(f"lagbook.toml has {len(clusters)} clusters: name one by --cluster ({names}).")


def clusters_to_run(arguments: Mapping[str, Any]) -> list[str]:
    """The names of the clusters of lagbook.toml that a call is about; none if it names sources of its own."""
    from dagster_project.cli.exits import CallRefusedError
    from dagster_project.deployment.clusters import declared_clusters

    clusters, name = declared_clusters(), arguments["cluster"]
    if not clusters or arguments["logs"] or arguments["bootstrap"]:
        return []
    if name and name not in clusters:
        near = get_close_matches(name, clusters, 1, 0)
        raise CallRefusedError(f"lagbook.toml has no cluster {brief(name)}: the nearest is {near[0]}.")
    return [name] if name else list(clusters)


def with_settings(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command all options about sources and the warehouse, as one argument: its settings."""

    @wraps(command)
    def with_options(**arguments: Any) -> int:  # noqa: ANN401 - what click read
        """Run the command with its settings, and with the options of its own."""
        own = {name: value for name, value in arguments.items() if name not in _OF_SETTINGS}
        return command(settings({name: arguments[name] for name in _OF_SETTINGS}), **own)

    return with_sources(with_options)


def with_sources(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command all options about sources and the warehouse, as they were typed."""
    of_cluster = (LOGS, CLUSTER_NAME, WAREHOUSE, BOOTSTRAP, CLIENT_CONFIG, CONFIG)
    of_files = (*of_cluster, EXTERNAL_STORES, INTERNAL_TOPIC, MIRROR_ALIAS)
    for option in reversed((*of_files, TIMEOUT, JSON)):
        command = option(command)
    return command


def settings_of_question(arguments: Mapping[str, Any]) -> Settings:
    """The settings of a question that reads logs, too: its `--cluster` may name one that is only in the tables."""
    from dagster_project.deployment.clusters import declared_clusters
    from dagster_project.settings import Settings

    named = click.get_current_context().meta.get(_CLUSTER_OF_FILE)
    if named is None and (arguments["warehouse"] or not declared_clusters()):
        return replace(Settings.from_environment(), **_overrides(arguments))
    return settings({**dict.fromkeys(_OF_SETTINGS), **arguments, "cluster": named.name if named else None})


def settings(arguments: Mapping[str, Any]) -> Settings:
    """The settings of the environment or of a cluster of lagbook.toml, overridden by options."""
    from dagster_project.deployment.clusters import declared_clusters
    from dagster_project.settings import Settings

    overrides = _overrides(arguments)
    base, names = Settings.from_environment(), clusters_to_run(arguments)
    if names:
        clusters = declared_clusters()
        if len(names) > 1:
            raise _several(list(clusters.values()))
        base = clusters[names[0]].settings(base)
        overrides.pop("cluster", None)
    return replace(base, **overrides)


def _overrides(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were given; an empty address too, which takes that of the environment away."""
    return {name: value for name, value in arguments.items() if value or (name == "bootstrap" and value is not None)}
