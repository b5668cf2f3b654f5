"""Disks by a seed: full, out of inodes, read-only from some moment on, or without a table's folder, at any table.

Put here what a disk does to a run, and that the next run mends it. A disk is a tmpfs of the kernel, so that the
refusals are real; who is not root gets one by `unshare --map-root-user --mount python -m tests.campaign disks`.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import time
from collections import Counter
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final, NamedTuple

from click.testing import CliRunner

from dagster_project.cli.main import main
from tests.campaign.answers import BrokenError
from tests.campaign.growing import compare, grow, rows_of, undisturbed
from tests.campaign.meanwhile import meanwhile
from tests.whole_run import whole_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from threading import Event

    from click.testing import Result

FULL, NO_INODES, READ_ONLY, GONE = FAULTS = ("full", "out of inodes", "read-only", "without a folder")
MOUNT, UNMOUNT = "/bin/mount", "/bin/umount"
ENOUGH: Final = "size=1g,nr_inodes=100k"
LEAST, MOST = 0.02, 1.1
"""Of what a warehouse takes in the end, the share that there is room for."""
QUESTIONS: Final = (("describe", "--all-groups"), ("audit",), ("doctor",))


class Sizes(NamedTuple):
    """What a warehouse takes in the end, and the seconds that its run takes."""

    size_bytes: int
    inodes: int
    run_s: float


class Disk:
    """A file system in memory, whose limits can be changed while it is in use."""

    def __init__(self, place: Path) -> None:
        """Name the folder where it is mounted."""
        self.place = place

    @classmethod
    @contextmanager
    def mounted(cls, place: Path, options: str) -> Iterator[Disk]:
        """A disk with these options, as long as it is needed."""
        place.mkdir()
        subprocess.run([MOUNT, "-t", "tmpfs", "-o", options, "tmpfs", str(place)], check=True)
        try:
            yield cls(place)
        finally:
            subprocess.run([UNMOUNT, "--lazy", str(place)], check=True)

    def change(self, options: str) -> bool:
        """Give it other options; False where the kernel refuses, as while a file is written."""
        call = [MOUNT, "-o", f"remount,{options}", str(self.place)]
        return subprocess.run(call, check=False, capture_output=True).returncode == 0


def judge_disk(seed: int, scratch: Path) -> Counter[str]:
    """Let a disk fail one run, give it back, and let another run end; whether the first one failed."""
    dice = random.Random(seed)  # noqa: S311 - made up, not secret
    fault, (whole, expected) = dice.choice(FAULTS), undisturbed(scratch)
    with TemporaryDirectory(dir=scratch) as folder, Disk.mounted(Path(folder, "disk"), ENOUGH) as disk:
        logs, warehouse = Path(folder, "data"), disk.place / "warehouse"
        grow(logs, whole, dice.random())
        if dice.random() < 1 / 2 or fault in {READ_ONLY, GONE}:
            _expect_success(whole_run(warehouse, [logs]))
        grow(logs, whole, 1)
        what, fault_at_work = _fault(fault, dice, disk, _sizes(scratch))
        with fault_at_work:
            run = whole_run(warehouse, [logs])
        try:
            _refuse_noise(run)
            _recover(disk, warehouse, logs)
            compare(rows_of(warehouse), expected)
        except BrokenError as error:
            raise BrokenError(f"disk {what}, where a run ended with {run.exit_code}: {error}") from error
    return Counter({f"disks {fault}": 1, "runs refused": int(run.exit_code != 0)})


def _fault(fault: str, dice: random.Random, disk: Disk, sizes: Sizes) -> tuple[str, AbstractContextManager[None]]:
    """A fault in words, and what lets it come: at once, or at a moment of a run."""
    if fault in {FULL, NO_INODES}:
        return _shrink(disk, fault, dice.uniform(LEAST, MOST), sizes), nullcontext()
    moment_s = dice.uniform(0, sizes.run_s)
    if fault == READ_ONLY:
        return f"read-only after {moment_s:.2f} s", _later(moment_s, lambda: disk.change("ro"))
    table = dice.choice(sorted((disk.place / "warehouse").glob("*/*/")))
    return f"without {table.name} after {moment_s:.2f} s", _later(moment_s, lambda: _drop(table))


def _shrink(disk: Disk, fault: str, share: float, sizes: Sizes) -> str:
    """Leave room for a share of what a warehouse takes, or for a little more than there is; says for how much."""
    name, room = ("size", sizes.size_bytes) if fault == FULL else ("nr_inodes", sizes.inodes)
    room = max(int(room * share), 1)
    while not disk.change(f"{name}={room}"):
        room = room * 9 // 8 + 1
    return f"with {name}={room}"


def _later(moment_s: float, act: Callable[[], bool]) -> AbstractContextManager[None]:
    """Do something at a moment meanwhile, again until it is done or nobody waits for it any more."""

    def wait_and_act(is_over: Event) -> None:
        is_over.wait(moment_s)
        while not act() and not is_over.is_set():
            time.sleep(0.002)

    return meanwhile(wait_and_act)


def _drop(folder: Path) -> bool:
    shutil.rmtree(folder, ignore_errors=True)
    return True


def _refuse_noise(run: Result) -> None:
    """Refuse a traceback; a run that fails does so in sentences, with an exit code of ours."""
    if run.exit_code not in {0, 1, 2} or "Traceback" in run.output:
        raise BrokenError(f"{run.output[-3000:]} {run.exception!r}")


def _recover(disk: Disk, warehouse: Path, logs: Path) -> None:
    """Ask while the fault lasts, then give the disk back; one run, or one after a repair, ends well."""
    for words in QUESTIONS if (warehouse / "lagbook.duckdb").exists() else ():
        answer = CliRunner().invoke(main, [*words, "--warehouse", str(warehouse)])
        if answer.exception is not None and not isinstance(answer.exception, SystemExit):
            raise BrokenError(f"lagbook {words[0]}: {answer.exception!r}") from answer.exception
    if not disk.change(f"rw,{ENOUGH}"):
        raise BrokenError("the disk can't be given back")
    if whole_run(warehouse, [logs]).exit_code:
        CliRunner().invoke(main, ["repair", "--yes", "--warehouse", str(warehouse)])
        _expect_success(whole_run(warehouse, [logs]))


def _expect_success(run: Result) -> None:
    if run.exit_code:
        raise BrokenError(f"a run ended with {run.exit_code}: {run.output[-3000:]}")


@cache
def _sizes(scratch: Path) -> Sizes:
    """The sizes of a warehouse that nobody disturbs."""
    whole, _expected = undisturbed(scratch)
    began = time.monotonic()
    _expect_success(whole_run(scratch / "measured", [whole]))
    paths = list((scratch / "measured").rglob("*"))
    return Sizes(sum(path.stat().st_blocks * 512 for path in paths), len(paths), time.monotonic() - began)
