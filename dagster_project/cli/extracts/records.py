"""`lagbook records`: the records that a claim is about, from data segments or a running cluster, in a file.

Put here the call and the exit code. Which ranges a claim has is asked in `claims`, what is written in `extraction`.
"""

from __future__ import annotations

from typing import Any, Final

import click

from assets.extraction.log_ranges import NO_END
from dagster_project.cli import exits, options
from dagster_project.cli.extracts.claims import CERTAINTIES, KINDS
from dagster_project.cli.extracts.new_file import refuse_existing

_HELP: Final = """Write the records that a claim is about to FILE, as Parquet or as JSON lines.

Of an INCIDENT, or of what is claimed about --group in one partition: the offsets that were surely, likely or possibly
read again or never read. Or of any range of --offsets in --topic and --partition, without a warehouse. For records
that were never read this is the file to process; for those that were read again, --keys writes each key once: what it
stands for may have had its effects twice.

Records come from the segment files that the warehouse was read from, from --logs, or from a running cluster
(--bootstrap); nothing is changed there. Of transactions those that committed count. What the log cleaner took, markers
and aborted records are not in the file; the summary counts them, and compares the records with what the tables count.
Where segments are gone, it says which offsets are missing, and the rest is written.

Keys and values are bytes (base64 in JSON), text, or what a function of yours makes of the bytes (JSON); where that
fails, the error and the bytes stand beside, and the rest goes on. A file that is there is never written over.

\b
Examples:
  lagbook records 3f2a91c04b7d --to never-read.parquet --warehouse wh
  lagbook records 3f2a91c04b7d --keys --key-as text --to keys.jsonl \\
      --warehouse wh
  lagbook records --group payments --topic orders --partition 3 \\
      --certainty possible --to again.jsonl --warehouse wh
  lagbook records 3f2a91c04b7d --value-as orders.codec:decode \\
      --bootstrap broker1:9092 --to never-read.jsonl
  lagbook records --topic orders --partition 3 --offsets 420:670 \\
      --logs /var/lib/kafka/data --to range.parquet"""

_EPILOG: Final = """\b
Exit codes:
  0    every record of the ranges is in the file
  1    the work, or the part of it that the message names, failed: there is
       no file
  2    the call can't be taken: an option, a path, a group or an incident
  3    the file is written and not all is in it: offsets are missing, a
       transaction is undecided, the tables count another number, or a key or
       value could not be read as it was wanted; the summary says which
  130  interrupted: there is no file"""


def typed_offsets(text: str) -> tuple[int, int]:
    """The two offsets of FROM:TO, half-open; one that is left out is the log's own."""
    first, colon, end = text.partition(":")
    if not colon or not all(not number or (number.isascii() and number.isdigit()) for number in (first, end)):
        raise click.BadParameter(f"{text!r}: expected FROM:TO, as 420:670.")
    begin, stop = int(first or 0), int(end or NO_END)
    if not begin < stop <= NO_END:
        raise click.BadParameter(f"{text!r}: FROM has to be below TO.")
    return begin, stop


@click.command(help=_HELP, epilog=_EPILOG)
@click.argument("incident", required=False)
@click.option("--group", metavar="GROUP", help="What is claimed about this group ...")
@click.option("--topic", metavar="TOPIC", help="... and this topic ...")
@click.option("--partition", type=click.IntRange(min=0), help="... and this partition of it.")
@click.option(
    "--offsets",
    type=typed_offsets,
    metavar="FROM:TO",
    help="Of that, these offsets alone (half-open); without --group, all records of them.",
)
@click.option("--kind", type=click.Choice(KINDS), help="Claims of this kind alone.")
@click.option("--certainty", type=click.Choice(CERTAINTIES), default="likely", show_default=True)
@click.option("--keys", is_flag=True, help="Each key once, with how many records have it and where they are.")
@click.option("--key-as", default="bytes", show_default=True, metavar="FORM", help="bytes, text, or MODULE:FUNCTION.")
@click.option("--value-as", default="bytes", show_default=True, metavar="FORM", help="bytes, text, or MODULE:FUNCTION.")
@click.option("--to", "output", required=True, type=click.Path(dir_okay=False), metavar="FILE")
@click.option(
    "--format", "form", type=click.Choice(("parquet", "jsonl")), help="Default: as FILE ends, .parquet or .jsonl."
)
@options.LOGS
@options.CLUSTER
@options.WAREHOUSE
@options.BOOTSTRAP
@options.CLIENT_CONFIG
@options.TIMEOUT
@options.JSON
def records(**arguments: Any) -> int:  # noqa: ANN401 - what click read
    """Write the records, and the summary on stdout; end with 3 when something is missing."""
    from dagster_project.cli.extracts.extraction import extract_records
    from dagster_project.cli.extracts.record_summary import print_summary, summarize
    from dagster_project.cli.extracts.records_call import RecordsCall, find_wanted

    names = ("logs", "cluster", "warehouse", "bootstrap", "client_config", "timeout_s")
    settings = options.settings_of_question({name: arguments[name] for name in names})
    call = RecordsCall(settings, arguments)
    call.refuse()
    refuse_existing(call.output)
    wanted = find_wanted(call)
    wanted.places.refuse_without(wanted.ranges)
    result = extract_records(call.job, wanted.places, wanted.ranges)
    summary = summarize(call.output, result, wanted.counts)
    print_summary(summary, as_json=arguments["as_json"])
    return exits.DONE if summary["is_whole"] else exits.INCOMPLETE
