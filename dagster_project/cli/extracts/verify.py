"""`lagbook verify`: a pack of evidence held against itself, without the warehouse and without the network.

Put here the call, the words, and the exit code. What is verified belongs in `assets.evidence.pack`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from dagster_project.cli import exits, options
from dagster_project.cli.terminal import brief, plural, print_sentence, safe, to_json

if TYPE_CHECKING:
    from assets.evidence.pack_file import PackReader
    from assets.evidence.verification import Verification

_LONGEST: Final = 1_000
_HELP: Final = """Verify PACK, a file of `lagbook evidence`: digests, cited bytes, and the claim.

Every digest of the manifest is compared. Every cited batch is decoded again, its checksum with it, and its records are
compared with the rows; of offsets that consumers keep outside Kafka, so are the files of a Spark checkpoint, or
ZooKeeper's transactions. The claim is made again of the rows and compared in every column. A difference is told with
its address, and ends with 1. No warehouse, log or network is asked, nothing is unpacked to the disk, and no SQL of the
pack is run. A pack with other members than its manifest's, names that lead out of it, links, or members that unpack to
too much is refused.

That a pack agrees with itself does not say who made it. A signature does: --signer and --allowed-signers name the
person and the file of keys, as for ssh-keygen -Y verify. Without them the key that signed is shown.

\b
Examples:
  lagbook verify OPS-12.zip
  lagbook verify OPS-12.zip --signer ana@example.com \\
      --allowed-signers ~/.ssh/allowed_signers"""
_EPILOG: Final = """\b
Exit codes:
  0    all of it holds
  1    something differs, or the signature is not the signer's: the message
       has the address
  2    the call can't be taken: an option, or a file that can't be read
  3    what there is holds, and not all is there: cited records without
       bytes, or a claim that is not made again
  130  interrupted"""


@click.command(help=_HELP, epilog=_EPILOG)
@click.argument("pack", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--signer", metavar="NAME", help="Whose signature it has to be, as the file of allowed signers has it.")
@click.option("--allowed-signers", "signers", type=click.Path(path_type=Path), metavar="FILE", help="Names and keys.")
@options.JSON
def verify(pack: Path, *, signer: str | None, signers: Path | None, as_json: bool) -> int:
    """Verify, and say what was."""
    if (signer is None) != (signers is None):
        raise click.UsageError("Give both --signer and --allowed-signers.", click.get_current_context())
    from assets.evidence import verification
    from assets.evidence.pack_file import manifest_digest, open_pack

    with open_pack(pack) as reader:
        signature = _verify_signature(reader, signer, signers)
        result = verification.verify(reader)
        manifest_blake3 = manifest_digest(reader.manifest_bytes)
    facts = {**_facts(pack, result, signature), "manifest_blake3": manifest_blake3}
    if as_json:
        click.echo(to_json(facts, indent=2))
    else:
        _print(facts)
    return exits.DONE if facts["is_whole"] else exits.INCOMPLETE


def _verify_signature(reader: PackReader, signer: str | None, signers: Path | None) -> str | None:
    """OpenSSH's words about the signature; None without one, where none is asked for."""
    from assets.evidence.signatures import SignatureError, check
    from assets.evidence.signatures import verify as verify_signature

    if reader.signature is None:
        if signer is not None:
            raise SignatureError(f"{safe(reader.path)}: expected a signature of {brief(signer)}, found none")
        return None
    if signer is None or signers is None:
        return check(reader.manifest_bytes, reader.signature)
    return verify_signature(reader.manifest_bytes, reader.signature, signer, signers)


def _facts(pack: Path, result: Verification, signature: str | None) -> dict[str, Any]:
    from assets.evidence.cited_records import named_record

    is_borne_out = result.is_pseudonymous or not (result.missing or result.missing_events)
    return {
        "file": str(pack),
        "incident": result.scope.incident,
        "title": result.title,
        "digests": result.members,
        "batches": result.batches,
        "files": result.files,
        "records": result.records,
        "missing": [named_record(record) for record in result.missing],
        "events": result.events,
        "missing_events": result.missing_events,
        "unchecked": list(result.unchecked),
        "is_claim_made_again": result.is_claim_made_again,
        "is_same_sql": result.is_same_sql,
        "is_pseudonymous": result.is_pseudonymous,
        "is_of_store": result.scope.is_of_store,
        "signature": signature,
        "is_whole": result.is_claim_made_again and is_borne_out,
    }


def _print_cited(facts: dict[str, Any]) -> None:
    """What bytes say of the cited records, and what none says."""
    cited = "cited commit" if facts["is_of_store"] else "cited record"
    if facts["is_of_store"]:
        places = f"{plural(facts['files'], 'piece')} of the store's files"
    else:
        places = plural(facts["batches"], "batch").replace("batchs", "batches")
    if facts["records"] or not facts["missing"]:
        click.echo(f"{plural(facts['records'], cited)} in {places}: the bytes say what the rows say")
    if facts["missing"]:
        click.echo(f"NOT SHOWN by bytes: {plural(len(facts['missing']), cited)}")
    if shown := facts["events"] - facts["missing_events"]:
        click.echo(f"{plural(shown, 'event')} of members, topics and sessions: the bytes say what the rows say")
    if facts["missing_events"]:
        click.echo(f"NOT SHOWN by bytes: {plural(facts['missing_events'], 'event')} of members, topics and sessions")
    for sentence in facts["unchecked"]:
        click.echo(f"NOT IN ANY BYTE: {sentence}")


def _print(facts: dict[str, Any]) -> None:
    print_sentence(f"{facts['incident']}: {brief(facts['title'], _LONGEST)}")
    click.echo(f"{plural(facts['digests'], 'digest')} as the manifest has them")
    click.echo(f"BLAKE3 of the manifest: {facts['manifest_blake3']}")
    if facts["is_pseudonymous"]:
        click.echo("names are pseudonyms, so no bytes are in it: the claim rests on rows")
    else:
        _print_cited(facts)
    if facts["is_claim_made_again"]:
        sql = "" if facts["is_same_sql"] else ", though the pack was made with other SQL than this release has"
        click.echo(f"the claim, made again of the rows, is the same{sql}")
    else:
        click.echo("NOT SHOWN: the claim is of a kind that is not made again")
    signature = "not signed: nothing says who made it" if facts["signature"] is None else facts["signature"]
    click.echo(brief(signature, _LONGEST))
