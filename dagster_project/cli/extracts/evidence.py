"""`lagbook evidence`: one file with all that an incident rests on, which others verify without the warehouse.

Put here the call, the page in the pack, and the exit code. What else is in a pack belongs in `assets.evidence`.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import click

from assets.ingest.read_history import INSIDE
from dagster_project.cli import exits, options
from dagster_project.cli.exits import CallRefusedError
from dagster_project.cli.extracts.new_file import new_file, refuse_existing
from dagster_project.cli.questions.answers import open_answers
from dagster_project.cli.questions.refusals import refuse_incident
from dagster_project.cli.terminal import brief, note, pasteable, plural, safe, to_json
from parsers.files.archives import is_archive
from parsers.files.places import expand

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from assets.evidence.cited_records import Copies, Log
    from assets.evidence.claim_scope import ClaimScope
    from assets.evidence.logs.unpacked_copies import UnpackedCopies
    from assets.evidence.pack import Evidence
    from dagster_project.cli.questions.answers import Answers
    from parsers.files.discovery import SegmentFile

_MOST_SHOWN: Final = 10
_README: Final = """Evidence of an incident that Lagbook found in the logs of Kafka's brokers.

report.html    what happened, for a browser; it loads nothing
tables/        the rows that the claim is made of (raw and core), and the claim itself (mart), as Parquet
batches/       the record batches that the claim cites, byte for byte as they stood in their logs: __consumer_offsets,
               __share_group_state, or the offset syncs of MirrorMaker 2
batches.json   where each stood: cluster, topic, file, position, size, CRC, BLAKE3, and the cited records in it
files/, store_commits.json
               instead of both, for a claim about offsets in a store outside Kafka: the files of a Spark checkpoint, or
               ZooKeeper's transactions, that the claim cites, byte for byte; and which of them bear out which commit
sql/           the SQL by which the claim is made of the rows
manifest.json  release, scope, whether names are pseudonyms, and the BLAKE3 digest of each file here; what
               manifest.json.sig signs

With pseudonyms there are no batches and no page, which have the names; batches.json has keyed digests of the batches.

lagbook verify PACK    checks all of it, without the warehouse and without the network
"""
_HELP: Final = """Write all that INCIDENT rests on to FILE, a .zip, which others verify with `lagbook verify`.

In it: the report page, the findings, the record batches that they cite with their bytes, places and checksums, the
rows that the claim is made of, the SQL that makes it, versions, and a manifest of digests. Before it is written, the
claim is made again of these rows alone.

The bytes come from the segment files that the warehouse was read from, or from --logs. Where the log cleaner took a
cited record since, its row is in the pack without bytes, and the call ends with 3.

Of offsets that consumers keep outside Kafka the pack has the files of the cited batches of a Spark checkpoint, or
ZooKeeper's transactions; --logs names other copies. The rows of a SQL table have no bytes to cite: they are in the pack
as they were sampled, and the call ends with 3. A claim about a fail-over has no pack with pseudonyms.

With --sign, ssh-keygen signs the manifest with your key. With --pseudonyms, names of clusters, groups, topics, members,
clients and hosts are replaced, the same name by the same pseudonym, made with a secret key of yours; bytes and page are
left out then, for they have the names.

\b
Examples:
  lagbook evidence 3f2a91c04b7d --to OPS-12.zip --warehouse wh
  lagbook evidence 3f2a91c04b7d --to OPS-12.zip \\
      --sign ~/.ssh/id_ed25519 --warehouse wh
  lagbook evidence 8d40e1f7a2b6 --to OPS-13.zip \\
      --logs /backup/checkpoints --warehouse wh
  lagbook evidence 3f2a91c04b7d --to public.zip --pseudonyms secret.key \\
      --warehouse wh"""
_EPILOG: Final = """\b
Exit codes:
  0    the pack has the bytes of every cited record, and its claim was made
       again
  1    the work failed, or the rows of the group alone give another claim:
       there is no pack
  2    the call can't be taken: an option, a path, or an incident
  3    the pack is written, without the bytes of some cited records or for
       a claim that is not made again
  130  interrupted: there is no pack"""


@click.command(help=_HELP, epilog=_EPILOG)
@click.argument("incident")
@click.option("--to", "output", required=True, type=click.Path(dir_okay=False, path_type=Path), metavar="FILE")
@click.option("--sign", "key", type=click.Path(path_type=Path), metavar="KEY", help="Sign with this SSH key.")
@click.option(
    "--pseudonyms",
    "secret",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Replace names by pseudonyms, made with the secret bytes of this file.",
)
@options.LOGS
@options.CLUSTER
@options.WAREHOUSE
@options.JSON
def evidence(
    incident: str,
    *,
    output: Path,
    key: Path | None,
    secret: Path | None,
    logs: tuple[str, ...],
    cluster: str | None,
    warehouse: str | None,
    as_json: bool,
) -> int:
    """Gather rows and bytes, make the claim again, and write the pack whole."""
    from assets.evidence.logs.unpacked_copies import UnpackedCopies
    from assets.evidence.pack import gather
    from assets.evidence.pack_file import manifest_of, write_pack
    from assets.evidence.pseudonyms import read_key
    from assets.evidence.signatures import sign

    refuse_existing(output)
    settings = options.settings_of_question({"logs": logs, "warehouse": warehouse})
    pseudonyms = None if secret is None else read_key(secret)
    with open_answers(settings.open_warehouse()) as answers, TemporaryDirectory(prefix="lagbook-") as folder:
        scope = _find_scope(answers, incident, cluster)
        unpacked = UnpackedCopies(Path(folder), settings.unpacking)
        copies = _copies(answers, scope, settings.logs, unpacked)
        content = gather(answers.connection, scope, copies, pseudonyms)
        members = {"README.txt": _README.encode(), **content.members}
        if pseudonyms is None:
            members["report.html"] = _page(answers, scope).encode()
    for complaint in unpacked.complaints:
        note(f"lagbook: {complaint}")
    manifest = manifest_of(members, content.facts)
    signature = None if key is None else sign(manifest, key)
    with new_file(output) as stream:
        write_pack(stream, members, manifest, signature)
    return _report(output, content, manifest, is_signed=signature is not None, as_json=as_json)


def _find_scope(answers: Answers, incident: str, cluster: str | None) -> ClaimScope:
    from assets.evidence.claim_scope import find_incident, scope_of

    facts = find_incident(answers.rows, incident, cluster)
    if facts is None:
        refuse_incident(answers, incident, cluster)
    if facts["group_id"] is None:
        raise CallRefusedError(f"incident {brief(incident)} concerns no group, so no records of one can be cited.")
    return scope_of(answers.rows, facts)


def _copies(answers: Answers, scope: ClaimScope, logs: Sequence[str], unpacked: UnpackedCopies) -> Copies:
    """Where the bytes may be: in places of --logs, else in the files that were read; those in archives as copies."""
    from assets.evidence.cited_records import Copies, by_log
    from assets.evidence.pack import records_of
    from assets.ingest.unpacked_archives import find_archive

    places = [place for log in logs for place in expand(log)]
    for place in places:
        if is_archive(place) and find_archive(place) is None:
            raise CallRefusedError(f"{brief(place)}: there is no such archive.")
    if scope.is_of_store:
        return Copies(places=tuple(_places(answers, scope, places, unpacked)), named=unpacked.named)
    cited = by_log(records_of(answers.connection, scope))
    segments = _named_segments(scope, cited, places, unpacked) if logs else _segments_read(answers, cited, unpacked)
    return Copies(segments=tuple(segments))


def _segments_read(answers: Answers, cited: Iterable[Log], unpacked: UnpackedCopies) -> Iterator[SegmentFile]:
    """The files of logs that the warehouse was read from."""
    from assets.extraction.log_ranges import NO_END, LogRange
    from dagster_project.cli.extracts.claims import files_read

    packed: dict[tuple[str, str], list[Log]] = defaultdict(list)
    segments = ((log, one) for log in cited for one in files_read(answers, LogRange(*log, 0, NO_END)))
    for log, segment in segments:
        if INSIDE in segment.path:
            packed[segment.path.partition(INSIDE)[0], log.cluster] += [log]
        else:
            yield segment
    for (archive, cluster), logs in packed.items():
        yield from unpacked.segments(archive, logs, cluster)


def _named_segments(
    scope: ClaimScope, cited: Iterable[Log], places: Sequence[str], unpacked: UnpackedCopies
) -> Iterator[SegmentFile]:
    """The files in places that --logs names: of a claim about one cluster they are all of that."""
    from dagster_project.cli.extracts.log_places import named_places
    from parsers.files.discovery import discover

    cluster = scope.cluster if len(scope.clusters) == 1 else None
    for archive in filter(is_archive, places):
        yield from unpacked.segments(archive, cited, cluster)
    plain = [place for place in places if not is_archive(place)]
    yield from named_places(plain, None, cluster).segments if cluster else discover(plain, None).segments


def _places(answers: Answers, scope: ClaimScope, places: Sequence[str], unpacked: UnpackedCopies) -> Iterator[str]:
    """The places of a store's files: those of --logs, and the archives that these and the runs of before name."""
    question = "SELECT DISTINCT source_file FROM raw.{} WHERE cluster = $cluster AND log_partition = $number"
    place = {"cluster": scope.cluster, "number": scope.log_partition}
    read = [
        row["source_file"]
        for table in ("external_commits", "zookeeper_events")
        for row in answers.rows(question.format(table), place)
    ]
    archives = [path.partition(INSIDE)[0] for path in read if INSIDE in path]
    for one in dict.fromkeys([*places, *archives]):
        yield unpacked.zookeeper(one) if is_archive(one) else one


def _page(answers: Answers, scope: ClaimScope) -> str:
    from dagster_project.cli.reporting.page import page
    from dagster_project.cli.reporting.scope import ReportRequest, find_scope

    return page(answers, find_scope(answers, ReportRequest(None, scope.incident, None, None, scope.cluster)))


def _report(output: Path, content: Evidence, manifest: bytes, *, is_signed: bool, as_json: bool) -> int:
    """Say what is in the pack; give the exit code."""
    from assets.evidence.cited_records import named_record
    from assets.evidence.pack_file import manifest_digest

    is_made, missing = content.facts["is_claim_made_again"], content.missing
    is_pseudonymous = content.facts["is_pseudonymous"]
    facts: dict[str, Any] = {
        "file": str(output),
        "size_bytes": output.stat().st_size,
        "incident": content.facts["scope"]["incident"],
        "cited_records": content.cited,
        "missing": [named_record(record) for record in missing],
        "missing_events": content.missing_events,
        "unchecked": list(content.unchecked),
        "is_claim_made_again": is_made,
        "is_signed": is_signed,
        "is_pseudonymous": is_pseudonymous,
        "manifest_blake3": manifest_digest(manifest),
    }
    if as_json:
        click.echo(to_json(facts, indent=2))
    else:
        _print(output, facts, content)
    is_borne_out = is_pseudonymous or not (missing or content.missing_events)
    return exits.DONE if is_made and is_borne_out else exits.INCOMPLETE


def _print(output: Path, facts: dict[str, Any], content: Evidence) -> None:
    cited, missing = content.cited, content.missing
    if facts["is_pseudonymous"]:
        names = content.facts["scope"]
        click.echo(f"names are pseudonyms: the group is {names['group_id']}, the incident {names['incident']}")
        click.echo("bytes and page are left out: they have the names")
    else:
        cited_kind = "cited commit" if content.is_of_store else "cited record"
        click.echo(f"{cited - len(missing)} of {plural(cited, cited_kind)} with their bytes")
    if missing and content.can_be_cited and not facts["is_pseudonymous"]:
        shown = ", ".join(map(str, missing[:_MOST_SHOWN])) + (", ..." if len(missing) > _MOST_SHOWN else "")
        note(f"lagbook: in no file any more: {shown}; --logs names other copies")
    if content.missing_events:
        events = f"{plural(content.missing_events, 'event')} of members, topics and sessions in ZooKeeper"
        note(f"lagbook: in no file any more: {events}; --logs names other copies")
    for sentence in content.unchecked:
        note(f"lagbook: in no byte: {sentence}")
    outcome = (
        "was made again of its rows" if facts["is_claim_made_again"] else "is not made again: its kind needs more rows"
    )
    click.echo(f"the claim {outcome}{'; the manifest is signed' if facts['is_signed'] else ''}")
    click.echo(f"BLAKE3 of the manifest: {facts['manifest_blake3']}")
    click.echo(f"{safe(str(output))}: {facts['size_bytes']:,} bytes; lagbook verify {pasteable(str(output))}")
