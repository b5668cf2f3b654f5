"""A log cleaner's renames by a seed, in a loop while runs read: `.cleaned`, `.swap`, `.log`, `.deleted`.

Put here what happens to the files. No record goes away, so that in the end every row is that of logs that nobody
touched.
"""

from __future__ import annotations

import random
import shutil
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from tests.campaign.answers import BrokenError
from tests.campaign.growing import compare, grow, rows_of, undisturbed
from tests.campaign.meanwhile import meanwhile
from tests.whole_run import whole_run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from threading import Event

RUNS: Final = 3
PAUSES_S: Final = (0, 0.001, 0.01, 0.05)
"""Between two renames: a reader meets each of the names."""


def judge_renames(seed: int, scratch: Path, runs: int = RUNS) -> Counter[str]:
    """Run while a cleaner renames, and once more when it rests; the renames and the runs."""
    dice, (whole, expected) = random.Random(seed), undisturbed(scratch)  # noqa: S311 - made up, not secret
    with TemporaryDirectory(dir=scratch) as folder:
        logs, warehouse = Path(folder, "data"), Path(folder, "warehouse")
        counts = Counter({"runs meanwhile": runs})
        for share in sorted(dice.random() for _ in range(runs)):
            grow(logs, whole, share)
            with _cleaning(logs, dice, counts):
                run = whole_run(warehouse, [logs])
            if run.exit_code not in {0, 1} or "Traceback" in run.output:
                raise BrokenError(f"a run ended with {run.exit_code}: {run.output[-3000:]} {run.exception!r}")
            counts["of these ended with 1"] += run.exit_code
        grow(logs, whole, 1)
        run = whole_run(warehouse, [logs])
        if run.exit_code:
            raise BrokenError(f"the last run ended with {run.exit_code}: {run.output[-3000:]}")
        compare(rows_of(warehouse), expected)
    return counts


def _cleaning(logs: Path, dice: random.Random, counts: Counter[str]) -> AbstractContextManager[None]:
    """Exchange segments for copies of themselves all the while, and let no file be left under another name."""

    def clean(is_over: Event) -> None:
        while not is_over.is_set():
            segment = dice.choice(sorted(logs.glob("*/*.log")))
            for _step in _exchange(segment):
                counts["renames"] += 1
                is_over.wait(dice.choice(PAUSES_S))

    return meanwhile(clean)


def _exchange(segment: Path) -> Iterator[None]:
    """What a cleaner does with a segment and its clean copy, one step after the other."""
    cleaned, swap, deleted = (segment.with_name(f"{segment.name}.{word}") for word in ("cleaned", "swap", "deleted"))
    shutil.copyfile(segment, cleaned)
    yield
    cleaned.rename(swap)
    yield
    segment.rename(deleted)
    yield
    swap.rename(segment)
    yield
    deleted.unlink()
    yield
