"""Kills by a seed: real runs on Spark, and `lagbook tidy`, die at random moments while the logs grow.

Put here who is killed when. In the end one run comes to its end, and every row is that of a warehouse that nobody
disturbed. How a process is killed stands in `victims`.
"""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.campaign.answers import BrokenError
from tests.campaign.growing import compare, grow, rows_of, undisturbed
from tests.campaign.victims import Kill, run

KILLS: Final = 4
"""So many over one warehouse."""
VICTIMS: Final = ("group", "driver", "java", "worker")
TIDIED: Final = 5
"""One of so many kills is of a tidying, if there is something to tidy."""
MARGIN: Final = 1.1
"""A kill may come when the run is over: it takes more or less long."""


def judge_kills(
    seed: int, scratch: Path, kills: int = KILLS, durations_s: tuple[float, float] | None = None
) -> Counter[str]:
    """Kill runs over one growing warehouse, then let one end; the kills by who died.

    Without the durations of a run and a tidying these are measured first.
    """
    dice, (whole, expected) = random.Random(seed), undisturbed(scratch)  # noqa: S311 - moments, not secrets
    counts, lasting_s = Counter[str](), durations_s or _durations_s(scratch)
    with TemporaryDirectory(dir=scratch) as folder:
        logs, warehouse = Path(folder, "data"), Path(folder, "warehouse")
        try:
            for share in sorted(dice.random() for _ in range(kills)):
                grow(logs, whole, share)
                counts[_disturb(dice, lasting_s, logs, warehouse)] += 1
            grow(logs, whole, 1)
            for words in (_reading(logs, warehouse), _tidying(warehouse), _reading(logs, warehouse)):
                run(words)
            compare(rows_of(warehouse), expected)
        except BrokenError as error:
            raise BrokenError(f"after {dict(counts)}: {error}") from error
    return counts


def _disturb(dice: random.Random, durations_s: tuple[float, float], logs: Path, warehouse: Path) -> str:
    """Kill a run or a tidying; says who died."""
    run_s, tidying_s = durations_s
    if warehouse.exists() and not dice.randrange(TIDIED):
        ending = run(_tidying(warehouse), Kill("group", dice.uniform(0, MARGIN * tidying_s)))
        return "tidyings killed" if ending.was_hit else "tidyings over before"
    kill = Kill(dice.choice(VICTIMS), dice.uniform(0, MARGIN * run_s))
    return f"runs killed by their {kill.victim}" if run(_reading(logs, warehouse), kill).was_hit else "runs over before"


@cache
def _durations_s(scratch: Path) -> tuple[float, float]:
    """The duration of a run, and of a tidying, that nobody disturbs."""
    whole, _expected = undisturbed(scratch)
    warehouse = scratch / "timed"
    return run(_reading(whole, warehouse)).seconds, run(_tidying(warehouse)).seconds


def _reading(logs: Path, warehouse: Path) -> tuple[str, ...]:
    return "run", "--logs", str(logs), "--warehouse", str(warehouse)


def _tidying(warehouse: Path) -> tuple[str, ...]:
    return "tidy", "--yes", "--warehouse", str(warehouse)
