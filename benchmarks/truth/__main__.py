"""The scoreboard of truth: `python -m benchmarks.truth RECORDING...` holds claims against what truly happened.

Only the call belongs here.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.truth.captures import CAPTURES
from benchmarks.truth.recordings import LAYOUT, Recording, opened
from benchmarks.truth.tables import explained, table
from benchmarks.truth.warehouses import board

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT: Final = Path(__file__).parents[2]
KEPT: Final = (
    f"{ROOT / 'dagster_project' / 'demo'},{ROOT / 'tests' / 'bytes' / 'incident-4.3'}",
    *map(str, sorted((ROOT / "tests" / "bytes" / "recorded").glob("*.tar.xz"))),
)


def main() -> None:
    """Score recordings and print the tables."""
    asked = _arguments()
    with tempfile.TemporaryDirectory() as scratch:
        room = asked.room or Path(scratch)
        for given in asked.recordings or KEPT:
            _score(_opened(given, room), asked, room)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.truth",
        description="Hold what Lagbook claims of recordings against what truly happened.",
        epilog=LAYOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("recordings", nargs="*", metavar="RECORDING", help="default: all that the repository keeps")
    parser.add_argument("--captures", default="".join(CAPTURES), help="A whole, B cleaned once, C read while cleaned")
    parser.add_argument("--groups", action="store_true", help="a line for every group, not only the sums")
    parser.add_argument("--explain", action="store_true", help="every likely row and sentence beside the truth")
    parser.add_argument("--room", type=Path, help="keep what is unpacked and built in this folder")
    return parser.parse_args()


def _opened(given: str, room: Path) -> Recording:
    places = [Path(place) for place in given.split(",")]
    name = next(place.name.removesuffix(".tar.xz") for place in places)
    return opened(name, places, room)


def _score(recording: Recording, asked: argparse.Namespace, room: Path) -> None:
    for name in asked.captures:
        scored = board(recording, name, room / recording.name)
        print(f"{recording.name}, {CAPTURES[name].__doc__}\n\n{table(scored, by_group=asked.groups)}\n", flush=True)
        if asked.explain:
            print("\n".join(explained(scored)), flush=True)


if __name__ == "__main__":
    main()
