"""Campaigns that take hours, by hand: `python -m tests.campaign hostile --seed 7 --minutes 60 2>/dev/null`.

What runs print goes to stderr, findings and the summary to stdout. Put here how a campaign is begun and counted. What
one history is judged by stands in the module of the campaign.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import traceback
from collections import Counter
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final
from unittest.mock import patch

from assets import models
from tests.campaign.disks import judge_disk
from tests.campaign.flips import judge_flip
from tests.campaign.hostile import judge_seed
from tests.campaign.kills import judge_kills
from tests.campaign.live import judge_live
from tests.campaign.renames import judge_renames
from tests.campaign.sizes import judge_size

if TYPE_CHECKING:
    from collections.abc import Callable

BROKEN, SIZES = "broken", "sizes"
CAMPAIGNS: Final[dict[str, Callable[[int, Path], Counter[str]]]] = {
    "kills": judge_kills,
    "disks": judge_disk,
    "renames": judge_renames,
    "live": judge_live,
    "hostile": judge_seed,
    "flips": judge_flip,
}
"""Each judges the history of a seed, in a folder of its own, and gives the figures of what it did."""


def main() -> int:
    """Judge seed after seed until the time is over; end with 1 when one was broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("campaign", choices=[*CAMPAIGNS, SIZES])
    parser.add_argument("--seed", type=int, default=1, help="the first one")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--scale", type=float, default=0.01, help="of the cluster of `sizes`; 1 takes hours")
    arguments = parser.parse_args()
    judge = CAMPAIGNS[arguments.campaign] if arguments.campaign != SIZES else partial(judge_size, scale=arguments.scale)
    ends, seed = time.monotonic() + 60 * arguments.minutes, arguments.seed
    figures: Counter[str] = Counter()
    # A process asks hundreds of questions here, and models stay as they are.
    with tempfile.TemporaryDirectory() as scratch, patch("assets.models.fingerprint", cache(models.fingerprint)):
        while time.monotonic() < ends:
            figures += _figures(judge, seed, Path(scratch))
            seed += 1
    counts = ", ".join(f"{count} {name}" for name, count in sorted(figures.items()) if name != BROKEN)
    print(f"{arguments.campaign}, seeds {arguments.seed} to {seed - 1}: {counts}; {figures[BROKEN]} seeds broken")  # noqa: T201 - what it is called for
    return int(figures[BROKEN] > 0)


def _figures(judge: Callable[[int, Path], Counter[str]], seed: int, scratch: Path) -> Counter[str]:
    try:
        return judge(seed, scratch)
    except Exception:  # noqa: BLE001 - whatever breaks is told, and the next seed is judged
        print(f"seed {seed} is broken:", traceback.format_exc(), sep="\n", flush=True)  # noqa: T201
        return Counter({BROKEN: 1})


if __name__ == "__main__":
    sys.exit(main())
