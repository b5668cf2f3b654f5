"""Campaigns that take hours, by hand: `python -m tests.campaign --seed 7 --minutes 60 hostile`.

Put here how a campaign is begun and counted. What one history is judged by stands in the module of the campaign.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tests.campaign.flips import judge_flip
from tests.campaign.hostile import judge_seed

if TYPE_CHECKING:
    from collections.abc import Callable

CAMPAIGNS: Final[dict[str, Callable[[int, Path], None]]] = {"hostile": judge_seed, "flips": judge_flip}
"""Each judges the history of a seed, in a folder of its own."""


def main() -> int:
    """Judge seed after seed until the time is over; end with 1 when one was broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("campaign", choices=CAMPAIGNS)
    parser.add_argument("--seed", type=int, default=1, help="the first one")
    parser.add_argument("--minutes", type=float, default=60)
    asked = parser.parse_args()
    ends, seed, broken = time.monotonic() + 60 * asked.minutes, asked.seed, 0
    with tempfile.TemporaryDirectory() as scratch:
        while time.monotonic() < ends:
            broken += not _holds(CAMPAIGNS[asked.campaign], seed, Path(scratch))
            seed += 1
    print(f"{seed - asked.seed} histories from seed {asked.seed} on, {broken} broken")  # noqa: T201 - what it is called for
    return int(broken > 0)


def _holds(judge: Callable[[int, Path], None], seed: int, scratch: Path) -> bool:
    try:
        judge(seed, scratch)
    except Exception:  # noqa: BLE001 - whatever breaks is told, and the next seed is judged
        print(f"seed {seed} is broken:", traceback.format_exc(), sep="\n", flush=True)  # noqa: T201
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
