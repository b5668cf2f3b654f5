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
from benchmarks.truth.recordings import KEPT, LAYOUT, Recording, opened
from benchmarks.truth.tables import by_capture, by_group, explained, total

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from benchmarks.truth.scores import Board, Score


def main() -> None:
    """Score recordings and print the tables."""
    asked = _arguments()
    totals: dict[tuple[str, str], dict[str, Score]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        room = asked.room or Path(scratch)
        for recording_name, places in _asked_for(asked.recordings).items():
            recording = opened(recording_name, places, room)
            for name, scored in _boards(recording, asked, room):
                totals[recording.name, name] = total(scored)
                _print_details(f"{recording.name}, capture {name}", scored, asked)
    print(by_capture(totals))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.truth",
        description="Hold what Lagbook claims of recordings against what truly happened.",
        epilog=LAYOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("recordings", nargs="*", metavar="RECORDING", help=f"default: {', '.join(KEPT)}")
    parser.add_argument("--captures", default="ABC", help="A whole, B cleaned once, C read while cleaned (ABC)")
    parser.add_argument("--every", type=int, default=30, metavar="SECONDS", help="how often C reads (30)")
    parser.add_argument("--groups", action="store_true", help="a table by group for each capture, too")
    parser.add_argument("--explain", action="store_true", help="every likely row and sentence beside the truth")
    parser.add_argument("--room", type=Path, help="keep what is unpacked and built in this folder")
    return parser.parse_args()


def _asked_for(given: Sequence[str]) -> Mapping[str, Sequence[Path]]:
    """The places of each recording, by its name: what is kept of that name, else that of the first place."""
    places = {words: [Path(word) for word in words.split(",")] for words in given if words not in KEPT}
    named = {some[0].name.removesuffix(".tar.xz"): some for some in places.values()}
    return {**{name: KEPT[name] for name in given or KEPT if name in KEPT}, **named}


def _boards(recording: Recording, asked: argparse.Namespace, room: Path) -> Iterator[tuple[str, Board]]:
    captures = Captures(recording, room / f"{recording.name}-built", 1000 * asked.every)
    for name in asked.captures:
        yield name, board(captures, name)


def _print_details(head: str, scored: Board, asked: argparse.Namespace) -> None:
    if asked.groups:
        print(f"{head}\n\n{by_group(scored)}\n", flush=True)
    if asked.explain:
        print("\n".join((head, *explained(scored), "")), flush=True)


if __name__ == "__main__":
    main()
