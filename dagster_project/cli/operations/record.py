"""`lagbook record`: follow the logs of a running cluster into segment files, for as long as it runs.

Put here what a person gives and sees. What is recorded and how belongs in `assets.recorder`.
"""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from dagster_project.cli import exits, options
from dagster_project.cli.lean import small
from dagster_project.cli.terminal import note, safe, to_json
from dagster_project.loops import delay_reason

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assets.recorder.recorder import Settings
    from assets.recorder.status import Status

_DAY_S: Final = 86_400
_HOUR_S: Final = 3_600
_LINE_S: Final = 60.0
_MOVING_LINE_S: Final = 1.0
_HELP: Final = """Record the offsets topic of a running cluster into segment files, before the log cleaner comes.

Follows __consumer_offsets, __transaction_state and __share_group_state, byte for byte, into DIR, which is laid out like
a broker's log directory: one more replica, on which no cleaner ever works. Every --sample-interval seconds it asks
where all logs begin and end and what is set, and writes down what changed. `lagbook run --logs DIR` reads all of it.

It needs neither Java nor Spark, joins no group and commits nothing; the principal needs Describe and Read on the three
topics. It runs until SIGTERM or Ctrl-C, waits for brokers that are away, and goes on where it stopped, whatever ended
it. Where the cleaner was faster, it says so. Needs the extra: pip install 'lagbook[kafka]'.

http://127.0.0.1:PORT/healthz answers 200, or 503 and why; /metrics has its figures (OpenMetrics).

\b
Examples:
  lagbook record --bootstrap broker1:9092 --to /var/lib/lagbook/prod
  # beside it, as often as you like
  lagbook run --logs /var/lib/lagbook/prod --warehouse wh
  # is it at work, how far is it?
  lagbook record --status --to /var/lib/lagbook/prod
  # up to now, then end
  lagbook record --bootstrap broker1:9092 --to DIR --once"""


@click.command(help=_HELP, epilog=exits.MEANINGS)
@options.BOOTSTRAP
@click.option(
    "--to",
    "to",
    type=options.typed_place,
    required=True,
    metavar="DIR",
    help="Where the segments go: a directory for one cluster, and for one recorder at a time.",
)
@options.CLIENT_CONFIG
@options.TIMEOUT
@click.option(
    "--headers",
    "header_patterns",
    type=options.typed_place,
    multiple=True,
    metavar="TOPIC",
    help="A data topic, or a pattern such as 'orders*', of which the headers of batches are recorded from now on: lag"
    " in records, bytes and seconds rests on them. All of it comes over the network, 4 kB of a batch go to disk."
    " May be given several times; needs Read on the topic.",
)
@click.option(
    "--once",
    is_flag=True,
    help="End when all is recorded that was there at the start; with 1 when a part of it could not be.",
)
@click.option("--status", "is_asked", is_flag=True, help="Say how the recorder of DIR is, and end: with 1 if not well.")
@click.option(
    "--sample-interval",
    type=click.FloatRange(min=0.1),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="How often log ends and settings are asked for.",
)
@click.option(
    "--sync-interval",
    type=click.FloatRange(min=0.0),
    default=5.0,
    show_default=True,
    metavar="SECONDS",
    help="How often what was written is flushed to disk, all files at once.",
)
@click.option(
    "--segment-bytes",
    type=click.IntRange(min=1 << 20, max=(1 << 31) - 1),
    default=100 << 20,
    show_default=True,
    metavar="BYTES",
    help="Size at which a segment is closed.",
)
@click.option(
    "--segment-hours",
    type=click.FloatRange(min=0.001),
    default=168.0,
    show_default=True,
    metavar="HOURS",
    help="Age at which a segment is closed, when the next record comes.",
)
@click.option(
    "--keep-days",
    type=click.FloatRange(min=0.0, min_open=True),
    metavar="DAYS",
    help="Delete closed segments that were written to last longer ago. Default: keep all.",
)
@click.option(
    "--keep-bytes",
    type=click.IntRange(min=1),
    metavar="BYTES",
    help="Delete the oldest closed segments while DIR is larger. Default: keep all.",
)
@click.option(
    "--metrics-port",
    type=click.IntRange(0, 65_535),
    default=9809,
    show_default=True,
    metavar="PORT",
    help="Port of loopback for /metrics and /healthz; 0 for none.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the status as JSON, when it ends or with --status.")
def record(*, to: str, is_asked: bool, as_json: bool, **given: Any) -> int:  # noqa: ANN401 - what click read
    """Record, or say how a recorder is."""
    if is_asked:
        return _show(Path(to), as_json=as_json)
    show = _Progress(is_terminal=sys.stderr.isatty())
    if reason := delay_reason():
        show.say(reason)
    with small():
        from assets.recorder.recorder import record as run_recorder

        status = run_recorder(_settings(to, given), show.say, show.progress)
    show.end(status)
    if as_json:
        click.echo(to_json(status.as_json(), indent=2))
    failures = status.failures if given["once"] else []
    for sentence in failures:
        note(f"lagbook: {safe(sentence)}; all else was recorded")
    return exits.FAILED if failures else exits.DONE


def _settings(to: str, given: Mapping[str, Any]) -> Settings:
    from assets.recorder.housekeeping import Retention
    from assets.recorder.recorder import Settings
    from assets.recorder.segments import Rolling
    from dagster_project.reaching import reach

    named = {name: given[name] for name in ("bootstrap", "client_config", "timeout_s") if given[name]}
    access, days = replace(reach(), **named).access, given["keep_days"]
    if access is None:
        raise exits.CallRefusedError("no cluster was named: give --bootstrap HOST:PORT, or set LAGBOOK_BOOTSTRAP")
    return Settings(
        access=access,
        to=Path(to).absolute(),
        rolling=Rolling(given["segment_bytes"], given["segment_hours"] * _HOUR_S),
        retention=Retention(None if days is None else days * _DAY_S, given["keep_bytes"]),
        sync_s=given["sync_interval"],
        sample_s=given["sample_interval"],
        metrics_port=given["metrics_port"],
        header_patterns=given["header_patterns"],
        is_once=given["once"],
    )


def _show(directory: Path, *, as_json: bool) -> int:
    """Print what the recorder of a directory says of itself; 1 if it is not at work or not well."""
    from assets.recorder.status_file import read_status

    status = read_status(directory)
    if status is None:
        raise exits.CallRefusedError(f"{directory}: no recorder ever wrote there")
    click.echo(to_json(status, indent=2) if as_json else safe(status["sentence"]))
    return exits.DONE if status["is_healthy"] else exits.FAILED


@dataclass(slots=True)
class _Progress:
    """Says how it goes: on a terminal in one moving line, else in a line a minute."""

    is_terminal: bool
    _next_s: float = 0.0
    _last_s: float = 0.0
    _last_records: int = 0

    def say(self, sentence: str) -> None:
        """Say what happened, on a line of its own."""
        if self.is_terminal:
            click.echo("\r\x1b[K", nl=False, err=True)
        note(f"{datetime.now(timezone.utc):%Y-%m-%d %H:%M:%S}Z {safe(sentence)}")

    def progress(self, status: Status) -> None:
        """Say how far it is, when it is time."""
        now = time.monotonic()
        if now < self._next_s:
            return
        line = self._line(status, now - self._last_s if self._last_s else 0.0)
        self._next_s, self._last_s = now + (_MOVING_LINE_S if self.is_terminal else _LINE_S), now
        if not self.is_terminal:
            self.say(line)
            return
        width = os.get_terminal_size(sys.stderr.fileno()).columns
        click.echo(f"\r\x1b[K{line[: width - 1]}", nl=False, err=True)

    def end(self, status: Status) -> None:
        """Say how far it came."""
        self.say(f"ended: {self._line(status, 0.0)}")

    def _line(self, status: Status, elapsed_s: float) -> str:
        records = status.total("records")
        pace = f", {(records - self._last_records) / elapsed_s:,.0f}/s" if elapsed_s else ""
        self._last_records = records
        megabytes = status.total("size_bytes") / 1e6
        return f"{safe(status.health()[1])}; {records:,} records ({megabytes:,.1f} MB){pace}"
