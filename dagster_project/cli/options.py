"""The options that several commands share, and what they stand for when they are not given.

Put an option here when two commands take it. Only `dagster_project.settings` knows the environment.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import click

from assets.live.access import seconds_of

if TYPE_CHECKING:
    from pathlib import Path

    from dagster_project.settings import Settings


def typed_seconds(text: str) -> float:
    """What was typed for `--timeout`, or a refusal."""
    try:
        return seconds_of(text)
    except ValueError as error:
        raise click.BadParameter(f"{error}.") from None


WAREHOUSE: Final = click.option(
    "--warehouse",
    metavar="DIR_OR_URL",
    help="Where the tables are. Default: LAGBOOK_WAREHOUSE, else ./warehouse.",
)
LOGS: Final = click.option(
    "--logs",
    multiple=True,
    metavar="DIR_OR_URL",
    help="A broker's log directory, one above several, a partition's, a pattern such as '/data/*/logs', or an archive"
    " (.tar.xz, .zip, ...); may be given several times."
    " Default: LAGBOOK_LOGS, separated by commas.",
)
CLUSTER_NAME: Final = click.option(
    "--cluster",
    metavar="NAME",
    help="What to call the cluster of logs that have no meta.properties. Default: LAGBOOK_CLUSTER.",
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
TIMEOUT: Final = click.option(
    "--timeout",
    "timeout_s",
    type=typed_seconds,
    metavar="SECONDS",
    help="How long a broker may take to answer. Default: LAGBOOK_TIMEOUT_S, else 10.",
)
JSON: Final = click.option("--json", "as_json", is_flag=True, help="Print JSON, in ASCII, instead of a table.")


def duckdb_path(warehouse: str | None) -> Path:
    """The DuckDB file of the warehouse that was named, or of the one that the environment names."""
    from dagster_project.settings import open_warehouse

    return open_warehouse(warehouse).duckdb_path


@dataclass(frozen=True, slots=True)
class Live:
    """What a command was given to reach a running cluster; an empty address is none at all."""

    bootstrap: str | None
    client_config: str | None
    timeout_s: float | None


def settings(logs: tuple[str, ...], cluster: str | None, warehouse: str | None, live: Live) -> Settings:
    """The settings of the environment, with what the command was given in their place."""
    from dagster_project.settings import Settings

    known = Settings.from_environment()
    return replace(
        known,
        logs=logs or known.logs,
        cluster=cluster or known.cluster,
        warehouse=warehouse or known.warehouse,
        bootstrap=known.bootstrap if live.bootstrap is None else live.bootstrap,
        client_config=live.client_config or known.client_config,
        timeout_s=live.timeout_s or known.timeout_s,
    )
