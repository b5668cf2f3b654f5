"""`lagbook audit`: what went wrong in a window of time, the worst first: in words, as rows, or for a ticket.

Put here what the command takes. What is found, and its sentences, stand in `findings`; how it is laid out in
`audit_pages`; what people wrote down of incidents in `marks`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import click

from dagster_project.cli import exits, options
from dagster_project.cli.exits import CallRefusedError
from dagster_project.cli.questions import marks
from dagster_project.cli.questions.answers import Answers, open_answers
from dagster_project.cli.questions.audit_pages import (
    MOST,
    Listing,
    print_markdown,
    print_short,
    print_verbose,
    read_commits,
)
from dagster_project.cli.questions.basis import note_basis
from dagster_project.cli.questions.findings import KINDS, Window, read_findings, without_findings
from dagster_project.cli.questions.refusals import refuse_unknown, refuse_unknown_cluster, refuse_unknown_topics
from dagster_project.cli.terminal import plural, print_json_rows
from dagster_project.cli.times import FORMS, show_time, typed_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assets.storage.warehouse import Warehouse

Row = dict[str, Any]

_KIND_HELP: Final = f"Findings of this kind alone: {', '.join(KINDS)}."
_HELP: Final = f"""What went wrong: which groups read offsets again, or never, or stopped; when, why, how sure that is.

First what the answer rests on: as of when, which share of the history was seen, and of which topics the log end is
known. Then the incidents, two lines each, the worst first: what is proven, or likely by an estimate; records that were
never read weigh more than records that were read again. `lagbook report --incident ID` makes a page of one, --verbose
adds the offsets, the records that show it, and what could not be excluded, with what would settle it: that is no
incident.

Incidents that somebody has dealt with are taken out by --ack ID, with a --note if you like, until they become graver;
--acknowledged lists them, --unack takes one back. --new shows what no --new has shown before. Both are kept beside the
tables, for everybody who asks the same warehouse.

Rests on what was committed. What a consumer processed after its last commit is in no record, so an audit without an
incident says that nothing was declared twice or passed over, not that nothing was done twice or lost.

TIME is {FORMS}.

\b
Examples:
  lagbook audit --warehouse wh
  lagbook audit --new --warehouse wh
  lagbook audit --ack 3f2a91c04b7d --note 'planned reset, OPS-12' \\
      --warehouse wh
  lagbook audit --from 02:00 --to 03:00 --verbose --warehouse wh
  lagbook audit --group payments --group invoices --topic orders --json \\
      --warehouse wh
  lagbook audit --kind skip --markdown --warehouse wh > ticket.md"""


@click.command(help=_HELP, epilog=exits.MEANINGS)
@click.option("--from", "begin", type=typed_time, metavar="TIME", help="Findings of this instant and later.")
@click.option("--to", "end", type=typed_time, metavar="TIME", help="Findings before this instant.")
@click.option("--group", "groups", multiple=True, metavar="GROUP", help="This group alone; may be given several times.")
@click.option("--topic", "topics", multiple=True, metavar="TOPIC", help="This topic alone; may be given several times.")
@click.option("--kind", "kinds", multiple=True, type=click.Choice(list(KINDS)), metavar="KIND", help=_KIND_HELP)
@click.option(
    "--first",
    "most",
    type=click.IntRange(min=1),
    default=MOST,
    show_default=True,
    metavar="NUMBER",
    help="So many incidents, the worst ones; --json prints all.",
)
@click.option("--new", "is_new", is_flag=True, help="Incidents that were not listed by --new before.")
@click.option("--ack", "dealt_with", multiple=True, metavar="ID", help="Take this incident out: it is dealt with.")
@click.option("--note", "remark", metavar="TEXT", help="Why, for --acknowledged.")
@click.option("--unack", "taken_back", multiple=True, metavar="ID", help="Let this incident count again.")
@click.option("--acknowledged", "is_listing", is_flag=True, help="List what is acknowledged, when and why.")
@click.option("--verbose", "is_verbose", is_flag=True, help="Every detail: offsets, records, what was not excluded.")
@options.ZONE
@options.CLUSTER
@options.WAREHOUSE
@options.JSON
@click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown, for a ticket.")
def audit(**words: Any) -> int:  # noqa: ANN401 - what click read
    """Print the findings of the window, and end with 3 when there are any; or write down what is dealt with."""
    _refuse_contradictions(words)
    place = options.named_warehouse(words["warehouse"])
    if words["taken_back"]:
        marks.take_back(place, words["taken_back"])
        return exits.DONE
    with open_answers(place) as answers:
        refuse_unknown_cluster(answers, words["cluster"])
        if words["dealt_with"]:
            marks.acknowledge(place, answers, words["dealt_with"], words["remark"], words["cluster"])
        elif words["is_listing"]:
            marks.print_acknowledged(place, answers, as_json=words["as_json"])
        else:
            return _print(place, answers, words)
    return exits.DONE


def _refuse_contradictions(words: Row) -> None:
    """Refuse options that can't be meant together."""
    context = click.get_current_context()
    if words["begin"] and words["end"] and words["begin"] >= words["end"]:
        raise click.UsageError("--from has to be before --to.", context)
    if words["as_json"] and words["as_markdown"]:
        raise click.UsageError("Give --json or --markdown, not both.", context)
    if sum(map(bool, (words["dealt_with"], words["taken_back"], words["is_listing"], words["is_new"]))) > 1:
        raise click.UsageError("Give one of --new, --ack, --unack and --acknowledged.", context)
    if words["remark"] and not words["dealt_with"]:
        raise click.UsageError("--note belongs to --ack.", context)


def _print(place: Warehouse, answers: Answers, words: Row) -> int:
    """Print the incidents that nobody has dealt with; end with 3 when there are any."""
    names = ("begin", "end", "groups", "topics", "kinds", "cluster")
    window = Window(**{name: words[name] for name in names})
    refuse_unknown(answers, without_findings(answers, window.groups))
    refuse_unknown_topics(answers, window.topics)
    _refuse_unread(answers, window)
    hidden = marks.hidden_incidents(place, answers, is_new=words["is_new"])
    window = replace(window, without=hidden.dealt_with | hidden.listed)
    if words["as_json"]:
        shown = _print_rows(answers, window)
    else:
        option = options.place_words(words["warehouse"])
        show = print_markdown if words["as_markdown"] else print_verbose if words["is_verbose"] else print_short
        shown = show(answers, Listing(window, words["most"], _hidden_words(hidden), option))
    if words["is_new"]:
        marks.write_looked_at(place, answers, hidden, shown)
    return exits.INCIDENTS if shown else exits.DONE


def _print_rows(answers: Answers, window: Window) -> list[str]:
    """Print every finding as JSON, and return the ids of their incidents."""
    note_basis(answers, window.groups, window.cluster, window.end)
    shown: dict[str, None] = {}

    def rows() -> Iterator[Row]:
        for row in read_findings(answers, window):
            shown[row["incident_id"]] = None
            yield row

    print_json_rows(rows())
    return list(shown)


def _hidden_words(hidden: marks.Hidden) -> str:
    """What a listing says of incidents that it leaves out."""
    listed = len(hidden.listed - hidden.dealt_with)
    parts = [
        *([f"{plural(listed, 'incident')} listed before"] if listed else []),
        *([f"{len(hidden.dealt_with):,} acknowledged (--acknowledged lists them)"] if hidden.dealt_with else []),
    ]
    return f"Not shown: {' and '.join(parts)}." if parts else ""


def _refuse_unread(answers: Answers, window: Window) -> None:
    """A window of which nothing was read is refused: to find nothing there would mean nothing."""
    read = read_commits(answers, window)
    if read["first"] is None:
        return
    if (window.begin and window.begin > read["last"]) or (window.end and window.end <= read["first"]):
        raise CallRefusedError(
            f"nothing is known of that time: what was read is of {show_time(read['first'])}"
            f" to {show_time(read['last'])}."
        )
