"""The command `lagbook` itself: its help, and the one place where errors become sentences.

Put nothing here that only one command needs, and import nothing heavy: `lagbook --help` has to answer at once.
"""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from traceback import walk_tb
from typing import Any, Final, NoReturn

import click

from dagster_project.cli import exits
from dagster_project.cli.commands import Commands
from dagster_project.cli.terminal import brief, note, safe
from dagster_project.file_modes import restricted
from parsers.errors import LagbookError
from parsers.names import is_text

_HELP: Final = """The flight recorder for Kafka consumer groups.

Lagbook reads what brokers already write - the log of __consumer_offsets and the headers of data segments - keeps it
in Parquet after Kafka's compaction has thrown it away, and answers: who moved this offset, what was consumed twice,
what were lag and owner at 02:30 last Tuesday?

\b
Start here:
  lagbook demo                          a recorded incident, end to end
  export LAGBOOK_WAREHOUSE=wh           or --warehouse wh behind each of these
  lagbook run --logs /var/lib/kafka     read a broker's logs
  lagbook run --bootstrap broker1:9092  ... and on from the running cluster
  lagbook groups                        every group, its state and its lag
  lagbook describe my-group             kafka-consumer-groups' columns ...
  lagbook describe my-group --at -2h    ... for any past instant
  lagbook audit                         what was read again, and what never
  lagbook explain my-group my-topic 3   what moved this offset, and who
  lagbook report my-group               all of it on one page, for a ticket

Where a command takes --warehouse or --logs, LAGBOOK_WAREHOUSE and LAGBOOK_LOGS stand in for it."""


_FILES_OF_USERS: Final = ("report", "dump")
"""Commands that write the files that a user names, with the modes that the user's files have."""


class Lagbook(click.Group):
    """A group of commands that ends every mistake of a user with one sentence and a documented exit code."""

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:  # noqa: ANN401 - click's signature
        """Run the command and exit."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        sys.exit(self._exit_code(*args, **{**kwargs, "standalone_mode": False}))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take what was typed, which has to be text: names and paths are, here."""
        for word in args:
            if not is_text(word):
                raise click.UsageError(f"an argument is not UTF-8: {brief(word)}")
        return super().parse_args(ctx, args)

    def _exit_code(self, *args: Any, **kwargs: Any) -> int:  # noqa: ANN401 - click's signature
        try:
            return super().main(*args, **kwargs) or exits.DONE
        except click.UsageError as error:
            return _complain(f"{error.format_message()}{_hint(error)}", exits.REFUSED)
        except click.ClickException as error:
            return _complain(error.format_message(), exits.REFUSED)
        except LagbookError as error:
            return _complain(str(error), exits.exit_code(error))
        except (click.Abort, KeyboardInterrupt):
            return _complain("interrupted", exits.INTERRUPTED)
        except OSError as error:
            return _end_of_output(error)


def _end_of_output(error: OSError) -> int:
    """End quietly when the reader of the output is gone, and with a sentence when it can't be written."""
    is_of_output = any(frame.f_code is click.echo.__code__ for frame, _line in walk_tb(error.__traceback__))
    if not isinstance(error, BrokenPipeError) and not is_of_output:
        raise error
    if sys.stdout is not None:  # what is still to be written goes nowhere, or Python would complain of it at the end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):
        return exits.FAILED
    return _complain(f"the output can't be written: {error.strerror}", exits.FAILED)


def _complain(sentence: str, code: int) -> int:
    note(f"lagbook: {safe(sentence)}")
    return code


def _hint(error: click.UsageError) -> str:
    return f" Try `{error.ctx.command_path} --help`." if error.ctx else ""


def _show_version(ctx: click.Context, _option: click.Parameter, is_asked: bool) -> None:  # noqa: FBT001 - as click calls it
    """Look the release up only for --version: it takes a while."""
    if is_asked and not ctx.resilient_parsing:
        from importlib.metadata import PackageNotFoundError, version

        try:
            release = version("lagbook")
        except PackageNotFoundError:
            release = "0 (not installed)"
        click.echo(f"lagbook, version {release}")
        ctx.exit()


@click.group(
    "lagbook",
    cls=Lagbook,
    commands=Commands(),
    help=_HELP,
    epilog=exits.MEANINGS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    invoke_without_command=True,
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version and exit.",
)
@click.pass_context
def main(ctx: click.Context) -> None:
    """Hold the commands together, and help whoever names none."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
    elif ctx.invoked_subcommand not in _FILES_OF_USERS:
        ctx.with_resource(restricted())
