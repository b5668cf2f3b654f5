"""`lagbook metrics`: figures for Prometheus, printed once or served.

Put here what a person gives. What is counted belongs to `dagster_project.monitoring`.
"""

from __future__ import annotations

import signal
import threading
from functools import partial
from typing import TYPE_CHECKING, Final

import click

from dagster_project.cli import exits, options
from dagster_project.cli.terminal import note, safe

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from assets.storage.warehouse import Warehouse
    from dagster_project.monitoring.snapshots import Snapshots

PORT: Final = 9810
HOST: Final = "127.0.0.1"
_HIGHEST_PORT: Final = 65_535
_HELP: Final = """Print figures in the text format of OpenMetrics, for Prometheus; or serve them.

When a run went well last, how old the newest record is, open incidents by severity, offsets and records read again or
never (proven, and likely), how much of the history was seen, and lag by group. Of every cluster that lagbook.toml
lists, or of one warehouse.

--serve answers http://127.0.0.1:9810/metrics, and /healthz with 200, or 503 and why, until it is ended. It reads the
DuckDB file when a run has built another, and never holds up a run. An address beyond loopback shows names of groups to
whoever reaches it.

Groups have series of their own up to --groups, those with the largest lag; lagbook_groups_left_out counts the others.

\b
Examples:
  # for the textfile collector
  lagbook metrics --warehouse wh > /var/lib/node_exporter/lagbook.prom.new
  lagbook metrics --serve --warehouse wh
  lagbook metrics --serve 10.0.0.5:9810"""


def typed_address(text: str) -> tuple[str, int]:
    """The host and port of `--serve`, or a refusal."""
    host, colon, port = text.rpartition(":")
    if not (port.isascii() and port.isdecimal()) or int(port) > _HIGHEST_PORT or (colon and not host):
        raise click.BadParameter("expected PORT or HOST:PORT.")
    return host.strip("[]") or HOST, int(port)


@click.command(help=_HELP, epilog=exits.MEANINGS)
@click.option(
    "--serve",
    "address",
    type=typed_address,
    is_flag=False,
    flag_value=f"{HOST}:{PORT}",
    metavar="[HOST:PORT]",
    help=f"Serve them instead. Default: {HOST}:{PORT}.",
)
@click.option(
    "--groups",
    "most_groups",
    type=click.IntRange(min=0, max=100_000),
    default=100,
    show_default=True,
    metavar="NUMBER",
    help="Groups with series of their own.",
)
@options.CLUSTER_OF_FILE
@options.WAREHOUSE
def metrics(warehouse: str | None, *, address: tuple[str, int] | None, most_groups: int) -> int:
    """Print or serve the figures; a warehouse that can't be read is a figure, and ends the printing with 1."""
    from dagster_project.monitoring.snapshots import Snapshots

    snapshots = Snapshots(_warehouses(warehouse), most_groups)
    if address is not None:
        return _serve(snapshots, *address)
    click.echo(snapshots.text(), nl=False)
    is_well, sentence = snapshots.health()
    if not is_well:
        note(f"lagbook: {safe(sentence)}")
    return exits.DONE if is_well else exits.FAILED


def _warehouses(warehouse: str | None) -> Mapping[str, Callable[[], Warehouse]]:
    """How to open each warehouse, by the name that its figures have."""
    from dagster_project.settings import open_warehouse

    places = {} if warehouse else options.warehouses_of_file()
    if not places:
        place = options.named_warehouse(warehouse)
        places = {place.public_url: warehouse or place.url}
    return {name: partial(open_warehouse, url) for name, url in places.items()}


def _serve(snapshots: Snapshots, host: str, port: int) -> int:
    from assets.metrics.serving import Answers, serving
    from assets.network.hosts import is_loopback

    ended = threading.Event()
    before = {number: signal.signal(number, lambda *_: ended.set()) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        with serving(Answers(snapshots.text, snapshots.health), port, host) as listening:
            shown = f"[{host}]" if ":" in host else host
            note(f"lagbook: http://{safe(shown)}:{listening}/metrics")
            if not is_loopback(host):
                note("lagbook: this address is beyond loopback: whoever reaches it reads names of groups")
            ended.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return exits.DONE
