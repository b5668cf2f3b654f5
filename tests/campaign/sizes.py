"""A large cluster by a seed: one group with four fifths of all commits, very many groups, very many partitions.

Put here how large it is, and what a run over it may take. At the scale 1 it has ten million commits of 100,000 groups
on 20,000 partitions; `--scale 0.01` is a hundredth of each.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final, NamedTuple

import duckdb

from benchmarks.crowd import PARTITIONS_PER_TOPIC, Shape
from benchmarks.generate import Broker, Files
from tests.campaign.answers import BrokenError
from tests.campaign.meanwhile import meanwhile
from tests.campaign.victims import run
from tests.processes import below

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from threading import Event

COMMITS, GROUPS, PARTITIONS = 10_000_000, 100_000, 20_000
SHARE: Final = 0.8
"""Of all commits, those of one group."""
LEAST: Final = 0.9
"""Of the commits that are drawn: a group of which nothing was drawn, and the records of groups, make a difference."""
PROCESS_BYTES_MOST: Final = 2 << 30
LOOKED_EVERY_S: Final = 0.2
COUNTED: Final = """
    SELECT count(*), sum(commits), max(commits), (SELECT count(DISTINCT (topic, partition)) FROM core.commits)
    FROM (SELECT group_id, count(*) AS commits FROM core.commits GROUP BY ALL)
"""


class Peak(NamedTuple):
    """The most that one process took, and its command."""

    size_bytes: int
    command: str


def judge_size(seed: int, scratch: Path, scale: float) -> Counter[str]:
    """Run over a cluster of this scale, and ask; what was there, and the most that a process took."""
    with TemporaryDirectory(dir=scratch) as folder:
        logs, warehouse = Path(folder, "data"), Path(folder, "warehouse")
        write_cluster(logs, seed, scale)
        at = ("--warehouse", str(warehouse))
        peaks: list[Peak] = []
        with _watched(peaks):
            run(("run", "--logs", str(logs), *at))
            if "Nothing is new" not in (again := run(("run", "--logs", str(logs), *at)).output):
                raise BrokenError(f"a second run found something new: {again[-1000:]}")
            for words in (("groups",), ("audit",), ("describe", "--all-groups", "--json"), ("doctor",)):
                run((*words, *at), allowed=frozenset({0, 3}))
        if (most := max(peaks)).size_bytes > PROCESS_BYTES_MOST:
            raise BrokenError(f"{most.command} took {most.size_bytes >> 20} MiB")
        return account(warehouse, scale) + Counter({"MiB in the largest process": most.size_bytes >> 20})


def write_cluster(logs: Path, seed: int, scale: float) -> None:
    """A broker's logs: the busiest group has its share, all others have the rest."""
    topics = max(int(PARTITIONS * scale) // PARTITIONS_PER_TOPIC, 1)
    shape = Shape(int(COMMITS * scale), max(int(GROUPS * scale), 2), topics, seed=seed)
    broker = Broker(shape, Files(logs))
    weight = broker.crowd.weight
    weight[1:] *= (1 - SHARE) / weight[1:].sum()
    weight[0] = SHARE
    broker.write_offsets()
    broker.write_data(1)
    broker.write_root()


def account(warehouse: Path, scale: float) -> Counter[str]:
    """The figures of a warehouse; refuse one in which groups or commits of the largest are lacking."""
    with duckdb.connect(str(warehouse / "lagbook.duckdb"), read_only=True) as connection:
        ((groups, commits, of_largest, partitions),) = connection.sql(COUNTED).fetchall()
    if commits < LEAST * COMMITS * scale or of_largest < LEAST * SHARE * commits:
        raise BrokenError(f"{groups} groups with {commits} commits, {of_largest} of the largest")
    return Counter(
        {"groups": groups, "partitions": partitions, "commits": commits, "commits of the largest group": of_largest}
    )


def _watched(peaks: list[Peak]) -> AbstractContextManager[None]:
    """Note again and again what the processes below this one have taken at most."""

    def look(is_over: Event) -> None:
        while not is_over.is_set():
            peaks.extend(filter(None, map(_peak, below(os.getpid()))))
            time.sleep(LOOKED_EVERY_S)

    return meanwhile(look)


def _peak(pid: int) -> Peak | None:
    """The most that a process took since it began; None when it is gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
        words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return None
    lines = [line.split() for line in status.splitlines() if line.startswith("VmHWM:")]
    return Peak(int(lines[0][1]) << 10, words[:100]) if lines else None
