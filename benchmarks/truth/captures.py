"""The ways in which a recording comes into Lagbook's hands, and the warehouse that it makes of each.

What is copied when belongs here. How a cleaner changes a log is in `cleaner`.
"""

from __future__ import annotations

import re
import shutil
from collections import defaultdict
from typing import TYPE_CHECKING, Final

from benchmarks.truth.recordings import OFFSETS_TOPIC
from tests.whole_run import whole_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from benchmarks.truth.recordings import Recording


def whole(recording: Recording, room: Path) -> Path:
    """The warehouse of the whole history, read once."""
    if not recording.history:
        return _built(room / "warehouse", [recording.data])
    logs = room / "logs"
    shutil.copytree(recording.data[0], logs, ignore=shutil.ignore_patterns(f"{OFFSETS_TOPIC}-*"), dirs_exist_ok=True)
    for folder in recording.history[0].glob(f"{OFFSETS_TOPIC}-*"):
        shutil.copytree(folder, logs / folder.name, dirs_exist_ok=True)
    return _built(room / "warehouse", [[logs]])


def _built(warehouse: Path, copies: Iterable[Sequence[Path]]) -> Path:
    """The warehouse of copies that are read one after the other; made anew."""
    shutil.rmtree(warehouse, ignore_errors=True)
    for logs in copies:
        for cluster, some in _by_cluster(logs).items():
            words = ("--cluster", cluster) if cluster else ()
            done = whole_run(warehouse, some, *words)
            if done.exit_code:
                raise RuntimeError(f"lagbook run of {', '.join(map(str, some))} ended with {done.exit_code}: {done.output}")
    return warehouse


def _by_cluster(logs: Sequence[Path]) -> dict[str | None, list[Path]]:
    """Log directories by the name that their cluster needs; None for those that name it themselves."""
    found: defaultdict[str | None, list[Path]] = defaultdict(list)
    for folder in logs:
        found[_cluster(folder)].append(folder)
    return dict(found)


def _cluster(folder: Path) -> str | None:
    properties = folder / "meta.properties"
    if properties.exists() and re.search(r"^cluster\.id=", properties.read_text(), re.MULTILINE):
        return None
    return next((part for part in folder.parts if part.startswith("brokers-")), "recorded")


CAPTURES: Final[Mapping[str, Callable[[Recording, Path], Path]]] = {"A": whole}
"""Recording and an empty folder to the warehouse that it makes."""
