"""A replay of generations of one group with very many partitions, in a process of its own, and what memory it takes.

`python -m tests.assets.reconstruct.large_groups FOLDER PARTITIONS GENERATIONS NAME_BYTES` prints what came of it.
"""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tests.assets.reconstruct.conftest import Archive
from tests.assets.transforms.made_groups import assignment, classic, logged

if TYPE_CHECKING:
    from tests.assets.transforms.offsets_log import Row

WARM, MARK = 10, 0x12345678


def main() -> None:
    """Replay a small group, then the large one; print how many rows it has, and by how much the process grew."""
    folder, *numbers = sys.argv[1:]
    partitions, generations, name_bytes = map(int, numbers)
    _archive(Path(folder, "warm"), _log(WARM, 2, 1)).replay()
    archive = _archive(Path(folder, "large"), _log(partitions, generations, name_bytes))
    before_bytes = _peak_bytes()
    archive.replay()
    tables = ("core.ownership", "core.members", "core.generations")
    rows = {name: archive.warehouse.row_count(name) for name in tables}
    print(json.dumps({"grown_mb": (_peak_bytes() - before_bytes) >> 20, **rows}))  # noqa: T201 - what it is called for


def _archive(folder: Path, log: list[Row]) -> Archive:
    archive = Archive(folder)
    archive.add(log)
    return archive


def _log(partitions: int, generations: int, name_bytes: int) -> list[Row]:
    """Two members give each other their halves of a topic, from generation to generation."""
    halves = _assignment(0, partitions // 2), _assignment(partitions // 2, partitions)
    rows = [
        classic(number, dict(zip("ab", halves[:: 1 - 2 * (number % 2)], strict=True)), group="g" * name_bytes)
        | {"value_bytes": 4 * partitions}
        for number in range(1, generations + 1)
    ]
    return logged(*rows)


def _assignment(low: int, high: int) -> bytes:
    """The assignment of a run of partitions, without a Python number for each."""
    numbers = np.arange(low, high, dtype=">i4").tobytes()
    one = (1).to_bytes(4, "big") + MARK.to_bytes(4, "big")
    return assignment(MARK).replace(one, (high - low).to_bytes(4, "big") + numbers, 1)


def _peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


if __name__ == "__main__":
    main()
