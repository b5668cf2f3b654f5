"""The scoreboard of truth: `python -m benchmarks.truth RECORDING...` holds claims against what truly happened.

Only the call belongs here.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.truth.boards import board
from benchmarks.truth.captures import Captures
from benchmarks.truth.recordings import LAYOUT, RECORDINGS, Recording, open_recording
from benchmarks.truth.tables import by_capture, by_group, put_into, total, verdicts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from benchmarks.truth.scores import Board, Score


def main() -> None:
    """Score recordings and print the tables."""
    arguments = _arguments()
    totals: dict[tuple[str, str], dict[str, Score]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        room = arguments.room or Path(scratch)
        for recording_name, places in _places(arguments.recordings).items():
            recording = open_recording(recording_name, places, room)
            for name, scored in _boards(recording, arguments, room):
                totals[recording.name, name] = total(scored)
                _print_details(f"{recording.name}, capture {name}", scored, arguments)
    print(by_capture(totals))
    if arguments.markdown:
        page = arguments.markdown.read_text(encoding="utf-8")
        arguments.markdown.write_text(put_into(page, by_capture(totals)), encoding="utf-8")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.truth",
        description="Hold what Lagbook claims of recordings against what truly happened.",
        epilog=LAYOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("recordings", nargs="*", metavar="RECORDING", help=f"default: {', '.join(RECORDINGS)}")
    parser.add_argument("--captures", default="ABC", help="A whole, B cleaned once, C read while cleaned (ABC)")
    parser.add_argument("--every", type=int, default=30, metavar="SECONDS", help="how often C reads (30)")
    parser.add_argument("--groups", action="store_true", help="a table by group for each capture, too")
    parser.add_argument("--explain", action="store_true", help="every likely row and sentence beside the truth")
    parser.add_argument("--markdown", type=Path, metavar="PAGE", help="put the table between its marks in a page, too")
    parser.add_argument("--room", type=Path, help="keep what is unpacked and built in this folder")
    return parser.parse_args()


def _places(given: Sequence[str]) -> Mapping[str, Sequence[Path]]:
    """The places of each recording, by its name: what is kept of that name, else that of the first place."""
    places = {words: [Path(word) for word in words.split(",")] for words in given if words not in RECORDINGS}
    named = {some[0].name.removesuffix(".tar.xz"): some for some in places.values()}
    return {**{name: RECORDINGS[name] for name in given or RECORDINGS if name in RECORDINGS}, **named}


def _boards(recording: Recording, arguments: argparse.Namespace, room: Path) -> Iterator[tuple[str, Board]]:
    captures = Captures(recording, room / f"{recording.name}-built", 1000 * arguments.every)
    for name in arguments.captures:
        yield name, board(captures, name)


def _print_details(head: str, scored: Board, arguments: argparse.Namespace) -> None:
    if arguments.groups:
        print(f"{head}\n\n{by_group(scored)}\n", flush=True)
    if arguments.explain:
        print("\n".join((head, *verdicts(scored), "")), flush=True)


if __name__ == "__main__":
    main()
